"""Models of scikit-learn whose arguments changed between the versions that the tests and benchmarks may meet."""

from __future__ import annotations

from typing import Any

import sklearn
from sklearn.linear_model import LogisticRegression

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])


def sparse_logistic(l1_ratio: float = 1.0, **params: Any) -> LogisticRegression:
    """Logistic regression with an elastic net: before 1.8 the penalty is named, from 1.8 on its name is deprecated."""
    if VERSION >= (1, 8):
        return LogisticRegression(l1_ratio=l1_ratio, **params)
    if l1_ratio == 1.0:
        return LogisticRegression(penalty="l1", **params)
    return LogisticRegression(penalty="elasticnet", l1_ratio=l1_ratio, **params)
