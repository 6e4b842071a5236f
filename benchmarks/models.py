"""The models that are measured, by the names that the command line has for them."""

from benchmarks.llama import Llama

MODELS = {
    model.name: model
    for model in (
        Llama("tiny", 256, 4, 8, 4, 704, 2048),
        Llama("mid", 1024, 8, 16, 8, 2816, 32000),
        # For the benchmark's own test: nothing that it says about speed is of use.
        Llama("toy", 64, 2, 4, 2, 96, 256, longest_prompt=16, context=32, decode_at=8),
    )
}
MEASURED = [name for name in MODELS if not name.startswith("toy")]
QUICK = [name for name in MEASURED if name != "mid"]
