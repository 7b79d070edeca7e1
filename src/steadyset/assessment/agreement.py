"""Whether sets of features are equivalent: how far models of the sets agree in what they predict for left-out rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from steadyset.assessment.request import make_plan, refuse_strata
from steadyset.foundation.arguments import LEVEL, Estimator, Labels, TableLike, check_integer, check_level, seed_of
from steadyset.foundation.display import Display, Shown
from steadyset.foundation.errors import InputError
from steadyset.inference.agreement import mean_of_pairs
from steadyset.inference.interval import t_quantile
from steadyset.io.data.data_table import as_data
from steadyset.io.labels import some_names
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.evaluate import stability
from steadyset.resampling import KFold
from steadyset.runner.plan import Plan
from steadyset.runner.run import Training, predicted_from
from steadyset.selections import RunsLike, Selections, as_selections
from steadyset.tasks import TASKS

if TYPE_CHECKING:
    import pandas as pd

RANDOM_SETS = 7  # the key of the seeds of random sets
N_SHUFFLES = 5  # of the features, for sets with the same overlaps


@dataclass(frozen=True, eq=False)
class PredictionAgreement(Shown):
    """How far models of the selected sets agree in what they predict, and models of random sets of the same sizes.

    Attributes
    ----------
    agreement : float
        The mean over all pairs of runs: 1 where both models predict the same for each left-out row, 0 for unrelated
        predictions.
    low : float
        The lower end of its interval for infinitely many runs like these on this data set.
    high : float
        The upper end of this interval.
    chance : float
        The same mean for random sets of the same sizes. Random sets of correlated features agree too.
    chance_low : float
        The lower end of its interval.
    chance_high : float
        The upper end of this interval.
    overlap : float
        The same mean for random sets with the same sizes and the same overlaps: the selected sets after random
        permutations of the features. Agreement above it is not due to common features alone.
    overlap_low : float
        The lower end of its interval over permutations.
    overlap_high : float
        The upper end of this interval.
    stability : float
        The stability of the sets themselves, by the measure nogueira.
    words : str
        What the agreement of two models is.
    n_rows : int
        How many rows were left out once and predicted.
    level : float
        The confidence level of the intervals.
    table : array of float of shape (n_runs, n_runs)
        The agreement of each pair of runs.
    shared : array of float of shape (n_runs, n_runs)
        For each pair of runs, the number of common features divided by the mean size of the two sets.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> sets = [["mean radius", "mean texture"], ["mean perimeter", "mean texture"], ["mean area", "mean texture"]]
    >>> found = st.prediction_agreement(st.Selections.from_sets(sets, features=list(X)), X, y)
    >>> round(found.stability, 2), found.agreement > 0.9 > found.chance
    (0.46, True)
    """

    agreement: float
    low: float
    high: float
    chance: float
    chance_low: float
    chance_high: float
    overlap: float
    overlap_low: float
    overlap_high: float
    stability: float
    words: str
    n_rows: int
    level: float
    table: Floats = field(repr=False)
    shared: Floats = field(repr=False)

    @property
    def corrected(self) -> float:
        """The agreement corrected for chance, (agreement - chance) / (1 - chance); nan if random sets agree fully."""
        return (self.agreement - self.chance) / (1 - self.chance) if self.chance < 1 else float("nan")

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair of runs, which shows whether different sets predict the same.

        Returns
        -------
        pandas.DataFrame
            The numbers of the two runs, the share of common features, and the agreement of the predictions.
        """
        import pandas as pd

        i, j = np.triu_indices(len(self.table), 1)
        return pd.DataFrame({"run": i, "other": j, "shared": self.shared[i, j], "agreement": self.table[i, j]})

    def _display(self) -> Display:
        percent = f"{100 * self.level:g}% CI"
        return Display(
            type(self).__name__,
            f"{len(self.table)} runs, {self.n_rows} left-out rows",
            (
                f"Models of the selected sets agree with {self.agreement:.2f} ({percent} {self.low:.2f} to "
                f"{self.high:.2f}) in what they predict for left-out rows: {self.words}.",
                f"Models of random sets of the same sizes agree with {self.chance:.2f} ({percent} "
                f"{self.chance_low:.2f} to {self.chance_high:.2f}), and of random sets with the same overlaps with "
                f"{self.overlap:.2f} ({percent} {self.overlap_low:.2f} to {self.overlap_high:.2f}).",
                f"The stability of the sets themselves is {self.stability:.2f} (nogueira).",
            ),
            notes=("The models of a pair are trained on the same rows, so only the sets differ.",),
        )


def prediction_agreement(
    selections: RunsLike,
    X: TableLike,
    y: Labels = None,
    *,
    predictor: Estimator | None = None,
    n_splits: int = 5,
    level: float = LEVEL,
    random_state: int | None = 0,
) -> PredictionAgreement:
    """Compare what models of the selected sets predict: different sets may be equivalent.

    The rows are split into folds. For each fold, a model is trained on each set of features with the same other rows,
    and predicts the fold; the agreement of two sets is that of their predictions for all rows. Classes are compared by
    Cohen's kappa, numbers by their correlation, and risks of times to an event by Kendall's tau. Identical sets agree
    with 1. Random sets of the same sizes, one for each run, show how far sets without a selection agree. Selected sets
    have common features, also if they were selected from noise; random sets with the same overlaps show how far common
    features alone make models agree.

    Rows that the sets were selected with are among the left-out rows. With many more features than rows, sets that were
    selected from noise therefore agree somewhat more than random sets with the same overlaps.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    X : array-like, frame, scipy sparse matrix, AnnData or Data
        The data that the features were selected from.
    y : array-like, str or None, default=None
        The target, or the name of its column; None where X is a `Data` that has it.
    predictor : estimator or None, default=None
        The model that predicts from a set; None is the default of `assess`.
    n_splits : int, default=5
        How many folds.
    level : float, default=0.95
        The confidence level of the intervals.
    random_state : int or None, default=0
        Seed of the folds, the random sets and the predictor.

    Returns
    -------
    PredictionAgreement
        The agreement and its chance level with intervals, and the table of all pairs.

    See Also
    --------
    Assessment.prediction_stability : What the models of the runs themselves predict, which differ in their rows too.

    Examples
    --------
    Every set of two of the three measures of size predicts nearly the same:

    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> sets = [["mean radius", "mean area"], ["mean perimeter", "mean area"], ["mean radius", "mean perimeter"]]
    >>> runs = st.Selections.from_sets(sets, features=list(X))
    >>> bool(st.prediction_agreement(runs, X, y).to_frame()["agreement"].min() > 0.8)
    True
    """
    runs = as_selections(selections)
    if runs.n_runs < 2:
        raise InputError(f"selections has {runs.n_runs} runs; the agreement of predictions needs at least 2.")
    check_integer("n_splits", n_splits, least=2)
    check_level(level)
    data = as_data(X, y)
    refuse_strata(data)
    plan, names = make_plan(
        replace(data, feature_groups=None),
        resampling=KFold(n_splits),
        scoring=[],
        predictor=predictor,
        random_state=random_state,
        keep=True,
    )
    columns = _columns_of(runs, names)
    random = np.random.default_rng(np.random.SeedSequence(seed_of(random_state), spawn_key=(RANDOM_SETS,)))
    drawn = [np.sort(random.permutation(len(names))[: len(one)]) for one in columns]
    agreement = TASKS[plan.task].agreement
    every = _left_out_predictions(plan, [*columns, *drawn])
    table, chance_table = agreement(every[: runs.n_runs]), agreement(every[runs.n_runs :])
    selected, chance = mean_of_pairs(table, level), mean_of_pairs(chance_table, level)
    shuffled = [
        mean_of_pairs(agreement(_left_out_predictions(plan, [np.sort(order[one]) for one in columns]))).value
        for order in [random.permutation(len(names)) for _ in range(N_SHUFFLES)]
    ]
    overlap, overlap_half = _mean_with_half_width(shuffled, level)
    sizes = runs.sizes
    means = (sizes[:, None] + sizes) / 2
    shared = np.divide(runs.intersections(), means, out=np.ones(means.shape), where=means > 0)
    return PredictionAgreement(
        selected.value,
        selected.low,
        selected.high,
        chance.value,
        chance.low,
        chance.high,
        overlap,
        max(overlap - overlap_half, -1.0),
        min(overlap + overlap_half, 1.0),
        float(stability(runs, "nogueira")),
        TASKS[plan.task].agreement_words,
        len(plan.y),
        level,
        table,
        shared,
    )


def _mean_with_half_width(values: list[float], level: float) -> tuple[float, float]:
    """Return the mean of independent values and half of the width of its t interval."""
    return float(np.mean(values)), t_quantile(level, len(values) - 1) * float(np.std(values, ddof=1)) / sqrt(
        len(values)
    )


def _columns_of(runs: Selections, names: tuple[str, ...]) -> list[Ints]:
    """Return the columns of the features of each run; selections without names follow the order of the columns."""
    if runs.n_features != len(names):
        raise InputError(f"The selections are from {runs.n_features} features, and the data have {len(names)}.")
    place = {name: f for f, name in enumerate(names)}
    unknown = [name for name in runs.features if name not in place]
    if not unknown:
        where = np.array([place[name] for name in runs.features])
    elif tuple(runs.features) == tuple(f"x{f}" for f in range(runs.n_features)):
        where = np.arange(len(names))  # selections without names are in the order of the columns
    else:
        raise InputError(f"The data do not have all features of the selections, such as {some_names(unknown)}.")
    return [np.sort(where[runs.selected(run)]) for run in range(runs.n_runs)]


def _left_out_predictions(plan: Plan, sets: list[Ints]) -> Floats:
    """Return sets x rows x outputs: what models of the sets predict for the rows of each fold, left out."""
    different = {tuple(one.tolist()): one for one in sets}
    found: dict[tuple[int, ...], Floats] = {}
    for run in range(plan.n_runs):
        training = Training(plan, plan.draw(run))
        test = training.resample.test
        for key, features in different.items():
            predicted = predicted_from(plan, training, features)
            every = found.setdefault(key, np.full((len(plan.y), predicted.shape[1]), np.nan))
            every[test] = predicted[test]
    return np.stack([found[tuple(one.tolist())] for one in sets])
