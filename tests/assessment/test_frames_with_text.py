"""Pipelines that encode columns of text, or take columns by name, get a frame."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

import steadyset as st
from steadyset.foundation.errors import InputError

RNG = np.random.default_rng(0)
N = 90
A, B, C = RNG.normal(size=(3, N))
COLOUR, PLACE = RNG.choice(["blue", "green", "red"], N), RNG.choice(["north", "south"], N)
X = pd.DataFrame({"a": A, "colour": COLOUR, "b": B, "place": PLACE, "c": C})
Y = np.where(2.0 * (COLOUR == "red") + A > 0.8, "ill", "well")
HOW = {"n_runs": 4}


def encoded(step, **options):
    labels = OneHotEncoder(handle_unknown="ignore", **options)
    return make_pipeline(ColumnTransformer([("text", labels, ["colour", "place"])], remainder=StandardScaler()), step)


@pytest.fixture(scope="module")
def assessed():
    return st.assess({"best": encoded(SelectKBest(k=3))}, X, Y, **HOW)


def test_a_feature_is_selected_where_a_column_that_is_made_of_it_is(assessed):
    assert assessed.failures.empty
    assert assessed.features == ("a", "colour", "b", "place", "c")
    assert assessed.core() == {"best": ["a", "colour"]}
    assert (assessed.summary()["accuracy"] > 0.8).all()


@pytest.mark.parametrize("options", [{"drop": "first"}, {"min_frequency": 35}, {"sparse_output": False}])
def test_columns_of_encoders_are_traced_back(options):
    found = st.assess({"l1": encoded(LogisticRegression(l1_ratio=1, solver="saga", C=0.2, max_iter=5000), **options)},
                      X, Y, scoring=[], **HOW)  # fmt: skip
    assert found.failures.empty
    assert "a" in found.core()["l1"]
    assert found.selections["l1"].counts[1] > 0


def test_the_kind_of_frame_and_the_processes_make_no_difference(assessed):
    polars = pytest.importorskip("polars")
    again = st.assess({"best": encoded(SelectKBest(k=3))}, polars.from_pandas(X), Y, **HOW)
    assert again.selections == assessed.selections
    category = X.astype({"colour": "category"})
    assert st.assess({"best": encoded(SelectKBest(k=3))}, category, Y, **HOW).selections == assessed.selections


def test_labels_are_no_amounts(assessed):
    table = assessed.features_table().set_index("feature")
    assert table.loc["a", "direction"]
    assert not table.loc["colour", "direction"]
    assert assessed.alike is None or not table["stand_ins"].str.contains("place").any()


def test_other_labels_are_other_data(assessed):
    other = st.assess({"best": encoded(SelectKBest(k=3))}, X.replace({"colour": {"red": "rose"}}), Y, **HOW)
    assert other.selections == assessed.selections
    assert other.settings["data_sha256"] != assessed.settings["data_sha256"]


def test_columns_of_numbers_may_be_asked_for_by_name():
    numbers = make_pipeline(ColumnTransformer([("s", StandardScaler(), ["a", "b"])], remainder="passthrough"),
                            SelectKBest(k=1))  # fmt: skip
    found = st.assess({"p": numbers, "anova": "anova:k=1"}, X[["c", "b", "a"]], Y, **HOW)
    assert found.core() == {"p": ["a"], "anova": ["a"]}


@pytest.mark.parametrize(
    "selector",
    [
        make_pipeline(OrdinalEncoder(), SelectKBest(k=2)),
        make_pipeline(FunctionTransformer(lambda frame: frame.apply(lambda c: pd.factorize(c)[0])), SelectKBest(k=2)),
        GridSearchCV(encoded(SelectFromModel(LogisticRegression())), {}, cv=2, scoring=lambda *_: 1.0),
    ],
)
def test_any_step_for_labels_will_do(selector):
    found = st.assess({"p": selector}, X, Y, scoring=[], **HOW)
    assert found.failures.empty


def test_a_function_gets_the_text():
    def of_text(frame, y):
        return [name for name in frame.columns if frame[name].isin(["red"]).any()]

    assert st.assess(of_text, X, Y, **HOW).core() == {"of_text": ["colour"]}


@pytest.mark.parametrize(
    ("selector", "frame", "options", "said"),
    [
        ("anova:k=2", X, {}, "X has 2 columns of text .'colour', 'place'."),
        (make_pipeline(StandardScaler(), st.FilterSelector("anova", k=2)), X, {}, "X has 2 columns of text"),
        ([encoded(SelectKBest(k=3)), SelectKBest(k=2)], X, {}, "X has 2 columns of text .'colour', 'place'."),
        (encoded(SelectKBest(k=3)), X.assign(colour=X["colour"].where(A > 0)), {}, "missing values in the column"),
        (encoded(SelectKBest(k=3)), X, {"resampling": st.NoiseInjection(3)}, "NoiseInjection changes numbers"),
    ],
)
def test_what_cannot_take_text_is_one_sentence(selector, frame, options, said):
    with pytest.raises(st.InputError, match=said):
        st.assess(selector, frame, Y, **{**HOW, "n_runs": None, **options})


@pytest.mark.parametrize("kind", [object, "category", "string"])
def test_a_column_of_text_is_named_with_ways_to_go_on_that_work(kind):
    random, y = np.random.default_rng(0), np.arange(40) % 2
    X = pd.DataFrame(random.normal(size=(40, 3)), columns=list("abc"))
    X["sex"] = pd.Series(np.where(random.random(40) < 0.5, "f", "m")).astype(kind)
    with pytest.raises(InputError) as told:
        st.assess("anova:k=2", X, y, resampling="bootstrap:n_runs=3", execution={"progress": False})
    sentence = str(told.value)
    assert sentence.startswith("X has the column 'sex', which holds text; expected numbers or bools.")
    assert 'st.Data(..., prepare="scale")' in sentence
    assert 'st.Data(..., force="sex")' in sentence
    assert sentence.endswith("or drop it from X.")
    prepared, adjusted = st.Data(X, y, prepare="scale"), st.Data(X, y, force="sex")
    for data, features in ((prepared, "a b c sex"), (adjusted, "a b c"), (st.Data(X.drop(columns="sex"), y), "a b c")):
        made = st.assess("anova:k=2", data, resampling="bootstrap:n_runs=3", execution={"progress": False})
        assert list(made.features) == features.split()


def test_several_columns_of_text_are_counted_and_dates_are_no_text():
    X = pd.DataFrame({"a": np.arange(20.0), "b": "x", "c": "y", "when": pd.Timestamp("2020-01-01")})
    with pytest.raises(InputError, match=r"X has 2 columns of text .'b', 'c'.;.*Turn their labels.*drop them"):
        st.assess("anova:k=1", X, np.arange(20) % 2)
    with pytest.raises(InputError, match="X has the column 'when' of type Datetime"):
        st.assess("anova:k=1", X[["a", "when"]], np.arange(20) % 2)
