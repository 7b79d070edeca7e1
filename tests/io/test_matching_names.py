"""Features are matched by name, or by a position that somebody gave; never by the order in which names turned up."""

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset import FeatureSimilarity, InputError, Selections
from steadyset.assessment.request import make_plan
from steadyset.cli import run
from steadyset.resampling import KFold
from steadyset.tuning.evaluation import Evaluator

NAMES = ["V1", "V2", "V3", "V4", "V5"]
BY_APPEARANCE = [["V5"], ["V4"]]
SIMILAR = np.eye(5)
SIMILAR[0, 1] = SIMILAR[1, 0] = 0.95


@pytest.mark.parametrize(
    "similarity",
    [
        FeatureSimilarity.from_matrix(SIMILAR),
        FeatureSimilarity.from_groups(["a", "a", "b", "c", "d"]),
        FeatureSimilarity.from_data(np.random.default_rng(0).normal(size=(9, 5))),
    ],
)
def test_names_as_they_appear_are_not_matched_to_a_similarity_without_names(similarity):
    runs = Selections.from_sets(BY_APPEARANCE, n_features=5)
    with pytest.raises(InputError, match=r"numbered as their names appear \('V5', 'V4'.*features="):
        st.stability(runs, "zucknick", similarity=similarity)
    with pytest.raises(InputError, match="features="):
        st.swap_table(runs, similarity)
    told = Selections.from_sets(BY_APPEARANCE, features=NAMES)
    assert np.isfinite(st.stability(told, "zucknick", similarity=similarity))


def test_v4_and_v5_are_not_similar_when_v1_and_v2_are():
    similarity = FeatureSimilarity.from_matrix(SIMILAR)
    told = Selections.from_sets(BY_APPEARANCE, features=NAMES)
    assert st.stability(told, "zucknick", similarity=similarity) == pytest.approx(0.0)
    alike = Selections.from_sets([["V1"], ["V2"]], features=NAMES)
    assert st.stability(alike, "zucknick", similarity=similarity) == pytest.approx(0.95)


def test_what_is_derived_from_names_as_they_appear_stays_so():
    import pickle

    runs = Selections.from_sets(BY_APPEARANCE, n_features=5)
    similarity = FeatureSimilarity.from_matrix(SIMILAR)
    for derived in (runs.take([0, 1]), pickle.loads(pickle.dumps(runs))):
        with pytest.raises(InputError, match="features="):
            similarity.check(derived)


def test_a_long_table_that_declares_no_features_is_not_matched_by_position():
    long = pd.DataFrame({"run": ["a", "b"], "feature": ["V5", "V4"]})
    similarity = FeatureSimilarity.from_matrix(SIMILAR)
    with pytest.raises(InputError, match="features="):
        similarity.check(Selections.from_long(long, n_features=5))
    assert similarity.check(Selections.from_long(long, NAMES)) is similarity


def test_weights_without_names_do_not_go_to_names_as_they_appear():
    runs = Selections.from_sets([["b", "a"], ["a", "b"]], n_features=2)
    with pytest.raises(InputError, match="rows has no names"):
        runs.with_weights([[1, 2], [2, 1]])
    with pytest.raises(InputError, match="R has no names"):
        runs.with_rankings([[1, 2], [2, 1]])
    weighted = runs.with_weights([{"b": 1, "a": 2}, {"a": 2, "b": 1}])
    assert weighted.to_frame()["a"].tolist() == [2, 2]


def test_groups_by_name_are_not_matched_to_data_without_names():
    groups = {"V5": 1, "V4": 1, "V1": 2, "V2": 3, "V3": 4}
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 5)), rng.integers(0, 2, 40)
    with pytest.raises(InputError, match="X has no names"):
        st.StabilitySelection(clusters=groups, random_state=0).fit(X, y)
    with pytest.raises(InputError, match="the Selections has no names"):
        FeatureSimilarity.from_groups(groups).check(Selections.from_sets([[0]], n_features=5))


def test_a_frame_follows_the_order_of_features():
    frame = pd.DataFrame({"b": [1, 0], "a": [0, 0], "c": [1, 1]})
    runs = Selections.from_matrix(frame, ["a", "b", "c"])
    assert runs.sets() == [{"b", "c"}, {"c"}]
    assert runs.features == ("a", "b", "c")
    with pytest.raises(InputError, match="has the feature 'a' but not 'z'"):
        Selections.from_matrix(frame, ["a", "b", "z"])


def test_a_long_file_takes_its_features_from_the_data(tmp_path, capsys):
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(20, 5)), columns=NAMES)
    X["V2"] = X["V1"] + 1e-3
    X.to_csv(tmp_path / "X.csv", index=False)
    pd.DataFrame({"run": [1, 2], "feature": ["V2", "V1"]}).to_csv(tmp_path / "long.csv", index=False)
    assert run(["measure", str(tmp_path / "long.csv"), "--data", str(tmp_path / "X.csv"), "-m", "zucknick"]) == 0
    out = capsys.readouterr()
    assert "2 runs, 5 features" in out.out
    assert "1.0" in out.out
    assert "universe: the 5 features are those of" in out.out


def test_a_file_by_appearance_follows_the_columns_of_the_data(tmp_path, capsys):
    X = pd.DataFrame(np.random.default_rng(2).normal(size=(20, 5)), columns=NAMES)
    X["V2"] = X["V1"]
    X.to_csv(tmp_path / "X.csv", index=False)
    pd.DataFrame({"run": [1, 2], "feature": ["V2", "V1"]}).to_csv(tmp_path / "long.csv", index=False)
    command = ["measure", str(tmp_path / "long.csv"), "--data", str(tmp_path / "X.csv"), "-m", "zucknick"]
    assert run([*command, "--features", "5"]) == 0
    assert "1.0" in capsys.readouterr().out


GENES_IN_ROWS = "gene,run1,run2,run3\n" + "".join(f"TP{i},{i % 2},{int(i < 3)},1\n" for i in range(6))


def test_features_in_rows_are_read_by_transpose(tmp_path):
    path = tmp_path / "genes.csv"
    path.write_text(GENES_IN_ROWS.replace("gene,run1,run2,run3", "name,u,v,w"), encoding="utf-8")
    with pytest.raises(InputError, match=r"text in its first column 'name'.*transpose=True.*call the column run"):
        Selections.read(path)
    assert Selections.read(path, transpose=True).labels == ("u", "v", "w")
    path.write_text(GENES_IN_ROWS, encoding="utf-8")
    runs = Selections.read(path)
    assert runs.notes == ("3 runs from 3 columns (the rows are the features); universe: 6 features",)
    assert runs == Selections.read(path, transpose=True)
    assert (runs.n_runs, runs.n_features, runs.labels) == (3, 6, ("run1", "run2", "run3"))
    assert runs.sets()[1] == {"TP0", "TP1", "TP2"}


@pytest.mark.parametrize("first", ["", "run"])
def test_many_named_rows_of_few_columns_are_not_taken_for_runs(tmp_path, capsys, first):
    path = tmp_path / "genes.csv"
    path.write_text(f"{first},a,b,c\n" + "".join(f"TP{i}X,{i % 2},1,0\n" for i in range(100)), encoding="utf-8")
    with pytest.raises(InputError, match=r"reads as 100 runs .* of 3 features"):
        Selections.read(path)
    assert Selections.read(path, transpose=False).n_runs == 100
    assert Selections.read(path, transpose=True).n_features == 100
    assert run(["measure", str(path), "-m", "nogueira"]) == 2
    assert "give --transpose; if they are the runs, --no-transpose" in capsys.readouterr().err
    assert run(["measure", str(path), "-m", "nogueira", "--transpose"]) == 0
    assert "3 runs, 100 features" in capsys.readouterr().out


def test_transpose_is_offered_for_many_rows_without_names(tmp_path, capsys):
    path = tmp_path / "genes.csv"
    path.write_text("a,b,c\n" + "".join(f"{i % 2},1,0\n" for i in range(100)), encoding="utf-8")
    measure = ["measure", str(path), "-m", "nogueira"]
    assert run(measure) == 0
    assert "read as 100 runs of 3 features; if its rows are the features, give --transpose." in capsys.readouterr().err
    assert run([*measure, "--no-transpose"]) == 0
    assert run([*measure, "--transpose"]) == 0
    assert "give --transpose" not in capsys.readouterr().err


def test_many_numbered_runs_of_few_features_are_fine(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text("run,a,b,c\n" + "".join(f"boot {i},{i % 2},1,0\n" for i in range(100)), encoding="utf-8")
    assert Selections.read(path).n_runs == 100


def test_arrays_are_transposed_too():
    Z = np.array([[1, 0], [1, 1], [0, 0]])
    assert Selections.from_matrix(Z, transpose=True) == Selections.from_matrix(Z.T)


def test_the_same_call_simulates_the_same_number(tmp_path, capsys):
    rng = np.random.default_rng(3)
    similarity = FeatureSimilarity.from_data(rng.normal(size=(12, 30)), threshold=0.3)
    runs = Selections.from_matrix(rng.integers(0, 2, size=(5, 30)))
    values = set()
    for _ in range(2):
        fresh = similarity.with_threshold(0.3)
        values.add(st.stability(runs, "intersection_greedy", similarity=fresh, n_draws=50))
    assert len(values) == 1


def test_weights_of_a_json_file_belong_to_the_features_as_listed(tmp_path):
    path = tmp_path / "runs.json"
    path.write_text(
        '{"schema": "steadyset.selections", "schema_version": 1, "n_features": 3, "features": ["a", "b", "c"], '
        '"labels": null, "runs": [["c", "a"], [1, 0]], "weights": [[5, 7], [2, 3]]}',
        encoding="utf-8",
    )
    assert Selections.read(path).to_frame().to_numpy().tolist() == [[7, 0, 5], [3, 2, 0]]
    assert Selections.read(path, ["c", "b", "a"]).to_frame().to_numpy().tolist() == [[5, 0, 7], [0, 2, 3]]


def test_ranks_of_a_long_table_start_at_1():
    long = pd.DataFrame({"run": [1, 1, 2, 2], "feature": ["a", "b"] * 2, "rank": [0, 1, 1, 2]})
    with pytest.raises(InputError, match="ranks start at 1"):
        Selections.from_long(long, ["a", "b"])


@pytest.mark.parametrize("names", [["e", "d", "c", "b", "a"], None], ids=["another order", "order of appearance"])
def test_tuning_takes_no_similarity_of_features_in_another_order(names):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(40, 5)), columns=list("abcde"))
    y = (table["a"] > 0).astype(int).to_numpy()
    X = table if names is not None else table.to_numpy()
    if names is None:
        similarity = FeatureSimilarity.from_groups({name: name for name in "abcde"})
    else:
        similarity = FeatureSimilarity.from_matrix(np.eye(5), features=names)
    sentence = "Feature 0 is 'e' in similarity and 'a' in X" if names is not None else "X has no names to match"
    with pytest.raises(InputError, match=sentence):
        st.tune({"model": {"l0": {"k": [1, 2]}}}, X, y, search=st.SearchOptions(sampler="grid", similarity=similarity))
    plan, found = make_plan(X, y, resampling=KFold(3))
    with pytest.raises(InputError, match=sentence):
        Evaluator(plan, similarity=similarity, features=found)
