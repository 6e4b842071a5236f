"""What else the machine does while it measures, and what it is."""

import os
from pathlib import Path


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def has_gpu() -> bool:
    return any(Path("/dev/dri").glob("renderD*")) or Path("/dev/nvidiactl").exists()


def resident_bytes(field: str) -> int:
    """`VmRSS` is the memory of this process now, `VmHWM` the most that it ever was. (`ru_maxrss`
    would start with what the parent had when it forked.)"""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def _clocks() -> tuple[float, float]:
    """Seconds that all cores together were busy, and that they had."""
    user, nice, system, idle, wait, irq, softirq, steal, *_ = (
        int(field) / os.sysconf("SC_CLK_TCK")
        for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    )
    busy = user + nice + system + irq + softirq + steal
    return busy, busy + idle + wait


class Watch:
    """How much of the machine went to others than those who are measured."""

    def __init__(self):
        self.load_before = os.getloadavg()[0]
        self.busy, self.all = _clocks()

    def taken_by_others(self, own_seconds: float) -> float:
        busy, everything = _clocks()
        others = busy - self.busy - own_seconds
        return max(0.0, min(1.0, others / max(everything - self.all, 1e-9)))
