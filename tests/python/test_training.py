"""The parts of the training that could be wrong without anybody noticing."""

import torch
from executorch.examples.models.llama.llama_transformer import construct_transformer
from executorch.examples.models.llama.model_args import ModelArgs
from torchao.quantization.granularity import PerGroup
from torchao.quantization.quant_api import IntxWeightOnlyConfig, quantize_

from training import fake_quantize, text
from training.llama import Llama
from training.muon import orthogonal
from training.places import ARCHITECTURE, CONTEXT, GROUP
from training.schedule import Moment

DUMP = """
Psalms 2

  11 Serve the LORD with fear, and rejoice with trembling.
  12 Kiss the Son.

1 John 1

  1 That which was from the beginning.
"""


def random_llama() -> Llama:
    torch.manual_seed(0)
    model = Llama().eval()
    for weight in model.parameters():
        torch.nn.init.normal_(weight, 1.0 if weight.dim() == 1 else 0.0, 0.06)
    return model


def test_the_trained_model_is_the_exported_one():
    model = random_llama()
    arguments = ModelArgs(
        max_seq_len=CONTEXT,
        max_context_len=CONTEXT,
        use_kv_cache=False,
        generate_full_logits=True,
        **ARCHITECTURE,
    )
    exported = construct_transformer(arguments).eval()
    exported.load_state_dict(model.state_dict())
    ids = torch.randint(ARCHITECTURE["vocab_size"], (2, 70))
    with torch.no_grad():
        torch.testing.assert_close(model(ids), exported(ids), atol=1e-4, rtol=1e-4)


def test_fake_weights_are_those_of_the_exporters_quantizer():
    model = random_llama()
    real = torch.nn.Linear(ARCHITECTURE["dim"], ARCHITECTURE["vocab_size"], bias=False)
    real.load_state_dict(model.output.state_dict())
    quantize_(
        real,
        IntxWeightOnlyConfig(
            weight_dtype=torch.int4,
            granularity=PerGroup(GROUP),
            intx_choose_qparams_algorithm="hqq_scale_only",
        ),
    )
    before = model.output.weight.detach().clone()
    fake_quantize.start(model)
    torch.testing.assert_close(model.output.weight, real.weight.dequantize())
    assert not torch.equal(model.output.weight, before)
    assert torch.equal(fake_quantize.plain_weights(model)["output.weight"], before)


def test_a_step_of_muon_has_no_preferred_direction():
    for shape in ((32, 96), (96, 32)):
        values = torch.linalg.svdvals(orthogonal(torch.randn(shape)))
        assert values.min() > 0.5 and values.max() < 1.5


def test_rates_rise_hold_and_fall_to_zero():
    rates = [Moment(i / 100).rate for i in range(101)]
    assert max(rates) == rates[10] == 1
    assert rates[0] < 0.1 and rates[100] == 0
    assert rates[50:] == sorted(rates[50:], reverse=True)


def test_verses_become_lines(monkeypatch):
    monkeypatch.setattr(text, "CHAPTERS", 2)
    learn, examine = text.split(text._as_prose(DUMP))
    assert learn == [
        "Psalms 2\n\nServe the LORD with fear, and rejoice with trembling.\nKiss the Son.\n"
    ]
    assert examine == ["1 John 1\n\nThat which was from the beginning.\n"]
