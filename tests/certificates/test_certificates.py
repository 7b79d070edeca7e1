"""Facts that certificates must find: where papers and computation agree, and where they do not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.documentation import script

import steadyset as st
from steadyset.certificates.properties import PROPERTIES, definition, markdown_disagreements

UNADJUSTED = [name for name, row in st.list_measures().iterrows() if not row["needs"]]
ADJUSTED = ["zucknick", "yu", "intersection_mbm", "intersection_greedy", "pogr", "npogr", "sechidis"]


@cache
def certificate(name: str, **params: Any) -> st.Certificate:
    return st.certify(name, **params)


def holds(name: str, prop: str, **params: Any) -> bool | None:
    return certificate(name, **params).properties[prop].holds


# ---- what papers and computation agree on ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["jaccard", "dice", "ochiai", "lustgarten", "unadjusted", "kappa", "phi", "somol"])
def test_nothing_contradicts_the_papers(name: str) -> None:
    claimed = {prop for said in certificate(name).claims.values() for prop in said}
    assert len(claimed) >= 5
    assert certificate(name).disagreements() == {}


@pytest.mark.parametrize("name", ["yu", "intersection_mbm", "intersection_count", "intersection_mean"])
def test_nothing_contradicts_the_thesis_on_measures_of_similar_features(name: str) -> None:
    assert len(certificate(name).claims["bommert_2020"]) == 8
    assert certificate(name).disagreements() == {}


# ---- where they do not -----------------------------------------------------------------------------------------


def test_every_disagreement_of_unadjusted_measures_is_known() -> None:
    found = {
        (name, prop, paper)
        for name in UNADJUSTED
        for prop, ps in certificate(name).disagreements().items()
        for paper in ps
    }
    assert found == {
        ("novovicova", "monotone", "bommert_2020"),
        ("novovicova", "adjusted_monotone", "bommert_2020"),
        ("corrected_lustgarten", "corrected", "sen_2021"),
        ("nogueira", "corrected", "nogueira_2018"),
        ("nogueira", "corrected", "bommert_2020"),
        ("wald", "bounded", "bommert_2020"),
        ("davis", "maximum", "nogueira_2018"),
        ("guzman", "corrected", "nogueira_2018"),
        ("pog", "symmetric", "sen_2021"),
        ("npog", "symmetric", "sen_2021"),
        *((name, "extremes", "sen_2021") for name in ("hamming", "kuncheva", "wald", "npog", "nogueira_brown")),
    }


def test_novovicova_is_not_monotone() -> None:
    for prop in ("monotone", "monotone_in_total"):
        example = certificate("novovicova").properties[prop].counterexample
        assert example is not None
        more, less = example.selections
        assert (more.sizes == less.sizes).all()
        assert more.intersections().sum() > less.intersections().sum()
        assert st.stability(more, "novovicova") < st.stability(less, "novovicova")
    dominating, dominated = certificate("novovicova").properties["monotone"].counterexample.selections  # type: ignore[union-attr]
    assert (dominating.intersections() >= dominated.intersections()).all()


def test_the_thesis_has_a_counterexample_to_novovicova_itself() -> None:
    """The one it gives for guzman: the sum of v_f is 1 against 7/6, but the values are 0.5 and 0.547."""
    steadier = st.Selections.from_sets([[0, 3], [1, 3], [3, 4], [2, 3]], n_features=5)
    other = st.Selections.from_sets([[0, 3], [1, 3], [0, 2], [1, 3]], n_features=5)
    p, q = steadier.frequencies, other.frequencies
    assert 4 / 3 * (p @ (1 - p)) == pytest.approx(1)
    assert 4 / 3 * (q @ (1 - q)) == pytest.approx(7 / 6)
    assert st.stability(steadier, "novovicova") == pytest.approx(0.5)
    assert st.stability(other, "novovicova") == pytest.approx(0.547, abs=5e-4)


def test_corrected_lustgarten_is_not_corrected_for_chance() -> None:
    assert holds("corrected_lustgarten", "corrected") is False
    assert holds("corrected_lustgarten", "corrected_for_equal_sizes") is False


def test_nogueira_is_corrected_for_equal_sizes_only() -> None:
    assert holds("nogueira", "corrected") is False
    assert holds("nogueira", "corrected_for_equal_sizes") is True


def test_wald_has_no_lower_bound() -> None:
    example = certificate("wald").properties["bounded"].counterexample
    assert example is not None
    assert list(example.values) == pytest.approx([1 - sel.n_features for sel in example.selections])


def test_davis_has_its_maximum_for_identical_sets_without_penalty_only() -> None:
    assert holds("davis", "maximum") is True
    assert holds("davis", "maximum", alpha=0.5) is False
    assert certificate("davis", alpha=0.5).disagreements() == {}


@pytest.mark.slow  # buys: a counter-example that only a long search finds
def test_greedy_depends_on_the_order_of_features_when_similarities_tie() -> None:
    example = certificate("intersection_greedy").properties["symmetric"].counterexample
    assert example is not None
    values = [
        st.stability(sel, "intersection_greedy", similarity=similarity)
        for sel, similarity in zip(example.selections, example.similarities, strict=True)
    ]
    assert values == pytest.approx(example.values)
    assert values[0] == pytest.approx(1)
    assert values[1] < 0
    assert all(holds(name, "symmetric") for name in ("intersection_mbm", "zucknick", "sechidis"))


def test_zucknick_reaches_one_for_sets_of_different_sizes() -> None:
    """Three features alike: {0,1} and {2} score (0 + 2/1 + 2/2) / 3."""
    example = certificate("zucknick").properties["maximum_for_equal_sizes"].counterexample
    assert example is not None
    assert example.values == pytest.approx((1.0,))
    assert len(set(example.selections[0].sizes)) > 1


def test_guzman_is_not_zero_for_random_sets() -> None:
    """Two sets of one of two features agree half of the time: (1 + 0) / 2."""
    assert st.null_expectation(st.Selections.from_sets([[0], [1]], n_features=2), "guzman").value == pytest.approx(0.5)
    assert holds("guzman", "corrected_for_equal_sizes") is False


@pytest.mark.parametrize("name", ["jaccard", "dice", "ochiai", "wald", "kappa", "phi"])
def test_a_larger_sum_of_intersections_is_not_enough_for_measures_that_weigh_pairs(name: str) -> None:
    assert holds(name, "monotone") is True
    assert holds(name, "monotone_in_total") is False


@pytest.mark.parametrize("name", ["nogueira", "hamming", "kuncheva", "lausser", "somol"])
def test_measures_linear_in_the_variances_grow_with_the_sum_of_intersections(name: str) -> None:
    assert holds(name, "monotone_in_total") is True


# ---- counter-examples can be checked ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*UNADJUSTED, *ADJUSTED])
def test_counterexamples_hold_what_the_public_functions_say(name: str) -> None:
    for prop, verdict in certificate(name).properties.items():
        example = verdict.counterexample
        assert (example is None) == (verdict.holds is not False)
        if example is None or prop == "adjusted":
            continue
        similarities = example.similarities or (None,) * len(example.selections)
        for sel, similarity, value in zip(example.selections, similarities, example.values, strict=True):
            if prop.startswith("corrected"):
                mean = st.null_expectation(sel, name, similarity=similarity, n_draws=400, random_state=0)
                assert mean.value == pytest.approx(value, abs=1e-9 + 5 * mean.se), (prop, verdict)
            else:
                public = st.stability(sel, name, similarity=similarity)
                assert public == pytest.approx(value, abs=1e-9, nan_ok=True), (prop, verdict)
        assert str(verdict).endswith(".")


def test_what_was_searched_is_told() -> None:
    text = str(certificate("nogueira").properties["monotone"])
    assert text.startswith("no counter-example in ")
    assert "3 runs of 2 to 8 features" in text
    assert "1,600 larger ones" in text


def test_certificates_are_the_same_each_time() -> None:
    assert str(st.certify("kappa")) == str(st.certify("SMK"))


# ---- measures that users register ------------------------------------------------------------------------------


@pytest.fixture
def registered() -> Iterator[list[str]]:
    names: list[str] = []
    yield names
    for name in names:
        st.unregister_measure(name)


def test_a_registered_pairwise_measure_gets_a_certificate(registered: list[str]) -> None:
    """The overlap coefficient is 1 for nested sets."""

    def overlap(r: Any, ki: Any, kj: Any, d: int) -> Any:
        return np.where(np.minimum(ki, kj) > 0, r / np.maximum(np.minimum(ki, kj), 1), np.nan)

    registered.append(st.register_measure("overlap", overlap, bounds=(0, 1)).name)
    certificate = st.certify("overlap")
    assert certificate.properties["monotone"].holds is True
    assert certificate.properties["identical_is_maximal"].holds is True
    example = certificate.properties["maximal_is_identical"].counterexample
    assert example is not None
    assert len(set(example.selections[0].sets())) > 1
    assert certificate.disagreements() == {}


def test_bounds_that_a_registered_measure_breaks_are_shown_on_few_runs(registered: list[str]) -> None:
    def many(levels: Any, sizes: Any, d: int) -> Any:
        """Above 1 only when more than half of at least 16 features are in every run."""
        return np.where((d >= 16) & (2 * levels[..., -1] > d), 2.0, 0.5)

    registered.append(st.register_measure("many", many, family="frequency", bounds=(0, 1)).name)
    example = st.certify("many").properties["bounded"].counterexample
    assert example is not None
    (sel,) = example.selections
    assert example.values == (2.0,)
    assert (sel.n_runs, sel.n_features) == (2, 16)


def test_a_random_counterexample_is_made_small(registered: list[str]) -> None:
    """A measure that only more than four runs can turn around: the smallest case has five."""

    def crowded(levels: Any, sizes: Any, d: int) -> Any:
        h = np.arange(levels.shape[-1])
        return (levels @ (h * (h - 1))) * (1.0 if len(sizes) <= 4 else -1.0)

    registered.append(st.register_measure("crowded", crowded, family="frequency").name)
    example = st.certify("crowded").properties["monotone"].counterexample
    assert example is not None
    more, less = example.selections
    assert more.n_runs == less.n_runs == 5
    assert more.n_features <= 4
    assert (more.intersections() >= less.intersections()).all()


def test_a_measure_that_looks_at_the_order_of_runs_is_not_symmetric(registered: list[str]) -> None:
    def first(levels: Any, sizes: Any, d: int) -> Any:
        return np.full(levels.shape[:-1], sizes[0] / d)

    registered.append(st.register_measure("first", first, family="frequency", bounds=(0, 1)).name)
    assert st.certify("first").properties["symmetric"].holds is False


@pytest.mark.slow  # buys: certificates of scores that are not vectorised
def test_a_score_that_takes_one_collection_only_is_certified_by_its_public_values(registered: list[str]) -> None:
    """Written for one row of levels, it would mix up collections if it were handed many."""

    def unanimous(levels: Any, sizes: Any, d: int) -> Any:
        return levels.ravel()[len(sizes)] / max(1, levels.ravel()[1 : len(sizes) + 1].sum())

    registered.append(st.register_measure("unanimous", unanimous, family="frequency", bounds=(0, 1)).name)
    properties = st.certify("unanimous").properties
    assert properties["maximum"].holds is True
    assert properties["monotone"].holds is False


def test_lower_is_steadier_turns_the_order_around(registered: list[str]) -> None:
    def distance(r: Any, ki: Any, kj: Any, d: int) -> Any:
        return (ki + kj - 2 * r) / d

    fields = {"bounds": (0, 1), "higher_is_steadier": False}
    registered.append(st.register_measure("distance", distance, **fields).name)
    certificate = st.certify("distance")
    hamming = st.certify("hamming")
    assert [v.holds for v in certificate.properties.values()] == [v.holds for v in hamming.properties.values()]


def test_claims_of_a_record_come_before_the_tables(registered: list[str]) -> None:
    measure = st.register_measure(
        "boast", lambda r, ki, kj, d: r / d, bounds=(0, 1), claims={"its author": {"maximum": True}}
    )
    registered.append(measure.name)
    assert st.certify("boast").disagreements() == {"maximum": ("its author",)}


# ---- tables ----------------------------------------------------------------------------------------------------


def test_the_table_puts_claims_beside_verdicts() -> None:
    table = st.certificate_table(["wald", "goh"])
    row = table.loc[("wald", "bounded")]
    assert not row["holds"]
    assert (row["nogueira_2018"], row["bommert_2020"], row["sen_2021"]) == (False, True, False)
    assert row["disagrees"] == "bommert_2020"
    assert "without bound" in row["reason"]
    assert pd.isna(table.loc[("goh", "monotone"), "bommert_2020"])


def test_the_table_of_all_measures_has_each_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steadyset.certificates.certify", lambda record: certificate(record.name))
    table = st.certificate_table()
    assert table.index.unique("measure").tolist() == st.list_measures().index.tolist()
    assert set(table.index.unique("property")) == set(PROPERTIES)


def test_a_certificate_reads_as_text() -> None:
    text = str(certificate("wald"))
    assert text.startswith("Certificate: wald, ")
    assert "bounded" in text
    assert "bommert_2020" in text


def test_the_documents_show_the_certificates_as_they_are() -> None:
    page = (Path(__file__).parents[2] / "docs" / "properties.md").read_text(encoding="utf-8")
    shown = [name for name in (*UNADJUSTED, *ADJUSTED) if f"\n| {name} |" in page]  # make_properties.py adds new ones
    assert len(shown) >= 29
    for name in shown:
        assert script("make_properties").markdown_row(certificate(name)) in page
        assert all(line in page for line in markdown_disagreements(certificate(name)))
    assert all(definition(prop) and definition(prop) in page for prop in PROPERTIES)


@pytest.mark.parametrize("name", ["nogueira", "sechidis", "kuncheva", "wald", "jaccard", "yu", "goh", "pearson"])
def test_the_catalogue_says_of_the_correction_what_the_certificate_finds(name):
    found = certificate(name).properties
    words = (
        "yes" if found["corrected"].holds else "for equal sizes" if found["corrected_for_equal_sizes"].holds else "no"
    )
    assert st.list_measures().loc[name, "corrected"] == words
