"""The elastic net finds the models of glmnet, on ordinary data and where columns are nearly copies of others."""

import json
from pathlib import Path

import numpy as np
import pytest

from steadyset.selectors import ElasticNetSelector

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "glmnet.json").read_text(encoding="utf-8"))
TASKS = {"linear": "number", "logistic": "classes"}


def labelled(model):
    return "{data}, {family}, l1_ratio {l1_ratio}, penalty {penalty}".format(**model)


def objective(model, X, y, coef, intercept):
    eta = X @ coef + intercept
    losses = np.logaddexp(0, eta) - y * eta if model["family"] == "logistic" else (y - eta) ** 2 / 2
    b = coef * X.std(axis=0)
    l1, l2 = model["l1_ratio"], (1 - model["l1_ratio"]) / 2
    return losses.mean() + model["penalty"] * (l1 * np.abs(b).sum() + l2 * (b**2).sum())


@pytest.mark.parametrize("theirs", ORACLE["models"], ids=labelled)
def test_the_model_is_that_of_glmnet(theirs):
    X, y = (np.array(ORACLE["data"][theirs["data"]][key]) for key in "Xy")
    if theirs["family"] == "logistic":
        y = (y > 0).astype(float)
    ours = ElasticNetSelector(theirs["penalty"], l1_ratio=theirs["l1_ratio"], task=TASKS[theirs["family"]]).fit(X, y)
    coef, intercept = np.array(theirs["coef"]), theirs["intercept"]
    assert objective(theirs, X, y, np.ravel(ours.coef_), ours.intercept_) <= (
        objective(theirs, X, y, coef, intercept) + 1e-13
    )
    if theirs["data"] == "ordinary":
        np.testing.assert_allclose(np.ravel(ours.coef_) * X.std(axis=0), coef * X.std(axis=0), atol=1e-8)
    else:  # which of two copies takes the weight is all but open, what they say together is not
        np.testing.assert_allclose(X @ np.ravel(ours.coef_) + ours.intercept_, X @ coef + intercept, atol=2e-5)
