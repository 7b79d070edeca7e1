"""What the verdicts on theorems rest on: counter-examples by hand, and every theorem has its row."""

import numpy as np
import pytest

from papers.framework import all_papers
from papers.hamer_dupont_2021_limits import _matched, _msi, _shared
from papers.nogueira_theorems import _exact_variance, _fleiss_kappa, _slope
from steadyset import Selections
from steadyset.measures import stability


@pytest.mark.parametrize(
    ("paper", "item", "names"),
    [
        ("nogueira-2018", "theorems", [f"Theorem {n}:" for n in range(1, 8)]),
        ("hamer-dupont-2021", "section-5", ["Property 5.1", "Property 5.2", "Property 5.3", "Theorem 5.1"]),
    ],
)
def test_every_theorem_has_a_row_with_its_page(paper, item, names):
    claims = all_papers()[paper].items[item].claims
    for name in names:
        found = [claim for claim in claims if claim.text.startswith(name)]
        assert found, name
        assert all(claim.page for claim in found), name


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
