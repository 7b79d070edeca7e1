"""How well the selected features predict the left-out rows: a predictor, and scikit-learn's scorers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from math import inf
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from sklearn import metrics
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import Tags, TargetTags

from steadyset.foundation.arguments import is_collection, wrong_argument
from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.registry import Registry
from steadyset.kernels.arrays import Floats
from steadyset.runner import scores as of_times
from steadyset.runner.conditions import listening, reason, same_conditions
from steadyset.tasks import CLASSES, COUNT, NUMBER, SURVIVAL, TASKS
from steadyset.tasks.survival import middle, predicted_survival

Scorer = Callable[[Any, Any, Any], float]
ScoringLike = str | Scorer | Sequence[str | Scorer] | Mapping[str, str | Scorer] | None


def _log_likelihood(model: Any, X: Floats, y: npt.NDArray[Any], sample_weight: Floats | None = None) -> float:
    """The mean log-probability of the true classes; without a value where training rows lack one of them."""
    if not hasattr(model, "predict_proba"):
        raise InputError("log_likelihood needs a predictor with predict_proba.")
    probability, classes = np.asarray(model.predict_proba(X)), model.classes_
    if not np.isin(y, classes).all():
        return float("nan")
    share = probability[np.arange(len(y)), np.searchsorted(classes, y)]
    logarithms = np.log(np.clip(share, 1e-15, 1.0))
    return float(np.mean(logarithms) if sample_weight is None else np.average(logarithms, weights=sample_weight))


def _balanced_accuracy(model: Any, X: Floats, y: npt.NDArray[Any], sample_weight: Floats | None = None) -> float:
    """The mean share of each class that is recognised; without a value where test rows lack a class, as the mean over
    the others would rise to 1 with every class that is missing."""
    if not np.isin(getattr(model, "classes_", ()), y).all():
        return float("nan")
    return float(metrics.balanced_accuracy_score(y, model.predict(X), sample_weight=sample_weight))


def _risk(score: Callable[..., Any]) -> Callable[..., float]:
    """A score of times, events and predicted risks."""

    def scorer(model: Any, X: Floats, y: npt.NDArray[Any], **at: Any) -> float:
        return float(np.ravel(score(*y.T, np.asarray(model.predict(X), dtype=np.float64), **at))[0])

    return scorer


def _time_auc(model: Any, X: Floats, y: npt.NDArray[Any], at: float | None = None) -> float:
    return _risk(of_times.time_auc)(model, X, y, at=[middle(y) if at is None else at])


def _brier(model: Any, X: Floats, y: npt.NDArray[Any], at: float | None = None) -> float:
    points = [middle(y) if at is None else at]
    return float(of_times.brier(y[:, 0], y[:, 1], predicted_survival(model, X, points, "brier"), points)[0])


def _integrated_brier(model: Any, X: Floats, y: npt.NDArray[Any]) -> float:
    """The mean Brier score from the first tenth of the times of events to the last tenth."""
    points = np.unique(np.quantile(y[y[:, 1] > 0, 0], np.linspace(0.1, 0.9, 17)))
    survival = predicted_survival(model, X, points, "integrated_brier")
    return of_times.integrated_brier(y[:, 0], y[:, 1], survival, points) if len(points) > 1 else float("nan")


def _poisson_deviance(model: Any, X: Floats, y: npt.NDArray[Any], sample_weight: Floats | None = None) -> float:
    """The mean deviance; a prediction of nothing, which allows no count, stands for a very small one."""
    predicted = np.maximum(model.predict(X), SMALLEST_MEAN)
    return float(metrics.mean_poisson_deviance(y, predicted, sample_weight=sample_weight))


CURVES = "survival curves"


@dataclass(frozen=True)
class Score:
    """What is known of a score: everything that computes or tells it reads it from here.

    `scorer` is a function of (fitted model, X, y). `tasks` are those that it serves; `needs` what the predictor must
    have ("probabilities", "survival curves"). Values without a best and a worst one are not `bounded`: a difference
    then says nothing by itself; `ends` are where intervals end. `offered` scores stand on the page. A text calls it by
    its `title`, else by its name; `words` say what the number is, `reference` who published it. Where `at_time`, its
    scorer takes a time `at`, as in "brier:at=24", in place of the median time of events.
    """

    name: str
    scorer: Scorer
    tasks: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    lower_is_better: bool = False
    bounded: bool = True
    ends: tuple[float, float] = (-inf, inf)
    offered: bool = False
    title: str = ""
    words: str = ""
    reference: str = ""
    at_time: bool = False


PROBABILITIES = "probabilities"
SCORES = Registry("score", Score, described=lambda score: score.words, in_runs=True)
# Names of steadyset beside those of scikit-learn. Error and rmse are told as they are: not negative.
ACCURACY, BALANCED_ACCURACY = "accuracy", "balanced_accuracy"
LACKING = "rows hold no"
SMALLEST_MEAN = 1e-6
SHOWN_LABELS = 4
AT, MIDDLE = ":at=", "the median time of events"
OF_CLASSES, OF_NUMBERS = ("_classification", "_ranking", "_supervised"), ("_regression",)  # modules of scikit-learn
_share = partial(Score, ends=(0.0, 1.0), offered=True)
_loss = partial(Score, lower_is_better=True, bounded=False, ends=(0.0, inf))
_roc = partial(metrics.make_scorer, metrics.roc_auc_score, response_method=("predict_proba", "decision_function"))
for _score in (
    _share(ACCURACY, metrics.get_scorer("accuracy"), (CLASSES,), words="share of rows whose class is predicted"),
    _share(
        BALANCED_ACCURACY,
        _balanced_accuracy,
        (CLASSES,),
        words="mean over the classes of the share of rows that is predicted",
        reference="Brodersen, Ong, Stephan and Buhmann 2010",
    ),
    _share(
        "auc",
        _roc(multi_class="ovr"),
        (CLASSES,),
        title="area under the ROC curve",
        words="area under the ROC curve; of several classes the mean over each against the others",
        reference="Hanley and McNeil 1982",
    ),
    _share(
        "auc_ovo",
        _roc(multi_class="ovo"),
        (CLASSES,),
        offered=False,
        title="area under the ROC curve of pairs of classes",
        words="area under the ROC curve; of several classes the mean over all pairs of them",
        reference="Hand and Till 2001",
    ),
    _loss(
        "log_loss",
        cast("Scorer", lambda model, X, y, sample_weight=None: -_log_likelihood(model, X, y, sample_weight)),
        (CLASSES,),
        (PROBABILITIES,),
        title="log loss",
        words="mean of minus the log-probability of the true class",
    ),
    Score(
        "log_likelihood",
        _log_likelihood,
        (CLASSES,),
        (PROBABILITIES,),
        bounded=False,
        words="mean log-probability of the true class",
    ),
    _share(
        "error",
        metrics.make_scorer(metrics.hamming_loss),
        (CLASSES,),
        lower_is_better=True,
        offered=False,
        words="share of rows whose class is not predicted",
    ),
    _share(
        "r2",
        metrics.get_scorer("r2"),
        (NUMBER,),
        ends=(-inf, 1.0),
        title="R²",
        words="share of the variance that is explained",
    ),
    _loss(
        "rmse",
        metrics.make_scorer(metrics.root_mean_squared_error),
        (NUMBER,),
        offered=True,
        title="root mean squared error",
        words="root of the mean squared error",
    ),
    _loss(
        "poisson_deviance",
        _poisson_deviance,
        (COUNT,),
        offered=True,
        title="Poisson deviance",
        words="mean deviance of the counts from the predicted means",
        reference="McCullagh and Nelder 1989",
    ),
    _share(
        "harrell",
        _risk(of_times.harrell),
        (SURVIVAL,),
        title="concordance by Harrell",
        words="share of comparable pairs whose shorter time has the higher predicted risk; 0.5 by guessing",
        reference="Harrell et al. 1982",
    ),
    _share(
        "uno",
        _risk(of_times.uno),
        (SURVIVAL,),
        title="concordance by Uno",
        words="the same with pairs weighed so that it does not depend on the censoring",
        reference="Uno et al. 2011",
    ),
    _share(
        "time_auc",
        _time_auc,
        (SURVIVAL,),
        title=f"area under the ROC curve at {MIDDLE}",
        words=f"area under the ROC curve of an event up to {MIDDLE}",
        reference="Uno et al. 2007",
        at_time=True,
    ),
    _share(
        "brier",
        _brier,
        (SURVIVAL,),
        (CURVES,),
        lower_is_better=True,
        title=f"Brier score at {MIDDLE}",
        words=f"mean squared error of the predicted survival at {MIDDLE}, weighed against censoring",
        reference="Graf et al. 1999",
        at_time=True,
    ),
    _share(
        "integrated_brier",
        _integrated_brier,
        (SURVIVAL,),
        (CURVES,),
        lower_is_better=True,
        title="integrated Brier score",
        words="mean squared error of the predicted survival, weighed against censoring, over the times of events",
        reference="Graf et al. 1999",
    ),
):
    SCORES.add(_score)


def scores_for(task: str) -> list[Score]:
    """The scores that serve a task."""
    return [score for score in SCORES.every() if task in score.tasks]


def known_score(name: str) -> Score:
    """What is known of a score by its name, which may hold a time; little of scikit-learn's and of functions."""
    base, _, at = name.partition(AT)
    if base not in SCORES:
        return Score(name, lambda *_: np.nan, bounded=not name.startswith("neg_"))
    found = SCORES[base]
    return replace(found, title=found.title.replace(MIDDLE, at), words=found.words.replace(MIDDLE, at)) if at else found


def lower_is_better(name: str) -> bool:
    """Whether less of a score is better; of scikit-learn's and of functions more is."""
    return known_score(name).lower_is_better


def score_title(name: str) -> str:
    """A score as a text calls it."""
    return known_score(name).title or name.replace("_", " ")


def score_ends(name: str) -> tuple[float, float]:
    """Where intervals of a score end; of those that scikit-learn alone knows, nowhere."""
    return known_score(name).ends


def is_bounded(name: str) -> bool:
    """Whether a score has a best and a worst value, so that a difference says something by itself."""
    return known_score(name).bounded


def default_predictor(task: str, *, fills: bool = False, encodes: bool = False) -> Any:
    """The model of the task, such as a logistic regression, on standardised features.

    `fills` puts medians into gaps first, and `encodes` makes a column of 0 and 1 of each label in columns of text.
    """
    model = TASKS[task].predictor()
    before = [SimpleImputer(strategy="median", keep_empty_features=True)] if fills else []
    numbers = make_pipeline(*before, StandardScaler())
    if not encodes:
        return make_pipeline(*before, StandardScaler(), model)
    labels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    texts = make_column_selector(dtype_exclude="number")
    return make_pipeline(ColumnTransformer([("text", labels, texts)], remainder=numbers), model)


def read_scoring(given: Any, task: str, y: npt.NDArray[Any]) -> tuple[Score, ...]:
    """Scores by name, functions of (estimator, X, y), or a mapping from names to these; None: the default."""
    if given is None:
        given = TASKS[task].score(y)
    if isinstance(given, Mapping):
        named = {str(name): value for name, value in given.items()}
    elif not (isinstance(given, str) or callable(given) or is_collection(given)):
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


def _scorer(given: Any, task: str, y: npt.NDArray[Any]) -> Scorer:
    if callable(given):
        of_metrics = str(getattr(given, "__module__", "")).startswith("sklearn.metrics._")
        if of_metrics and not hasattr(given, "_score_func"):  # it would get a model in the place of the truth
            metric = getattr(given, "__name__", "metric")
            raise InputError(f"{metric} is a metric of (y, predicted); give sklearn.metrics.make_scorer({metric}).")
        return given  # type: ignore[no-any-return]
    own: dict[str, Callable[..., float]] = {score.name: score.scorer for score in scores_for(task)}
    name, _, at = str(given).partition(AT)
    if name in own and (not at or SCORES[name].at_time):
        return partial(own[name], at=_time(given, at, y)) if at else own[name]
    names = metrics.get_scorer_names()
    scorer = metrics.get_scorer(given) if given in names else None
    module = str(getattr(getattr(scorer, "_score_func", None), "__module__", "")).rpartition(".")[2]
    if scorer is None or module in (OF_NUMBERS if TASKS[task].has_classes else OF_CLASSES):
        near = get_close_matches(str(given), [*own, *names], n=1)
        hint = f"did you mean {near[0]!r}? Known are" if scorer is None and near else "known are"
        raise InputError(
            f"There is no score {given!r} for {task}; {hint} {', '.join(own)}, the names of scikit-learn's scorers, "
            "and functions of (estimator, X, y)."
        )
    _refuse_impossible(given, scorer, task, y)
    found: Scorer = scorer
    return found


def _time(given: str, at: str, y: npt.NDArray[Any]) -> float:
    """The time of a score; before the first event, and after the last row was followed, there is nothing to judge."""
    first, last = y[y[:, 1] > 0, 0].min(), y[:, 0].max()
    try:
        time = float(at)
    except ValueError:
        time = inf
    if not first <= time < last:
        raise InputError(f"The score {given!r} needs a time from the first event ({first:g}) to before {last:g}.")
    return time


def _refuse_impossible(name: str, scorer: Scorer, task: str, y: npt.NDArray[Any]) -> None:
    """What no predictor could be scored by on this target, such as f1 of three classes, is told before any run."""
    nothing = np.zeros((len(y), 1))
    with same_conditions():
        try:
            scorer(TASKS[task].blind().fit(nothing, y), nothing, y)
        except Exception as error:
            told = f"The score {name!r} cannot be used for this target"
            if TASKS[task].has_classes and f"{name}_macro" in metrics.get_scorer_names():
                labels = ", ".join(map(repr, np.unique(y).tolist()[:SHOWN_LABELS]))
                raise InputError(
                    f"{told}: it needs two classes of which 1 is the positive one, and the classes are {labels}. Use ",
                    Argument("scoring", f"{name}_macro"),
                    ", the mean over the classes, or a target of 0 and 1.",
                ) from None
            raise InputError(f"{told}: {reason(error)}") from None


@dataclass(frozen=True)
class Scored:
    """The values, nan where there is none; why some have none; and what went wrong, for which the data is no excuse."""

    values: dict[str, float]
    notes: tuple[str, ...] = ()
    failure: str = ""
    curves: tuple[float | None, ...] | None = None
    kept: Any = None
    importances: Any = None


def scores(
    model: Any,
    X: Floats,
    y: npt.NDArray[Any],
    wanted: Sequence[Score],
    task: str,
    weights: Floats | None = None,
) -> Scored:
    """Score a fitted model on left-out rows; a score that has no value because rows of a class are missing is nan.

    Where the rows have weights, every scorer has to take them as `sample_weight`.
    """
    if not wanted:
        return Scored({})
    if weights is not None:
        weigh: dict[str, Any] = {"sample_weight": weights}
        wanted = [replace(score, scorer=partial(score.scorer, **weigh)) for score in wanted]
    excuse = _missing_classes(model, y) if TASKS[task].has_classes else ""
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

    def __init__(self, model: Any, task: str) -> None:
        self._model = model
        self._kind = "classifier" if TASKS[task].has_classes and hasattr(model, "classes_") else "regressor"

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
