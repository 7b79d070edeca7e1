"""The table of features: frequencies with their intervals, signs, cores, groups and stand-ins."""

import numpy as np
import pytest
from scipy.stats import binomtest

import steadyset as st
from steadyset.inference.features import StandIn, feature_blocks, jeffreys, stand_ins_words, wilson
from steadyset.inference.runs import steady_core
from steadyset.similarity import alike as alike_module

# statsmodels 0.14, proportion_confint(x, n, alpha, method): x, n, level, wilson, jeffreys
STATSMODELS = [
    (37, 100, 0.95, (0.2818236053432453, 0.46779470419057095), (0.28016173072088213, 0.46724206936625057)),
    (37, 100, 0.90, (0.29498849195331245, 0.45186061545031286), (0.2940283470654463, 0.4514588397627031)),
    (29, 30, 0.95, (0.8332960900859081, 0.9940914096183875), (0.8545822226459798, 0.9963795356262083)),
    (1, 7, 0.90, (0.03254380205478663, 0.45228669469702926), (0.025757074203655125, 0.44041738505247147)),
]
# Two groups: a1 a2 a3 (a1~a2, a2~a3: linked through a2), b1 b2; c is alone, d is never selected.
NAMES = ["a1", "a2", "a3", "b1", "b2", "c", "d"]
SIMILAR = np.eye(7)
for f, g in ((0, 1), (1, 2), (3, 4), (3, 6)):
    SIMILAR[f, g] = SIMILAR[g, f] = 0.95
ALIKE = st.FeatureSimilarity.from_matrix(SIMILAR, features=NAMES)
RUNS = st.Selections.from_sets(
    [["a1", "b1"], ["a1", "b1", "c"], ["a1", "b2"], ["a2", "b2"], ["a2", "a3", "b2"]], features=NAMES
)


@pytest.mark.parametrize(("x", "n", "level", "scored", "posterior"), STATSMODELS)
def test_intervals_are_those_of_statsmodels(x, n, level, scored, posterior):
    assert np.allclose(np.ravel(wilson([x], n, level)), scored, rtol=1e-12)
    assert np.allclose(np.ravel(jeffreys([x], n, level)), posterior, rtol=1e-9)


@pytest.mark.parametrize("n", [1, 10, 250])
def test_wilson_is_scipys_at_both_ends_too(n):
    for x in (0, n // 2, n):
        expected = binomtest(x, n).proportion_ci(0.95, method="wilson")
        assert np.allclose(np.ravel(wilson([x], n, 0.95)), [expected.low, expected.high], atol=1e-12)


def test_the_beta_interval_holds_0_and_1_where_the_frequency_is_0_and_1():
    low, high = jeffreys([0, 20], 20, 0.95)
    assert low[0] == 0 < high[0] < 0.2
    assert high[1] == 1 > low[1] > 0.8


def test_rows_are_sorted_and_equal_frequencies_share_a_rank():
    table = st.features_table(RUNS)
    assert table["feature"].tolist() == ["a1", "b2", "a2", "b1", "a3", "c"]
    assert table["selected"].tolist() == [3, 3, 2, 2, 1, 1]
    assert table["rank"].tolist() == [1, 1, 3, 3, 5, 5]
    assert table["frequency"].tolist() == [0.6, 0.6, 0.4, 0.4, 0.2, 0.2]


def test_never_selected_features_are_there_on_request_alone():
    assert "d" not in set(st.features_table(RUNS)["feature"])
    last = st.features_table(RUNS, similarity=ALIKE, all=True).iloc[-1]
    assert (last["feature"], last["frequency"], last["wilson_low"]) == ("d", 0, 0)
    assert last["stand_ins"] == "b1 (0.95; 40%)"
    assert last["group"] == 2


def test_groups_are_what_alike_selected_features_link():
    table = st.features_table(RUNS, similarity=ALIKE).set_index("feature")
    groups = table["group"]
    assert groups["a1"] == groups["a2"] == groups["a3"] == 1
    assert groups["b1"] == groups["b2"] == 2
    assert groups[["c"]].isna().all()
    assert table["group_size"].dropna().to_dict() == {"a1": 3, "b2": 3, "a2": 3, "b1": 3, "a3": 3}  # d is like b1
    assert table["group_share"].dropna().to_dict() == dict.fromkeys(["a1", "b2", "a2", "b1", "a3"], 1.0)


def test_stand_ins_have_their_share_of_the_runs_without_the_feature():
    table = st.features_table(RUNS, similarity=ALIKE).set_index("feature")
    # a1 is missing in two runs, both have a2; a3 is like a2, not like a1.
    assert table.loc["a1", "stand_ins"] == "a2 (0.95; 100%)"
    # a2 is missing in three runs, all of which have a1, none a3.
    assert table.loc["a2", "stand_ins"] == "a1 (0.95; 100%); a3 (0.95)"
    # a3 is missing in four runs, one of which has a2.
    assert table.loc["a3", "stand_ins"] == "a2 (0.95; 25%)"
    assert table.loc["b1", "stand_ins"] == "b2 (0.95; 100%); d (0.95)"  # d was never selected
    assert table.loc["c", "stand_ins"] == ""
    assert table["n_stand_ins"].to_dict() == {"a1": 1, "b2": 1, "a2": 2, "b1": 2, "a3": 1, "c": 0}
    assert table["with_stand_ins"].to_dict() == {"a1": 1, "b2": 1, "a2": 1, "b1": 1, "a3": 0.4, "c": 0.2}


def data_with_copies(d=40, n=50):
    """x0 has two copies (x20, x21) and a near copy (x22); x1 has one, x23."""
    X = np.random.default_rng(1).normal(size=(n, d))
    X[:, 20], X[:, 21], X[:, 22] = X[:, 0], -3 * X[:, 0] + 2, X[:, 0] + 0.1 * X[:, 2]
    X[:, 23] = X[:, 1]
    return X


def test_copies_of_a_core_feature_are_its_first_stand_ins_though_no_run_selects_them():
    X = data_with_copies()
    runs = st.Selections.from_sets([[0, 1], [0, 22], [0]], n_features=40)
    alike = st.FeatureSimilarity.from_data(X)
    for found in (alike_module.alike_in_data(X, runs.counts), alike_module.alike_by(alike, runs.counts)):
        rows = {row.feature: row for row in feature_blocks({"": runs}, alike=found)[0].rows()}
        names = [one.feature for one in rows["x0"].stand_ins]
        assert names == ["x20", "x21", "x22"]
        assert np.allclose([one.similarity for one in rows["x0"].stand_ins[:2]], 1)
        assert (rows["x0"].n_stand_ins, rows["x0"].group, rows["x0"].group_size) == (3, 1, 4)
        assert (rows["x1"].n_stand_ins, rows["x1"].group_size, rows["x1"].group_share) == (1, 2, 1 / 3)
        assert stand_ins_words(rows["x1"].stand_ins) == "x23 (1)"
        assert rows["x22"].stand_ins[0].feature == "x0"


def test_a_near_copy_is_not_written_as_a_copy():
    assert stand_ins_words([StandIn("b", 0.9999, 0.5), StandIn("c", 1 - 1e-12, np.nan)]) == "b (0.99; 50%); c (1)"


def test_features_that_no_run_selects_join_one_group_and_link_none():
    similar = np.eye(4)
    for f, g, c in ((0, 2, 0.92), (1, 2, 0.97), (0, 3, 0.95)):
        similar[f, g] = similar[g, f] = c
    alike = st.FeatureSimilarity.from_matrix(similar)
    runs = st.Selections.from_sets([[0, 1], [0]], n_features=4)
    table = st.features_table(runs, similarity=alike, all=True).set_index("feature")
    assert table["group"].to_dict() == {"x0": 1, "x1": 2, "x2": 2, "x3": 1}  # x2 is like both, and more like x1
    assert table["n_stand_ins"].dropna().to_dict() == {"x0": 2, "x1": 1}


def test_what_is_compared_with_all_features_is_bounded_and_told(monkeypatch):
    monkeypatch.setattr(alike_module, "MOST_COMPARISONS", 40)
    monkeypatch.setattr(alike_module, "LEAST_WITH_ALL", 1)
    runs = st.Selections.from_sets([[0, 1], [0]], n_features=40)
    found = alike_module.alike_in_data(data_with_copies(), runs.counts)
    assert found.note == "the 1 most often selected were compared with all features"
    assert found.counts.tolist() == [3, 0]


def test_memory_of_alike_features_does_not_grow_with_their_square():
    X = np.random.default_rng(0).normal(size=(30, 1)) + 1e-3 * np.random.default_rng(1).normal(size=(30, 4000))
    found = alike_module.alike_in_data(X, np.repeat([1, 0], [100, 3900]))
    assert found.counts.tolist() == [3999] * 100
    assert len(found.pairs) <= 100 * 99 / 2 + 3900 + 100 * alike_module.MOST_OTHERS * 2


def test_groups_are_the_clusters_of_stability_selection_when_all_features_are_selected():
    from steadyset.selectors.ensembles.levels import read_clusters

    X = np.random.default_rng(0).normal(size=(60, 40))
    X[:, 20:] = X[:, :20] + 0.5 * X[:, 20:]
    alike = st.FeatureSimilarity.from_data(X, threshold=0.85)
    everything = st.Selections.from_matrix(np.ones((2, 40), dtype=int))
    clusters = read_clusters(alike, 40, None)
    table = st.features_table(everything, similarity=alike)
    several = np.bincount(clusters)[clusters] > 1
    assert table["group"].notna().tolist() == several.tolist()
    pairs = {(int(g), int(c)) for g, c, many in zip(table["group"].fillna(0), clusters, several, strict=True) if many}
    assert len(pairs) == len({g for g, _ in pairs}) == len({c for _, c in pairs}) > 5


def test_the_sign_of_the_majority_and_who_agrees_with_it():
    runs = st.Selections.from_weights([[1.0, -2, 3], [1, 4, 0], [0, -6, -1]], features=["a", "b", "c"])
    table = st.features_table(runs).set_index("feature")
    assert table["importance"].to_dict() == {"b": 4, "c": 2, "a": 1}
    assert table["model_direction"].to_dict() == {"b": "negative", "c": "both ways", "a": "positive"}
    assert table["model_agreement"].to_dict() == {"b": 2 / 3, "c": 0.5, "a": 1}
    assert set(table["direction"]) == {""}  # which only data tells


def test_weights_without_a_negative_one_have_no_sign():
    table = st.features_table(st.Selections.from_weights([[1.0, 2], [2, 0]]))
    assert set(table["model_direction"]) == {""}
    assert table["model_agreement"].isna().all()


def test_the_core_is_the_steady_core():
    table = st.features_table(RUNS, core=0.6)
    assert table.loc[table["core"], "feature"].tolist() == steady_core(RUNS, 0.6) == ["a1", "b2"]


def test_over_all_procedures_intervals_count_the_runs_of_one():
    other = st.Selections.from_sets([["a1"], ["c"], ["c"], ["c"], ["a1"]], features=NAMES)
    table = st.features_table({"x": RUNS, "y": other}, all_rows={"x": ["a1", "d"], "y": ["c"]})
    assert list(dict.fromkeys(table["selector"])) == ["all 2 selectors", "x", "y"]
    both = table[table["selector"] == "all 2 selectors"].set_index("feature")
    assert (both.loc["a1", "runs"], both.loc["a1", "selected"]) == (10, 5)
    expected = binomtest(5, 10).proportion_ci(0.95, method="wilson")  # what ten independent runs would give
    assert both.loc["a1", "wilson_low"] < expected.low
    assert np.allclose(both.loc["a1", ["wilson_low"]].astype(float), wilson([2.5], 5, 0.95)[0])
    assert both["selectors"].to_dict() == {"a1": 2, "c": 2, "b2": 1, "a2": 1, "b1": 1, "a3": 1, "d": 0}
    assert both["all_rows"].to_dict() == {"a1": 0.5, "c": 0.5, "b2": 0, "a2": 0, "b1": 0, "a3": 0, "d": 0.5}
    alone = table[table["selector"] == "x"].set_index("feature")["all_rows"]
    assert alone[alone == 1].index.tolist() == ["a1", "d"]  # selected on all rows, though in no run


def test_of_very_many_selected_features_the_most_frequent_are_compared(monkeypatch):
    monkeypatch.setattr(alike_module, "MOST_FEATURES", 4)
    found = alike_module.alike_by(ALIKE, RUNS.counts)
    assert found.compared.tolist() == [0, 1, 3, 4]
    assert found.note == "2 of 6 selected features, the least often selected, were not compared"


def test_columns_with_gaps_are_not_compared():
    X = np.random.default_rng(0).normal(size=(30, 1)) @ np.ones((1, 4))
    X[3, 2] = np.nan
    found = alike_module.alike_in_data(X, np.array([1, 1, 1, 0]))
    assert found.pairs.tolist() == [[0, 1], [0, 3], [1, 3]]
    assert found.note == "1 with missing values were not compared"
    assert alike_module.alike_in_data(X, np.array([1, 1, 0, 0])).note == "1 with missing values were not compared"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"all_rows": "a1"}, "all_rows must be names of features"),
        ({"all_rows": ["z"]}, "all_rows holds 'z', which is not among the features"),
        ({"core": 0}, "core must be a share of the runs"),
        ({"all": 1}, "all must be True or False"),
    ],
)
def test_refusals_name_the_argument(options, sentence):
    with pytest.raises(st.InputError, match=sentence):
        st.features_table(RUNS, **options)


def test_procedures_must_choose_from_the_same_features():
    with pytest.raises(st.InputError, match="There are 7 features in x and 2 in y"):
        st.features_table({"x": RUNS, "y": st.Selections.from_sets([["a1"]], features=["a1", "q"])})


def test_the_rows_over_all_are_called_like_no_selector():
    table = st.features_table({"all 2 selectors": RUNS, "y": RUNS})
    assert list(dict.fromkeys(table["selector"])) == ["all 2 selectors together", "all 2 selectors", "y"]


def test_many_stand_ins_are_counted_and_the_best_named():
    runs = st.Selections.from_sets([[0]] + [[f] for f in range(1, 8)] + [[7]], n_features=9)
    alike = st.FeatureSimilarity.from_groups([list(range(9))], n_features=9)
    first = st.features_table(runs, similarity=alike).set_index("feature").loc["x0"]
    assert first["n_stand_ins"] == 8
    assert first["stand_ins"] == "x7 (1; 25%); x1 (1; 12%); x2 (1; 12%); x3 (1; 12%); x4 (1; 12%)"
