"""Simulated data of the papers: what is relevant is known, so that false selections can be counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from steadyset.foundation import arguments
from steadyset.foundation.display import Record
from steadyset.kernels.arrays import Floats, Ints

MOST = 10**8  # rows or features that can be asked for


class FalseSelections(NamedTuple):
    """How many selected features are irrelevant or redundant, and how many relevant ones have no stand-in.

    Attributes
    ----------
    positives : int
        Selected features that stand for no relevant one.
    negatives : int
        Relevant features that neither themselves nor a stand-in was selected for.

    Examples
    --------
    >>> import steadyset as st
    >>> data = st.datasets.fifteen_features(random_state=0)
    >>> data.false_selections([0, 8])
    FalseSelections(positives=1, negatives=1)
    """

    positives: int
    negatives: int


@dataclass(frozen=True, repr=False)
class Simulated(Record):
    """Data of two classes of which is known which features made them.

    Attributes
    ----------
    X : array of float of shape (n_samples, n_features)
        The values.
    y : array of int of shape (n_samples,)
        The classes, 0 and 1.
    relevant : tuple of int
        The features that made the classes.
    correlation : Callable
        ``correlation(rows, columns)`` gives a block of the true correlation matrix, which is never held as a whole.
    groups : array of int or None
        The numbers of the groups of the features, where the data have some, as the group lasso takes them.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> data = st.datasets.fifteen_features(50, random_state=0)
    >>> data.X.shape, data.relevant
    ((50, 15), (0, 1))
    >>> data.correlation(np.array([1]), np.array([2, 4, 8]))
    array([[1.  , 0.95, 0.  ]])
    """

    X: Floats
    y: Ints
    relevant: tuple[int, ...]
    correlation: Callable[[Ints, Ints], Floats]
    groups: Ints | None = None

    def false_selections(self, selected: Sequence[int] | Any, *, threshold: float = arguments.ALIKE) -> FalseSelections:
        """False positives and false negatives of a selected set V against the relevant set C.

        They are the sizes of V and of C minus a, the size of V ∩ C plus min(A(V, C), A(C, V)), where A(V, C) counts
        the features of V without C that have a true absolute correlation of at least `threshold` with a feature of C
        without V: such a feature is accepted in the place of the other.

        Parameters
        ----------
        selected : sequence of int
            The indices of the selected features.
        threshold : float, default=0.9
            Correlation from which a feature is accepted in the place of another.

        Returns
        -------
        FalseSelections
            The numbers of false positives and false negatives.

        References
        ----------
        Bommert (2020), Integration of feature selection stability in model fitting, section 8.3.1.
        """
        chosen = np.unique(np.asarray(selected, dtype=np.int64))
        relevant = np.array(self.relevant, dtype=np.int64)
        common = len(np.intersect1d(chosen, relevant))
        extra, missed = np.setdiff1d(chosen, relevant), np.setdiff1d(relevant, chosen)
        alike = np.abs(self.correlation(extra, missed)) >= threshold
        matched = common + min(int(alike.any(axis=1).sum()), int(alike.any(axis=0).sum()))
        return FalseSelections(len(chosen) - matched, len(relevant) - matched)


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
    arguments.check_choice("kind", kind, ("blocks", "toeplitz"))
    arguments.check_integer("n", n, least=1, most=MOST)
    arguments.check_integer("d", d, least=N_RELEVANT, most=MOST)
    arguments.check_integer("n_similar", n_similar, least=0)
    if kind == "toeplitz" and n_similar % 2:
        raise arguments.wrong_argument("n_similar", "an even number for toeplitz", n_similar)
    arguments.check_seed("random_state", random_state)
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
    arguments.check_integer("n", n, least=1, most=MOST)
    arguments.check_seed("random_state", random_state)
    four = list(correlations) if isinstance(correlations, list | tuple) else []
    if len(four) != 4 or not all(arguments.is_number(value) and -1 <= value <= 1 for value in four):
        raise arguments.wrong_argument("correlations", "four numbers from -1 to 1", correlations)
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
    Hamer and Dupont (2021), Robust selection stability estimation in correlated spaces, ECML PKDD.

    Examples
    --------
    >>> import steadyset as st
    >>> data = st.datasets.grouped_features(3, n_groups=2, n_others=2, random_state=0)
    >>> data.X.shape, data.groups.tolist()
    ((200, 8), [0, 0, 0, 1, 1, 1, 2, 3])
    """
    arguments.check_integer("q", q, least=1, most=MOST)
    arguments.check_integer("n", n, least=2, most=MOST)
    arguments.check_integer("n_groups", n_groups, least=0, most=MOST)
    arguments.check_integer("n_others", n_others, least=0, most=MOST)
    arguments.check_number("mean", mean, above=-np.inf)
    arguments.check_number("other_mean", other_mean, above=-np.inf)
    arguments.check_number("rho", rho, most=1, or_equal=True)
    arguments.check_seed("random_state", random_state)
    if n_groups + n_others == 0:
        raise arguments.wrong_argument("n_others", "at least 1 where there are no groups", n_others)
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


def redundant_features(
    n: int = 2000, d: int = 100, *, rho: float = 0.8, random_state: int | np.random.SeedSequence | None = None
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
    arguments.check_number("rho", rho, most=1, or_equal=True)
    arguments.check_integer("n", n, least=2, most=MOST)
    arguments.check_integer("d", d, least=2, most=MOST)
    arguments.check_seed("random_state", random_state)
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
