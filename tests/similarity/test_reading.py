"""Similarities from files, square or long."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import steadyset as st

C = pd.DataFrame([[1.0, 0.9, 0.0], [0.9, 1.0, 0.25], [0.0, 0.25, 1.0]], index=list("abc"), columns=list("abc"))
LONG = "feature,feature,similarity\na,b,0.9\nc,b,0.25\n"


def matrix(similarity: st.FeatureSimilarity) -> list[list[float]]:
    everything = range(similarity.n_features)
    return similarity.block(everything, everything).tolist()


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet"])
def test_square_files_bring_matrix_and_names(tmp_path, ending, index):
    path = tmp_path / f"similarity.{ending}"
    if ending == "parquet":
        (C.reset_index() if index else C).to_parquet(path, index=False)
    else:
        C.to_csv(path, sep="\t" if ending == "tsv" else ",", index=index)
    similarity = st.FeatureSimilarity.read(path, threshold=0.5)
    assert similarity.features == ("a", "b", "c")
    assert similarity.threshold == 0.5
    assert matrix(similarity) == C.to_numpy().tolist()


def test_numbered_features_keep_their_row_names(tmp_path):
    path = tmp_path / "similarity.csv"
    C.set_axis(range(3), axis=0).set_axis(range(3), axis=1).to_csv(path)
    assert matrix(st.FeatureSimilarity.read(path)) == C.to_numpy().tolist()


def test_a_file_without_header_has_features_without_names(tmp_path):
    path = tmp_path / "similarity.csv"
    path.write_text("1,0,1\n0,1,0\n1,0,1\n", encoding="utf-8")
    similarity = st.FeatureSimilarity.read(path)
    assert similarity.features is None
    assert similarity.neighbours.indices.tolist() == [2, 0]


@pytest.mark.parametrize("many", [0, 300])
@pytest.mark.parametrize("heading", ["", "feature", None])
def test_a_feature_may_be_called_run(tmp_path, heading, many):
    names = ["run", "b", "c", *(f"g{i}" for i in range(many))]
    rows = [["1" if f == g else "0.5" if {f, g} == {"run", "b"} else "0" for g in names] for f in names]
    first = [] if heading is None else [heading]
    lines = [[*first, *names], *([*([] if heading is None else [f]), *row] for f, row in zip(names, rows, strict=True))]
    path = tmp_path / "similarity.csv"
    path.write_text("\n".join(map(",".join, lines)), encoding="utf-8")
    similarity = st.FeatureSimilarity.read(path, threshold=0.4)
    assert similarity.features == tuple(names)
    assert similarity.neighbours.indices.tolist() == [1, 0]


def test_long_files_list_what_is_not_zero(tmp_path):
    path = tmp_path / "similarity.csv"
    path.write_text(LONG, encoding="utf-8")
    similarity = st.FeatureSimilarity.read(path)
    assert similarity.features == ("a", "c", "b")
    assert similarity.block([0, 1], [2]).tolist() == [[0.9], [0.25]]
    ordered = st.FeatureSimilarity.read(path, features=["a", "b", "c"])
    assert matrix(ordered) == C.to_numpy().tolist()


def test_long_files_can_declare_features_and_list_pairs_both_ways(tmp_path):
    path = tmp_path / "similarity.csv"
    path.write_text("a,b,similarity\na,,\nb,,\nc,,\na,b,0.9\nb,a,0.9\nb,c,0.25\na,a,1\nlonely,,\n", encoding="utf-8")
    similarity = st.FeatureSimilarity.read(path)
    assert similarity.features == ("a", "b", "c", "lonely")
    assert similarity.block([0, 1, 2], [0, 1, 2]).tolist() == C.to_numpy().tolist()
    assert np.array_equal(similarity.block([3], [0, 1, 2, 3]), [[0, 0, 0, 1]])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LONG + "b,a,0.8\n", "holds 0.9 and 0.8 for 'a' and 'b'"),
        (LONG + "b,d,1.8\n", "holds 1.8 for feature"),
        (LONG + "d,d,0.5\n", "holds 0.5 for feature 'd' with itself; expected 1"),
        (LONG + "d,b,high\n", "The column 'similarity' holds something other than numbers"),
        (LONG + ",b,0.1\n", "Row 3 of the table names no first feature"),
        (LONG + "b,d,\n", "holds nan for feature"),
        ("a,b\n1,0.5\n", "Row 1 of C is called '1' and its column 'b'"),
        ("a,b,c\n1,0.5,0\n", r"C has the shape \(1, 3\)"),
        ("", "is empty"),
    ],
)
def test_files_that_are_no_similarity_get_a_sentence(tmp_path, text, sentence):
    path = tmp_path / "similarity.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(st.InputError, match=sentence):
        st.FeatureSimilarity.read(path)


def test_other_files_get_a_sentence(tmp_path):
    with pytest.raises(st.InputError, match="does not exist"):
        st.FeatureSimilarity.read(tmp_path / "none.csv")
    with pytest.raises(st.InputError, match="is a json file"):
        st.FeatureSimilarity.read(tmp_path / "none.json")
    path = tmp_path / "long.csv"
    path.write_text(LONG, encoding="utf-8")
    with pytest.raises(st.InputError, match="holds 'c', which is not among the features"):
        st.FeatureSimilarity.read(path, features=["a", "b"])
