"""Comparisons of many procedures: tables, adjusted p-values, letters, export."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import steadyset as st
from steadyset.findings import findings_of, tables
from steadyset.foundation.text import p_value
from steadyset.inference.comparison import adjusted_p_values, compact_letters
from steadyset.inference.table import latex_escaped


def procedure(noise: float, seed: int, M: int = 30) -> st.Selections:
    rng = np.random.default_rng(seed)
    score = np.linspace(1, 0, 15) + noise * rng.standard_normal((M, 15))
    return st.Selections.from_sets(list(np.argsort(-score, axis=1)[:, :5]), n_features=15)


@pytest.fixture(scope="module")
def comparison() -> st.Comparison:
    return st.compare({"shaky": procedure(1.5, 0), "a_b": procedure(0.1, 1), "steady": procedure(0.1, 2)})


def test_the_steadiest_procedures_come_first_and_share_a_letter(comparison: st.Comparison) -> None:
    assert comparison.table.index[-1] == "shaky"
    assert comparison.table["estimate"].is_monotonic_decreasing
    assert comparison.groups == {"a_b": "a", "steady": "a", "shaky": "b"}


def test_table_and_tests_are_those_of_the_single_functions(comparison: st.Comparison) -> None:
    interval = st.confidence_interval(procedure(1.5, 0))
    row = comparison.table.loc["shaky"]
    assert (row["estimate"], row["low"], row["high"]) == (interval.estimate, interval.low, interval.high)
    single = st.test_difference(procedure(1.5, 0), procedure(0.1, 1))
    test = comparison.tests.iloc[0]
    assert (test["first"], test["second"], test["p_value"]) == ("shaky", "a_b", single.p_value)
    assert len(comparison.tests) == 3


def test_exports_escape_names(comparison: st.Comparison) -> None:
    assert r"a\_b" in comparison.to_latex()
    assert r"a\_b" in comparison.to_markdown()
    assert comparison.to_latex().startswith(r"\begin{tabular}{lrlrl}")
    assert latex_escaped("50% \\cmd{x}_$&#^~<") == (
        r"50\% \textbackslash{}cmd\{x\}\_\$\&\#\textasciicircum{}\textasciitilde{}\textless{}"
    )


def test_a_measure_where_lower_is_steadier_puts_the_lowest_first() -> None:
    found = st.compare({"shaky": procedure(1.5, 0), "steady": procedure(0.1, 1)}, "krizek")
    assert list(found.table.index) == ["steady", "shaky"]


def test_holm_and_benjamini_hochberg_by_hand() -> None:
    p = [0.01, 0.04, 0.03, np.nan]
    np.testing.assert_allclose(adjusted_p_values(p, "holm"), [0.03, 0.06, 0.06, np.nan])
    np.testing.assert_allclose(adjusted_p_values(p, "bh"), [0.03, 0.04, 0.04, np.nan])
    np.testing.assert_allclose(adjusted_p_values(p, None), p)


names = [f"p{i}" for i in range(6)]


def right(letters: dict[str, str], differ: set[frozenset[str]]) -> bool:
    """Whether two names share a letter exactly when they do not differ."""
    pairs = itertools.combinations(letters, 2)
    return all(bool(set(letters[x]) & set(letters[y])) == (frozenset((x, y)) not in differ) for x, y in pairs)


def removable(letters: dict[str, str], differ: set[frozenset[str]]) -> list[tuple[str, str]]:
    """The letters without which the display would still be right."""
    every = [(name, letter) for name in letters for letter in letters[name] if len(letters[name]) > 1]
    return [
        (name, letter) for name, letter in every if right({**letters, name: letters[name].replace(letter, "")}, differ)
    ]


@given(some.sets(some.tuples(some.sampled_from(names), some.sampled_from(names)).filter(lambda x: x[0] < x[1])))
def test_two_names_share_a_letter_exactly_when_they_do_not_differ_and_no_letter_can_go(
    pairs: set[tuple[str, str]],
) -> None:
    differ = {frozenset(pair) for pair in pairs}
    letters = compact_letters(names, differ)
    assert right(letters, differ)
    assert removable(letters, differ) == []


def test_letters_are_swept_as_multcomp_sweeps_them() -> None:
    """Most graphs have several minimal displays; both leave none of the letters that insert and absorb leaves over."""
    path = Path(__file__).parents[1] / "oracles" / "letters.json"
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
    saved = 0
    for case in cases:
        differ = {frozenset(pair) for pair in case["differ"]}
        ours, totals = compact_letters(case["names"], differ), {}
        for who, letters in {"ours": ours, **{key: case[key] for key in ("swept", "absorbed")}}.items():
            assert right(letters, differ), (who, case)
            totals[who] = sum(map(len, letters.values()))
        assert removable(case["swept"], differ) == []
        assert totals["ours"] <= totals["swept"]
        saved += totals["absorbed"] - totals["ours"]
    assert saved > 0


def test_bad_comparisons_get_one_sentence() -> None:
    with pytest.raises(st.InputError, match="at least two"):
        st.compare({"one": procedure(1, 0)})
    with pytest.raises(st.InputError, match=r"adjust must be one of holm, bh, None \(got 'bonferroni'\)"):
        st.compare({"a": procedure(1, 0), "b": procedure(1, 1)}, adjust="bonferroni")  # type: ignore[arg-type]
    with pytest.raises(st.InputError, match="give the same features in the same order on both sides, or paired=False"):
        st.compare({"a": procedure(1, 0), "b": st.Selections.from_sets([[0], [1]], n_features=3)})


def test_independent_procedures_may_choose_from_different_features() -> None:
    """The published test, T = (Phi2 - Phi1)/sqrt(v1 + v2), looks at each side by itself."""
    small = st.Selections.from_sets([[0, 1], [0, 1], [0, 2], [0, 1], [1, 2]], n_features=6)
    large = st.Selections.from_sets([[0, 1, 7], [3, 4, 5], [0, 1, 8], [2, 3, 9], [0, 4, 8]], n_features=10)
    found = st.test_difference(small, large, paired=False, method="normal")
    one, other = (st.confidence_interval(x, method="normal") for x in (small, large))
    assert found.estimate == pytest.approx(other.estimate - one.estimate)
    assert found.statistic == pytest.approx((other.estimate - one.estimate) / np.hypot(one.se, other.se))
    assert "6 and 10 features" in found.note
    welch = st.test_difference(small, large, "jaccard", paired=False)
    sides = [st.confidence_interval(x, "jaccard", method="jackknife") for x in (small, large)]
    assert welch.se == pytest.approx(np.hypot(sides[0].se, sides[1].se))
    comparison = st.compare({"small": small, "large": large}, paired=False)
    assert comparison.tests["p_value"][0] == pytest.approx(st.test_difference(small, large, paired=False).p_value)
    assert "6 and 10 features" in comparison.tests["note"][0]


def test_features_must_agree_where_runs_are_paired_or_similar_features_count() -> None:
    small = st.Selections.from_sets([[0, 1], [0, 1], [0, 2]], n_features=6)
    large = st.Selections.from_sets([[0, 1, 7], [3, 4, 5], [0, 1, 8]], n_features=10)
    for paired in (True, None):
        with pytest.raises(st.InputError, match="paired=False for procedures that choose from different features"):
            st.test_difference(small, large, paired=paired)
    similarity = st.FeatureSimilarity.from_groups([0] * 6)
    with pytest.raises(st.InputError, match="yu needs the same features in the same order"):
        st.test_difference(small, large, "yu", paired=False, similarity=similarity)


def test_what_rounds_to_zero_has_no_sign_and_what_is_undefined_is_a_dash() -> None:
    found = st.compare({"a": procedure(1, 0), "b": procedure(1, 1)})
    row = next(one for one in found.estimates if one["procedure"] == "a")
    row |= {"estimate": -0.0001, "low": -0.2, "high": float("nan")}
    assert "-0.000" not in found.to_markdown()
    assert "-0.200 to –" in found.to_markdown()


def test_no_p_value_is_printed_as_nothing() -> None:
    assert [p_value(p) for p in (0.0, 1e-9, 0.000999, 0.001, 0.0124, 1.0, float("nan"))] == [
        "< 0.001",
        "< 0.001",
        "< 0.001",
        "0.001",
        "0.012",
        "1.000",
        "–",
    ]
    labels = [str(run) for run in range(20)]
    sure = {
        name: st.Selections.from_sets([sel.selected(run) for run in range(20)], n_features=15, labels=labels)
        for name, sel in (("steady", procedure(0.01, 1, 20)), ("shaky", procedure(3, 0, 20)))
    }
    found = st.compare(sure)
    assert found.tests["p_value"][0] < 0.001
    assert "0.000" not in str([row.cells for row in tables.tests_table(findings_of(found)).rows])
    assert "&lt; 0.001" in st.test_difference(*sure.values())._repr_html_()
