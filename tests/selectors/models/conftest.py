"""Small data sets with a known signal, shared by the tests of the model selectors."""

from collections.abc import Callable

import numpy as np
import pytest

from steadyset.kernels.arrays import Floats

Draw = Callable[..., tuple[Floats, Floats]]


@pytest.fixture(scope="session")
def draw() -> Draw:
    """draw(seed, n, d, correlation=0.5, classes=True): groups of five correlated features, three of them matter."""

    def draw_data(
        seed: int, n: int, d: int, *, correlation: float = 0.5, classes: bool = True
    ) -> tuple[Floats, Floats]:
        rng = np.random.default_rng(seed)
        shared = np.repeat(rng.normal(size=(n, -(-d // 5))), 5, axis=1)[:, :d]
        X = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * rng.normal(size=(n, d))
        score = X[:, 0] - X[:, d // 2] + 0.5 * X[:, d - 1] + rng.normal(size=n)
        return X, (score > 0).astype(float) if classes else score

    return draw_data
