"""`variance_split`: a crossed design of resamples, seeds and methods, and what users hold of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from steadyset.assessment import Assessment, Execution, assess
from steadyset.assessment.request import ROWS_ALIKE, SelectorsLike, make_request, refuse_beside, refuse_other_data
from steadyset.foundation.arguments import LEVEL, Labels, TableLike, as_record, check_integer, is_whole
from steadyset.foundation.display import Drawable, Reportable, ShownFindings, from_above
from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.job import runs_for
from steadyset.foundation.text import counted
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.inference.interval import t_quantile
from steadyset.io.data.data_table import Data, as_data, row_names_of
from steadyset.kernels.arrays import Bools
from steadyset.replications.sources import (
    DATA,
    FEWEST_RESAMPLES,
    HALF,
    METHOD,
    OWN,
    SEED,
    Remedy,
    Source,
    Sources,
    driving_rows,
    parts_of,
    remedy_for,
)
from steadyset.resampling import Bootstrap, as_resampling
from steadyset.resampling.base import ResamplingLike
from steadyset.runner.plan import Cut, Plan
from steadyset.selectors.filters.registry import FILTERS
from steadyset.selectors.filters.selector import FilterSelector

if TYPE_CHECKING:
    import pandas as pd

SELDOM = 0.1  # of the runs: a feature that competes for a place is selected in more, and not in nearly all
TREES = "n_estimators"  # the parameter of forests, also within a pipeline


@dataclass(frozen=True, eq=False, repr=False)
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


@with_one_arithmetic_thread
def variance_split(
    selectors: SelectorsLike | Assessment,
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
    selectors : str, estimator, Callable, sequence, Mapping, Assessment or None
        One method, or several to see how much of the disagreement is the choice between them; as `assess` takes them.
        Or an assessment of the same data, whose selectors were given by name.
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
    how = as_record("execution", Execution, execution).without_limit("variance_split")
    data = as_data(X, y)
    refuse_beside(data, "variance_split", sample_weight=ROWS_ALIKE)
    drawing = Bootstrap(40) if resampling is None else as_resampling(resampling)
    made = selectors if isinstance(selectors, Assessment) else None
    named = selectors if made is None else list(made.selectors)
    asked = make_request(named, data, None, resampling=drawing, scoring=[], cut=as_record("cut", Cut, cut))
    if made is not None:
        refuse_other_data(asked, made.settings)
    if asked.plan.n_runs < FEWEST_RESAMPLES:
        raise InputError(
            f"{counted(asked.plan.n_runs, 'resample')} cannot show why reruns differ. Draw at least "
            f"{FEWEST_RESAMPLES}, with ",
            Argument("resampling", f"bootstrap:n_runs={FEWEST_RESAMPLES}"),
            ".",
        )
    methods = dict(zip(asked.names, asked.selectors, strict=True))
    random = tuple(name for name, method in methods.items() if _draws(method))
    runs = {}
    for name, method in methods.items():
        for seed in range(seeds if name in random else 1):
            own = {"random_state": seed} if name in random else {}
            runs[f"{name}, seed {seed + 1}" if own else name] = (name, seed, clone(method).set_params(**own))
    with runs_for("why"):
        result = assess(
            {label: method for label, (_, _, method) in runs.items()},
            data,
            resampling=drawing,
            scoring=[],
            cut=cut,
            n_jobs=n_jobs,
            out=out,
            random_state=random_state,
            execution=replace(how, all_rows=False),
        )
    labels = {label: (name, seed) for label, (name, seed, _) in runs.items()}
    rows = data.rows or row_names_of(data.X, len(asked.plan.y))
    first = asked.selectors[0].get_params()
    trees = max((value for name, value in first.items() if name.endswith(TREES) and is_whole(value)), default=0)
    found = sources_of(result, asked.plan, labels, random, seeds if random else 1, rows, trees)
    split = VarianceSplit(found, result.settings, result)
    if out is not None:
        from_above("findings", "record_answer")(split, Path(out))
    return split


def _draws(method: Any) -> bool:
    """Whether a method has randomness of its own."""
    if isinstance(method, FilterSelector):
        return bool(FILTERS[method.name].stochastic)
    return "random_state" in method.get_params()


def sources_of(
    result: Assessment,
    plan: Plan,
    labels: Mapping[str, tuple[str, int]],
    random: tuple[str, ...],
    n_seeds: int,
    rows: Sequence[str],
    trees: int = 0,
) -> Sources:
    """The parts of the disagreement of runs: `labels` has the method and the seed of each selector, `rows` names.

    `trees` is how many the first method grows.
    """
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
    own = parts[0] if parts and parts[0].name == OWN and parts[0].low > HALF and len(methods) == 1 else None
    remedy = None if own is None else _remedy(result, dict(zip(used, runs.mean(axis=0), strict=True)), own, trees)
    return Sources(total, size, parts, driving, methods, len(whole), n_seeds, n_rows, random, remedy)


def _remedy(result: Assessment, frequencies: Mapping[int, float], own: Source, trees: int) -> Remedy:
    low, high = SELDOM, 1 - SELDOM
    pairs = [] if result.alike is None else result.alike.pairs.tolist()
    if any(low <= frequencies.get(f, 0) <= high and low <= frequencies.get(g, 0) <= high for f, g in pairs):
        return Remedy(nan, nan, nan, trees, alike=True)
    return remedy_for(np.array(list(frequencies.values())), own, trees)
