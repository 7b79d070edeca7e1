"""Which run selected what, and which runs agree among themselves."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import silhouette_score

import steadyset as st
from steadyset.inference import instability as grouping

SETS = [["a", "b"], ["d", "e"], ["a", "b", "c"], ["d", "e"], ["a", "b"], ["d", "e", "c"], []]
RUNS = st.Selections.from_sets(SETS, features=list("abcdef"))


def small():
    return st.plot.runs_by_features(RUNS)


def planted(n_runs, n_features, noise, seed=0):
    """Runs of two kinds, the first of which take the first features."""
    random = np.random.default_rng(seed)
    kind = random.permutation(np.arange(n_runs) % 2)
    chosen = random.random((n_runs, n_features)) < noise
    chosen[kind == 0, :5] = True
    chosen[kind == 1, 5:10] = True
    return kind, chosen


def test_runs_that_agree_among_themselves_are_found_again():
    kind, chosen = planted(60, 200, 0.02)
    picture = st.plot.runs_by_features(st.Selections.from_matrix(chosen))
    groups = picture.data.groupby("run")["group"].first()
    found = np.array([groups[str(run + 1)] for run in range(60)])
    assert len({*zip(kind, found, strict=True)}) == 2
    assert picture.note.startswith("The 60 most frequent of ")
    assert "2 groups of runs" in picture.note
    assert "do by chance (p = 0.010)." in picture.note


def test_runs_at_random_form_no_groups():
    chosen = np.random.default_rng(0).random((80, 40)) < 0.2
    picture = st.plot.runs_by_features(st.Selections.from_matrix(chosen))
    assert set(picture.data["group"]) == {1}
    assert picture.note == "No groups of runs stand out; similar runs stand together."


def of_one_kind(random, kind, n_runs):
    """Runs without groups: borderline features, two sizes, or noisy ranks."""
    if kind == "borderline":
        return np.column_stack([np.ones((n_runs, 4)), random.random((n_runs, 3)) < 0.5])
    noise = random.standard_normal((n_runs, 30))
    size = np.where(random.random(n_runs) < 0.5, 3, 15) if kind == "two sizes" else np.full(n_runs, 8)
    scores = np.linspace(0, 1, 30) + 0.1 * noise
    return (scores.argsort(axis=1).argsort(axis=1) < size[:, None]).astype(float)


@pytest.mark.parametrize("kind", ["borderline", "two sizes", "noisy ranks"])
def test_runs_of_one_kind_are_called_groups_in_about_5_percent(kind):
    random = np.random.default_rng(2)
    chosen = [sparse.csr_array(of_one_kind(random, kind, 12)) for _ in range(16)]
    distances = [grouping._jaccard_distances(one) for one in chosen]
    alone = [grouping._grouped(grouping.similar_order(one)[0], one)[0].max() > 1 for one in distances]
    assert np.mean(alone) > 0.4  # the clustering by itself finds groups
    assert sum(grouping.run_groups(one).n_groups > 1 for one in chosen) <= 4


def test_exchanges_keep_the_sizes_of_runs_and_the_frequencies_of_features():
    random = np.random.default_rng(3)
    runs = random.random((15, 9)) < 0.4
    found = grouping._exchanged(runs, random)
    assert (found.sum(axis=0) == runs.sum(axis=0)).all()
    assert (found.sum(axis=1) == runs.sum(axis=1)).all()
    assert (found != runs).any()


def test_the_silhouette_is_that_of_scikit_learn():
    kind, chosen = planted(30, 40, 0.2)
    distances = grouping._jaccard_distances(sparse.csr_array(chosen.astype(float)))
    for group in (kind, np.arange(30) % 4, np.minimum(np.arange(30), 3)):
        ours = grouping._silhouette(group, distances)
        assert ours == pytest.approx(silhouette_score(distances, group, metric="precomputed"))


def test_similar_runs_and_features_that_the_same_runs_select_are_neighbours():
    kind, chosen = planted(40, 10, 0.05)
    data = st.plot.runs_by_features(st.Selections.from_matrix(chosen)).data
    order = [int(run) - 1 for run in data.drop_duplicates("row").sort_values("row")["run"]]
    assert np.count_nonzero(np.diff(kind[order])) == 1
    places = data.drop_duplicates("feature").set_index("feature")["place"]
    first = {places[f"x{f}"] for f in range(5)}
    assert first in ({0, 1, 2, 3, 4}, {5, 6, 7, 8, 9})


def test_a_similarity_decides_which_features_stand_together():
    sel = st.Selections.from_sets([["a", "b", "c", "d"]] * 3, features=list("abcd"))
    alike = st.FeatureSimilarity.from_groups({"a": 1, "b": 2, "c": 1, "d": 2}, features=list("abcd"))
    data = st.plot.runs_by_features(sel, similarity=alike).data
    places = data.drop_duplicates("feature").set_index("feature")["place"]
    assert abs(places["a"] - places["c"]) == abs(places["b"] - places["d"]) == 1


def test_without_clustering_runs_and_features_keep_their_order():
    data = st.plot.runs_by_features(RUNS, clustered=False).data
    assert [int(run) for run in data.drop_duplicates("row")["run"]] == [1, 2, 3, 4, 5, 6]
    features = data.drop_duplicates("feature").sort_values("place")["feature"]
    assert [RUNS.counts[RUNS.features.index(name)] for name in features] == sorted(RUNS.counts[:5])[::-1]


def test_marks_are_the_selections():
    data = st.plot.runs_by_features(RUNS).data
    assert sorted(zip(data["run"], data["feature"], strict=True)) == sorted(
        (str(run + 1), name) for run, chosen in enumerate(SETS) for name in chosen
    )


def test_many_runs_stand_in_the_order_of_their_leading_component():
    kind, chosen = planted(2100, 12, 0.02)
    order = grouping.leading_order(sparse.csr_array(chosen.astype(float)))
    centred = chosen - chosen.mean(axis=0)
    score = np.linalg.svd(centred, full_matrices=False)[0][:, 0]
    assert abs(np.corrcoef(score[order], np.arange(2100))[0, 1]) > 0.85
    assert np.count_nonzero(np.diff(kind[order])) == 1
    picture = st.plot.runs_by_features(st.Selections.from_matrix(chosen))
    assert "More than 2,000 runs are not grouped" in picture.note


@pytest.mark.parametrize("sets", [[["a"]], [["a"], []], [[], []], [["a", "b", "c"]] * 4])
def test_few_runs_and_empty_ones_are_drawn(sets):
    picture = st.plot.runs_by_features(st.Selections.from_sets(sets, features=list("abc")))
    assert len(picture.data) == sum(map(len, sets))
    assert picture.svg().startswith("<svg")
