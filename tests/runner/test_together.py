"""Runs that are fitted together give the cells that each of them gives alone."""

from dataclasses import asdict
from functools import wraps

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from steadyset import Data
from steadyset.assessment import assess
from steadyset.assessment.engines import compute
from steadyset.assessment.folder import RunFolder
from steadyset.assessment.request import make_request
from steadyset.resampling import Bootstrap, NoiseInjection, Subsample
from steadyset.runner import run as runner
from steadyset.runner.run import EVERY_ROW, compute_group, grouped
from steadyset.selectors import ElasticNetSelector, FilterSelector
from steadyset.selectors.filters import list_filters

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[::6], Y[::6]
SELECTORS = {"lasso": ElasticNetSelector(k=4), "anova": FilterSelector("anova", k=4), "jmi": FilterSelector("jmi", k=3)}


def plan_of(**options):
    given = {"scoring": None, "predictor": None, "random_state": 0}
    return make_request(SELECTORS, X, Y, **({"resampling": Bootstrap(9)} | given | options)).plan


def untimed(cells):
    told = {(cell.selector, cell.run): asdict(cell) for cell in cells}
    return {key: {k: v for k, v in cell.items() if not k.endswith("seconds")} for key, cell in told.items()}


@pytest.mark.parametrize("resampling", [Bootstrap(9), Subsample(9), NoiseInjection(9)], ids=lambda r: type(r).__name__)
def test_cells_do_not_depend_on_the_engine_or_on_how_many_are_fitted_together(resampling, monkeypatch):
    plan, selectors = plan_of(resampling=resampling), list(SELECTORS.values())
    keys = [(s, run) for run in range(9) for s in range(3)]
    by_ten = untimed(compute("serial", plan, selectors, keys, 1))
    monkeypatch.setattr(runner, "MAX_TOGETHER", 1)
    assert str(untimed(compute("serial", plan, selectors, keys, 1))) == str({key: by_ten[key] for key in keys})
    monkeypatch.setattr(runner, "MAX_TOGETHER", 4)
    in_threads = untimed(compute("threads", plan, selectors, keys, 2))
    assert str({key: in_threads[key] for key in keys}) == str({key: by_ten[key] for key in keys})


def test_groups_hold_runs_of_one_selector_that_can_fit_them_together():
    keys = [(s, run) for run in range(12) for s in range(3)] + [(0, EVERY_ROW)]
    groups = grouped(plan_of(), list(SELECTORS.values()), keys, 1)
    assert sorted((s, run) for s, runs in groups for run in runs) == sorted(keys)
    sizes = {s: [len(runs) for own, runs in groups if own == s] for s in range(3)}
    assert sizes == {0: [10, 2, 1], 1: [10, 2], 2: [1] * 12}
    assert max(len(runs) for _, runs in grouped(plan_of(), list(SELECTORS.values()), keys, 2)) == 1


def test_gaps_that_every_run_fills_by_itself_are_not_fitted_together():
    with_gaps = X.copy()
    with_gaps[0, 0] = np.nan
    request = make_request(
        SELECTORS, Data(with_gaps, Y, impute="median"), None, resampling=Bootstrap(4), scoring=None, predictor=None,
        random_state=0,
    )  # fmt: skip
    groups = grouped(request.plan, list(SELECTORS.values()), [(0, run) for run in range(4)], 1)
    assert [len(runs) for _, runs in groups] == [1] * 4


def test_a_fit_of_all_that_fails_leaves_every_run_to_say_why():
    plan = plan_of()
    cells = list(compute_group(plan, ElasticNetSelector(k=400), 0, [0, 1, 2]))
    assert [cell.run for cell in cells] == [0, 1, 2]
    assert all("k must be at most 30" in cell.failure for cell in cells)


def test_each_run_of_a_group_is_on_disk_before_the_next_is_computed(tmp_path):
    seen = []

    def stop(done, total):
        seen.append(done)
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assess(
            SELECTORS["lasso"],
            X,
            Y,
            resampling=Bootstrap(8),
            out=tmp_path / "a",
            execution={"engine": "serial", "progress": stop},
        )
    assert len(RunFolder(tmp_path / "a").cells()) == 3
    resumed = assess(
        SELECTORS["lasso"], X, Y, resampling=Bootstrap(8), out=tmp_path / "a", execution={"engine": "serial"}
    )
    whole = assess(SELECTORS["lasso"], X, Y, resampling=Bootstrap(8), execution={"engine": "serial"})
    name = resumed.selectors[0]
    assert resumed.selections[name].to_frame().equals(whole.selections[name].to_frame())


TARGETS = {name: text for name, text in list_filters()["target"].items() if FilterSelector(name).can_fit_many()}


@pytest.mark.parametrize("y", [Y, X[:, 0] + X[:, 5]], ids=["classes", "number"])
def test_filters_score_all_runs_of_an_assessment_by_one_call_and_to_the_same_bits(y, monkeypatch):
    columns, number = X[:, 1:13].copy(), y is not Y
    columns[:, 3] = columns[:, 2]  # a tie
    names = [name for name, target in TARGETS.items() if ("number" if number else "classes") in target]
    selectors = [FilterSelector(name, k=4) for name in names]
    assert len(names) >= (4 if number else 8)
    request = make_request(
        dict(zip(names, selectors, strict=True)), Data(columns, y, task="number" if number else "classes"), None,
        resampling=Bootstrap(6), scoring=None, predictor=None, random_state=0,
    )  # fmt: skip
    calls = {"fit": 0, "fit_many": 0}
    keys = [(s, run) for run in range(6) for s in range(len(selectors))]
    for kind in calls:
        real = getattr(FilterSelector, kind)

        @wraps(real)  # which tells the runner that it takes weights
        def counted(self, *given, _real=real, _kind=kind, **more):
            calls[_kind] += 1
            return _real(self, *given, **more)

        monkeypatch.setattr(FilterSelector, kind, counted)
    found = untimed(compute("serial", request.plan, selectors, keys, 1))
    assert calls == {"fit": 0, "fit_many": len(names)}
    monkeypatch.setattr(runner, "MAX_TOGETHER", 1)
    alone = untimed(compute("serial", request.plan, selectors, keys, 1))
    assert calls == {"fit": len(keys), "fit_many": len(names)}
    assert str({key: found[key] for key in keys}) == str({key: alone[key] for key in keys})
