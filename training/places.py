"""Where the parts of the model are, and what it is made of."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "training"  # what can be made again
MODEL = ROOT / "models" / "kjv"  # what ships

TEXT = WORK / "kjv.txt"
STATE = WORK / "state.pt"
LOG = WORK / "log.jsonl"
NOTES = WORK / "notes.txt"  # what a reader of the card should know of the run, if there is anything

TOKENIZER = MODEL / "tokenizer.json"
CHECKPOINT = MODEL / "checkpoint.pth"
PARAMS = MODEL / "params.json"
PROGRAM = MODEL / "model.pte"
EXCERPT = MODEL / "held_out.txt"
NUMBERS = MODEL / "numbers.json"
LOGITS = MODEL / "logits.npz"
CARD = MODEL / "card.md"

# Every width is a multiple of 32, the group in which weights share a scale.
ARCHITECTURE = dict(
    dim=256,
    n_layers=5,
    n_heads=4,
    n_kv_heads=2,
    hidden_dim=512,
    multiple_of=32,
    vocab_size=2048,
    norm_eps=1e-5,
    rope_theta=10000.0,
)
GROUP = 32
CONTEXT = 512  # tokens the model was trained to look back on
CALL = 256  # tokens in one call of the program
