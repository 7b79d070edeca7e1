"""A number: an amount or a count for each row."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.errors import Argument, InputError
from steadyset.tasks.models import likeliest
from steadyset.tasks.record import MAX_CLASSES, TASKS, Task, constant_numbers, has_fractions, made

NUMBER = "number"


def _recognise(y: NDArray[Any]) -> bool:
    """Numbers with fractions, or more than 20 distinct whole ones."""
    return y.dtype.kind in "fiu" and (has_fractions(y) or len(np.unique(y)) > MAX_CLASSES)


def _check(y: NDArray[Any]) -> None:
    if y.dtype.kind not in "fiu":
        raise InputError(
            "y holds something other than numbers; encode it as numbers, or give ",
            Argument("task", "classes", of="Data"),
            ".",
        )


def _other(y: NDArray[Any]) -> str | None:
    """Whole numbers may be the labels of classes."""
    return None if y.dtype.kind not in "fiu" or has_fractions(y) else "classes"


TASKS.add(
    Task(
        name=NUMBER,
        words="a number",
        one="a number",
        several="numbers",
        recognise=_recognise,
        check=_check,
        describe=lambda y: f"a number, {len(np.unique(y))} distinct values",
        other=_other,
        selectors=lambda n_classes: ("lasso", "elastic_net", "jmi", "anova", "forest"),
        score=lambda y: "r2",
        predictor=partial(made, "sklearn.linear_model:Ridge"),
        predictor_words="ridge regression",
        blind=partial(made, "sklearn.dummy:DummyRegressor"),
        blind_words="the mean",
        constants=constant_numbers,
        global_model=lambda X, y: likeliest(X, y, lambda at: at, np.ones_like, scaled=True),
        # Cuts by description length follow classes; the many bins of a number would hardly ever pay for one.
        bins="equal_width",
        regression="linear",
    )
)
