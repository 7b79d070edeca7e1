"""Every selector by name on every kind of target: it selects, or a sentence says what it is for."""

import warnings

import numpy as np
import pytest

import steadyset as st
from steadyset.selectors.catalogue import selector_by_name, selector_names, why_unable
from steadyset.tasks import TASKS
from steadyset.warming import SMALL

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 8))
SCORE = 2 * X[:, 0] - X[:, 3] + 0.5 * RNG.normal(size=60)
TARGETS = {
    ("classes", 2): np.where(SCORE > 0, "ill", "well"),
    ("classes", 3): np.array(["a", "b", "c"])[np.digitize(SCORE, [-1, 1])],
    ("number", 0): SCORE,
    ("count", 0): RNG.poisson(np.exp(SCORE / 2)),
    ("survival", 0): np.column_stack([np.ceil(100 * RNG.exponential(np.exp(-SCORE))), RNG.random(60) < 0.7]),
}
SERVE_ALL = ("lasso", "elastic_net", "forest", "forest_permutation", "anova", "stability_selection")
targets = pytest.mark.parametrize(("task", "n_classes"), TARGETS)


def made(name, task):
    selector = selector_by_name(name, task)
    return selector.set_params(**{key: value for key, value in SMALL.items() if key in selector.get_params()})


@targets
def test_every_selector_runs_on_every_task_or_says_what_it_is_for(task, n_classes):
    y = TARGETS[task, n_classes]
    for name in selector_names():
        reason = why_unable(name, task, n_classes)
        if not reason:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                selected = made(name, task).fit(X, y).get_support(indices=True)
            assert 1 <= len(selected) < 8, name
            continue
        assert reason.startswith("for "), name
        with pytest.raises(st.InputError, match=rf"{name} \({reason}\); choose others, such as lasso"):
            st.assess([name], st.Data(X, y, task=task))


@targets
def test_who_serves_every_task_finds_what_matters_in_each(task, n_classes):
    for name in SERVE_ALL:
        selector = made(name, task)
        selector.set_params(**({"n_estimators": 30} if "forest" in name else {}))
        assert 0 in selector.fit(X, TARGETS[task, n_classes]).get_support(indices=True), name


@targets
def test_defaults_run_and_hold_the_lasso(task, n_classes):
    names = TASKS[task].selectors(n_classes)
    assert "lasso" in names
    assert [why_unable(name, task, n_classes) for name in names] == [""] * len(names)


@targets
def test_boosting_and_elimination_serve_every_task(task, n_classes):
    for name in ("boosting", "rfe"):
        selected = made(name, task).fit(X, TARGETS[task, n_classes]).get_support(indices=True)
        assert {0, 3} <= set(selected), name


@targets
def test_the_ready_made_space_of_tuning_holds_the_models_that_take_the_target(task, n_classes):
    from steadyset.tuning.space import read_space

    models = set(read_space(None, task, n_classes).models)
    assert {"ridge", "lasso", "forest", "boosting"} <= models
