"""The one exception."""


class HighwaterError(RuntimeError):
    """What the library has to say when it cannot do its job: the same words as in C++."""
