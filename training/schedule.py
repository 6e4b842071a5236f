"""What happens when: everything follows the part of the time that is over, from 0 to 1."""

from dataclasses import dataclass

from training.places import CONTEXT

BATCH = 2048  # tokens in one step
WARM = 0.01  # until here the steps grow
PEAK = 0.35  # from here they shrink, down to nothing
LONG = 0.7  # from here the windows are as long as the context; attention in short ones is cheaper
ROUNDED = 0.85  # from here the weights are seen in 4 bits


@dataclass
class Moment:
    done: float

    @property
    def rate(self) -> float:
        if self.done < WARM:
            return max(self.done / WARM, 0.05)
        return min(1.0, max(1 - self.done, 0.0) / (1 - PEAK))

    @property
    def length(self) -> int:
        return CONTEXT if self.done >= LONG else CONTEXT // 2

    @property
    def windows(self) -> int:
        return BATCH // self.length

    @property
    def rounded(self) -> bool:
        return self.done >= ROUNDED
