"""Small programs, and what the native engine makes of them at one live shape after another.

The tests in a browser compare with it. Each case is a .pte file and a .json beside it, with inputs
and outputs of all calls.
"""

import json
import shutil
import sys
from pathlib import Path

import highwater
import jinja2
import numpy as np
import torch
from highwater.export import to_pte
from tokenizers import Tokenizer
from torch import nn

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/python"))

from support.lowering import lower  # noqa: E402
from support.modules import Fn, RmsNorm, live, shapes  # noqa: E402

LENGTHS = (128, 100, 37, 64, 1, 128)
SIZES = ((48, 64), (31, 7), (1, 1), (64, 64), (17, 48))
# How many new tokens, and how many came before: a prompt, an answer, the next prompt.
TURNS = ((64, 0), (13, 0), (1, 13), (1, 14), (5, 15), (37, 1))
PROMPTS = ("In the beginning", "And it came to pass", "The LORD is my shepherd; I shall not want.")


class Cascade(nn.Module):
    """Each op takes its live shape from the one before it."""

    def __init__(self):
        super().__init__()
        self.norm = RmsNorm()
        self.layer = nn.Linear(64, 64)

    def forward(self, x, y):
        h = x + y
        return torch.sigmoid(self.layer(self.norm(h))) * h


class Pictures(nn.Module):
    """A small convolutional net, at any height and width."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.depthwise = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.last = nn.Conv2d(8, 4, 1)

    def forward(self, x):
        return self.last(torch.relu(self.depthwise(torch.relu(self.first(x)))))


class Words(nn.Module):
    """Integers in, integers out, and attention between."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(100, 32)
        self.norm = nn.LayerNorm(32)

    def forward(self, tokens):
        h = self.norm(self.embedding(tokens))
        scores = torch.softmax(h @ h.transpose(1, 2), -1)
        return scores @ h, torch.argmax(h, -1)


class Meaning(nn.Module):
    """What MiniLM is to the page Search, but much smaller: texts to points by their words."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(2048, 64)

    def forward(self, ids, mask):
        counts = mask[:, :, None].float()
        point = (self.embedding(ids) * counts).sum(1)
        return point / point.norm(dim=1, keepdim=True)


def pieces(x):
    """Slices, joins and views, whose dims are sums and products of the live one."""
    joined = torch.cat([x, x[:, 8:24].repeat(1, 4), torch.ones(3, 64)], 0)
    heads = joined.view(joined.shape[0], 8, 8).transpose(0, 1)
    return heads, heads.select(1, -1), joined[:, 3:40]


def floats(*dims: int) -> torch.Tensor:
    return torch.randn(*dims)


def programs():
    """Name, module, its inputs at the bound, dynamic shapes, and the inputs of each call."""
    rows = [(floats(n, 64), floats(n, 64)) for n in LENGTHS]
    yield "cascade", Cascade(), rows[0], {"x": {0: live()}, "y": {0: live()}}, rows
    parts = [(floats(n, 64),) for n in LENGTHS]
    yield "pieces", Fn(pieces), parts[0], shapes({0: live()}), parts
    images = [(floats(1, 3, *size),) for size in SIZES]
    height, width = live("h", most=64), live("w", most=64)
    example = (floats(1, 3, 64, 64),)
    yield "pictures", Pictures(), example, {"x": {2: height, 3: width}}, images
    texts = [(torch.randint(0, 100, (1, n)),) for n in LENGTHS]
    yield "words", Words(), texts[0], {"tokens": {1: live()}}, texts
    # Weights of 20 MB: more than a page should have in wasm's memory.
    table = Fn(nn.Embedding(80_000, 64))
    rare = [(torch.randint(0, 80_000, (1, n)),) for n in LENGTHS]
    yield "large", table, rare[0], shapes({1: live()}), rare


def record(array: np.ndarray) -> dict:
    return {"dims": list(array.shape), "data": array.reshape(-1).tolist()}


def record_calls(path: Path, calls: list) -> list[dict]:
    recorded = []
    with highwater.load(path) as model:
        for inputs in calls:
            arrays = [np.asarray(value) for value in inputs]
            outputs = model(*arrays)
            outputs = outputs if isinstance(outputs, tuple) else (outputs,)
            recorded.append(
                {"inputs": [record(a) for a in arrays], "outputs": [record(a) for a in outputs]}
            )
    return recorded


def shipped_calls(path: Path) -> dict:
    """Logits after one turn and another, and texts, of which the drawn ones share a seed."""
    text = np.random.default_rng(0).integers(2, 2048, 128)
    calls = [(text[None, p : p + n], np.array([p])) for n, p in TURNS]
    drawn = {"temperature": 0.8, "top_k": 40, "seed": 7}
    tokenizer = highwater.load_tokenizer(None, path)
    with highwater.load(path) as model:

        def write(prompt: str, **options) -> str:
            return "".join(model.generate(prompt, max_new_tokens=24, **options))

        texts = [
            {
                "prompt": prompt,
                "tokens": tokenizer.encode(prompt),
                "greedy": write(prompt),
                "drawn": write(prompt, **drawn),
            }
            for prompt in PROMPTS
        ]
    return {"calls": record_calls(path, calls), "texts": texts}


# As models bring them along: with special tokens, with conditions, and with roles that are refused.
TEMPLATES = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    "{{ bos_token }}{%- for m in messages -%}{%- if m.role == 'user' -%}"
    "[INST] {{ m.content | trim }} [/INST]{%- elif m.role == 'assistant' -%}"
    " {{ m.content }}{{ eos_token }}{%- else -%}"
    "{{ raise_exception('only users and assistants') }}{%- endif -%}{%- endfor -%}",
    "{%- set ns = namespace(first=true) -%}{%- for m in messages if m.content | length > 0 -%}"
    "{{ '' if ns.first else '\n' }}{{ loop.index }}. {{ m.role | capitalize }}: {{ m.content }}"
    "{%- set ns.first = false -%}{%- endfor %}",
)
CHAT = [
    {"role": "user", "content": " Who was Jonah? "},
    {"role": "assistant", "content": "A prophet."},
    {"role": "user", "content": "Where did he go?"},
]


def chats() -> list[dict]:
    """What Python makes of a conversation, and its tokens."""
    config = {"bos_token": "<s>", "eos_token": {"content": "</s>"}}
    tokenizer = Tokenizer.from_file(str(ROOT / "models/kjv/tokenizer.json"))
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    rendered = []
    for template in TEMPLATES:
        text = environment.from_string(template).render(
            messages=CHAT, add_generation_prompt=True, bos_token="<s>", eos_token="</s>"
        )
        tokens = tokenizer.encode(text, add_special_tokens=False).ids
        rendered.append(
            {"config": config | {"chat_template": template}, "text": text, "tokens": tokens}
        )
    return [{"messages": CHAT, **chat} for chat in rendered]


def make_search(folder: Path) -> None:
    """The page Search with a small model; its sentences are the page's own."""
    folder.mkdir(exist_ok=True)
    dims = {0: live("texts", most=16), 1: live("tokens", most=128)}
    example = (torch.ones(16, 128, dtype=torch.long),) * 2
    program = to_pte(Meaning().eval(), example, (dims, dims))
    (folder / "model.pte").write_bytes(program)
    shutil.copy(ROOT / "models/kjv/tokenizer.json", folder)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    sentences = json.loads((ROOT / "web/pages/sentences.json").read_text())
    with highwater.load(folder / "model.pte") as model:
        tokens = [np.array([tokenizer.encode(text).ids[:128]]) for _, text in sentences]
        points = np.concatenate([model(ids, np.ones_like(ids)) for ids in tokens])
    (folder / "points.bin").write_bytes(points.astype("<f4").tobytes())


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    for name, module, example, dynamic_shapes, calls in programs():
        path = folder / f"{name}.pte"
        path.write_bytes(lower(module.eval(), example, dynamic_shapes))
        (folder / f"{name}.json").write_text(json.dumps({"calls": record_calls(path, calls)}))
    # More than a device has without asking for it: in one binding, and in one buffer.
    for name, most in (("wide", 40_000), ("wider", 80_000)):
        rows = shapes({0: live(most=most)})
        program = lower(Fn(torch.relu), (floats(most, 1024),), rows)
        (folder / f"{name}.pte").write_bytes(program)
    (folder / "chats.json").write_text(json.dumps(chats()))
    make_search(folder / "search")
    shipped = shipped_calls(ROOT / "models/kjv/model.pte")
    (folder / "shipped.json").write_text(json.dumps(shipped))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
