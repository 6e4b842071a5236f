"""Says from when to when somebody speaks in a sound file: Silero VAD, with its state carried along.

    pip install 'highwater[export]' safetensors
    pip install --no-deps silero-vad
    python examples/speech.py meeting.wav

The sound is one channel of 16-bit samples at 16 kHz. The program is kept in the file --model.
"""

import argparse
import wave
from importlib.util import find_spec
from pathlib import Path

import highwater
import numpy as np

RATE, CHUNK, BEFORE, MOST_CHUNKS = 16000, 512, 64, 64


def export(path: Path) -> None:
    import torch
    from highwater.export import to_pte
    from safetensors.torch import load_file
    from torch import nn

    class Silero(nn.Module):
        def __init__(self):
            super().__init__()
            self.stft_conv = nn.Conv1d(1, 258, 256, 128, bias=False)
            sizes = ((129, 128, 1), (128, 64, 2), (64, 64, 2), (64, 128, 1))
            for number, (inputs, outputs, stride) in enumerate(sizes, 1):
                self.add_module(f"conv{number}", nn.Conv1d(inputs, outputs, 3, stride, 1))
            self.lstm = nn.LSTM(128, 128)
            self.final_conv = nn.Conv1d(128, 1, 1)

        def forward(self, chunks, h, c):
            x = nn.functional.pad(chunks.unsqueeze(1), (0, BEFORE), "reflect")
            real, imaginary = self.stft_conv(x).split(129, 1)
            x = (real.square() + imaginary.square()).sqrt()
            for layer in (self.conv1, self.conv2, self.conv3, self.conv4):
                x = layer(x).relu()
            y, (h, c) = self.lstm(x.squeeze(-1), (h, c))
            return self.final_conv(y.relu().unsqueeze(-1)).sigmoid().flatten(), h, c

    data = Path(find_spec("silero_vad").submodule_search_locations[0]) / "data"
    weights = load_file(data / "silero_vad_16k.safetensors")
    for name in [name for name in weights if name.startswith("lstm_cell.")]:
        weights[f"lstm.{name[10:]}_l0"] = weights.pop(name)
    module = Silero().eval()
    module.load_state_dict(weights)
    example = torch.randn(3, BEFORE + CHUNK), torch.zeros(1, 128), torch.zeros(1, 128)
    chunks = torch.export.Dim("chunks", max=MOST_CHUNKS)
    path.write_bytes(to_pte(module, example, ({0: chunks}, None, None)))


def main() -> None:
    parser = argparse.ArgumentParser(description="When somebody speaks in a WAV file.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", type=Path, default=Path("silero.pte"))
    given = parser.parse_args()
    given.model.exists() or export(given.model)
    with wave.open(str(given.file)) as sound:
        if (sound.getnchannels(), sound.getsampwidth(), sound.getframerate()) != (1, 2, RATE):
            parser.error(f"{given.file} is not one channel of 16 bits at {RATE} Hz.")
        samples = np.frombuffer(sound.readframes(sound.getnframes()), np.int16) / 32768
    padded = np.pad(samples, (BEFORE, CHUNK)).astype(np.float32)
    chunks = np.lib.stride_tricks.sliding_window_view(padded, BEFORE + CHUNK)[::CHUNK]
    likely, state = [], [np.zeros((1, 128), np.float32)] * 2
    with highwater.load(given.model) as model:
        for at in range(0, len(chunks), MOST_CHUNKS):
            told, *state = model(chunks[at : at + MOST_CHUNKS], *state)
            likely.extend(told)
    speaks = np.array([0, *(np.array(likely) > 0.5), 0], int)
    for start, end in zip(*(np.nonzero(np.diff(speaks) == way)[0] for way in (1, -1)), strict=True):
        print(f"{start * CHUNK / RATE:6.2f} s to {end * CHUNK / RATE:6.2f} s")


if __name__ == "__main__":
    main()
