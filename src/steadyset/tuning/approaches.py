"""The four approaches of chapter 8 of Bommert (2020), one call each, and their evaluation without leakage.

adj      L0 logistic regression tuned for accuracy and adjusted stability (intersection_count), epsilon constraint
unadj    the same with a measure that knows nothing of similar features (unadjusted)
acc      the same tuned for accuracy alone
stabs    stability selection with L0 logistic regression, its parameters tuned for accuracy; then a plain logistic model
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from steadyset.assessment.request import make_plan
from steadyset.foundation.arguments import TableLike, check_each, check_integer, is_whole, job_count, seed_of, shown
from steadyset.foundation.errors import InputError
from steadyset.io.data_table import Data
from steadyset.io.labels import given_names
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures import stability
from steadyset.measures.options import check_similarity
from steadyset.resampling import KFold, Resample
from steadyset.resampling.given import ResamplingLike
from steadyset.runner.all_rows import model_on_all_rows
from steadyset.runner.cell import Cell, Fitted, compute_cells
from steadyset.runner.chosen import Chosen
from steadyset.runner.missing import refuse_gaps
from steadyset.runner.plan import Plan
from steadyset.runner.scoring import blind_predictor
from steadyset.runner.training import Training
from steadyset.selections import Selections
from steadyset.selectors.ensembles import StabilitySelection, error_control
from steadyset.selectors.ensembles.bounds import check_runs
from steadyset.selectors.l0 import L0Logistic
from steadyset.similarity import FeatureSimilarity
from steadyset.task import CLASSES
from steadyset.tuning.choice import best_accuracy, epsilon_constraint
from steadyset.tuning.evaluation import MOST_TRIALS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Approach", "acc", "adj", "nested_evaluation", "stabs", "unadj"]

SIZES = tuple(range(2, 101, 2))
N_DRAWS = 10_000
ACCURACY = "accuracy"
UNIMODAL = "shah_samworth_unimodal"


@dataclass(frozen=True)
class Approach:
    """What one of the four approaches came to.

    Attributes
    ----------
    name : str
        The approach: "adj", "unadj", "acc" or "stabs".
    params : Mapping
        The chosen parameters.
    selected : tuple of int
        The selected features, by index.
    model : estimator
        The final model, fitted on all rows.
    tried : pandas.DataFrame
        One row per set of parameters that was tried.
    features : tuple of str
        The names of all features.
    warnings : tuple of str
        What the fits warned of, short and distinct.
    selected_names : tuple of str
        The selected features, by name.

    Examples
    --------
    >>> import steadyset as st
    >>> data = st.datasets.fifteen_features(60, random_state=1)
    >>> found = st.approaches.acc(data.X, data.y, sizes=[1, 2, 4], resampling=st.KFold(3))
    >>> found.name, found.params
    ('acc', {'size': 2})
    """

    name: str
    params: Mapping[str, Any]
    selected: tuple[int, ...]
    model: Any
    tried: pd.DataFrame
    features: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    @property
    def selected_names(self) -> tuple[str, ...]:
        """The selected features, by name."""
        return tuple(self.features[f] for f in self.selected)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The classes that the final model predicts.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            New rows; the columns of a frame are found by their names.

        Returns
        -------
        array
            One class per row.

        Raises
        ------
        InputError
            Where a frame lacks a column that the model was fitted on.
        """
        columns = {str(name): place for place, name in enumerate(getattr(X, "columns", ()))}
        values = numbers(X, "X")
        if columns and self.features != tuple(f"x{f}" for f in range(len(self.features))):
            missing = [name for name in self.features if name not in columns]
            if missing:
                raise InputError(f"X has no column {missing[0]!r}; expected the features that the model was fitted on.")
            values = values[:, [columns[name] for name in self.features]]
        if values.ndim != 2 or values.shape[1] != len(self.features):
            raise InputError(f"X has the shape {values.shape}; expected {len(self.features)} features.")
        return np.asarray(self.model.predict(values))


def adj(
    X: TableLike | Data,
    y: npt.ArrayLike | str,
    *,
    similarity: FeatureSimilarity | None = None,
    sizes: Sequence[int] = SIZES,
    accuracy_slack: float = 0.025,
    stability_slack: float = 0.1,
    resampling: ResamplingLike = None,
    n_jobs: int | None = None,
    random_state: int | None = 0,
) -> Approach:
    """L0 logistic regression of the size that is accurate and, similar features taken as one, steady.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        The data, without missing values.
    y : array-like of shape (n_samples,)
        Two classes.
    similarity : FeatureSimilarity or None, default=None
        Which features are similar; None takes the absolute Pearson correlations of X with threshold 0.9.
    sizes : sequence of int, default=(2, 4, ..., 100)
        The sizes that are tried; those larger than half of the rows are left out.
    accuracy_slack : float, default=0.025
        How far below the best accuracy counts as equally good.
    stability_slack : float, default=0.1
        How far below the best stability counts as equally steady.
    resampling : Resampling, str, splitter or None, default=None
        How the sizes are evaluated; None is 10-fold cross-validation.
    n_jobs : int or None, default=None
        How many processes share the work; -1 takes all cores, None one.
    random_state : int or None, default=0
        Same seed, same answer; None draws a new one.

    Returns
    -------
    Approach
        The chosen size, the selected features, the final model, and what was tried.

    References
    ----------
    Bommert (2020), Integration of feature selection stability in model fitting, chapter 8.

    Examples
    --------
    >>> import steadyset as st
    >>> data = st.datasets.similar_features(60, 30, random_state=2)
    >>> found = st.approaches.adj(data.X, data.y, sizes=[2, 5], resampling=st.KFold(3))
    >>> data.false_selections(found.selected)
    FalseSelections(positives=0, negatives=3)
    """
    seed = seed_of(random_state)
    paths = L0Paths.fit(X, y, sizes, resampling, n_jobs, seed, similarity)
    alike = FeatureSimilarity.from_data(paths.plan.X) if similarity is None else similarity
    return _steady("adj", paths, "intersection_count", alike, accuracy_slack, stability_slack, seed)


def unadj(
    X: TableLike | Data,
    y: npt.ArrayLike | str,
    *,
    sizes: Sequence[int] = SIZES,
    accuracy_slack: float = 0.025,
    stability_slack: float = 0.1,
    resampling: ResamplingLike = None,
    n_jobs: int | None = None,
    random_state: int | None = 0,
) -> Approach:
    """L0 logistic regression of the size that is accurate and steady, by a measure that knows no similar features.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        The data, without missing values.
    y : array-like of shape (n_samples,)
        Two classes.
    sizes : sequence of int, default=(2, 4, ..., 100)
        The sizes that are tried; those larger than half of the rows are left out.
    accuracy_slack : float, default=0.025
        How far below the best accuracy counts as equally good.
    stability_slack : float, default=0.1
        How far below the best stability counts as equally steady.
    resampling : Resampling, str, splitter or None, default=None
        How the sizes are evaluated; None is 10-fold cross-validation.
    n_jobs : int or None, default=None
        How many processes share the work; -1 takes all cores, None one.
    random_state : int or None, default=0
        Same seed, same answer; None draws a new one.

    Returns
    -------
    Approach
        The chosen size, the selected features, the final model, and what was tried.

    References
    ----------
    Bommert (2020), Integration of feature selection stability in model fitting, chapter 8.

    Examples
    --------
    >>> import steadyset as st
    >>> data = st.datasets.fifteen_features(80, random_state=3)
    >>> st.approaches.unadj(data.X, data.y, sizes=[1, 2, 3], resampling=st.KFold(3)).tried.columns.tolist()
    ['size', 'accuracy', 'stability']
    """
    seed = seed_of(random_state)
    paths = L0Paths.fit(X, y, sizes, resampling, n_jobs, seed)
    return _steady("unadj", paths, "unadjusted", None, accuracy_slack, stability_slack, seed)


def acc(
    X: TableLike | Data,
    y: npt.ArrayLike | str,
    *,
    sizes: Sequence[int] = SIZES,
    resampling: ResamplingLike = None,
    n_jobs: int | None = None,
    random_state: int | None = 0,
) -> Approach:
    """L0 logistic regression of the size with the best cross-validated accuracy, ties at random.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        The data, without missing values.
    y : array-like of shape (n_samples,)
        Two classes.
    sizes : sequence of int, default=(2, 4, ..., 100)
        The sizes that are tried; those larger than half of the rows are left out.
    resampling : Resampling, str, splitter or None, default=None
        How the sizes are evaluated; None is 10-fold cross-validation.
    n_jobs : int or None, default=None
        How many processes share the work; -1 takes all cores, None one.
    random_state : int or None, default=0
        Same seed, same answer; None draws a new one.

    Returns
    -------
    Approach
        The chosen size, the selected features, the final model, and what was tried.

    References
    ----------
    Bommert (2020), Integration of feature selection stability in model fitting, chapter 8.

    Examples
    --------
    >>> import steadyset as st
    >>> data = st.datasets.fifteen_features(80, random_state=4)
    >>> found = st.approaches.acc(data.X, data.y, sizes=[1, 2, 8], resampling=st.KFold(3))
    >>> found.selected_names
    ('x0', 'x1', 'x6', 'x7', 'x8', 'x10', 'x11', 'x14')
    """
    seed = seed_of(random_state)
    paths = L0Paths.fit(X, y, sizes, resampling, n_jobs, seed)
    return paths.result("acc", best_accuracy(paths.accuracy, seed), {})


def stabs(
    X: TableLike | Data,
    y: npt.ArrayLike | str,
    *,
    n_trials: int = 50,
    n_runs: int = 100,
    max_q: int | None = None,
    resampling: ResamplingLike = None,
    n_jobs: int | None = None,
    random_state: int | None = 0,
) -> Approach:
    """Stability selection with L0 logistic regression, then a logistic model without a penalty on what it selects.

    The bound on the false selections (0.1 to 10) and the threshold (0.6 to 0.9) are drawn and chosen by accuracy, ties
    at random. They decide how many features a run selects (Shah and Samworth, unimodal). The halves of a training set
    are fitted once for all draws.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        The data, without missing values.
    y : array-like of shape (n_samples,)
        Two classes.
    n_trials : int, default=50
        How many bounds and thresholds are drawn.
    n_runs : int, default=100
        How many halves of the rows stability selection fits.
    max_q : int or None, default=None
        The most features that a run selects; None is an eighth of the rows.
    resampling : Resampling, str, splitter or None, default=None
        How the sizes are evaluated; None is 10-fold cross-validation.
    n_jobs : int or None, default=None
        How many processes share the work; -1 takes all cores, None one.
    random_state : int or None, default=0
        Same seed, same answer; None draws a new one.

    Returns
    -------
    Approach
        The chosen bound and threshold, the selected features, the final model, and what was tried.

    References
    ----------
    * Bommert (2020), Integration of feature selection stability in model fitting, chapter 8.
    * Shah and Samworth (2013), Variable selection with error control, JRSS B 75.

    Examples
    --------
    >>> import steadyset as st
    >>> data = st.datasets.fifteen_features(60, random_state=5)
    >>> found = st.approaches.stabs(data.X, data.y, n_trials=3, n_runs=10, resampling=st.KFold(3))
    >>> sorted(found.params)
    ['pfer', 'threshold']
    """
    check_integer("n_trials", n_trials, least=1, most=MOST_TRIALS)
    check_runs(n_runs)
    if max_q is not None:
        check_integer("max_q", max_q, least=1)
    job_count(n_jobs)
    seed = seed_of(random_state)
    plan, names = _plan(X, y, resampling, seed)
    random = np.random.default_rng((plan.seed, 3))
    draws = [(float(random.uniform(0.1, 10)), float(random.uniform(0.6, 0.9))) for _ in range(n_trials)]
    most = max(2, min(plan.X.shape[1], len(plan.y) // 8 if max_q is None else max_q))

    def selected(training: Training, wanted: Sequence[tuple[float, float]]) -> list[Ints]:
        base = StabilitySelection(
            L0Logistic(), q=most, threshold=0.9, rule=UNIMODAL, n_runs=n_runs, max_features=most, n_jobs=n_jobs
        )
        paths = base.set_params(random_state=plan.seed).fit(training.train(), training.y)
        sets = []
        for pfer, threshold in wanted:
            q = _largest_q(plan.X.shape[1], pfer, threshold, n_runs, most)
            sets.append(np.flatnonzero(paths.select(threshold=threshold, q=q).support) if q else np.empty(0, np.int64))
        return sets

    def fit(training: Training, wanted: Sequence[tuple[float, float]]) -> list[Fitted]:
        sets = selected(training, wanted)
        return [Fitted(Chosen(columns, None), _plain_model(training, columns)) for columns in sets]

    rows = [_cells(plan, resample, partial(fit, wanted=draws)) for resample in plan.resamples()]
    accuracy = np.mean([[cell.scores[ACCURACY] for cell in row] for row in rows], axis=0)
    best = draws[best_accuracy(accuracy, seed)]
    final, last = model_on_all_rows(plan, lambda training: fit(training, [best])[0])
    tried = {"pfer": [p for p, _ in draws], "threshold": [t for _, t in draws], "accuracy": accuracy}
    params = dict(zip(("pfer", "threshold"), best, strict=True))
    return _approach("stabs", params, final, tried, names, _warned([*rows, [last]]))


APPROACHES: dict[str, Callable[..., Approach]] = {"adj": adj, "unadj": unadj, "acc": acc, "stabs": stabs}


def nested_evaluation(
    X: TableLike | Data,
    y: npt.ArrayLike | str,
    *,
    approaches: Sequence[str] = ("adj", "unadj", "acc", "stabs"),
    outer: ResamplingLike = None,
    options: Mapping[str, Any] | None = None,
    random_state: int | None = 0,
) -> pd.DataFrame:
    """Each approach on each outer resample: accuracy on the left-out rows and number of features.

    An approach sees the outer training rows only: the inner resampling, the similarity of the features and the final
    model all come from these.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        The data, without missing values.
    y : array-like of shape (n_samples,)
        Two classes.
    approaches : sequence of str, default=("adj", "unadj", "acc", "stabs")
        Which approaches.
    outer : Resampling, str, splitter or None, default=None
        The outer resamples; None is 10-fold cross-validation.
    options : Mapping or None, default=None
        Options for every approach that takes them.
    random_state : int or None, default=0
        Same seed, same answer; None draws a new one.

    Returns
    -------
    pandas.DataFrame
        One row per approach and outer resample. Where an approach fails the accuracy is nan and `failure` says why;
        `warning` is the first that it gave.

    References
    ----------
    Bommert (2020), Integration of feature selection stability in model fitting, section 8.4.

    Examples
    --------
    >>> import steadyset as st
    >>> data = st.datasets.fifteen_features(60, random_state=6)
    >>> inner = {"sizes": [1, 2], "resampling": st.KFold(2)}
    >>> table = st.approaches.nested_evaluation(data.X, data.y, approaches=["acc"], outer=st.KFold(2), options=inner)
    >>> table["n_features"].tolist()
    [1, 1]
    """
    import pandas as pd

    for name in approaches:
        if name not in APPROACHES:
            raise InputError(f"approaches has {name!r}; choose from {', '.join(APPROACHES)}.")
    takes = {name: set(inspect.signature(APPROACHES[name]).parameters) for name in approaches}
    for option in options or {}:
        if not any(option in known for known in takes.values()):
            raise InputError(f"options has {option!r}, which none of {', '.join(approaches)} takes.")
    plan, _ = _plan(X, y, outer, seed_of(random_state))
    rows = []
    for run, resample in enumerate(plan.resamples()):
        seed = int(np.random.SeedSequence(plan.seed, spawn_key=(run, 2)).generate_state(1)[0])
        for name in approaches:
            own = {option: value for option, value in (options or {}).items() if option in takes[name]}
            rows.append({"approach": name, "run": run, **_outer(plan, resample, name, {**own, "random_state": seed})})
    for name in approaches:
        failures = [row["failure"] for row in rows if row["approach"] == name]
        if all(failures):
            raise InputError(f"The approach {name!r} failed in every run: {failures[0].removeprefix('InputError: ')}")
    return pd.DataFrame(rows)


def _outer(plan: Plan, resample: Resample, name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """An approach on the training rows of one outer resample, judged on the rows left out."""
    found: list[Approach] = []

    def fit(training: Training) -> list[Fitted]:
        found.append(APPROACHES[name](training.train(), training.y, **options))
        return [Fitted(Chosen(np.array(one.selected, dtype=np.int64), None), one.model) for one in found]

    (cell,) = compute_cells(plan, resample, fit)
    warned = [*cell.warnings, *(text for one in found for text in one.warnings)]
    return {
        "accuracy": cell.scores.get(ACCURACY, np.nan),
        "n_features": np.nan if cell.selected is None else len(cell.selected),
        "failure": cell.failure,
        "warning": warned[0] if warned else "",
        **(found[0].params if found else {}),
    }


@dataclass(frozen=True)
class L0Paths:
    """L0 models of many sizes on every resample: a fit of the largest size holds all smaller ones."""

    plan: Plan
    features: tuple[str, ...]
    sizes: tuple[int, ...]
    hits: Floats  # sizes x runs: share of the left-out rows that is predicted correctly
    sets: tuple[tuple[Ints, ...], ...]  # of each size, of each run
    warnings: tuple[str, ...] = ()

    @classmethod
    def fit(
        cls,
        X: Any,
        y: Any,
        sizes: Sequence[int],
        resampling: Any,
        n_jobs: int | None,
        seed: int,
        similarity: FeatureSimilarity | None = None,
    ) -> L0Paths:
        """Fit the path on every resample, once it is clear that a similarity is that of the features of X."""
        counts = check_each("sizes", sizes, is_whole, "a list of whole numbers")
        job_count(n_jobs)
        if similarity is not None:
            check_similarity(similarity)
        plan, names = _plan(X, y, resampling, seed)
        if similarity is not None:
            similarity.check_features(len(names), given_names(names), "X")
        most = min(plan.X.shape[1], max(2, len(plan.y) // 2))
        wanted = tuple(sorted({int(size) for size in counts if 1 <= size <= most}))
        if not wanted:
            raise InputError(f"sizes must hold numbers of features from 1 to {most} (got {shown(counts)}).")

        def fit(training: Training) -> list[Fitted]:
            model = L0Logistic(max(wanted)).fit(training.train(), training.y)
            return [_fitted(model.of_size(size)) for size in wanted]

        rows: list[list[Cell]] = Parallel(n_jobs=job_count(n_jobs), backend="threading")(
            delayed(_cells)(plan, resample, fit) for resample in plan.resamples()
        )
        hits = np.array([[cell.scores[ACCURACY] for cell in row] for row in rows]).T
        sets = (tuple(np.array(cell.selected, dtype=np.int64) for cell in column) for column in zip(*rows, strict=True))
        return cls(plan, names, wanted, hits, tuple(sets), _warned(rows))

    @property
    def accuracy(self) -> Floats:
        """The mean accuracy of each size."""
        return np.asarray(self.hits.mean(axis=1))

    def stability(self, measure: str, similarity: FeatureSimilarity | None, seed: int) -> Floats:
        """The stability of each size."""
        names, d = given_names(self.features), len(self.features)
        return np.array(
            [
                stability(
                    Selections.from_sets(sets, names, n_features=d),
                    measure,
                    similarity=similarity,
                    n_draws=N_DRAWS,
                    random_state=seed,
                )
                for sets in self.sets
            ]
        )

    def result(self, name: str, index: int, columns: Mapping[str, Floats]) -> Approach:
        """The final model, fitted on all rows with the chosen size."""
        size = self.sizes[index]
        final, last = model_on_all_rows(
            self.plan, lambda training: _fitted(L0Logistic(size).fit(training.train(), training.y))
        )
        tried = {"size": self.sizes, "accuracy": self.accuracy, **columns}
        told = tuple(dict.fromkeys([*self.warnings, *last.warnings]))
        return _approach(name, {"size": size}, final, tried, self.features, told)


class ColumnsModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier that looks at some of the columns."""

    def __init__(self, model: Any, columns: Ints) -> None:
        self.model = model
        self.columns = columns

    @property
    def classes_(self) -> npt.NDArray[Any]:
        return np.asarray(self.model.classes_)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        values = np.asarray(X, dtype=np.float64)
        return np.asarray(self.model.predict(values[:, self.columns] if len(self.columns) else values))


def _plain_model(training: Training, columns: Ints) -> ColumnsModel:
    """Logistic regression without a penalty; without features, the more frequent class."""
    if not len(columns):
        return ColumnsModel(blind_predictor(CLASSES).fit(training.train(), training.y), columns)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=np.inf, max_iter=1000))
    with warnings.catch_warnings():
        # Where the features separate the classes there is no maximum, and any direction near it predicts the same.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return ColumnsModel(model.fit(training.train(columns), training.y), columns)


def _plan(X: Any, y: Any, resampling: Any, seed: int) -> tuple[Plan, tuple[str, ...]]:
    """Data without gaps, in classes; 10-fold cross-validation unless a resampling is given."""
    drawing = KFold() if resampling is None else resampling
    plan, names = make_plan(X, y, resampling=drawing, scoring=ACCURACY, random_state=seed)
    refuse_gaps(plan.X, plan.gaps, names, {"the approaches": L0Logistic()}, advice="fill or drop them.")
    return plan, names


def _cells(plan: Plan, resample: Resample, fit: Callable[[Training], Sequence[Fitted]]) -> list[Cell]:
    """What was fitted on a resample; a choice cannot be made where a fold is missing, so a failure ends it."""
    cells = compute_cells(plan, resample, fit)
    for cell in cells:
        if cell.failure:
            raise InputError(f"The run {cell.label} failed: {cell.failure}")
    return cells


def _largest_q(d: int, pfer: float, threshold: float, n_runs: int, most: int) -> int:
    """How many features a run may select so that the bound holds; 0 where not even one may be."""
    try:
        control = error_control(d, pfer=pfer, threshold=threshold, rule=UNIMODAL, n_runs=n_runs)
    except InputError:
        return 0
    return min(control.q, most)


def _fitted(model: L0Logistic) -> Fitted:
    return Fitted(Chosen(np.flatnonzero(model.support_), None), model)


def _warned(rows: Sequence[Sequence[Cell]]) -> tuple[str, ...]:
    """What the fits of several runs warned of, each text once."""
    return tuple(dict.fromkeys(text for row in rows for cell in row for text in cell.warnings))


def _approach(
    name: str,
    params: Mapping[str, Any],
    final: Fitted,
    tried: Mapping[str, Any],
    features: tuple[str, ...],
    told: tuple[str, ...],
) -> Approach:
    import pandas as pd

    selected = tuple(int(f) for f in final.chosen.features)
    return Approach(name, params, selected, final.model, pd.DataFrame(dict(tried)), features, told)


def _steady(
    name: str,
    paths: L0Paths,
    measure: str,
    similarity: FeatureSimilarity | None,
    accuracy_slack: float,
    stability_slack: float,
    seed: int,
) -> Approach:
    values = paths.stability(measure, similarity, seed)
    index = epsilon_constraint(paths.accuracy, values, accuracy_slack, stability_slack, seed)
    return paths.result(name, index, {"stability": values})
