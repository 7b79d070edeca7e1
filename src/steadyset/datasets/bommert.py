"""The simulated data of chapter 8 of Bommert (2020): many similar features, five or two that matter."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from steadyset.datasets.simulated import MOST, Simulated
from steadyset.foundation.arguments import check_choice, check_integer, check_seed, is_number, wrong_argument
from steadyset.kernels.arrays import Floats, Ints

N_RELEVANT = 5
WITHIN, BETWEEN = 0.95, 0.1


def similar_features(
    n: int = 100,
    d: int = 200,
    *,
    kind: Literal["blocks", "toeplitz"] = "blocks",
    n_similar: int = 14,
    random_state: int | np.random.SeedSequence | None = None,
) -> Simulated:
    """Normal features that resemble `n_similar` others each; five of them decide the class.

    P(y = 1) = 1 / (1 + exp(-eta)), eta the sum of five features that lie as far apart as possible, so that the
    correlations between them are small. Drawn from factors or step by step, never from a d x d matrix.

    Parameters
    ----------
    n : int, default=100
        The number of rows.
    d : int, default=200
        The number of features.
    kind : {"blocks", "toeplitz"}, default="blocks"
        "blocks": correlation 0.95 within blocks of n_similar + 1 features and 0.1 between them. "toeplitz":
        rho^abs(i - j) with rho = 0.9^(2 / n_similar), so that the n_similar / 2 nearest on each side have correlations
        of at least 0.9.
    n_similar : int, default=14
        How many features each one resembles.
    random_state : int, SeedSequence or None, default=None
        Seed of the data; None draws other data each time.

    Returns
    -------
    Simulated
        The data.

    References
    ----------
    Bommert (2020), Integration of feature selection stability in model fitting, section 8.3.1.

    Examples
    --------
    >>> import steadyset as st
    >>> data = st.datasets.similar_features(100, 60, kind="toeplitz", random_state=0)
    >>> data.relevant
    (0, 15, 30, 44, 59)
    """
    check_choice("kind", kind, ("blocks", "toeplitz"))
    check_integer("n", n, least=1, most=MOST)
    check_integer("d", d, least=N_RELEVANT, most=MOST)
    check_integer("n_similar", n_similar, least=0)
    if kind == "toeplitz" and n_similar % 2:
        raise wrong_argument("n_similar", "an even number for toeplitz", n_similar)
    check_seed("random_state", random_state)
    random = np.random.default_rng(random_state)
    relevant = np.round(np.linspace(0, d - 1, N_RELEVANT)).astype(np.int64)
    if kind == "blocks":
        block = np.arange(d) // (n_similar + 1)
        X = _block_values(n, block, random)
    else:
        rho = 0.9 ** (2 / n_similar) if n_similar else 0.0
        X = _chain_values(n, d, rho, random)

    def correlation(rows: Ints, columns: Ints) -> Floats:
        if kind == "toeplitz":
            return np.asarray(rho ** np.abs(rows[:, None] - columns), dtype=np.float64)
        alike = np.where(block[rows][:, None] == block[columns], WITHIN, BETWEEN)
        return np.where(rows[:, None] == columns, 1.0, alike)

    probability = 1 / (1 + np.exp(-X[:, relevant].sum(axis=1)))
    y = (random.random(n) < probability).astype(np.int64)
    return Simulated(X, y, tuple(int(f) for f in relevant), correlation)


def fifteen_features(
    n: int = 100,
    *,
    correlations: tuple[float, float, float, float] = (0.95, 0.85, 0.75, 0.65),
    random_state: int | np.random.SeedSequence | None = None,
) -> Simulated:
    """The small example with fifteen features: y = sign(X1 + X2 + E), E normal with variance 0.25.

    X1 stands alone; X3 and X4 are copies of X2; X5 to X8 are correlated with X2, from very high to moderate; X9 to X15
    are noise. The thesis shows the correlations of X5 to X8 as colours only, so they are an argument.

    Parameters
    ----------
    n : int, default=100
        The number of rows.
    correlations : tuple of float, default=(0.95, 0.85, 0.75, 0.65)
        The correlations of X5 to X8 with X2.
    random_state : int, SeedSequence or None, default=None
        Seed of the data; None draws other data each time.

    Returns
    -------
    Simulated
        The data; y is 0 or 1.

    References
    ----------
    Bommert (2020), Integration of feature selection stability in model fitting, section 8.1.

    Examples
    --------
    >>> import steadyset as st
    >>> data = st.datasets.fifteen_features(100, random_state=1)
    >>> data.X.shape, int(data.y.sum())
    ((100, 15), 57)
    """
    check_integer("n", n, least=1, most=MOST)
    check_seed("random_state", random_state)
    four = list(correlations) if isinstance(correlations, list | tuple) else []
    if len(four) != 4 or not all(is_number(value) and -1 <= value <= 1 for value in four):
        raise wrong_argument("correlations", "four numbers from -1 to 1", correlations)
    random = np.random.default_rng(random_state)
    alike = np.array([1.0, 1.0, 1.0, *four])
    own = random.standard_normal((n, 15))
    X = own.copy()
    X[:, 1:8] = own[:, [1]] * alike + own[:, 1:8] * np.sqrt(1 - alike**2)
    y = (X[:, 0] + X[:, 1] + 0.5 * random.standard_normal(n) > 0).astype(np.int64)
    loading = np.zeros(15)
    loading[1:8] = alike

    def correlation(rows: Ints, columns: Ints) -> Floats:
        return np.where(rows[:, None] == columns, 1.0, loading[rows][:, None] * loading[columns])

    return Simulated(X, y, (0, 1), correlation)


def _block_values(n: int, block: Any, random: np.random.Generator) -> Floats:
    """One factor for all features, one for each block, and each feature's own part."""
    n_blocks = int(block[-1]) + 1
    alone = np.bincount(block)[block] == 1
    shared = random.standard_normal((n, n_blocks))[:, block]
    own = random.standard_normal((n, len(block)))
    # In a block of one feature the factor of the block is just another part of its own.
    values = np.sqrt(BETWEEN) * random.standard_normal((n, 1))
    mixed = np.where(alone, np.sqrt(1 - BETWEEN) * own, np.sqrt(WITHIN - BETWEEN) * shared + np.sqrt(1 - WITHIN) * own)
    return np.asarray(values + mixed)


def _chain_values(n: int, d: int, rho: float, random: np.random.Generator) -> Floats:
    """Each feature is rho times the one before and a part of its own: correlations rho^|i - j|."""
    X = random.standard_normal((n, d))
    fresh = np.sqrt(1 - rho**2)
    for f in range(1, d):
        X[:, f] = rho * X[:, f - 1] + fresh * X[:, f]
    return X
