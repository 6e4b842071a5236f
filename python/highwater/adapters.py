"""The WebGPU adapters of this machine."""

import json
from typing import Any

from highwater import _native


def devices() -> list[dict[str, Any]]:
    """The WebGPU adapters of this machine: name, type, backend, features and limits of each.

    The environment variable ``HIGHWATER_ADAPTER`` chooses one, by its index in this list or by a
    part of its name.
    """
    return json.loads(_native.devices())
