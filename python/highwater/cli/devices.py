"""`highwater devices`: which adapters there are, and which one a program would run on."""

import os
from dataclasses import dataclass
from typing import Any

import click

import highwater
from highwater.cli import terminal

KINDS = ("discrete GPU", "integrated GPU", "CPU")  # the best first, as in src/gpu/adapters.cpp
TEXTS = ("name", "type", "backend", "driver")
SIZES = {
    "buffer": "max_buffer_size",
    "binding": "max_storage_binding_size",
    "workgroup memory": "max_workgroup_memory",
}
COUNTS = {
    "buffers a kernel": "max_storage_buffers",
    "threads a workgroup": "max_invocations_per_workgroup",
}
NOTHING = (
    "This machine has no WebGPU adapter, because it has no Vulkan driver. Install your GPU's, or "
    "one that needs no GPU: apt-get install mesa-vulkan-drivers (Debian, Ubuntu), dnf install "
    "mesa-vulkan-drivers (Fedora), pacman -S vulkan-swrast (Arch)."
)


@dataclass(frozen=True)
class Choice:
    index: int
    why: str


def choose(devices: list[dict[str, Any]], wanted: str) -> Choice | None:
    """What the library does with HIGHWATER_ADAPTER set to `wanted`; None if nothing matches."""
    candidates = [i for i, device in enumerate(devices) if _matches(device, i, wanted)]
    if not candidates:
        return None
    best = min(candidates, key=lambda i: _rank(devices[i]))
    return Choice(best, _reason(devices, candidates, best, wanted))


def _matches(device: dict[str, Any], index: int, wanted: str) -> bool:
    if wanted.isdecimal():
        return int(wanted) == index
    return any(wanted.lower() in device[key].lower() for key in ("name", "driver"))


def _rank(device: dict[str, Any]) -> int:
    return KINDS.index(device["type"]) if device["type"] in KINDS else len(KINDS)


def _reason(devices: list[dict[str, Any]], candidates: list[int], best: int, wanted: str) -> str:
    asked = f"HIGHWATER_ADAPTER is {wanted!r}"
    if len(candidates) == 1:
        return asked if wanted else "it is the only one"
    among = f"{asked}, and of those that match it" if wanted else "it"
    kind = devices[best]["type"]
    if sum(_rank(devices[i]) == _rank(devices[best]) for i in candidates) > 1:
        return f"{among} is the first of the best kind, {kind}"
    return f"{among} is of the best kind, {kind}"


def _print_table(devices: list[dict[str, Any]], choice: Choice) -> None:
    """A column an adapter: there are few of them, and much to say of each."""
    numbers = [f"{i} (used)" if i == choice.index else str(i) for i in range(len(devices))]
    rows = [[key, *(device[key] for device in devices)] for key in TEXTS]
    rows += [["features", *(", ".join(device["features"]) or "none" for device in devices)]]
    rows += [
        [f"largest {name}", *(terminal.size(device["limits"][key]) for device in devices)]
        for name, key in SIZES.items()
    ]
    rows += [
        [name, *(str(device["limits"][key]) for device in devices)] for name, key in COUNTS.items()
    ]
    terminal.say(terminal.table(["adapter", *numbers], rows))
    terminal.say(f"\nAdapter {choice.index} is used: {choice.why}.")
    if len(devices) > 1:
        terminal.say("HIGHWATER_ADAPTER chooses another, by its number or by a part of its name.")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print everything that is known, as JSON.")
def command(as_json: bool) -> None:
    """Lists the WebGPU adapters of this machine, and says which one programs run on and why.

    A discrete GPU is preferred to an integrated one, and that to a software driver. The environment
    variable HIGHWATER_ADAPTER chooses one, by its number or by a part of its name.
    """
    devices = highwater.devices()
    if not devices:
        raise terminal.Failure(NOTHING)
    wanted = os.environ.get("HIGHWATER_ADAPTER", "")
    choice = choose(devices, wanted)
    if choice is None:
        names = ", ".join(f"{i} ({device['name']})" for i, device in enumerate(devices))
        raise terminal.Failure(
            f"No adapter matches HIGHWATER_ADAPTER, which is {wanted!r}. There are {names}."
        )
    if as_json:
        chosen = {"index": choice.index, "why": choice.why}
        terminal.say_json({"adapters": devices, "chosen": chosen})
    else:
        _print_table(devices, choice)
