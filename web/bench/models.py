"""Makes the models of `npm run bench`: those of ./bench, also as ONNX, with torch's numbers.

python web/bench/models.py FOLDER
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks import environments, files, making  # noqa: E402
from benchmarks.model import HIGHWATER, ONNX, REFERENCE  # noqa: E402
from benchmarks.models import MODELS  # noqa: E402

LENGTHS = (16, 64)  # of texts whose numbers are checked


def checks(name: str, reference: dict[str, np.ndarray]) -> list[dict]:
    """Texts, and what torch makes of them."""
    model = MODELS[name]
    texts = []
    for step in model.steps(list(LENGTHS), quick=False):
        if step.position > 0 or step.work > max(LENGTHS):
            continue
        tokens = model.inputs(step, reference)[0]
        expected = model.expected(step, reference)
        texts.append({"tokens": tokens.reshape(-1).tolist(), "expected": expected.tolist()})
    return texts


def copy_onnx(source: Path, target: Path) -> None:
    """Without the dims of its outputs: onnxruntime-web would disagree about the first."""
    sys.path.append(str(environments.packages(environments.WITHOUT_TORCH)))
    import onnx

    graph = onnx.load(source)
    for output in graph.graph.output:
        output.type.tensor_type.ClearField("shape")
    onnx.save(graph, target)


def main(folder: Path) -> None:
    for name in ("tiny", "minilm"):
        model = MODELS[name]
        names = (HIGHWATER, ONNX, REFERENCE)
        making.make([(model, names)], print)
        made = {file: files.path(file, model) for file in names}
        place = folder / name
        (place / "onnx").mkdir(parents=True, exist_ok=True)
        shutil.copy(made[HIGHWATER], place / "model.pte")
        copy_onnx(made[ONNX], place / "onnx" / "model.onnx")
        # As transformers.js wants to be told.
        (place / "config.json").write_text(json.dumps({"model_type": "bert"}))
        reference = dict(np.load(made[REFERENCE]))
        about = {
            "texts": checks(name, reference),
            "tolerance": {
                "pte": model.forms[HIGHWATER].tolerance,
                "onnx": model.forms[ONNX].tolerance,
            },
        }
        if name == "tiny":
            about["cache"] = {
                "names": [cache for _, cache, _ in model.onnx_caches()],
                "heads": model.kv_heads,
                "width": model.head_dim,
            }
        (place / "about.json").write_text(json.dumps(about))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
