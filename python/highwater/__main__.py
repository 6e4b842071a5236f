"""`python -m highwater`: which adapters there are, and what can run. Fails if nothing can."""

import sys

import highwater


def main() -> int:
    try:
        devices = highwater.devices()
    except highwater.HighwaterError as error:
        print(f"highwater: {error}", file=sys.stderr)
        return 1
    if not devices:
        print(
            "highwater: this machine has no WebGPU adapter. On one without a GPU, install a "
            "software Vulkan driver (Debian: mesa-vulkan-drivers).",
            file=sys.stderr,
        )
        return 1
    for index, device in enumerate(devices):
        what = ", ".join([device["type"], device["backend"], *device["features"]])
        print(f"adapter {index}: {device['name']} ({what})")
    print(f"{len(highwater.supported_ops())} ops, see highwater.supported_ops()")
    return 0


if __name__ == "__main__":
    sys.exit(main())
