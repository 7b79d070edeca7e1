"""A count: how often something happened in each row."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.errors import InputError
from steadyset.tasks.models import likeliest
from steadyset.tasks.number import NUMBER
from steadyset.tasks.record import TASKS, Task, constant_numbers, has_fractions, made

COUNT = "count"


def _check(y: NDArray[Any]) -> None:
    if y.dtype.kind not in "fiu" or has_fractions(y) or (y < 0).any():
        odd = next(
            (value for value in y.tolist() if not isinstance(value, int | float) or value < 0 or value % 1), y[0]
        )
        raise InputError(f"y holds {odd!r}, which is no count; counts are whole numbers from 0.")


TASKS.add(
    Task(
        name=COUNT,
        words="a count",
        one="a count",
        several="counts",
        recognise=lambda y: False,  # whole numbers may be labels or amounts as well: somebody has to say so
        check=_check,
        describe=lambda y: f"a count, {int(np.sum(y)):,} in {len(y):,} rows",
        selectors=lambda n_classes: ("lasso", "elastic_net", "jmi", "anova", "forest"),
        score=lambda y: "poisson_deviance",
        predictor=partial(
            made, "sklearn.linear_model:PoissonRegressor", alpha=1e-3, solver="newton-cholesky", max_iter=300
        ),
        predictor_words="Poisson regression",
        blind=partial(made, "sklearn.dummy:DummyRegressor"),
        blind_words="the mean",
        constants=constant_numbers,
        global_model=lambda X, y: likeliest(X, y, np.exp, lambda mean: mean),
        takes_noise=False,
        like=NUMBER,
        bins="equal_width",
        regression="Poisson",
    )
)
