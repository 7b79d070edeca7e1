"""Planning runs, and the curve of the estimate."""

from __future__ import annotations

import numpy as np
import pytest

import steadyset as st
from steadyset.inference.interval import Outlook, jackknife, spread_of
from steadyset.measures.evaluate import Options


def runs(M: int, seed: int = 0) -> st.Selections:
    rng = np.random.default_rng(seed)
    score = np.linspace(1, 0, 20) + 0.4 * rng.standard_normal((M, 20))
    return st.Selections.from_sets(list(np.argsort(-score, axis=1)[:, :5]), n_features=20)


def test_an_interval_that_is_narrow_enough_needs_no_more_runs() -> None:
    assert st.runs_needed(runs(20), st.confidence_interval(runs(20)).width) == 0
    assert st.runs_needed(runs(20), 1.9) == 0


def test_runs_needed_is_the_first_number_that_suffices() -> None:
    sel = runs(10)
    more = st.runs_needed(sel, 0.1)
    spread = spread_of(jackknife(sel, st.get_measure("nogueira"), Options()), Options())
    (low, high), (lower, higher) = (Outlook(spread, 0.95).ends(10 + more - short) for short in (0, 1))
    assert high - low <= 0.1 < higher - lower


def test_the_planned_runs_give_about_the_planned_width() -> None:
    more = st.runs_needed(runs(60), 0.08)
    assert st.confidence_interval(runs(60 + more)).width == pytest.approx(0.08, rel=0.25)


def test_half_the_width_needs_about_four_times_the_runs() -> None:
    sel = runs(50)
    assert (50 + st.runs_needed(sel, 0.02)) / (50 + st.runs_needed(sel, 0.04)) == pytest.approx(4, rel=0.02)


def test_runs_that_all_agree_need_as_many_as_the_bound_says() -> None:
    sel = st.Selections.from_sets([[0, 1]] * 5, n_features=9)
    total = 5 + st.runs_needed(sel, 0.1)
    assert 0.05 ** (1 / total) >= 0.9 > 0.05 ** (1 / (total - 1))


def test_planning_says_when_it_cannot() -> None:
    with pytest.raises(st.InputError, match="two runs make one pair"):
        st.runs_needed(runs(2), 0.1)
    with pytest.raises(st.InputError, match=r"width must be a positive number \(got 0\)"):
        st.runs_needed(runs(5), 0)
    with pytest.raises(st.InputError, match="nogueira is undefined"):
        st.runs_needed(st.Selections.from_sets([[], [], []], n_features=4), 0.1)
    with pytest.raises(st.InputError, match="No number of runs"):
        st.runs_needed(st.Selections.from_sets([[0, 1]] * 5, n_features=9), 0.1, "krizek")


def test_convergence_ends_with_the_interval_of_all_runs() -> None:
    sel = runs(30)
    curve, last = st.convergence_table(sel), st.confidence_interval(sel)
    assert list(curve["n_runs"]) == list(range(2, 31))
    assert (curve.iloc[-1][["estimate", "low", "high"]] == [last.estimate, last.low, last.high]).all()
    assert np.isnan(curve.iloc[0]["se"])


def test_convergence_of_many_runs_takes_few_steps() -> None:
    curve = st.convergence_table(runs(400), "jaccard")
    assert len(curve) <= 60
    assert curve["n_runs"].iloc[-1] == 400
    assert list(st.convergence_table(runs(9), n_runs=[3, 9])["n_runs"]) == [3, 9]
    with pytest.raises(st.InputError, match="n_runs holds 10"):
        st.convergence_table(runs(9), n_runs=[10])
