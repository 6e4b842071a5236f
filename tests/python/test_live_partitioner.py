"""What only our own partitioner hands over, at live shapes."""

import highwater
import pytest
import torch
from highwater.export import to_pte
from support.live import BOTH_KINDS, EXACT, FLOAT, SDPA, TRANSCENDENTAL, check_live
from support.modules import Together, live, shapes
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

LENGTHS = (61, 17, 1, 48, 5, 61)


def check(functions, make_inputs, *per_input, **options):
    check_live(
        Together(functions),
        make_inputs,
        shapes(*per_input),
        lengths=LENGTHS,
        kinds=BOTH_KINDS,
        own=True,
        **options,
    )


def test_running_sums():
    check(
        {
            "last": lambda x, i: x.cumsum(-1),
            "columns": lambda x, i: x.cumsum(1),
            "live": lambda x, i: x.cumsum(0),
            "odd columns": lambda x, i: x[:, :, :3].cumsum(1),
            "of integers": lambda x, i: i.cumsum(0),
            "of truths": lambda x, i: (i > 3).cumsum(0),
        },
        lambda n: (torch.randn(n, 5, 8), torch.randint(-9, 9, (n,))),
        {0: live(most=61)},
        {0: live(most=61)},
        ops=["aten.cumsum.default"],
        tolerance=TRANSCENDENTAL,
    )


def test_sorting():
    check(
        {
            "rising": lambda x, i: tuple(x.sort(0)),
            "falling": lambda x, i: tuple(x.sort(1, descending=True)),
            "first": lambda x, i: tuple(x.topk(3, 1)),
            "least": lambda x, i: tuple(x.topk(2, -1, largest=False)),
            # Equals keep their order.
            "integers": lambda x, i: tuple(i.sort(stable=True, dim=0)),
        },
        lambda n: (torch.randn(n, 7), torch.randint(0, 4, (n,))),
        {0: live(most=61)},
        {0: live(most=61)},
        ops=["aten.topk.default", "aten.sort.default"],
        tolerance=EXACT,
    )


def test_several_index_tensors():
    check(
        {
            "side by side": lambda x, i: x[i, i.abs() % 6],
            "with what follows": lambda x, i: x[i, 2],
            "apart": lambda x, i: x[i, :, i.abs() % 8],
            "of the middle": lambda x, i: x[:, i.abs() % 6, i.abs() % 8],
            "stretched": lambda x, i: x[i[:, None], torch.arange(6)[None]],
        },
        lambda n: (torch.randn(n, 6, 8), torch.randint(-n, n, (n,))),
        {0: live(most=61)},
        {0: live(most=61)},
        ops=["aten.index.Tensor"],
        tolerance=EXACT,
    )


def test_truths_and_products():
    check(
        {
            "any": lambda x: (x > 1).any(-1),
            "any of all": lambda x: (x > 2).any(),
            "any of floats": lambda x: x.round().any(0),
            "all": lambda x: (x > -1).all(0, keepdim=True),
            "all of all": lambda x: (x < 9).all(),
            "all of two": lambda x: (x > -2).all(dim=(0, 1)),
            "product": lambda x: (1 + x / 50).prod(0),
        },
        lambda n: (torch.randn(n, 9),),
        {0: live(most=61)},
        tolerance=TRANSCENDENTAL,
    )


def test_numbers_stay_numbers():
    check(
        {
            "add": lambda x, i: x + 2,
            "of a size": lambda x, i: x * x.shape[0],
            "floor": lambda x, i: torch.div(x, 0.5, rounding_mode="floor"),
            "trunc": lambda x, i: torch.div(i, 3, rounding_mode="trunc"),
            "remainder": lambda x, i: i % 5,
            "of floats": lambda x, i: x.remainder(0.75),
            "fmod": lambda x, i: i.fmod(4),
            "of two": lambda x, i: i.remainder(i.abs() + 1),
            "mixed": lambda x, i: x + i[:, None],
            "int and bool": lambda x, i: i * (i > 0),
        },
        lambda n: (torch.randn(n, 6), torch.randint(-20, 20, (n,))),
        {0: live(most=61)},
        {0: live(most=61)},
        tolerance=FLOAT,
    )


def test_views_by_strides():
    check(
        {"windows": lambda x: torch.as_strided(x, (x.shape[0], 4), (8, 2), 1)},
        lambda n: (torch.randn(n, 8),),
        {0: live(most=61)},
        ops=["aten.as_strided_copy.default"],
        tolerance=EXACT,
    )


def test_attention_as_torch_calls_it():
    def grouped(q, k, mask):
        return scaled_dot_product_attention(q, k[:, :2], k[:, :2], enable_gqa=True)

    check(
        {
            "plain": lambda q, k, mask: scaled_dot_product_attention(q, k, k),
            "causal": lambda q, k, mask: scaled_dot_product_attention(q, k, k, is_causal=True),
            "truths": lambda q, k, mask: scaled_dot_product_attention(q, k, k, mask > 0),
            "added": lambda q, k, mask: scaled_dot_product_attention(q, k, k, mask, scale=0.3),
            "grouped": grouped,
            "without heads": lambda q, k, mask: scaled_dot_product_attention(q[0], k[0], k[0]),
        },
        # Every query sees the first key.
        lambda n: (
            torch.randn(2, 4, n, 16),
            torch.randn(2, 4, n, 16),
            torch.randn(n, n).index_fill(1, torch.tensor([0]), 1.0),
        ),
        {2: live(most=61)},
        {2: live(most=61)},
        {0: live(most=61), 1: live(most=61)},
        ops=["aten.scaled_dot_product_attention.default"],
        tolerance=SDPA,
    )


LAYERS = {
    "LSTM": lambda: nn.LSTM(12, 16, batch_first=True),
    "two LSTMs, both ways": lambda: nn.LSTM(12, 8, 2, bidirectional=True),
    "a wide LSTM": lambda: nn.LSTM(12, 260, bias=False),
    "GRU": lambda: nn.GRU(12, 16, batch_first=True),
    "two GRUs, both ways": lambda: nn.GRU(12, 8, 2, batch_first=True, bidirectional=True),
}


@pytest.mark.parametrize("layer", LAYERS)
def test_recurrent_layers(layer):
    torch.manual_seed(0)
    module = LAYERS[layer]().eval()
    length = 1 if module.batch_first else 0
    check_live(
        module,
        lambda n: (torch.randn(*((3, n) if module.batch_first else (n, 3)), 12),),
        ({length: live(most=61), 1 - length: live("batch", most=4)},),
        lengths=LENGTHS,
        kinds=BOTH_KINDS,
        own=True,
        ops=["highwater.lstm_scan.default" if "LSTM" in layer else "highwater.gru_scan.default"],
        tolerance=TRANSCENDENTAL,
    )


def test_one_example_for_two_inputs():
    class Difference(nn.Module):
        def forward(self, x, y):
            return x - 2 * y

    example = torch.ones(3, 4)
    rows = live(most=8)
    with highwater.load(to_pte(Difference(), (example, example), ({0: rows}, {0: rows}))) as model:
        for n in (8, 1, 5):
            x, y = torch.randn(n, 4), torch.randn(n, 4)
            assert torch.allclose(model(x, y), x - 2 * y)


def test_norms_stay_whole():
    check(
        {"rms": nn.RMSNorm(24), "plain": lambda x: nn.functional.layer_norm(x, (24,))},
        lambda n: (torch.randn(n, 24),),
        {0: live(most=61)},
        ops=["et_vk.rms_norm.default", "aten.native_layer_norm.default"],
    )


def test_whole_quotients_by_a_number():
    check(
        {
            "integers": lambda x, i: i // 3,
            "by less than nothing": lambda x, i: i // -2,
            "floats": lambda x, i: x // 0.5,
        },
        lambda n: (torch.randint(-40, 40, (n, 8)) / 4, torch.randint(-9, 9, (n,))),
        {0: live(most=61)},
        {0: live(most=61)},
        ops=["aten.div.Scalar_mode"],
        tolerance=EXACT,
    )
