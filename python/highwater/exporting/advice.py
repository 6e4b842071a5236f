"""What a person can do about an error of torch or ExecuTorch."""

import re

# A pattern of the message, and what to say; {0} is what the pattern's group found.
_ADVICE = (
    (
        r"Suggested fixes:\s*\n((?:[ \t]+.+\n?)+)",
        "The dynamic shapes allow sizes that the module cannot take. torch suggests: {0}.",
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


def on(error: BaseException) -> str | None:
    """A sentence or two; None where nothing is known."""
    for pattern, advice in _ADVICE:
        found = re.search(pattern, str(error))
        if found:
            said = " ".join(" ".join(found.groups()).split())
            return advice.format(said)
    return None
