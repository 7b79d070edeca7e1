"""The simulated data of section 6.1 of Hamer and Dupont (2021): groups of correlated features among many others."""

from __future__ import annotations

import numpy as np

from steadyset.datasets.simulated import MOST, Simulated
from steadyset.foundation.arguments import check_integer, check_number, check_seed, wrong_argument
from steadyset.kernels.arrays import Floats, Ints


def grouped_features(
    q: int = 10,
    *,
    n: int = 200,
    n_groups: int = 5,
    n_others: int = 1000,
    mean: float = 0.5,
    other_mean: float = 0.05,
    rho: float = 0.8,
    random_state: int | np.random.SeedSequence | None = None,
) -> Simulated:
    """Two normal classes of equal size: groups of correlated features among weak ones.

    The features of the groups have the mean `mean` in class 1 and -`mean` in class 0, the others `other_mean` and
    -`other_mean`. Within a class every feature has variance 1; two features of a group have correlation `rho`, any
    other two are independent. `groups` numbers the groups, and each of the others is a group of its own; `correlation`
    gives the correlations within a class. The features of the groups count as relevant.

    Parameters
    ----------
    q : int, default=10
        How many features a group has.
    n : int, default=200
        The number of rows.
    n_groups : int, default=5
        The number of groups.
    n_others : int, default=1000
        The number of weak features.
    mean : float, default=0.5
        The mean of the features of the groups in class 1.
    other_mean : float, default=0.05
        The mean of the weak features in class 1.
    rho : float, default=0.8
        The correlation of two features of a group within a class.
    random_state : int, SeedSequence or None, default=None
        Seed of the data; None draws other data each time.

    Returns
    -------
    Simulated
        The data, with the groups.

    References
    ----------
    Hamer and Dupont (2021), An importance weighted feature selection stability measure, JMLR 22.

    Examples
    --------
    >>> import steadyset as st
    >>> data = st.datasets.grouped_features(3, n_groups=2, n_others=2, random_state=0)
    >>> data.X.shape, data.groups.tolist()
    ((200, 8), [0, 0, 0, 1, 1, 1, 2, 3])
    """
    check_integer("q", q, least=1, most=MOST)
    check_integer("n", n, least=2, most=MOST)
    check_integer("n_groups", n_groups, least=0, most=MOST)
    check_integer("n_others", n_others, least=0, most=MOST)
    check_number("mean", mean, above=-np.inf)
    check_number("other_mean", other_mean, above=-np.inf)
    check_number("rho", rho, most=1, or_equal=True)
    check_seed("random_state", random_state)
    if n_groups + n_others == 0:
        raise wrong_argument("n_others", "at least 1 where there are no groups", n_others)
    random = np.random.default_rng(random_state)
    together = n_groups * q
    groups = np.concatenate([np.repeat(np.arange(n_groups), q), n_groups + np.arange(n_others)])
    y = np.arange(n) % 2
    X = random.standard_normal((n, together + n_others))
    common = random.standard_normal((n, n_groups))
    X[:, :together] = np.sqrt(1 - rho) * X[:, :together] + np.sqrt(rho) * common[:, groups[:together]]
    means = np.where(np.arange(len(groups)) < together, mean, other_mean)
    X += (2 * y - 1)[:, None] * means

    def correlation(rows: Ints, columns: Ints) -> Floats:
        alike = np.where(groups[rows][:, None] == groups[columns], rho, 0.0)
        return np.where(rows[:, None] == columns, 1.0, alike)

    return Simulated(X, y, tuple(range(together)), correlation, groups)
