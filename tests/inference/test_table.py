"""The table of measures with intervals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import steadyset as st
from steadyset.cli import run


def runs() -> st.Selections:
    rng = np.random.default_rng(0)
    return st.Selections.from_matrix(rng.random((12, 20)) < np.linspace(0.9, 0.05, 20))


def test_the_table_holds_the_intervals_of_the_single_calls() -> None:
    table = st.stability_table(runs())
    assert list(table.columns) == ["estimate", "steadier", "se", "low", "high", "mc_error", "note"]
    for name, row in table.iterrows():
        found = st.confidence_interval(runs(), name)
        single = [found.estimate, found.se, found.low, found.high]
        np.testing.assert_allclose(row[["estimate", "se", "low", "high"]].astype(float), single, rtol=1e-12)


def test_without_a_level_the_table_holds_the_values_alone() -> None:
    table = st.stability_table(runs(), level=None)
    assert list(table.columns) == ["estimate", "steadier", "mc_error", "note"]
    for name, estimate in table["estimate"].items():
        np.testing.assert_equal(estimate, st.stability(runs(), name))
    np.testing.assert_allclose(table["estimate"], st.stability_table(runs())["estimate"], rtol=1e-12)


def test_measures_of_which_less_is_steadier_are_marked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    sel = st.Selections.from_rankings([[1, 2, 3, 4], [1, 3, 2, 4], [2, 1, 3, 4]], top=2)
    table = st.stability_table(sel)
    assert set(table.index[table["steadier"] == "lower"]) == {"krizek", "canberra"}
    assert set(table["steadier"]) == {"higher", "lower"}
    runs().write(tmp_path / "runs.csv")
    assert run(["measure", str(tmp_path / "runs.csv"), "-m", "krizek", "-m", "jaccard"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line.strip()}
    assert "lower" in lines["krizek"]
    assert "higher" in lines["jaccard"]


def test_measures_that_need_a_similarity_join_when_they_have_one() -> None:
    similarity = st.FeatureSimilarity.from_groups((np.arange(20) // 2).tolist())
    table = st.stability_table(runs(), similarity=similarity)
    assert "sechidis" in table.index
    row = table.loc["sechidis"]
    assert row["low"] < row["estimate"] < row["high"]
    assert "sechidis" not in st.stability_table(runs()).index


def test_a_bad_level_is_refused() -> None:
    with pytest.raises(st.InputError, match=r"level.* must be .*\(got 95\)"):
        st.stability_table(runs(), level=95)
