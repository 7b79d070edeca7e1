"""Sparse matrices and AnnData in memory give what the dense array gives, to the last bit."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import steadyset as st
from steadyset.foundation.errors import InputError

RANDOM = np.random.default_rng(0)
X = np.where(RANDOM.random((30, 8)) < 0.4, RANDOM.normal(size=(30, 8)), 0.0)
Y = ["ill", "well"] * 15


def annotated(values, **obs):
    frame = pd.DataFrame({"state": pd.Categorical(Y), **obs}, index=[f"cell{i}" for i in range(30)])
    names = pd.Index([f"g{j}" for j in range(8)])
    return SimpleNamespace(X=values, obs=frame, var_names=names, obs_names=frame.index)


def assessed(values, y=Y, **options):
    data = st.Data(values, y, **options) if options else values
    return st.assess(["anova:k=3", "lasso"], data, None if options else y, resampling=st.KFold(3))


@cache
def of_dense():
    return assessed(X)


def same(a, b):
    seconds = ["fit_seconds", "score_seconds"]
    assert a.scores.drop(columns=seconds).equals(b.scores.drop(columns=seconds))
    for name, runs in a.selections.items():
        assert runs.indices.tolist() == b.selections[name].indices.tolist()


@pytest.mark.parametrize("form", ["csr_matrix", "csc_array", "coo_array", "lil_matrix", "dok_array"])
def test_a_sparse_matrix_gives_what_the_dense_one_gives(form):
    same(assessed(getattr(sparse, form)(X)), of_dense())


def test_an_anndata_gives_what_its_parts_give():
    donors = [f"d{i // 3}" for i in range(30)]
    found = assessed(annotated(sparse.csr_matrix(X), donor=donors), "state", groups="donor")
    same(found, assessed(X, groups=donors))
    assert found.selections["lasso"].features == tuple(f"g{j}" for j in range(8))


def test_rows_of_y_follow_the_names_of_the_cells():
    cells = annotated(X)
    with pytest.warns(UserWarning, match="y has the rows of X in another order"):
        found = assessed(cells, cells.obs["state"][::-1])
    same(found, of_dense())


def test_tune_takes_an_anndata_and_a_sparse_matrix():
    pytest.importorskip("optuna")
    space = {"filter": ["anova"], "fraction": [0.5], "model": {"ridge": {"penalty": [0.1]}}}
    options = {"resampling": st.KFold(2), "n_trials": 1, "objectives": ["accuracy"]}
    dense = st.tune(space, X, Y, **options).frame["accuracy"]
    for values, y in ((sparse.csr_array(X), Y), (annotated(X), "state")):
        assert st.tune(space, values, y, **options).frame["accuracy"].equals(dense)


def test_raw_counts_and_repeated_names_are_warned_of():
    cells = annotated(RANDOM.poisson(40, size=(30, 8)))
    cells.var_names = pd.Index(["a", "a", *"bcdefg"])
    with pytest.warns(UserWarning, match="AnnData: ") as told:
        assessed(cells, "state")
    assert [one.filename for one in told] == [__file__] * 2
    assert "look like raw counts" in str(told[0].message)
    assert "1 name occurs more than once ('a'); all are kept" in str(told[1].message)


@pytest.mark.parametrize(
    ("cells", "y", "sentence"),
    [
        (annotated(X), "State", "obs has no column 'State'; did you mean 'state'?"),
        (annotated(X), "x", r"obs has no column 'x'; candidates are 'state' \(2 values\)"),
        (annotated(X, part=pd.array([1, None] * 15, "Int64")), "x", r"candidates are 'state' \(2 values\)\."),
        (annotated(X, part=pd.array([1, 2, None] * 10, "Int64")), "part", "y has missing or infinite values"),
        (annotated(None), "state", "The AnnData has no X; put one of its layers there"),
        (sparse.csr_array((10**7, 10**6)), Y, "X is sparse and would take 74,506 GB .* keep fewer columns"),
        (sparse.csr_array(X.astype(complex)), Y, "X holds complex numbers; expected numbers"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(cells, y, sentence):
    with pytest.raises(InputError, match=sentence):
        assessed(cells, y)


@pytest.fixture
def loaded(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["tp53,myc,egfr,patient,outcome"]
    for i in range(24):
        ill = i % 2
        values = rng.normal(size=3) + np.array([2 * ill, 0, 0])
        lines.append(",".join([*(f"{value:.3f}" for value in values), f"P{i // 2}", "ill" if ill else "well"]))
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return st.load_data(path, "outcome", groups="patient")


def test_a_loaded_table_gives_what_its_parts_give(loaded):
    options = {"resampling": st.Bootstrap(5)}
    whole = st.assess("anova:k=1", loaded, **options)
    parts = st.assess(
        "anova:k=1", st.Data(loaded.X, loaded.y, features=loaded.features, groups=loaded.groups), **options
    )
    assert whole.selections["anova:k=1"].features == ("tp53", "myc", "egfr")
    assert [cell.selected for cell in whole.cells] == [cell.selected for cell in parts.cells]
    assert [cell.label for cell in whole.cells] == [cell.label for cell in parts.cells]  # drawn by patients
    assert "The target, outcome, had 2 classes" in st.methods_text(whole)


def test_a_loaded_table_is_printed_as_the_line_that_says_what_was_understood(loaded):
    assert repr(loaded) == "Data(24 rows, 3 features, target 'outcome', 12 groups by 'patient')"
    assert str(loaded).splitlines() == [loaded.understood, *loaded.notes, "outcome: 2 classes (ill 12, well 12)"]


def test_a_loaded_table_can_be_tuned(loaded):
    space = {"filter": ["anova"], "fraction": [0.5], "model": {"ridge": {"penalty": [0.1]}}}
    assert len(st.tune(space, loaded, n_trials=1, resampling=st.KFold(2)).frame) == 1


def test_a_target_beside_a_loaded_table_is_refused(loaded):
    with pytest.raises(InputError, match="y is given beside data that hold their target 'outcome'; leave y out"):
        st.assess("anova:k=1", loaded, loaded.y)
