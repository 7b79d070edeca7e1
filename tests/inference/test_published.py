"""The published statistics, against the original implementation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import steadyset as st

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "jmlr2018_inference.json").read_text(encoding="utf-8"))
CASES = {case["id"]: case for case in ORACLE["cases"]}
ROUNDING = 1e-20  # a variance below this is 0 in exact arithmetic


def selections(case: dict[str, Any]) -> st.Selections:
    return st.Selections.from_sets([np.array(s, dtype=np.int64) for s in case["features"]], n_features=case["d"])


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_variance_and_normal_interval_are_the_published_ones(case: dict[str, Any]) -> None:
    sel = selections(case)
    for alpha, low, high in case["intervals"]:
        found = st.confidence_interval(sel, method="normal", level=1 - alpha)
        assert found.estimate == pytest.approx(case["stability"], abs=1e-10)
        assert found.se**2 == pytest.approx(case["variance"], abs=1e-10)
        assert (found.low, found.high) == pytest.approx((max(low, -1), min(high, 1)), abs=1e-10)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_threshold_test_is_the_published_one(case: dict[str, Any]) -> None:
    if case["variance"] < ROUNDING:  # the original's statistic is infinite or made of rounding
        found = st.test_threshold(selections(case), 0.4, method="normal").statistic
        assert found == np.copysign(np.inf, case["stability"] - 0.4)
        return
    for value, alpha, reject, V, p in case["threshold"]:
        found = st.test_threshold(selections(case), value, method="normal")
        assert found.statistic == pytest.approx(V, rel=1e-10)
        assert found.p_value == pytest.approx(p, abs=1e-10)
        assert found.reject(alpha) == reject


@pytest.mark.parametrize("pair", ORACLE["differences"], ids=lambda pair: f"{pair['first']}-{pair['second']}")
def test_difference_test_is_the_published_one(pair: dict[str, Any]) -> None:
    first, second = CASES[pair["first"]], CASES[pair["second"]]
    for alpha, reject, T, p in pair["results"]:
        found = st.test_difference(selections(first), selections(second), method="normal", paired=False)
        assert found.statistic == pytest.approx(T, rel=1e-9)
        assert found.p_value == pytest.approx(p, abs=1e-10)
        assert found.reject(alpha) == reject


def test_a_mean_over_pairs_has_the_variance_of_its_projection() -> None:
    rng = np.random.default_rng(3)
    sel = st.Selections.from_matrix(rng.random((12, 15)) < 0.4)
    k, r = sel.sizes, sel.intersections()
    scores = r / (k[:, None] + k[None, :] - r)
    g = (scores.sum(axis=1) - np.diag(scores)) / 11
    expected = 4 / 12**2 * np.sum((g - g.mean()) ** 2)
    assert st.confidence_interval(sel, "jaccard", method="normal").se ** 2 == pytest.approx(expected, rel=1e-10)
