"""How the stability settles over the runs, and how many are still needed."""

from dataclasses import replace

import numpy as np
import pytest

import steadyset as st


def runs(M: int, noise: float = 0.3, seed: int = 0) -> st.Selections:
    random = np.random.default_rng(seed)
    flips = random.random((M, 20)) < noise
    return st.Selections.from_matrix((np.arange(20) < 6) ^ flips)


def small() -> st.plot.Picture:
    return st.plot.convergence({"steady": runs(6, 0.05), "noisy": runs(12)}, width=0.2)


def test_the_curve_ends_with_the_interval_of_all_runs():
    sel = runs(25)
    last = st.plot.convergence(sel, "jaccard", level=0.9).data.query("~expected").iloc[-1]
    interval = st.confidence_interval(sel, "jaccard", level=0.9)
    assert last["n_runs"] == 25
    assert last[["estimate", "low", "high"]].tolist() == pytest.approx([interval.estimate, interval.low, interval.high])


def test_every_point_is_the_estimate_of_the_first_runs():
    sel = runs(12)
    shown = st.plot.convergence(sel).data.query("~expected")
    known = st.convergence_table(sel, n_runs=shown["n_runs"].tolist())
    for column in ("estimate", "low", "high"):
        np.testing.assert_allclose(shown[column], known[column])


def test_what_is_expected_ends_with_the_planned_number_of_runs_and_its_width():
    sel = runs(10)
    ahead = st.plot.convergence(sel, width=0.15).data.query("expected")
    assert ahead["n_runs"].max() == 10 + st.runs_needed(sel, 0.15)
    assert 0.14 < ahead["high"].iloc[-1] - ahead["low"].iloc[-1] <= 0.15
    assert (np.diff(ahead["high"] - ahead["low"]) < 0).all()
    assert st.plot.convergence(sel, width=None).data["expected"].sum() == 0


def test_enough_runs_need_no_more():
    drawn = st.plot.convergence(runs(25), width=0.9)
    assert not drawn.data["expected"].any()
    assert "needs no more runs" in drawn.svg()


def test_shuffled_runs_end_where_runs_in_order_end_and_the_seed_decides_the_way():
    sel = runs(25)
    orders = [st.plot.convergence(sel, shuffle=True, random_state=seed).data.query("~expected") for seed in (1, 1, 2)]
    in_order = st.plot.convergence(sel).data.query("~expected")
    assert orders[0].equals(orders[1])
    assert not orders[0].equals(orders[2])
    for data in orders:
        assert data["estimate"].iloc[-1] == pytest.approx(in_order["estimate"].iloc[-1])


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        ([[0], [1]], "two runs make one pair"),
        ([[], [], []], "Undefined after 3 runs"),
        ([[0, 1]], "a stability needs two"),
    ],
)
def test_what_cannot_be_planned_says_why(sets, words):
    drawn = st.plot.convergence(st.Selections.from_sets(sets, n_features=4))
    assert words in drawn.svg().replace("\n", " ")
    assert not drawn.data["expected"].any()


def test_many_runs_and_many_selectors_stay_few_marks():
    assert len(st.plot.convergence(runs(1500)).data) < 40
    drawn = st.plot.convergence({f"selector {i}": runs(4, seed=i) for i in range(40)})
    assert drawn.data["selector"].nunique() == 12
    assert "The first 12 of 40 selectors." in drawn.note


def test_findings_bring_their_measure_and_level():
    found = replace(st.findings_of({"a": runs(8)}), measure="jaccard", level=0.8)
    own = st.plot.convergence({"a": runs(8)}, "jaccard", level=0.8)
    assert st.plot.convergence(found).data.equals(own.data)
