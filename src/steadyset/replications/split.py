r"""Why reruns differ: the disagreement of runs in parts that come from the data, the selector itself, and the method.

A run is a vector z of zeros and ones over the features. Runs are made for every combination of a resample of the data,
a seed of the selector, and a method. With random effects of each factor and of their interplay, the mean inner product
of two runs that agree in the factors T and differ in all others is

    Q_T = |mu|^2 + sum of sigma_S over the non-empty subsets S of T,

so that sigma_S is the alternating sum of Q_T over the subsets T of S: unbiased, whatever the distribution. The sum
of all sigma_S is the mean number of features that one of two unrelated runs selects and the other does not. A seed
means nothing to another data set or method, so everything with the seed in it is the selector's own randomness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from steadyset.assessment import Assessment, Execution, assess
from steadyset.assessment.request import SelectorsLike, make_request
from steadyset.foundation.arguments import LEVEL, Labels, TableLike, as_record, check_integer
from steadyset.foundation.display import Drawable, Reportable, ShownFindings
from steadyset.foundation.errors import InputError
from steadyset.inference.interval import t_quantile
from steadyset.io.data.data_table import Data, as_data
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.resampling import Bootstrap, as_resampling
from steadyset.resampling.base import ResamplingLike
from steadyset.runner.plan import Cut, Plan
from steadyset.selectors.filters.registry import FILTERS
from steadyset.selectors.filters.selector import FilterSelector

if TYPE_CHECKING:
    import pandas as pd

DATA, SEED, METHOD = "data", "seed", "method"
OWN, INTERPLAY = "the selector's own randomness", "data and method together"
WORDS = {DATA: "the data", METHOD: "the method"}
FEWEST_RESAMPLES = 10
SHUFFLES = 500


@dataclass(frozen=True)
class Source:
    """A part of the disagreement: in features, as a share of all of it, with a 95% interval of the share."""

    name: str
    features: float
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class DrivingRow:
    """A row whose presence changes the selection: by how many features, and how often chance does as much."""

    row: int
    label: str
    features: float
    p_value: float


@dataclass(frozen=True)
class Sources:
    """Why reruns differ, as plain data.

    Attributes
    ----------
    disagreement : the mean number of features that one of two unrelated runs selects and the other does not
    size : how many features a run selects on average
    parts : the sources of it, the largest first
    rows : rows that drive it, the strongest first; p-values are adjusted for looking at all rows
    methods, n_resamples, n_seeds, n_rows : of the design
    random : the methods that have a randomness of their own
    """

    disagreement: float
    size: float
    parts: tuple[Source, ...]
    rows: tuple[DrivingRow, ...]
    methods: tuple[str, ...]
    n_resamples: int
    n_seeds: int
    n_rows: int
    random: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class VarianceSplit(ShownFindings, Drawable, Reportable):
    """Why reruns differ: what `variance_split` answers.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per source (the data, the selector's own randomness, the method, data and method together): features
        that differ because of it, its share, and a 95% interval of the share.
    rows : pandas.DataFrame
        Rows of the data that drive the selection: by how many features it changes with them, and an adjusted p-value.
    sources : Sources
        All of it as plain data.
    settings : dict
        How it was computed.
    runs : Assessment
        What every run selected.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> X = np.random.default_rng(0).normal(size=(60, 20))
    >>> y = np.arange(60) % 2
    >>> X[y == 1, :2] += 1
    >>> found = st.variance_split(["anova:k=3", "lasso:k=3"], X, y, resampling="bootstrap:n_runs=20")
    >>> found.table["source"].tolist()
    ['the data', 'data and method together', 'the method']
    """

    sources: Sources
    settings: dict[str, Any]
    runs: Assessment

    @property
    def table(self) -> pd.DataFrame:
        """One row per source, the largest first."""
        import pandas as pd

        columns = ("name", "features", "share", "low", "high")
        frame = pd.DataFrame([asdict(one) for one in self.sources.parts], columns=columns)
        return frame.rename(columns={"name": "source"})

    @property
    def rows(self) -> pd.DataFrame:
        """The rows that drive the selection, the strongest first."""
        import pandas as pd

        return pd.DataFrame([asdict(one) for one in self.sources.rows], columns=("row", "label", "features", "p_value"))


def variance_split(
    selectors: SelectorsLike,
    X: TableLike | Data,
    y: Labels = None,
    *,
    seeds: int = 5,
    resampling: ResamplingLike = None,
    cut: Cut | Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    out: str | Path | None = None,
    random_state: int | None = 0,
    execution: Execution | Mapping[str, Any] | None = None,
) -> VarianceSplit:
    """Tell why reruns differ: because of the data, the selector's own randomness, or the method.

    Every method runs with every seed on every resample. Parts of the disagreement are unbiased, whatever its
    distribution, and have intervals by a jackknife over the resamples.

    Parameters
    ----------
    selectors : str, estimator, Callable, sequence, Mapping or None
        One method, or several to see how much of the disagreement is the choice between them; as `assess` takes them.
    X : array-like, frame, scipy sparse matrix, AnnData or Data
        The data, or what `load_data` returns.
    y : array-like of shape (n_samples,), str or None, default=None
        The target, or the name of its column.
    seeds : int, default=5
        How many seeds each method that has a `random_state` runs with.
    resampling : Resampling, str, splitter, iterable of pairs or None, default=None
        How the data are drawn again; None is 40 bootstraps.
    cut : Cut, Mapping or None, default=None
        Which importances of models count as selected, such as ``st.Cut(top=10)``.
    n_jobs : int or None, default=None
        How many runs are computed at the same time; -1 takes all cores. The answer does not depend on it.
    out : str, Path or None, default=None
        A folder where every run is saved as soon as it finishes, and continued from.
    random_state : int or None, default=0
        The seed of the resamples.
    execution : Execution, Mapping or None, default=None
        How the runs are executed, whether a folder continues, and who is told of progress.

    Returns
    -------
    VarianceSplit
        The parts of the disagreement, and the rows of the data that drive it.

    Raises
    ------
    InputError
        Where an argument makes no sense, or fewer than 10 resamples ended in a selection of every method.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> X = np.random.default_rng(0).normal(size=(60, 20))
    >>> y = np.arange(60) % 2
    >>> X[y == 1, :2] += 1
    >>> found = st.variance_split("forest:k=3,n_estimators=10", X, y, resampling="bootstrap:n_runs=20")
    >>> found.table["source"].tolist()
    ["the selector's own randomness", 'the data']
    """
    check_integer("seeds", seeds, least=2)
    data = as_data(X, y, stacklevel=2)
    drawing = Bootstrap(40) if resampling is None else as_resampling(resampling)
    asked = make_request(selectors, data, None, resampling=drawing, scoring=[], cut=as_record("cut", Cut, cut))
    methods = dict(zip(asked.names, asked.selectors, strict=True))
    random = tuple(name for name, method in methods.items() if _draws(method))
    runs = {}
    for name, method in methods.items():
        for seed in range(seeds if name in random else 1):
            own = {"random_state": seed} if name in random else {}
            runs[f"{name}, seed {seed + 1}" if own else name] = (name, seed, clone(method).set_params(**own))
    result = assess(
        {label: method for label, (_, _, method) in runs.items()},
        data,
        resampling=drawing,
        scoring=[],
        cut=cut,
        n_jobs=n_jobs,
        out=out,
        random_state=random_state,
        execution=replace(as_record("execution", Execution, execution), all_rows=False),
    )
    labels = {label: (name, seed) for label, (name, seed, _) in runs.items()}
    rows = _row_names(data.X, len(asked.plan.y))
    found = sources_of(result, asked.plan, labels, random, seeds if random else 1, rows)
    return VarianceSplit(found, result.settings, result)


def _draws(method: Any) -> bool:
    """Whether a method has randomness of its own."""
    if isinstance(method, FilterSelector):
        return bool(FILTERS[method.name].stochastic)
    return "random_state" in method.get_params()


def _row_names(X: Any, n_rows: int) -> list[str]:
    """The names in the index of a frame, or the numbers of the rows from 1 on."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return [str(row + 1) for row in range(n_rows)]
    return [str(name) for name in index]


def sources_of(
    result: Assessment,
    plan: Plan,
    labels: Mapping[str, tuple[str, int]],
    random: tuple[str, ...],
    n_seeds: int,
    rows: Sequence[str],
) -> Sources:
    """The parts of the disagreement of runs: `labels` has the method and the seed of each selector, `rows` names."""
    methods = tuple(dict.fromkeys(name for name, _ in labels.values()))
    chosen: dict[tuple[str, int, int], tuple[int, ...]] = {}
    for label, (name, seed) in labels.items():
        for cell in result.cells_of(label):
            # A method without randomness of its own selects the same with every seed.
            for other in [seed] if name in random else range(n_seeds):
                if cell.selected is not None:
                    chosen[name, other, cell.run] = cell.selected
    each = [(name, seed) for name in methods for seed in range(n_seeds)]
    numbers = sorted({run for _, _, run in chosen})
    whole = [run for run in numbers if all((*one, run) in chosen for one in each)]
    if len(whole) < FEWEST_RESAMPLES:
        raise InputError(
            f"{len(whole)} resamples ended in a selection of every method and seed; expected at least "
            f"{FEWEST_RESAMPLES}."
        )
    keys = [(name, seed, run) for run in whole for name, seed in each]
    used = sorted({f for key in keys for f in chosen[key]})
    place = {f: i for i, f in enumerate(used)}
    runs = np.zeros((len(keys), len(used)))
    for row, key in enumerate(keys):
        runs[row, [place[f] for f in chosen[key]]] = 1
    levels = {
        DATA: np.array([run for _, _, run in keys]),
        SEED: np.array([seed for _, seed, _ in keys]),
        METHOD: np.array([methods.index(name) for name, _, _ in keys]),
    }
    total, parts = parts_of(runs @ runs.T, levels, float(t_quantile(LEVEL, len(whole) - 1)))
    n_rows = len(plan.y)
    inside: Bools = np.array([plan.draw(run).weights(n_rows) > 0 for run in whole])
    means = runs.reshape(len(whole), len(each), -1).mean(axis=1)
    driving = driving_rows(means, inside, rows, plan.seed)
    size = float(runs.sum(axis=1).mean())
    return Sources(total, size, parts, driving, methods, len(whole), n_seeds, n_rows, random)


# ---- the parts


def components(products: Floats, levels: Mapping[str, Ints]) -> dict[frozenset[str], float]:
    """sigma_S of every non-empty set of factors: from inner products of runs and the level of each factor in each run.

    Factors with one level cannot vary and are left out.
    """
    factors = [name for name, level in levels.items() if len(np.unique(level)) > 1]
    same = {name: levels[name][:, None] == levels[name] for name in factors}
    apart = ~np.eye(len(products), dtype=np.bool_)
    means = {}
    for size in range(len(factors) + 1):
        for agreeing in map(frozenset, combinations(factors, size)):
            mask = apart.copy() if size < len(factors) else ~apart
            for name in factors:
                mask &= same[name] if name in agreeing else ~same[name]
            means[agreeing] = float(products[mask].mean()) if mask.any() else nan
    return {
        chosen: sum((-1) ** (len(chosen) - len(part)) * means[part] for part in means if part <= chosen)
        for chosen in means
        if chosen
    }


def parts_of(products: Floats, levels: Mapping[str, Ints], quantile: float) -> tuple[float, tuple[Source, ...]]:
    """The disagreement and its sources, with jackknife intervals over the resamples of the data."""

    def shares(kept: Bools) -> tuple[float, dict[str, float]]:
        found = components(products[np.ix_(kept, kept)], {name: level[kept] for name, level in levels.items()})
        grouped: dict[str, float] = {}
        for factors, value in found.items():
            name = OWN if SEED in factors else INTERPLAY if len(factors) > 1 else WORDS[next(iter(factors))]
            grouped[name] = grouped.get(name, 0.0) + value
        return sum(found.values()), grouped

    total, grouped = shares(np.ones(len(products), np.bool_))
    if total <= 1e-12:  # all runs select the same
        return 0.0, ()
    each = [shares(levels[DATA] != resample) for resample in np.unique(levels[DATA])]
    sources = []
    for name, value in grouped.items():
        left = np.array([one[name] / whole if whole > 1e-12 else 0.0 for whole, one in each])
        error = float(np.sqrt((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum()))
        share = value / total
        low, high = (float(np.clip(share + side * quantile * error, 0, 1)) for side in (-1, 1))
        sources.append(Source(name, value, share, low, high))
    return total, tuple(sorted(sources, key=lambda one: -one.features))


def driving_rows(means: Floats, inside: Bools, labels: Sequence[str], seed: int) -> tuple[DrivingRow, ...]:
    """Rows whose presence in a resample changes the mean selection, by a test for all rows at once.

    `means` has the mean selection of each resample, `inside` which rows it holds. The change is the squared distance
    between the mean selections with and without the row, less what resamples that differ anyway give; shuffled
    resamples say what chance gives.
    """
    varying = np.flatnonzero((inside.sum(axis=0) >= 2) & ((~inside).sum(axis=0) >= 2))
    if not len(varying):
        return ()
    products = means @ means.T

    def changes(order: Ints) -> Floats:
        mine = inside[order][:, varying].astype(np.float64)
        other = 1 - mine
        n, m = mine.sum(axis=0), other.sum(axis=0)
        own = np.diag(products)
        both = ((products @ mine) * mine).sum(axis=0) - own @ mine
        none = ((products @ other) * other).sum(axis=0) - own @ other
        mixed = ((products @ mine) * other).sum(axis=0)
        return np.asarray(both / (n * (n - 1)) + none / (m * (m - 1)) - 2 * mixed / (n * m))

    random = np.random.default_rng(seed)
    seen = changes(np.arange(len(means)))
    largest = np.array([changes(random.permutation(len(means))).max() for _ in range(SHUFFLES)])
    p_values = (1 + (largest[:, None] >= seen).sum(axis=0)) / (SHUFFLES + 1)
    order = np.argsort(-seen, kind="stable")
    return tuple(
        DrivingRow(int(varying[i]), labels[varying[i]], float(seen[i]), float(p_values[i]))
        for i in order
        if p_values[i] <= 0.05
    )
