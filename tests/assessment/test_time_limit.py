"""A time limit leaves runs out, never the first ones; a folder continues with them, and comes to the same answer."""

from dataclasses import replace

import numpy as np
import pytest

import steadyset as st
from steadyset.assessment import FIRST
from steadyset.assessment.request import TimeLimitWarning, make_plan
from steadyset.cli import run
from steadyset.tuning.nested import outer_folds

QUIET = st.Execution(progress=False)
in_time = pytest.mark.filterwarnings("ignore::steadyset.assessment.request.TimeLimitWarning")
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


@in_time
def test_the_first_runs_and_the_fits_on_all_rows_are_made_in_any_case(data):
    result = st.assess(["anova:k=2", "t_test:k=2"], *data, n_runs=30, execution=LIMITED)
    assert sorted((cell.selector, cell.run) for cell in result.cells) == [
        (s, r) for s in range(2) for r in range(FIRST)
    ]
    assert len(result.on_all_rows) == 2
    assert "not finished: 10 of 60 runs" in st.methods_text(result)


@in_time
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


@in_time
def test_runs_are_not_added_when_the_time_is_up(data):
    result = st.assess("anova:k=2", *data, n_runs={"width": 1e-3, "max_runs": 90}, execution=LIMITED)
    assert len(result.cells) == FIRST


class FirstRunsOnly:
    """A clock that stands still until the time limit is looked at after the first so many runs."""

    def __init__(self, n_looks):
        self.n_looks = n_looks

    def __call__(self):
        self.n_looks -= 1
        return 0.0 if self.n_looks >= 0 else 1e9


def stopped(monkeypatch, data, n_looks, **options):
    monkeypatch.setattr("steadyset.assessment.time.monotonic", FirstRunsOnly(n_looks))
    try:
        return st.assess("anova:k=2", *data, execution=replace(QUIET, minutes=1, engine="serial"), **options)
    finally:
        monkeypatch.undo()


def test_methods_do_not_claim_a_width_that_there_was_no_time_for(data, monkeypatch):
    wanted = {"width": 0.01, "max_runs": 1000}
    with pytest.warns(TimeLimitWarning, match="There was time for [0-9]+ runs"):
        result = stopped(monkeypatch, data, 10, n_runs=wanted)
    n_runs = len({cell.run for cell in result.cells})
    assert 30 < n_runs < 1000
    low, high = result.summary().iloc[0][["low", "high"]]
    assert high - low > 0.01
    methods = st.methods_text(result)
    assert "runs were to be added until" in methods
    assert f"not finished: after {n_runs} runs" in methods


def test_methods_of_narrow_intervals_say_that_runs_were_added(data):
    result = st.assess("anova:k=2", *data, n_runs={"width": 0.5, "max_runs": 90}, execution=QUIET)
    methods = st.methods_text(result)
    assert "runs were added until" in methods
    assert "not finished" not in methods


def test_a_call_from_python_is_warned_of_runs_that_did_not_fit(data):
    with pytest.warns(TimeLimitWarning, match="5 of 100 runs") as warned:
        st.assess("anova:k=2", *data, resampling=st.Bootstrap(100), execution=LIMITED)
    assert warned[0].filename == __file__


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
    printed = capsys.readouterr().out
    assert "5 of 20 runs" in printed
    proposed = printed.replace("\\\n", "")
    assert "Finish the 20 runs" in proposed
    assert "--runs 20" in proposed
    assert "5 more repeats" not in proposed
    assert "--minutes" not in proposed
    run([*job, "--resume"])
    assert "of 20 runs" not in capsys.readouterr().out
    assert len(st.Assessment.open(tmp_path / "runs").cells) == 20


def test_functions_without_such_a_limit_refuse_it(data):
    with pytest.raises(st.InputError, match=r"shortlist has no time limit in its execution.* minutes=5"):
        st.shortlist(*data, execution={"minutes": 5})
    with pytest.raises(st.InputError, match="replication has no time limit"):
        st.replication("anova:k=2", *data, execution=LIMITED)
    with pytest.raises(st.InputError, match="variance_split has no time limit"):
        st.variance_split(["anova:k=2", "t_test:k=2"], *data, execution=LIMITED)


def test_one_group_has_no_outer_folds(data):
    two_groups = st.Data(*data, groups=["a", "b"] * 25)
    plan, _ = make_plan(two_groups, resampling=st.KFold(2))
    with pytest.raises(st.InputError, match="at least two groups"):
        outer_folds(replace(plan, groups=np.zeros(50, int)), plan.score_names, 2)
