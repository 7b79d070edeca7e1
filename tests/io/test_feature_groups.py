"""Groups of features come from a table, reach the selectors that select whole groups, and fit the features."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import OneHotEncoder

import steadyset as st
from steadyset.cli import run
from steadyset.io.data.feature_groups import check_feature_groups, read_feature_groups

DRAWN = {"resampling": st.Subsample(4), "random_state": 0, "scoring": []}


@pytest.fixture(scope="module")
def tumors():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    properties = {name: name.replace("mean ", "").replace("worst ", "").replace(" error", "") for name in X}
    return X, y, properties


@pytest.fixture
def files(tmp_path, tumors):
    X, y, properties = tumors
    table, groups = tmp_path / "tumors.csv", tmp_path / "groups.csv"
    X.assign(target=y).to_csv(table, index=False)
    pd.DataFrame({"group": properties.values(), "feature": properties.keys()}).to_csv(groups, index=False)
    return table, groups


def test_the_name_with_groups_selects_as_the_class_with_the_same_groups(tumors):
    X, y, properties = tumors
    named = st.assess("group_lasso:k=2", st.Data(X, y, feature_groups=properties), **DRAWN)
    labels = [properties[name] for name in X]
    by_class = st.assess({"mine": st.selectors.GroupLassoSelector(labels, k=2)}, X, y, **DRAWN)
    assert named.selections["group_lasso:k=2"].sizes.tolist() == [6] * 4
    assert named.selections["group_lasso:k=2"].sets() == by_class.selections["mine"].sets()


def test_a_file_of_groups_is_the_mapping(files, tumors):
    table, groups = files
    properties = tumors[2]
    assert read_feature_groups(groups) == properties
    read = st.load_data(table, "target", feature_groups=groups)
    assert read.feature_groups == properties
    # Columns that are left out of the data may stay in the file of groups.
    fewer = st.load_data(table, "target", feature_groups=groups, drop=["mean radius"])
    assert list(fewer.feature_groups) == list(fewer.features)


def test_columns_made_of_a_feature_are_in_its_group():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80), "kind": rng.choice(["u", "v", "w"], 80)})
    y = (X["kind"] == "u").astype(int)
    coded = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["kind"]), remainder="passthrough", verbose_feature_names_out=False
    )
    data = st.Data(X, y, prepare=coded, feature_groups={"a": "numbers", "b": "numbers", "kind": "kind"})
    found = st.assess("group_lasso:k=1", data, **DRAWN).selections["group_lasso:k=1"]
    assert [sorted(one) for one in found.sets()] == [["kind"]] * 4


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"mean aera": "area"}, "Did you mean 'mean area'"),
        ({"mean radius": None}, "no group for 1 feature: 'mean radius'"),
    ],
)
def test_unknown_and_missing_features_are_named(tumors, changed, word):
    X, y, properties = tumors
    groups = {name: label for name, label in {**properties, **changed}.items() if label is not None}
    with pytest.raises(st.InputError, match=word):
        st.assess("group_lasso:k=2", st.Data(X, y, feature_groups=groups), **DRAWN)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("feature,group\na,x\na,y\n", "in the groups 'x' and 'y'"),
        ("feature,group\na,\n", "row 2"),
        ("gene,pathway,note\na,x,1\n", "columns feature and group"),
    ],
)
def test_a_wrong_table_of_groups_is_refused(tmp_path, text, word):
    path = tmp_path / "groups.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(st.InputError, match=word):
        read_feature_groups(path)


def test_groups_that_no_selector_uses_are_refused(tumors):
    X, y, properties = tumors
    with pytest.raises(st.InputError, match="group_lasso"):
        st.assess("lasso:k=2", st.Data(X, y, feature_groups=properties), **DRAWN)


def test_a_label_per_column_needs_one_for_each():
    assert check_feature_groups(["u", "v", "u"], ["a", "b", "c"]).tolist() == [0, 1, 0]
    with pytest.raises(st.InputError, match="feature_groups"):
        check_feature_groups(["u", "v"], ["a", "b", "c"])


def test_the_command_reads_groups(files, tmp_path):
    table, groups = files
    out = tmp_path / "runs"
    arguments = f"assess {table} -t target -s group_lasso:k=2 --runs 3 --resampling subsample -j 1 --out {out}"
    assert run(f"{arguments} --feature-groups {groups}".split()) == 0
    assert st.Assessment.open(out).selections["group_lasso:k=2"].sizes.tolist() == [6] * 3
