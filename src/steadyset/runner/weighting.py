"""Weights of the rows: how they are read, who takes them, and how estimators and scores get them.

A row of weight 2 counts as two rows, and one of weight 0 as none. Who does not take weights is refused before any run,
because an estimator that ignores them would answer another question than the others.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import config_context
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import Argument, InputError
from steadyset.io.labels import some_names
from steadyset.kernels.arrays import Floats
from steadyset.runner.conditions import listening
from steadyset.runner.scoring import Score, scores
from steadyset.selectors.validation import check_sample_weight
from steadyset.tasks import TASKS

WEIGHT = "sample_weight"


def read_weights(given: Any, n_rows: int) -> Floats | None:
    """Return one weight for each row; None where each row has the weight 1, which is an assessment without weights."""
    if isinstance(given, str) or np.ndim(given) == 0:
        raise wrong_argument(WEIGHT, "one number of at least 0 for each row", given)
    weights = check_sample_weight(given, n_rows)[0]
    return None if (weights == 1.0).all() else weights


def refuse_who_ignores_weights(
    estimators: Mapping[str, Any], scoring: Sequence[Score], y: npt.NDArray[Any], weights: Floats, task: str
) -> None:
    """Refuse selectors, a predictor and scores that take no weights, or none for this target."""
    for name, estimator in estimators.items():
        unable = _without_weights(estimator)
        if unable:
            within = "" if unable == type(estimator).__name__ else f": {unable}, a part of it, takes none"
            raise InputError(
                f"{name[:1].upper()}{name[1:]} does not take the weights of rows{within}. Choose another one, or leave "
                "out ",
                Argument(WEIGHT, of="Data"),
                ".",
            )
    unweighted = [score.name for score in scoring if not _is_weighted(score, y, weights, task)]
    if unweighted:
        who, take = ("The score", "takes") if len(unweighted) == 1 else ("The scores", "take")
        raise InputError(
            f"{who} {some_names(unweighted)} {take} no weights of rows. Choose other scores with ",
            Argument("scoring", ...),
            ", or leave out ",
            Argument(WEIGHT, of="Data"),
            ".",
        )


def fitted_with(model: Any, X: Any, y: Any, weights: Floats | None) -> Any:
    """Fit a model to rows that have weights; every step of a pipeline that learns gets them."""
    if weights is None:
        return model.fit(X, y)
    given = {WEIGHT: weights}
    if hasattr(model, "steps"):
        given = {f"{name}__{WEIGHT}": weights for name, step in _learning_steps(model)}
    with config_context(enable_metadata_routing=False):  # where it is on, each step would have to ask for weights
        return model.fit(X, y, **given)


def blind_with(model: Any, X: Any, y: Any, weights: Floats | None) -> Any:
    """Fit a model that has no features, with the weights where it takes them."""
    return fitted_with(model, X, y, weights if has_fit_parameter(model, WEIGHT) else None)


def _without_weights(estimator: Any) -> str:
    """Return the class of an estimator, or of a step of a pipeline, that takes no weights; "" where all take them."""
    if not hasattr(estimator, "steps"):
        return "" if has_fit_parameter(estimator, WEIGHT) else type(estimator).__name__
    # A pipeline hands weights to its own steps, not to those of a pipeline among them.
    unable = [type(step).__name__ for _, step in _learning_steps(estimator) if not has_fit_parameter(step, WEIGHT)]
    return unable[0] if unable else ""


def _learning_steps(pipeline: Any) -> Iterator[tuple[str, Any]]:
    """The steps that learn from the rows, by name."""
    for name, step in pipeline.steps:
        if step is not None and not isinstance(step, str) and get_tags(step).requires_fit:
            yield name, step


def _is_weighted(score: Score, y: npt.NDArray[Any], weights: Floats, task: str) -> bool:
    """Whether a score takes weights; one of scikit-learn does where its metric does.

    Some metrics have the argument and refuse it, such as the area under the curve of pairs of classes.
    """
    try:
        found = inspect.signature(getattr(score.scorer, "_score_func", score.scorer)).parameters
    except (TypeError, ValueError):
        return False
    if WEIGHT not in found:
        return False
    nothing = np.zeros((len(y), 1))
    blind = TASKS[task].blind().fit(nothing, y)
    with listening():
        plain, weighted = (scores(blind, nothing, y, [score], task, one) for one in (None, weights))
    return not weighted.failure or bool(plain.failure)
