"""What a person can do about an error of torch or ExecuTorch."""

import contextlib
import re
from collections.abc import Iterator

from highwater.errors import HighwaterError

# A pattern of the message, and what to say; {0} is what the pattern's group found.
_ADVICE = (
    (
        r"Suggested fixes:\s*\n((?:[ \t]+.+\n?)+)",
        "The dynamic shapes allow sizes that the module cannot take. torch suggests: {0}.",
    ),
    (
        r"Not all values of (\w+) = .+ in the specified .+ satisfy the generated guard (.+?)\.?$",
        "The dynamic shapes allow sizes that the module cannot take: it wants {0} to be such that "
        "{1}. Give that dim bounds that keep to it, such as a larger min.",
    ),
    (
        r"You marked (\w+) as dynamic but your code specialized it to be a constant",
        "The module fixes {0}: leave it out of the dynamic shapes, or find where the module asks "
        "for its number.",
    ),
    (
        r"mismatch between the structure of `inputs` and `dynamic_shapes`",
        "Give the dynamic shapes as many entries as there are inputs, None where nothing is live.",
    ),
    (
        r"[Cc]ould not guard on data-dependent expression (\S.*)",
        "The module decides by values that are known only when it runs ({0}): write that part "
        "without an `if` or a size that depends on values, with torch.where for example.",
    ),
    (
        r"(\d+ not in range \[\d+, \d+\])",
        "An example is outside of its dynamic shape ({0}): give one within the bounds.",
    ),
    (
        r"missing a required argument: '(\w+)'",
        "The module's forward wants {0}: give an example of it, too.",
    ),
    (
        r"list assignment (index) out of range",
        "The dynamic shapes name a dim that an input does not have, by its {0}: they count from 0.",
    ),
    (
        r"(graph_output_allocated not set|node \w+ with spec of type <class 'NoneType'>)",
        "The size of some result seems to depend on values ({0}), as that of nonzero and of "
        "x[mask] does: write it with torch.where, at a size that the inputs' dims tell.",
    ),
    (
        r"Missing out variants: \{(.+)\}",
        "Neither Highwater nor ExecuTorch's CPU has {0}: write the module in other ops.",
    ),
    (
        r"Operator torch\._ops\.([\w.]+) is not in Core ATen",
        "Neither Highwater nor ExecuTorch's CPU has {0}: write the module in other ops.",
    ),
    (
        r"Unsupported.*FakeTensor|fake tensor",
        "Some op of the module has no rule for its result's shape: torch.library.register_fake "
        "gives it one.",
    ),
)


# By what was being done, where the message says nothing that is known.
_OTHERWISE = {
    "quantizing": "Does it work without quantizing? Then the quantizer cannot take a layer of it.",
    "exporting": "torch.export cannot trace the module with this example and these dynamic shapes: "
    "its message names the line of the module that it stopped at.",
    "lowering": "torch traced the module, and ExecuTorch could not lower it: leave out one part of "
    "the module after the other to find the one, and please report it.",
}


@contextlib.contextmanager
def noted(step: str) -> Iterator[None]:
    """What torch or ExecuTorch raises meanwhile has a note for whoever reads the traceback."""
    try:
        yield
    except HighwaterError:
        raise
    except Exception as error:
        error.add_note(f"Highwater: it failed while {step}. {on(error, step)}")
        raise


def on(error: BaseException, step: str) -> str:
    """A sentence or two."""
    for pattern, advice in _ADVICE:
        found = re.search(pattern, str(error), re.MULTILINE)
        if found:
            return advice.format(*(" ".join(group.split()) for group in found.groups() if group))
    return _OTHERWISE.get(step, "")
