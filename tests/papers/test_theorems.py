"""What the verdicts on theorems rest on: counter-examples by hand, and every theorem has its row."""

from pathlib import Path

import numpy as np
import pytest
from tests.documentation import script

from papers.framework import all_items, all_papers
from papers.hamer_dupont_2021_limits import _matched, _msi, _shared
from papers.nogueira_proofs import _hamming, _hamming_corrected, mean_of
from papers.nogueira_theorems import _exact_variance, _fleiss_kappa, _slope
from papers.statements import STATEMENTS
from steadyset import FeatureSimilarity, Selections, null_expectation
from steadyset.measures import stability

CODES_OF_B_1 = ("SMJ", "SMD", "SMO", "SMH", "SML", "SMW", "SMU", "SMK", "SMP", "SME", "SMS", "SMN", "SMZ", "SMY", "SMA")


@pytest.mark.parametrize(
    ("paper", "item", "names"),
    [
        ("nogueira-2018", "theorems", [f"Theorem {n}:" for n in range(1, 8)]),
        ("nogueira-2018", "lemmas", ["Lemma 1:", "Lemma 2:", "Corollary 1:", "Theorem 8:"]),
        ("hamer-dupont-2021", "section-5", ["Property 5.1", "Property 5.2", "Property 5.3", "Theorem 5.1"]),
        (
            "bommert-2020",
            "appendix-B.1",
            [f"Appendix B.1, {code}" for code in CODES_OF_B_1],
        ),
        (
            "bommert-2020",
            "appendix-B.2",
            [f"Appendix B.2, {code}" for code in ("SMD-alpha", "SMZ", "SMES", "SMY", "SMA")],
        ),
        ("bommert-2020", "appendices-B.3-to-B.5", [f"Appendix B.5, {code}" for code in ("SMW", "SMS", "SMY", "SMA")]),
    ],
)
def test_every_theorem_has_a_row_with_its_page(paper, item, names):
    claims = all_papers()[paper].items[item].claims
    for name in names:
        found = [claim for claim in claims if claim.text.startswith(name)]
        assert found, name
        assert all(claim.page for claim in found), name


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_supplement_of_2016_has_its_three_theorems(number):
    assert all_papers()["nogueira-brown-2016"].items[f"theorem-{number}"].claims


def test_every_item_of_statements_exists_and_is_computed():
    known = {(one.paper, one.item) for one in all_items()}
    named = {(paper, item) for paper, items in STATEMENTS.items() for item in items}
    assert named <= known


@pytest.mark.parametrize("paper", STATEMENTS)
def test_the_page_of_properties_has_each_statement_with_the_recorded_verdict(paper):
    page = (Path(__file__).parents[2] / "docs" / "properties.md").read_text(encoding="utf-8")
    assert script("make_properties").markdown_statements()
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    for item in STATEMENTS[paper]:
        published = all_papers()[paper].items[item]
        for claim in published.claims:
            expected = published.expectation(claim, "fast")
            verdict = "reproduced" if expected is None else str(expected.verdict)
            told = script("make_properties").escaped(script("make_properties").named_statement(item, claim.what))
            assert any(line.startswith(f"| {told} | {verdict} |") for line in lines), told


def test_each_statement_on_the_page_names_its_theorem_or_place():
    page = (Path(__file__).parents[2] / "docs" / "properties.md").read_text(encoding="utf-8")
    table = page.split("<!-- statements -->")[1].split("<!-- end -->")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    statements = [line for line in rows if not line.startswith(("| statement ", "| --- "))]
    items = [all_papers()[paper].items[item] for paper, some in STATEMENTS.items() for item in some]
    assert len(statements) == sum(len(one.claims) for one in items)
    assert [line for line in statements if not script("make_properties").PLACE.match(line[2:])] == []


# ---- counter-examples by hand ----------------------------------------------------------------------------------------


def test_hamming_of_random_sets_needs_twice_the_mean_intersection():
    # Two sets of 1 of 2 features agree on both features or on none: the mean is 1/2, and appendix B.5 gives 1/4.
    runs = Selections.from_sets([[0], [1]], n_features=2)
    assert null_expectation(runs, "hamming").value == pytest.approx(1 / 2)
    assert _hamming(2, (1, 1)) == pytest.approx(1 / 4)
    assert _hamming_corrected(2, (1, 1)) == pytest.approx(1 / 2)


def test_the_entropy_of_few_random_sets_is_below_that_of_all_sets():
    # Two sets of 1 of 2 features: the entropy is 0 or 1 bit with equal chances, and log2 of 2 sets is 1.
    assert mean_of("krizek", 2, (1, 1)) == pytest.approx(1 / 2)


def test_guzman_of_random_sets_is_positive():
    # Equal sets have 1, different ones 0.
    assert mean_of("guzman", 2, (1, 1)) == pytest.approx(1 / 2)


def test_davis_divides_by_the_features_that_some_run_selects():
    runs = Selections.from_sets([[0], [0]], n_features=2)
    assert stability(runs, "davis") == 1
    assert stability(runs, "goh") == 1 / 2


def test_entropy_and_frequency_of_three_sets_are_defined_although_two_are_empty():
    runs = Selections.from_sets([[], [], [0]], n_features=2)
    assert stability(runs, "SME") == 0
    assert stability(runs, "SMD-0") == pytest.approx(1 / 3)


def test_kappa_of_an_empty_and_a_full_set_is_0():
    assert stability(Selections.from_sets([[], [0, 1]], n_features=2), "SMK") == 0


def test_zucknick_reaches_1_for_sets_of_different_sizes():
    # Three copies, {1} and {2,3}: C_12 = 2/2 and C_21 = 2/1, so (0 + 1 + 2) / 3 = 1.
    copies = FeatureSimilarity.from_groups([[0, 1, 2]], n_features=4)
    assert stability(Selections.from_sets([[0], [1, 2]], n_features=4), "SMZ", similarity=copies) == pytest.approx(1)


def test_wald_is_minus_one_for_sets_that_are_not_halves():
    # r = 1, e = 3 x 4 / 6 = 2: (1 - 2) / (3 - 2).
    runs = Selections.from_sets([[0, 1, 2], [2, 3, 4, 5]], n_features=6)
    assert stability(runs, "wald") == pytest.approx(-1)


def test_table_b_1_has_its_nine_derivatives():
    assert len(all_papers()["nogueira-2018"].items["table-B.1"].cells) == 9


def test_random_sets_of_different_sizes_have_a_larger_mean_variance_than_theorem_3_says():
    # Sizes 1 and 2 of 3 features: exactly one of both selects a feature in 1/3 * 1/3 + 2/3 * 2/3 = 5/9 of cases.
    assert _exact_variance(3, (1, 2)) == pytest.approx(5 / 9 / 2)
    assert _exact_variance(3, (1, 1)) == pytest.approx(1 / 3 * 2 / 3)


@pytest.mark.parametrize("runs", [2, 10, 100])
def test_cw_rel_stays_at_0_where_kuncheva_only_tends_to_it(runs):
    in_turn = Selections.from_sets([[i % 2] for i in range(runs)], n_features=2)
    assert stability(in_turn, "somol") == 0
    assert stability(in_turn, "kuncheva") == pytest.approx(-1 / (runs - 1))


def test_fleiss_kappa_of_a_table_by_hand():
    # Three raters, two subjects: votes (3, 0) and (1, 2). Agreement (1 + 1/3) / 2, by chance (4/6)² + (2/6)².
    runs = Selections.from_sets([[0, 1], [0], [0]], n_features=2)
    assert _fleiss_kappa(runs) == pytest.approx((2 / 3 - 5 / 9) / (1 - 5 / 9))


def test_the_derivative_of_jaccard_by_hand():
    r, ki, kj = (np.array([value]) for value in (1.0, 2.0, 3.0))
    assert _slope("jaccard", r, ki, kj, 6) == pytest.approx(5 / 16, rel=1e-6)


def test_importance_is_shared_fully_between_copies_alone():
    runs = Selections.from_weights(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]))
    copies, half = np.eye(3), np.eye(3)
    copies[0, 1] = copies[1, 0] = 1.0
    half[0, 1] = half[1, 0] = 0.5
    assert _msi(runs, copies) == pytest.approx(1)
    assert _shared(runs, copies) == pytest.approx(1)
    assert _msi(runs, half) == pytest.approx(0.75)
    assert _shared(runs, half) == pytest.approx(0.5)
    assert _matched(runs, half) == pytest.approx(0.75)
