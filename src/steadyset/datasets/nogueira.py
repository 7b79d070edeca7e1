"""The redundancy data of section 6.2.1 of Nogueira (2018)."""

from __future__ import annotations

import numpy as np

from steadyset.datasets.simulated import MOST, Simulated
from steadyset.foundation.arguments import check_integer, check_number, check_seed
from steadyset.kernels.arrays import Floats, Ints


def redundant_features(
    n: int = 2000,
    d: int = 100,
    *,
    rho: float = 0.8,
    random_state: int | np.random.SeedSequence | None = None,
) -> Simulated:
    """Two normal classes of equal size: the first half of the features has mean +1 or -1, the other half is noise.

    Within a class the relevant features have variance 1 and correlation `rho` with each other; the larger rho, the more
    redundant they are. `correlation` gives the correlations within a class.

    Parameters
    ----------
    n : int, default=2000
        The number of rows.
    d : int, default=100
        The number of features.
    rho : float, default=0.8
        The correlation of two relevant features within a class.
    random_state : int, SeedSequence or None, default=None
        Seed of the data; None draws other data each time.

    Returns
    -------
    Simulated
        The data.

    References
    ----------
    * Kamkar, Gupta, Phung and Venkatesh (2015), Stable feature selection for clinical prediction.
    * Nogueira, Sechidis and Brown (2018), On the stability of feature selection algorithms, JMLR 18.

    Examples
    --------
    >>> import steadyset as st
    >>> data = st.datasets.redundant_features(200, 10, random_state=0)
    >>> data.relevant
    (0, 1, 2, 3, 4)
    """
    check_number("rho", rho, most=1, or_equal=True)
    check_integer("n", n, least=2, most=MOST)
    check_integer("d", d, least=2, most=MOST)
    check_seed("random_state", random_state)
    random = np.random.default_rng(random_state)
    half = d // 2
    y = random.permutation(np.arange(n) % 2)
    X = random.standard_normal((n, d))
    X[:, :half] = np.sqrt(1 - rho) * X[:, :half] + np.sqrt(rho) * random.standard_normal((n, 1))
    X[:, :half] += (2 * y - 1)[:, None]

    def correlation(rows: Ints, columns: Ints) -> Floats:
        together = (rows[:, None] < half) & (columns < half)
        return np.where(rows[:, None] == columns, 1.0, np.where(together, rho, 0.0))

    return Simulated(X, y, tuple(range(half)), correlation)
