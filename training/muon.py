"""Muon: a matrix takes a step in which all directions count alike.

torch.optim.Muon does the same in bfloat16, which a CPU without instructions for it computes ten
times slower than this.
"""

import torch


class Muon(torch.optim.Optimizer):
    def __init__(self, matrices, lr: float, pool, momentum: float = 0.95, weight_decay=0.1):
        self.pool = pool
        super().__init__(matrices, dict(lr=lr, momentum=momentum, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            list(
                self.pool.map(
                    lambda matrix, group=group: self._step(matrix, group), group["params"]
                )
            )

    @torch.no_grad()
    def _step(self, matrix, group):
        state = self.state[matrix]
        if not state:
            state["mean"] = torch.zeros_like(matrix)
        state["mean"].lerp_(matrix.grad, 1 - group["momentum"])
        ahead = matrix.grad.lerp(state["mean"], group["momentum"])
        rows, columns = matrix.shape
        size = max(1, rows / columns) ** 0.5
        matrix.mul_(1 - group["lr"] * group["weight_decay"])
        matrix.add_(orthogonal(ahead), alpha=-group["lr"] * size)


def orthogonal(x: torch.Tensor, steps: int = 5) -> torch.Tensor:
    """Near the closest matrix with all singular values one: a polynomial draws them there."""
    a, b, c = 3.4445, -4.775, 2.0315  # steep at zero, so that small values grow fast
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    x = x / (x.norm() + 1e-7)
    for _ in range(steps):
        square = x @ x.T
        x = a * x + (b * square + c * square @ square) @ x
    return x.T if tall else x
