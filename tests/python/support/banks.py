"""Bank conflicts of workgroup memory, counted from a kernel's own index expressions.

The text of an expanded kernel is read line by line. What follows from an invocation's number is
worked out for each of them; loops are looked at in their first round, since what they add is the
same for all. Eight invocations access 16 bytes each at a time. 32 banks of 4 bytes serve them
without waiting if what they want lies in different ones, or is the same.
"""

import re

LANES, TOGETHER = 64, 8

_DEFINITION = re.compile(r"(?:const|let|var) (\w+)(?:: \w+)? = (.+?);")
_ACCESS = re.compile(r"(?<![\w.])(\w+)\[(.+?)\](?: =|;|,|\)| \+=)")
_MEMORY = re.compile(r"var<workgroup> (\w+): array<vec4<f32>")


def _value(expression: str, known: dict[str, int]) -> int | None:
    """What a whole-number expression comes to; None if it is of anything else."""
    plain = re.sub(r"\b(\d+)u\b", r"\1", expression).replace("/", "//")
    if not re.fullmatch(r"[\w\s+*/%()^,-]+", plain):
        return None
    names = set(re.findall(r"[A-Za-z_]\w*", plain)) - {"min"}
    if not names <= known.keys():
        return None
    return eval(plain, {"__builtins__": {}, "min": min}, dict(known))


def accesses(wgsl: str) -> dict[tuple[int, str, str], list[int]]:
    """Of each line, array of quads and index: which quad each invocation accesses."""
    memories = set(_MEMORY.findall(wgsl))
    found: dict[tuple[int, str, str], list[int]] = {}
    for lane in range(LANES):
        known = {"lane": lane, "WG": LANES}
        for number, line in enumerate(wgsl.splitlines()):
            for loop in re.findall(r"for \(var (\w+) = 0u;", line):
                known[loop] = 0
            for name, expression in _DEFINITION.findall(line):
                value = lane if name == "lane" else _value(expression, known)
                known.pop(name, None)
                if value is not None:
                    known[name] = value
            for array, index in _ACCESS.findall(line):
                value = _value(index, known) if array in memories else None
                if value is not None:
                    found.setdefault((number, array, index), []).append(value)
    return {at: places for at, places in found.items() if len(places) == LANES}


def rounds(places: list[int]) -> int:
    """How often the busiest bank is asked, by the eight who access it together, at worst."""
    worst = 0
    for first in range(0, len(places), TOGETHER):
        different = set(places[first : first + TOGETHER])
        banks = [place % TOGETHER for place in different]
        worst = max(worst, max(banks.count(bank) for bank in banks))
    return worst
