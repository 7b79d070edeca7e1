"""The consensus of several methods: agreement within and between them, and what random sets would give."""

import itertools

import numpy as np
import pytest
from scipy.stats import hypergeom

import steadyset as st
from steadyset.inference.consensus import intersection_law

NAMES = list("abcdefgh")
LASSO = st.Selections.from_sets([["a", "b"], ["a", "b"], ["a", "c"], ["a", "b"]], features=NAMES)
FOREST = st.Selections.from_sets([["a", "d"], ["a", "b", "d"]], features=NAMES)
FILTER = st.Selections.from_sets([["a", "b", "e"]], features=NAMES)
ALL = {"lasso": LASSO, "forest": FOREST, "filter": FILTER}


def indicators(size):
    """Every set of so many of the 8 features, as rows of 0 and 1."""
    return np.array([np.bincount(one, minlength=8) for one in itertools.combinations(range(8), size)])


def test_a_method_backs_what_at_least_half_of_its_runs_select():
    found = st.consensus(ALL)
    # lasso backs a, b; forest a, b, d; filter a, b, e
    assert found.methods.set_index("method")["backed"].to_dict() == {"lasso": 2, "forest": 3, "filter": 3}
    votes = found.features.set_index("feature")["methods"]
    assert votes.to_dict() == {"a": 3, "b": 3, "d": 1, "e": 1, "c": 0}
    assert found.backed["features"].tolist() == [2, 2]
    assert found.features.set_index("feature")["runs"].to_dict() == {"a": 7, "b": 5, "d": 2, "e": 1, "c": 1}


def test_every_method_counts_the_same_however_many_runs_it_has():
    table = st.consensus(ALL).features.set_index("feature")
    assert table.loc["b", "frequency"] == pytest.approx((0.75 + 0.5 + 1) / 3)
    assert table.loc["e", "score"] == pytest.approx(1 / 3)  # one run of one method, and a third of the score
    assert table["frequency: forest"].to_dict() == {"a": 1, "b": 0.5, "d": 1, "e": 0, "c": 0}


def test_two_methods_share_as_many_features_as_the_hypergeometric_law_says():
    pairs = st.consensus(ALL).between.set_index(["first", "second"])
    row = pairs.loc[("lasso", "forest")]
    assert (row["shared"], row["shared_expected"]) == (2, pytest.approx(2 * 3 / 8))
    assert row["p_value"] == pytest.approx(3 / 28)  # of 28 pairs of features, 3 lie within {a, b, d}
    assert row["p_value"] == pytest.approx(hypergeom.sf(1, 8, 2, 3))


def test_agreement_between_is_the_mean_over_runs_of_different_methods():
    found = st.consensus(ALL, measure="jaccard").between.set_index(["first", "second"])
    scores = [len(one & two) / len(one | two) for one, two in itertools.product(LASSO.sets(), FOREST.sets())]
    assert found.loc[("lasso", "forest"), "agreement"] == pytest.approx(np.mean(scores))
    mine = FILTER.sets()[0]
    scores = [len(one & mine) / len(one | mine) for one in LASSO.sets()]
    assert found.loc[("lasso", "filter"), "agreement"] == pytest.approx(np.mean(scores))


def test_agreement_of_one_sided_measures_looks_from_both_sides():
    found = st.consensus({"lasso": LASSO, "filter": FILTER}, measure="pog").between
    shared = [len(one & FILTER.sets()[0]) for one in LASSO.sets()]
    assert found.loc[0, "agreement"] == pytest.approx(np.mean([(r / 2 + r / 3) / 2 for r in shared]))


def test_expected_agreement_is_the_mean_over_all_random_sets():
    found = st.consensus({"x": FOREST, "y": FILTER}, measure="jaccard").between.loc[0, "expected"]
    fixed, total = set(range(3)), []
    for size in (2, 3):  # the sizes of the runs of FOREST
        sets = [set(one) for one in itertools.combinations(range(8), size)]
        total.append(np.mean([len(one & fixed) / len(one | fixed) for one in sets]))
    assert found == pytest.approx(np.mean(total))


def test_phi_expects_0_of_chance_and_1_of_a_method_with_itself():
    found = st.consensus({"x": FILTER, "y": FILTER})
    assert found.between.loc[0, ["agreement", "frequencies"]].tolist() == pytest.approx([1, 1])
    assert found.between.loc[0, "expected"] == pytest.approx(0)


def test_expected_numbers_of_backed_features_are_those_of_all_random_sets():
    table = st.consensus(ALL).backed.set_index("methods")
    one, two, three = (indicators(size) for size in (2, 3, 3))
    votes = one[:, None, None] + two[None, :, None] + three[None, None, :]
    counts = {needed: (votes >= needed).sum(axis=-1).ravel() for needed in (2, 3)}
    for needed, values in counts.items():
        assert table.loc[needed, "expected"] == pytest.approx(np.mean(values))
    exact = np.mean(counts[3] >= 2)
    assert table.loc[3, "p_value"] == pytest.approx(exact)
    assert table.loc[3, "mc_error"] == 0
    simulated = np.mean(counts[2] >= 2)
    assert abs(table.loc[2, "p_value"] - simulated) < 4 * table.loc[2, "mc_error"]


def test_the_law_of_a_common_intersection_is_the_hypergeometric_one_for_two_sets():
    assert intersection_law([5, 9], 30) == pytest.approx(hypergeom.pmf(np.arange(6), 30, 5, 9))
    law = intersection_law([4, 6, 7], 12)
    assert law.sum() == pytest.approx(1)
    assert law @ np.arange(5) == pytest.approx(12 * (4 / 12) * (6 / 12) * (7 / 12))


def test_the_same_seed_gives_the_same_p_value():
    values = [st.consensus(ALL, random_state=seed).backed.loc[0, "p_value"] for seed in (3, 3, 4)]
    assert values[0] == values[1] != values[2]


@pytest.mark.parametrize("rule", ["top_frequency", "mean_rank", "borda", "exponential"])
def test_scores_are_the_mean_of_those_of_aggregate(rule):
    table = st.consensus(ALL, aggregate=rule).features.set_index("feature")
    scores = np.mean([st.aggregate(sel, rule).scores for sel in ALL.values()], axis=0)
    for f, name in enumerate(NAMES[:5]):
        assert table.loc[name, "score"] == pytest.approx(scores[f])
    assert table["score"].is_monotonic_decreasing
    assert table.index[0] == "a"


def test_within_is_the_stability_of_the_method():
    table = st.consensus(ALL, measure="kuncheva", undefined=0.0).methods.set_index("method")
    assert table.loc["lasso", "within"] == pytest.approx(st.stability(LASSO, "kuncheva"))
    assert np.isnan(table.loc["filter", "within"])
    assert table.loc["filter", "note"] == "one run alone agrees with nothing"


def test_different_universes_are_joined_and_told():
    other = st.Selections.from_sets([["b", "z"], ["z", "b"]], features=["z", "b", "y"])
    found = st.consensus({"lasso": LASSO, "other": other})
    assert found.notes == (
        "The methods choose from different features (3 to 8 each, 10 together); a feature that a method does not have "
        "counts as not selected by it.",
    )
    assert found.features.set_index("feature")["methods"].to_dict() == {"b": 2, "a": 1, "z": 1, "c": 0}


def test_the_same_features_in_another_order_are_the_same():
    turned = LASSO.reordered(NAMES[::-1])
    found = st.consensus({"one": LASSO, "two": turned})
    assert found.notes == ()
    assert found.between.loc[0, "frequencies"] == pytest.approx(1)


def test_names_in_common_are_missed():
    other = st.Selections.from_sets([["A"], ["A"]], features=[name.upper() for name in NAMES])
    found = st.consensus({"lasso": LASSO, "other": other})
    assert "lasso and other select no feature of the same name; see whether both use the same names." in found.notes


def test_undefined_agreement_is_told():
    empty = st.Selections.from_sets([[], ["a"]], features=NAMES)
    found = st.consensus({"lasso": LASSO, "empty": empty})
    assert np.isnan(found.between.loc[0, "agreement"])
    assert found.between.loc[0, "note"].startswith("undefined for 4 of 8 pairs")
    assert st.consensus({"lasso": LASSO, "empty": empty}, undefined=0).between.loc[0, "agreement"] > 0


@pytest.mark.parametrize(
    ("methods", "options", "sentence"),
    [
        ({"lasso": LASSO}, {}, "methods must be the selections of two methods or more"),
        (ALL, {"aggregate": "binomial"}, "aggregate must be one of top_frequency"),
        (ALL, {"backing": 0}, "backing must be a share of the runs above 0"),
        (ALL, {"measure": "nogueira"}, "nogueira does not compare two sets"),
        ({"a": LASSO, "b": st.Selections.from_matrix([[1, 0]])}, {}, "a names its features and b does not"),
    ],
)
def test_refusals(methods, options, sentence):
    with pytest.raises(st.InputError, match=sentence):
        st.consensus(methods, **options)


def test_directions_stand_beside_the_features_where_they_are_given():
    runs = {name: st.Selections.from_sets([["a", "b"]] * 3, features=list("abc")) for name in ("lasso", "forest")}
    found = st.consensus(runs, directions={"a": "higher in FL"})
    assert found.features["direction"].tolist() == ["higher in FL", ""]
    assert st.consensus(runs).features["direction"].tolist() == ["", ""]
    with pytest.raises(st.InputError, match="directions must be a mapping from feature names"):
        st.consensus(runs, directions=["higher in FL"])
