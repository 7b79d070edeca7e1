"""How well the selected features predict the left-out rows: a predictor, and scikit-learn's scorers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import metrics
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import Tags, TargetTags

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats
from steadyset.runner.conditions import listening, reason, same_conditions
from steadyset.task import CLASSES, NUMBER, Task

Scorer = Callable[[Any, Any, Any], float]
ScoringLike = str | Scorer | Sequence[str | Scorer] | Mapping[str, str | Scorer] | None


def _log_likelihood(model: Any, X: Floats, y: npt.NDArray[Any]) -> float:
    """The mean log-probability of the true classes; log_loss has no value for a class that training rows lack."""
    if not hasattr(model, "predict_proba"):
        raise InputError("log_likelihood needs a predictor with predict_proba.")
    probability, classes = np.asarray(model.predict_proba(X)), model.classes_
    known = np.isin(y, classes)
    column = np.searchsorted(classes, np.where(known, y, classes[0]))
    share = np.where(known, probability[np.arange(len(y)), column], 0.0)
    return float(np.mean(np.log(np.clip(share, 1e-15, 1.0))))


def _balanced_accuracy(model: Any, X: Floats, y: npt.NDArray[Any]) -> float:
    """The mean share of each class that is recognised; without a value where test rows lack a class, as the mean over
    the others would rise to 1 with every class that is missing."""
    if not np.isin(getattr(model, "classes_", ()), y).all():
        return float("nan")
    return float(metrics.balanced_accuracy_score(y, model.predict(X)))


# Names of steadyset beside those of scikit-learn, the default first. Error and rmse are told as they are: not negative.
CLASSIFICATION: dict[str, Scorer] = {
    "accuracy": metrics.get_scorer("accuracy"),
    "balanced_accuracy": _balanced_accuracy,
    "auc": metrics.make_scorer(
        metrics.roc_auc_score, response_method=("predict_proba", "decision_function"), multi_class="ovr"
    ),
    "log_likelihood": _log_likelihood,
    "error": metrics.make_scorer(metrics.hamming_loss),
}
REGRESSION: dict[str, Scorer] = {
    "r2": metrics.get_scorer("r2"),
    "rmse": metrics.make_scorer(metrics.root_mean_squared_error),
}
ACCURACY, BALANCED_ACCURACY = "accuracy", "balanced_accuracy"
LACKING = "rows hold no"
UNBALANCED = 0.8  # the share of the rows from which one class makes accuracy say little
LOWER_IS_BETTER = frozenset({"error", "rmse"})
UNBOUNDED = frozenset({"log_likelihood", "rmse"})
TASKS = {"_classification": CLASSES, "_ranking": CLASSES, "_supervised": CLASSES, "_regression": NUMBER}


@dataclass(frozen=True)
class Score:
    """A name and a function of (fitted model, X, y); more is better unless the name is in LOWER_IS_BETTER."""

    name: str
    scorer: Scorer


def is_bounded(name: str) -> bool:
    """Whether a score has a best and a worst value, so that a difference says something by itself."""
    return name not in UNBOUNDED and not name.startswith("neg_")


def default_predictor(task: Task, *, fills: bool = False, encodes: bool = False) -> Any:
    """Logistic regression, or ridge regression, on standardised features.

    `fills` puts medians into gaps first, and `encodes` makes a column of 0 and 1 of each label in columns of text.
    """
    model = LogisticRegression(max_iter=1000) if task == CLASSES else Ridge()
    before = [SimpleImputer(strategy="median", keep_empty_features=True)] if fills else []
    numbers = make_pipeline(*before, StandardScaler())
    if not encodes:
        return make_pipeline(*before, StandardScaler(), model)
    labels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    texts = make_column_selector(dtype_exclude="number")
    return make_pipeline(ColumnTransformer([("text", labels, texts)], remainder=numbers), model)


def blind_predictor(task: Task) -> Any:
    """What predicts without features: the class shares, or the mean."""
    return DummyClassifier(strategy="prior") if task == CLASSES else DummyRegressor()


def default_score(task: Task, y: npt.NDArray[Any]) -> str:
    """R² for a number and accuracy for classes, or balanced accuracy where one class has most of the rows."""
    if task == NUMBER:
        return "r2"
    return BALANCED_ACCURACY if is_unbalanced(np.unique(y, return_counts=True)[1]) else ACCURACY


def is_unbalanced(counts: npt.ArrayLike) -> bool:
    """Whether guessing the commonest class is right so often that accuracy says little, by the rows of each class."""
    return bool(np.max(counts) >= UNBALANCED * np.sum(counts))


def read_scoring(given: Any, task: Task, y: npt.NDArray[Any]) -> tuple[Score, ...]:
    """Scores by name, functions of (estimator, X, y), or a mapping from names to these; None is `default_score`."""
    if given is None:
        given = default_score(task, y)
    if isinstance(given, Mapping):
        named = {str(name): value for name, value in given.items()}
    elif isinstance(given, bool | int | float):
        raise wrong_argument("scoring", "a score, several or a mapping of them, or [] for none", given)
    else:
        several = [given] if isinstance(given, str) or callable(given) else list(given)
        names = [value if isinstance(value, str) else _name(value) for value in several]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"scoring has {name!r} twice; give each score once, or a mapping with distinct names.")
        named = dict(zip(names, several, strict=True))
    return tuple(Score(name, _scorer(value, task, y)) for name, value in named.items())


def _name(scorer: Any) -> str:
    function = getattr(scorer, "_score_func", scorer)
    name = getattr(function, "__name__", type(function).__name__)
    return "score" if name == "<lambda>" else str(name)


def _scorer(given: Any, task: Task, y: npt.NDArray[Any]) -> Scorer:
    if callable(given):
        return _as_scorer(given)
    own = CLASSIFICATION if task == CLASSES else REGRESSION
    if given in own:
        return own[given]
    names = metrics.get_scorer_names()
    scorer = metrics.get_scorer(given) if given in names else None
    if scorer is None or TASKS.get(_module(scorer), task) != task:
        near = get_close_matches(str(given), [*own, *names], n=1)
        hint = f"did you mean {near[0]!r}? Known are" if scorer is None and near else "known are"
        raise InputError(
            f"There is no score {given!r} for {task}; {hint} {', '.join(own)}, the names of scikit-learn's scorers, "
            "and functions of (estimator, X, y)."
        )
    _refuse_impossible(given, scorer, task, y)
    found: Scorer = scorer
    return found


def _as_scorer(function: Any) -> Scorer:
    """A metric (y, predicted) is no scorer: it would be called with a model in the place of the truth."""
    if str(getattr(function, "__module__", "")).startswith("sklearn.metrics._") and not hasattr(
        function, "_score_func"
    ):
        name = getattr(function, "__name__", "metric")
        raise InputError(f"{name} is a metric of (y, predicted); give sklearn.metrics.make_scorer({name}).")
    scorer: Scorer = function
    return scorer


def _module(scorer: Any) -> str:
    return str(getattr(getattr(scorer, "_score_func", None), "__module__", "")).rpartition(".")[2]


def _refuse_impossible(name: str, scorer: Scorer, task: Task, y: npt.NDArray[Any]) -> None:
    """What no predictor could be scored by on this target, such as f1 of three classes, is told before any run."""
    nothing = np.zeros((len(y), 1))
    with same_conditions():
        try:
            scorer(blind_predictor(task).fit(nothing, y), nothing, y)
        except Exception as error:
            raise InputError(f"The score {name!r} cannot be used for this target: {reason(error)}") from None


@dataclass(frozen=True)
class Scored:
    """The values, nan where there is none; why some have none; and what went wrong, for which the data is no excuse."""

    values: dict[str, float]
    notes: tuple[str, ...] = ()
    failure: str = ""


def scores(model: Any, X: Floats, y: npt.NDArray[Any], wanted: Sequence[Score], task: Task) -> Scored:
    """Score a fitted model on left-out rows; a score that has no value because rows of a class are missing is nan."""
    if not wanted:
        return Scored({})
    excuse = _missing_classes(model, y) if task == CLASSES else ""
    together = metrics.check_scoring(scoring={score.name: score.scorer for score in wanted}, raise_exc=False)
    model = model if hasattr(model, "__sklearn_tags__") else _Tagged(model, task)
    with listening() as heard:
        found = together(model, X, y)
    values, notes, failure = {}, list(heard) if not excuse else [], ""
    for score in wanted:
        value = found[score.name]
        if isinstance(value, str):  # the traceback of what the scorer raised
            values[score.name] = float("nan")
            if not excuse:
                failure = failure or f"no score: {score.name}: {_raised(score.scorer, model, X, y)}"
        else:
            values[score.name] = _number(value, score.name)
        if excuse and np.isnan(values[score.name]):
            notes.append(f"{score.name}: {excuse}")
    return Scored(values, tuple(notes), failure)


class _Tagged:
    """A fitted model that is no estimator of scikit-learn, with the tags that scorers ask for."""

    def __init__(self, model: Any, task: Task) -> None:
        self._model = model
        self._kind = "classifier" if task == CLASSES and hasattr(model, "classes_") else "regressor"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def __sklearn_tags__(self) -> Tags:
        return Tags(estimator_type=self._kind, target_tags=TargetTags(required=True))


def _missing_classes(model: Any, y: npt.NDArray[Any]) -> str:
    """Which classes the test rows or the training rows lack, in words."""
    known, there = np.asarray(getattr(model, "classes_", np.unique(y))), np.unique(y)
    for rows, lacking in (("test", known[~np.isin(known, there)]), ("training", there[~np.isin(there, known)])):
        if len(lacking):
            return f"the {rows} {LACKING} {str(lacking[0])!r}"
    return ""


def _raised(scorer: Scorer, model: Any, X: Any, y: Any) -> str:
    try:
        scorer(model, X, y)
    except Exception as error:
        return reason(error)
    return "it fails in some calls"


def _number(value: Any, name: str) -> float:
    if isinstance(value, complex) or np.ndim(value) != 0:
        raise InputError(f"The score {name!r} gives {value!r}; return one number.")
    return float(value)
