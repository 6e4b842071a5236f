"""What the catalogue runner and its workers say to each other."""

from dataclasses import dataclass

STATIC = "static"
LIVE = "live"

PASSED = "passed"
FAILED = "failed"
UNSUPPORTED = "not yet supported"
STATIC_ONLY = "static only"


@dataclass(frozen=True)
class Outcome:
    """What became of one case in one mode. `group` names the operator that is not supported."""

    case: str
    mode: str
    status: str
    detail: str = ""
    group: str = ""
    seconds: float = 0.0
