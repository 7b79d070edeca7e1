"""Every alias is the formula that its paper prints: an example of the paper with its page, or one computed by hand."""

from __future__ import annotations

from math import log2, sqrt

import numpy as np
import pytest

import steadyset as st

# By hand: sets of 4 and of 9 features out of 18 that share 3, so e = 2.
TWO = st.Selections.from_sets([range(4), range(1, 10)], n_features=18)
# By hand: three runs select four features 3, 2, 1 and 0 times, so q = 6, D = 6 mod 4 = 2 and H = 6 mod 3 = 0.
THREE = st.Selections.from_sets([[0, 1], [0, 2], [0, 1]], n_features=4)
OF_SETS = {
    "SMJ": (TWO, 3 / 10),
    "SMD": (TWO, 6 / 13),
    "SMO": (TWO, 3 / 6),
    "SMH": (TWO, 1 - 7 / 18),
    "SML": (TWO, 1 / 4),
    "SMW": (TWO, 1 / (4 - 2)),
    "SMU": (TWO, 1 / (6 - 2)),
    "SMK": (TWO, 1 / (6.5 - 2)),
    "SMP": (TWO, 1 / sqrt(4 * (14 / 18) * 9 * (9 / 18))),
    "SMN": (THREE, 1 - (2 * (3 / 2) * (2 / 9) / 4) / (1 / 2 * 1 / 2)),
    "SME": (THREE, (3 * log2(3) + 2) / (6 * log2(3))),
    "SMS": (THREE, 16 / 32),
    "CWrel": (THREE, (4 * (6 - 2 + 8) - 36 + 4) / (4 * (3 * 6 - 2) - 36 + 4)),
    "SMD-0": (THREE, (6 / 3) / 3),
}


@pytest.mark.parametrize("alias", OF_SETS)
def test_codes_of_measures_of_sets_by_hand(alias):
    runs, wanted = OF_SETS[alias]
    assert st.stability(runs, alias) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(("sets", "wanted"), [([[0, 1], *[[1]] * 4], 0.6), ([*[[0, 1]] * 2, *[[1]] * 3], 0.7)])
@pytest.mark.parametrize("alpha", [0.0, 0.5, 2.0])
def test_smd_alpha_of_the_two_scenarios_of_bommert(sets, wanted, alpha):
    # Appendix B.2, p. 162: max(0, 0.6 - alpha/p) and max(0, 0.7 - alpha/p).
    runs = st.Selections.from_sets(sets, n_features=10)
    assert st.stability(runs, "SMD-alpha", alpha=alpha) == pytest.approx(wanted - alpha / 10)


def alike(d: int, groups: list[list[int]], value: float = 1.0, else_: float = 0.0) -> st.FeatureSimilarity:
    table = np.full((d, d), else_)
    for group in groups:
        table[np.ix_(group, group)] = value
    np.fill_diagonal(table, 1.0)
    return st.FeatureSimilarity.from_matrix(table, threshold=0.9)


FOUR_OF_SEVEN = alike(7, [[3, 4, 5, 6]])  # p. 164: X_4 to X_7 are alike
SEVEN = alike(7, [[0, 1, 2], [3, 4], [5, 6]], 0.95, 0.1)  # figure 6.1
SCENARIO_A, SCENARIO_B = [[0, 1], [0, 2]], [[3, 4], [5, 6]]
SIMILAR = [
    ("SMZ", alike(9, [[5, 6, 7, 8]]), [[0, 1, 2], [0, 3, 4]], 0.2),  # p. 163
    ("SMZ", alike(9, [[5, 6, 7, 8]]), [[5, 6, 7], [0, 8]], 0.5),  # p. 163
    ("SMES", FOUR_OF_SEVEN, SCENARIO_A, 0.02),  # p. 164
    ("SMES", FOUR_OF_SEVEN, SCENARIO_B, 1.0),  # p. 164
    ("SMES", alike(2, [[0, 1]], 0.95), [[0], [1]], -1.0),  # p. 169
    ("SMES", alike(2, [[0, 1]], 0.95), [[0], [0, 1]], -39 / 41),  # p. 169
    ("SMY", FOUR_OF_SEVEN, SCENARIO_A, -1 / 6),  # p. 165
    ("SMY", FOUR_OF_SEVEN, SCENARIO_B, 1.0),  # p. 165
    ("SMY", alike(4, [[0, 1, 2]], 0.9), [[0], [1, 2]], 1.0),  # p. 172
    *((f"SMA-{name}", FOUR_OF_SEVEN, SCENARIO_A, -9 / 138) for name in ("MBM", "Greedy", "Count", "Mean")),  # p. 167
    *((f"SMA-{name}", FOUR_OF_SEVEN, SCENARIO_B, 1.0) for name in ("MBM", "Greedy", "Count", "Mean")),  # p. 167
]


@pytest.mark.parametrize(("alias", "similarity", "sets", "wanted"), SIMILAR)
def test_codes_of_adjusted_measures_in_the_examples_of_bommert(alias, similarity, sets, wanted):
    runs = st.Selections.from_sets(sets, n_features=similarity.n_features)
    assert st.stability(runs, alias, similarity=similarity) == pytest.approx(wanted, abs=1e-12)


TABLE_6_4 = {  # p. 57
    "SMA-Mean": (-1.1238, -1.1238),
    "SMA-Count": (-1.1832, -1.1832),
    "SMA-Greedy": (-1.1832, -1.1832),
    "SMA-MBM": (-1.1832, -1.1832),
    "SMY": (-1.25, -1.25),
    "SMES": (-1.6686, -2.528),
}


@pytest.mark.parametrize("alias", TABLE_6_4)
def test_codes_of_adjusted_measures_in_table_6_4(alias):
    for second, printed in zip(([0, 6], [5, 6]), TABLE_6_4[alias], strict=True):
        runs = st.Selections.from_sets([[3, 4], second], n_features=7)
        found = st.stability(runs, alias, similarity=SEVEN, expectation="auto")
        assert found == pytest.approx(printed, abs=5e-5)


# Equation 2 of Hamer and Dupont: runs toggle between features 1 and 2 and between 3 and 4, out of six.
TOGGLED = [[0, 2], [1, 2], [0, 3], [1, 3]]


@pytest.mark.parametrize(
    ("pairs", "wanted"),
    [
        # s_ff = 1/3 for four features, cov(1,2) = cov(3,4) = -1/3: tr(C S) = 4/3 - 4 x 0.8/3 = 4/15.
        # T_ff = 2/9, T_fg = 2/30 - 1/9 = -2/45: tr(C T) = 4/3 - 4 x 0.8 x 2/45 = 268/225 with two pairs alike,
        ([[0, 1], [2, 3]], 1 - 60 / 268),
        # and 4/3 - 6 x 0.8 x 2/45 = 252/225 with three.
        ([[0, 1], [2, 3], [4, 5]], 1 - 60 / 252),
    ],
)
def test_phi_s_of_the_matrix_of_equation_2_by_hand(pairs, wanted):
    runs, similarity = st.Selections.from_sets(TOGGLED, n_features=6), alike(6, pairs, 0.8)
    assert st.stability(runs, "phi_S", similarity=similarity) == pytest.approx(wanted, abs=1e-12)
    # The threshold of 0.9 belongs to the name that says so; without similar features it gives nogueira.
    assert st.stability(runs, "SMES", similarity=similarity) == pytest.approx(st.stability(runs), abs=1e-12)


def test_phi_s_is_one_if_the_toggled_features_are_copies():
    # Section 2 of Hamer and Dupont: perfect correlation within the pairs.
    runs = st.Selections.from_sets(TOGGLED, n_features=6)
    assert st.stability(runs, "phi_S", similarity=alike(6, [[0, 1], [2, 3]])) == pytest.approx(1)


def test_phi_msi_of_figure_3():
    # Hamer and Dupont, p. 8: (0.42 + 0.48 + 0.7 + 0.32) / 4.
    table = np.eye(7)
    for f, g, s in ((0, 5, 0.8), (0, 4, 0.6), (2, 5, 0.4)):
        table[f, g] = table[g, f] = s
    runs = st.Selections.from_weights([[1.3, 0.7, 1.2, 0.8, 0, 0, 0], [0, 0.7, 0, 0, 0.7, 1.4, 1.2]])
    found = st.stability(runs, "phi_msi", similarity=st.FeatureSimilarity.from_matrix(table))
    assert found == pytest.approx(0.48, abs=1e-12)


def test_phi_pears_by_hand():
    # Around their mean 1 the weights are 1, 0, -1 and 0, 1, -1: the correlation is 1/2.
    runs = st.Selections.from_weights([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0]])
    assert st.stability(runs, "phi_pears") == pytest.approx(0.5)


def test_every_alias_has_an_example():
    shown = {*OF_SETS, "SMD-alpha", *(case[0] for case in SIMILAR), "phi_S", "phi_msi", "phi_pears"}
    known = {alias for aliases in st.list_measures()["aliases"] for alias in aliases}
    assert known == shown


def test_the_name_phi_is_the_coefficient_of_two_sets_and_not_the_measure_that_hamer_and_dupont_call_phi():
    uneven = st.Selections.from_sets([[0], [0, 1, 2]], n_features=4)
    assert st.stability(uneven, "phi") == pytest.approx(st.stability(uneven, "SMP"))
    assert st.stability(uneven, "phi") != pytest.approx(st.stability(uneven, "nogueira"))
