"""The steps of random modules: what can be done to the tensors there are."""

import random
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from soak.random_module import BOUND, Step

Values = dict[int, Tensor]
UNARY: dict[str, Callable[[Tensor], Tensor]] = {
    "abs": torch.abs,
    "neg": torch.neg,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "hardswish": F.hardswish,
    "hardsigmoid": F.hardsigmoid,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.1),
    "elu_like": lambda x: torch.where(x > 0, x, torch.exp(x.clamp(max=0)) - 1),
    "exp": lambda x: torch.exp(x.clamp(-4, 3)),
    "log": lambda x: torch.log(x.abs() + 0.5),
    "sqrt": lambda x: torch.sqrt(x.abs() + 0.1),
    "rsqrt": lambda x: torch.rsqrt(x.abs() + 0.5),
    "reciprocal": lambda x: torch.reciprocal(x.abs() + 0.5),
    "sin": torch.sin,
    "cos": torch.cos,
    "erf": torch.erf,
    "square": lambda x: x.pow(2),
    "clamp": lambda x: x.clamp(-0.7, 0.9),
    "hardtanh": F.hardtanh,
    "half_and_back": lambda x: (x * 2).relu() - x,
}
BINARY: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": lambda a, b: a / (b.abs() + 0.5),
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "add_alpha": lambda a, b: torch.add(a, b, alpha=0.5),
    "atan_like": lambda a, b: torch.sigmoid(a) * torch.tanh(b),
}
# Where a small error makes a large difference: of inputs alone, which have none.
ABRUPT: dict[str, Callable[[Tensor], Tensor]] = {
    "floor": torch.floor,
    "ceil": torch.ceil,
    "round": torch.round,
    "trunc": torch.trunc,
    "sign": torch.sign,
    "positive": lambda x: (x > 0).float(),
    "remainder": lambda x: torch.remainder(x, 0.75),
    "argmax": lambda x: x.argmax(-1).float(),
    "sorted": lambda x: torch.sort(x, -1)[0],
    "top": lambda x: torch.topk(x, 3, -1)[0],
    "as_int": lambda x: (x * 10).to(torch.int32).float(),
}


def draw_step(chance: random.Random, values: Values) -> Step:
    return chance.choice(KINDS)(chance, values)


def _float(chance: random.Random, values: Values) -> int:
    """The latest are the likeliest, so that chains come of it."""
    places = [i for i, x in values.items() if x.is_floating_point()]
    latest = places[-4:]
    return chance.choice(latest if chance.random() < 0.7 else places)


def _unary(chance: random.Random, values: Values) -> Step:
    name = chance.choice(list(UNARY))
    return Step(name, (_float(chance, values),), UNARY[name])


def _abrupt(chance: random.Random, values: Values) -> Step:
    name = chance.choice(list(ABRUPT))
    return Step(name, (chance.choice((0, 1, 2, 4)),), ABRUPT[name])


def _binary(chance: random.Random, values: Values) -> Step:
    name = chance.choice(list(BINARY))
    return Step(name, (_float(chance, values), _float(chance, values)), BINARY[name])


def _dim(chance: random.Random, x: Tensor) -> int:
    return chance.randrange(-x.dim(), x.dim()) if x.dim() else 0


def _reduce(chance: random.Random, values: Values) -> Step:
    place = _float(chance, values)
    dim, keep = _dim(chance, values[place]), chance.random() < 0.6
    name = chance.choice(("sum", "mean", "amax", "amin"))
    function = getattr(torch, name)
    return Step(f"{name} dim={dim} keep={keep}", (place,), lambda x: function(x, dim, keep))


def _along(chance: random.Random, values: Values) -> Step:
    place = _float(chance, values)
    dim = _dim(chance, values[place])
    name, function = chance.choice(
        (
            ("softmax", lambda x: x.softmax(dim)),
            ("log_softmax", lambda x: x.log_softmax(dim)),
            ("cumsum", lambda x: x.cumsum(dim) * 0.2),
            ("flip", lambda x: x.flip(dim)),
            ("roll", lambda x: x.roll(2, dim)),
        )
    )
    return Step(f"{name} dim={dim}", (place,), function)


def _slice(chance: random.Random, values: Values) -> Step:
    place = _float(chance, values)
    dim = _dim(chance, values[place])
    start, step = chance.choice((0, 0, 1, 2, -2)), chance.choice((1, 1, 1, 2))
    end = chance.choice((None, None, -1, 2))

    def cut(x: Tensor) -> Tensor:
        index = [slice(None)] * x.dim()
        index[dim] = slice(start, end, step)
        return x[tuple(index)]

    return Step(f"slice dim={dim} {start}:{end}:{step}", (place,), cut)


def _select(chance: random.Random, values: Values) -> Step:
    place = _float(chance, values)
    dim, index = _dim(chance, values[place]), chance.choice((0, -1, 1))
    return Step(f"select dim={dim} {index}", (place,), lambda x: x.select(dim, index))


def _turn(chance: random.Random, values: Values) -> Step:
    place = _float(chance, values)
    order = list(range(values[place].dim()))
    chance.shuffle(order)
    return Step(f"permute {order}", (place,), lambda x: x.permute(order))


def _view(chance: random.Random, values: Values) -> Step:
    place = _float(chance, values)
    rank = values[place].dim()
    first = chance.randrange(max(rank - 1, 1))
    name, function = chance.choice(
        (
            (f"flatten {first}", lambda x: x.flatten(first, first + 1)),
            (f"unsqueeze {first}", lambda x: x.unsqueeze(first)),
            ("split the last", lambda x: x.unflatten(-1, (2, x.shape[-1] // 2))),
            ("squeeze 0", lambda x: x.squeeze(0)),
        )
    )
    return Step(name, (place,), function)


def _cat(chance: random.Random, values: Values) -> Step:
    a, b = _float(chance, values), _float(chance, values)
    dim = _dim(chance, values[a])
    return Step(f"cat dim={dim}", (a, b), lambda x, y: torch.cat((x, y, x), dim))


def _repeat(chance: random.Random, values: Values) -> Step:
    place = _float(chance, values)
    counts = [1] * values[place].dim()
    if counts:
        counts[chance.randrange(len(counts))] = 2
    return Step(f"repeat {counts}", (place,), lambda x: x.repeat(counts))


def _pad(chance: random.Random, values: Values) -> Step:
    place, by = _float(chance, values), [chance.randrange(3) for _ in range(chance.choice((2, 4)))]
    return Step(f"pad {by}", (place,), lambda x: F.pad(x, by, value=0.25))


def _weights(chance: random.Random, *dims: int) -> Tensor:
    made = torch.Generator().manual_seed(chance.randrange(2**31))
    return torch.randn(*dims, generator=made) / max(dims[-1], 1) ** 0.5


def _static_width(place: int, x: Tensor) -> int:
    """Of the last dim; weights are as wide as it is at the bound, and fail where it is live."""
    return x.shape[-1] if x.dim() else 1


def _linear(chance: random.Random, values: Values) -> Step:
    place = _float(chance, values)
    width, wide = _static_width(place, values[place]), chance.choice((4, 5, 8, 16, 33))
    weight, bias = _weights(chance, wide, width), _weights(chance, wide)
    if chance.random() < 0.3:
        bias = None
    return Step(f"linear {width}->{wide}", (place,), lambda x: F.linear(x, weight, bias))


def _norm(chance: random.Random, values: Values) -> Step:
    place = _float(chance, values)
    width = _static_width(place, values[place])
    weight, bias = 1 + 0.2 * _weights(chance, width), _weights(chance, width)

    def layer_norm(x: Tensor) -> Tensor:
        return F.layer_norm(x, (width,), weight, bias, 0.1)

    def rms_norm(x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 0.1) * weight

    return Step(*chance.choice((("layer_norm", (place,), layer_norm), ("rms", (place,), rms_norm))))


def _product(chance: random.Random, values: Values) -> Step:
    a, b = _float(chance, values), _float(chance, values)
    name, function = chance.choice(
        (
            ("x @ y", lambda x, y: x @ y),
            ("x @ y.T", lambda x, y: x @ y.transpose(-1, -2)),
            ("x.T @ x", lambda x, y: x.transpose(-1, -2) @ x),
            ("attention", _attention),
        )
    )
    return Step(f"{name} scaled", (a, b), lambda x, y: function(x, y) * 0.2)


def _attention(x: Tensor, y: Tensor) -> Tensor:
    scores = x @ y.transpose(-1, -2) / x.shape[-1] ** 0.5
    return scores.softmax(-1) @ y


def _conv(chance: random.Random, values: Values) -> Step:
    place = _float(chance, values)
    x = values[place]
    stride, size = chance.choice((1, 1, 2)), chance.choice((1, 3))
    options = {"stride": stride, "padding": size // 2}
    if x.dim() == 4:
        channels, groups = x.shape[1], chance.choice((1, x.shape[1]))
        weight = _weights(chance, channels * 2, channels // groups, size, size) * 0.5
        name = f"conv2d {size} stride={stride} groups={groups}"
        return Step(name, (place,), lambda x: F.conv2d(x, weight, groups=groups, **options))
    channels = x.shape[-2] if x.dim() > 1 else 1
    weight = _weights(chance, 6, channels, size) * 0.5
    return Step(f"conv1d {size} {stride}", (place,), lambda x: F.conv1d(x, weight, None, **options))


def _pool(chance: random.Random, values: Values) -> Step:
    place = _float(chance, values)
    name, function = chance.choice(
        (
            ("avg_pool2d", lambda x: F.avg_pool2d(x, 2, 1)),
            ("max_pool2d", lambda x: F.max_pool2d(x, 3, 2, 1)),
            ("upsample", lambda x: F.interpolate(x, scale_factor=2.0, mode="nearest")),
            ("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2)),
        )
    )
    return Step(name, (place,), function)


def _look_up(chance: random.Random, values: Values) -> Step:
    table = _weights(chance, BOUND, chance.choice((3, 8)))
    place = _float(chance, values)
    name, takes, function = chance.choice(
        (
            ("embedding", (3,), lambda i: F.embedding(i, table)),
            ("index_select", (place, 3), lambda x, i: x.index_select(-1, i)),
            ("index", (place, 3), lambda x, i: x[..., i]),
            ("ints", (3,), lambda i: ((i * 3 - 5) // 2 + i % 3).float()),
        )
    )
    return Step(name, takes, function)


def _choose(chance: random.Random, values: Values) -> Step:
    """By a condition that has no error of its own."""
    by = chance.choice((0, 1, 2, 4))
    place = _float(chance, values)
    return Step("where", (by, place), lambda c, x: torch.where(c > 0.2, x, x * 0.5))


KINDS = (
    *(_unary, _unary, _binary, _binary, _binary, _reduce, _along, _slice, _slice, _select, _turn),
    *(_view, _view, _cat, _repeat, _pad, _linear, _linear, _norm, _product, _product, _conv),
    *(_pool, _look_up, _choose, _abrupt),
)
