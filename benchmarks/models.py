"""The models that are measured, by the names that the command line has for them."""

from benchmarks.llama import Llama
from benchmarks.model import Model
from benchmarks.network import Encoder, Int8MobileNet, MobileNet

MODELS = {
    model.name: model
    for model in (
        Llama("tiny", 256, 4, 8, 4, 704, 2048),
        Llama("mid", 1024, 8, 16, 8, 2816, 32000),
        MobileNet("mobilenet"),
        Int8MobileNet("mobilenet-int8"),
        # The size of MiniLM-L6.
        Encoder("minilm", 384, 6, 12, 1536, 30522),
        # For the benchmark's own test: nothing that they say about speed is of use.
        Llama("toy", 64, 1, 4, 2, 96, 256, longest_prompt=16, context=64, decode_at=(8, 40)),
        Encoder("toy-encoder", 32, 1, 4, 64, 100, lengths=(4, 9), longest=16),
    )
}


def named(name: str) -> Model:
    """`tiny`, or `tiny@8192` for one with room for so many tokens."""
    name, _, context = name.partition("@")
    return MODELS[name].with_context(int(context)) if context else MODELS[name]


MEASURED = [name for name in MODELS if not name.startswith("toy")]
QUICK = ["tiny", "mobilenet", "minilm"]
