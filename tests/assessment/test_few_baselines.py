"""With many rows some runs draw random features, whatever computes them; the text says which, and tests use these."""

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.runner import plan

QUIET = st.Execution(progress=False, all_rows=False)


@pytest.fixture
def data(monkeypatch):
    """Small data that counts as having many rows."""
    monkeypatch.setattr(plan, "MANY_ROWS", 60)
    rng = np.random.default_rng(8)
    X = rng.normal(size=(60, 12))
    y = np.arange(60) % 2
    X[y == 1, :3] += 1.5
    return X, y


def assessed(data, selectors=("anova:k=3", "t_test:k=3"), **how):
    return st.assess(list(selectors), *data, resampling=st.Bootstrap(24), execution=QUIET, **how)


def test_the_first_runs_and_every_tenth_draw_random_features(data):
    for name in ("anova:k=3", "t_test:k=3"):
        cells = assessed(data).cells_of(name)
        assert [cell.run for cell in cells if cell.random] == [0, 1, 2, 3, 4, 10, 20]
        assert all(cell.blind for cell in cells)  # which needs no fit


def test_runs_that_draw_them_have_the_same_ones_as_ever(data, monkeypatch):
    few = assessed(data)
    monkeypatch.setattr(plan, "MANY_ROWS", 61)
    every = assessed(data)
    for name in few.selectors:
        drawn = {cell.run: cell.random for cell in every.cells_of(name)}
        assert len(drawn) == 24
        assert all(drawn.values())
        assert all(cell.random in ({}, drawn[cell.run]) for cell in few.cells_of(name))
        assert [cell.scores for cell in few.cells_of(name)] == [cell.scores for cell in every.cells_of(name)]


def test_selectors_of_one_size_share_them(data):
    result = assessed(data)
    first, second = (result.cells_of(name) for name in result.selectors)
    assert [cell.random for cell in first] == [cell.random for cell in second]


def test_a_strong_selection_beats_few_baselines(data):
    X, y = data
    wide = np.column_stack([X + 2 * np.outer(y, np.arange(12) < 3), np.random.default_rng(2).normal(size=(60, 60))])
    result = st.assess("anova:k=3", wide, y, resampling=st.Bootstrap(50), execution=QUIET)
    (beaten,) = result.baselines_beaten().values()
    assert beaten.random
    assert beaten.blind


def test_the_text_says_which_runs(data, monkeypatch):
    assert "in the first 5 runs and in every 10th one" in st.methods_text(assessed(data))
    monkeypatch.setattr(plan, "MANY_ROWS", 61)
    assert "in every 10th one" not in st.methods_text(assessed(data))


def test_covariates_alone_are_fitted_in_these_runs_only(data):
    X, y = data
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]).assign(age=rng.normal(size=len(y)))
    forced = st.Data(frame, y, force="age")
    cells = st.assess("anova:k=3", forced, resampling=st.Bootstrap(24), execution=QUIET).cells
    assert [cell.run for cell in cells if cell.blind] == [0, 1, 2, 3, 4, 10, 20]


def test_a_folder_keeps_which_runs_drew_them(data, tmp_path):
    result = assessed(data, out=tmp_path / "runs")
    opened = st.Assessment.open(tmp_path / "runs")
    assert [cell.random for cell in opened.cells] == [cell.random for cell in result.cells]
    assert st.methods_text(opened) == st.methods_text(result)
