"""What ./soak runs: each part for its share of the time, with a line that tells how far it is."""

import argparse
import logging
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
LONG = 100_000  # steps of a model


def parts(seed: int) -> dict[str, Callable[[float], Iterator[Any]]]:
    from soak import endurance, programs

    def steps_of(make: Any) -> Callable[[float], Iterator[Any]]:
        return lambda seconds: endurance.run(endurance.steps(make, seed, 200), seconds, LONG)

    return {
        "llama": steps_of(endurance.Llama),
        "picture": steps_of(endurance.Picture),
        "loads": lambda seconds: endurance.run(endurance.loads(seed, 5), seconds),
        "programs": lambda seconds: programs.run(seconds, seed),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="./soak")
    parser.add_argument("hours", type=float, nargs="?", default=1.0)
    parser.add_argument("parts", nargs="*", metavar="part")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    known = parts(given.seed)
    wanted = given.parts or list(known)
    for name in wanted:
        if name not in known:
            parser.error(f"there is no part {name!r}; there are: {', '.join(known)}")
    results = {name: soak(name, known[name], given.hours * 3600 / len(wanted)) for name in wanted}
    print()
    for name, tally in results.items():
        print(f"{name:10} {tally}")
        for finding in tally.findings:
            print(f"  {finding}")
    return int(any(tally.findings for tally in results.values()))


def soak(name: str, part: Callable[[float], Iterator[Any]], seconds: float) -> Any:
    print(f"{name}: for at most {seconds / 60:.1f} min", flush=True)
    began = told = time.monotonic()
    tally = None
    for tally in part(seconds):
        now = time.monotonic()
        every = 1 if sys.stdout.isatty() else 30
        if now - told >= every:
            told = now
            end = "\r" if sys.stdout.isatty() else "\n"
            print(f"  {now - began:.0f} s: {tally}"[:150], end=end, flush=True)
    return tally


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # torch's packages have much to say
    sys.path.insert(0, str(TESTS / "python"))
    sys.exit(main())
