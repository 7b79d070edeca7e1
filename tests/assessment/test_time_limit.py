"""A time limit leaves runs out, never the first ones; a folder continues with them, and comes to the same answer."""

from dataclasses import replace

import numpy as np
import pytest

import steadyset as st
from steadyset.assessment import FIRST
from steadyset.cli import run

QUIET = st.Execution(progress=False)
LIMITED = replace(QUIET, minutes=1e-9)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(50, 12))
    y = np.arange(50) % 2
    X[y == 1, :2] += 1.2
    return X, y


def chosen(result):
    return sorted((cell.selector, cell.run, cell.selected) for cell in result.cells)


def test_the_first_runs_and_the_fits_on_all_rows_are_made_in_any_case(data):
    result = st.assess(["anova:k=2", "t_test:k=2"], *data, n_runs=30, execution=LIMITED)
    assert sorted((cell.selector, cell.run) for cell in result.cells) == [
        (s, r) for s in range(2) for r in range(FIRST)
    ]
    assert len(result.on_all_rows) == 2
    assert "not finished: 10 of 60 runs" in st.methods_text(result)


def test_what_did_not_fit_is_made_later_and_nothing_differs(data, tmp_path):
    asked = ["anova:k=2", "lasso:k=2"]
    whole = st.assess(asked, *data, n_runs=14, execution=QUIET)
    st.assess(asked, *data, n_runs=14, out=tmp_path / "runs", execution=LIMITED)
    assert len(st.Assessment.open(tmp_path / "runs").cells) == 2 * FIRST
    later = st.assess(asked, *data, n_runs=14, out=tmp_path / "runs", execution=QUIET)
    assert chosen(later) == chosen(whole)


def test_enough_time_changes_nothing(data):
    limited = st.assess("lasso:k=2", *data, n_runs=14, execution=replace(QUIET, minutes=60))
    free = st.assess("lasso:k=2", *data, n_runs=14, execution=QUIET)
    assert chosen(limited) == chosen(free)
    assert limited.summary().equals(free.summary())


def test_runs_are_not_added_when_the_time_is_up(data):
    result = st.assess("anova:k=2", *data, n_runs={"width": 1e-3, "max_runs": 90}, execution=LIMITED)
    assert len(result.cells) == FIRST


@pytest.mark.parametrize("minutes", [0, -1, "ten", float("nan")])
def test_a_time_limit_is_a_positive_number(data, minutes):
    with pytest.raises(st.InputError, match="minutes"):
        st.assess("anova:k=2", *data, n_runs=6, execution={"minutes": minutes})


def test_the_command_says_how_many_runs_there_was_time_for(data, tmp_path, capsys):
    X, y = data
    lines = ["target," + ",".join(f"f{j}" for j in range(X.shape[1]))]
    lines += [f"{label}," + ",".join(f"{v:.4f}" for v in row) for label, row in zip(y, X, strict=True)]
    (tmp_path / "x.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    job = ["assess", str(tmp_path / "x.csv"), "--target", "target", "--selector", "anova:k=2", "--runs", "20"]
    job += ["--out", str(tmp_path / "runs")]
    run([*job, "--minutes", "0.00001"])
    assert "5 of 20 runs" in capsys.readouterr().out
    run([*job, "--resume"])
    assert "of 20 runs" not in capsys.readouterr().out
    assert len(st.Assessment.open(tmp_path / "runs").cells) == 20


def test_functions_without_such_a_limit_refuse_it(data):
    with pytest.raises(st.InputError, match="shortlist has no time limit in its execution"):
        st.shortlist(*data, execution=LIMITED)
    with pytest.raises(st.InputError, match="replication has no time limit"):
        st.replication("anova:k=2", *data, execution=LIMITED)
    with pytest.raises(st.InputError, match="variance_split has no time limit"):
        st.variance_split(["anova:k=2", "t_test:k=2"], *data, execution=LIMITED)
