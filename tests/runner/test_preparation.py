"""What a run does to its rows is learnt from its training rows: pipelines of scikit-learn, fitted by hand, agree."""

import numpy as np
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.runner.preparation import Medians, MostVariable

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)
X, Y = X.iloc[::4, :10], Y.iloc[::4].to_numpy()
HOLES = X.mask(np.random.default_rng(0).random(X.shape) < 0.08)
DRAWN = st.Bootstrap(4)
K = 3
LOG2 = FunctionTransformer(lambda values: np.log2(values + 1))


def by_hand(table, transformer, run):
    """What SelectKBest selects, and how well a logistic regression predicts from it, on a run."""
    resample = DRAWN.draw(run, st.resampling.Rows(len(Y), Y), 0)
    fitted = transformer.fit(table[resample.train])
    train, test = fitted.transform(table[resample.train]), fitted.transform(table[resample.test])
    kept = SelectKBest(f_classif, k=K).fit(train, Y[resample.train]).get_support()
    predictor = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    predictor.fit(train[:, kept], Y[resample.train])
    return tuple(np.flatnonzero(kept).tolist()), predictor.score(test[:, kept], Y[resample.test])


@pytest.mark.parametrize(
    ("text", "transformer"),
    [
        ("impute=median", SimpleImputer(strategy="median")),
        ("impute=most_frequent, scale", make_pipeline(SimpleImputer(strategy="most_frequent"), StandardScaler())),
        ("scale, impute=knn", make_pipeline(StandardScaler(), KNNImputer())),
        ("log2=1, impute=median", make_pipeline(LOG2, SimpleImputer(strategy="median"))),
    ],
)
def test_a_text_is_the_pipeline_that_it_names_fitted_to_the_training_rows(text, transformer):
    found = st.assess(SelectKBest(f_classif, k=K), st.Data(HOLES, Y, prepare=text), resampling=DRAWN)
    for run, cell in enumerate(found.cells):
        assert (cell.selected, cell.scores["accuracy"]) == by_hand(HOLES.to_numpy(), transformer, run)


def test_a_transformer_is_taken_as_it_is():
    scaled = make_pipeline(SimpleImputer(), StandardScaler())
    found = st.assess(SelectKBest(f_classif, k=K), st.Data(HOLES, Y, prepare=scaled), resampling=DRAWN)
    assert [c.selected for c in found.cells] == [by_hand(HOLES.to_numpy(), scaled, run)[0] for run in range(4)]


def test_iterative_imputation_has_the_seed_of_its_run():
    data = st.Data(HOLES, Y, prepare="impute=iterative")
    first, again = (st.assess("anova:k=3", data, resampling=DRAWN, n_jobs=jobs) for jobs in (1, 2))
    assert [c.selected for c in first.cells] == [c.selected for c in again.cells]
    imputed = IterativeImputer(skip_complete=True, n_nearest_features=20, random_state=0).fit_transform(HOLES)
    assert abs(imputed - HOLES.fillna(HOLES.median())).to_numpy().max() > 0  # it is no median


def test_medians_are_those_of_simple_imputers():
    table = HOLES.to_numpy()
    np.testing.assert_array_equal(
        Medians().fit(table[:50]).transform(table),
        SimpleImputer(strategy="median").fit(table[:50]).transform(table),
    )


def test_only_the_most_variable_features_of_the_training_rows_can_be_selected():
    found = st.assess("anova:k=3", st.Data(X, Y, prepare="variance=4"), resampling=DRAWN)
    assert found.features == tuple(X.columns)  # the universe stays that of the table
    for run, cell in enumerate(found.cells):
        train = DRAWN.draw(run, st.resampling.Rows(len(Y), Y), 0).train
        kept = set(np.argsort(-X.to_numpy()[train].var(axis=0))[:4].tolist())
        assert set(cell.selected) <= kept
    assert MostVariable(1).fit(np.array([[0.0, 0.0], [1.0, 1.0]])).get_support().tolist() == [True, False]


def test_left_out_rows_teach_nothing():
    fold = st.KFold(4).draw(0, st.resampling.Rows(len(Y), Y), 0)
    wild = HOLES.to_numpy().copy()
    wild[fold.test] *= 1e6
    for text in ("impute=knn, scale", "impute=iterative", "impute=median, variance=5"):
        cells = [
            st.assess("anova:k=3", st.Data(table, Y, prepare=text), resampling=st.KFold(4)).cells[0]
            for table in (HOLES.to_numpy(), wild)
        ]
        assert cells[0].selected == cells[1].selected
        assert cells[0].weights == cells[1].weights


def with_text():
    table = HOLES.copy()
    random = np.random.default_rng(1)
    table["stage"] = np.where(random.random(len(Y)) < 0.8, np.where(Y == 1, "early", "late"), "unknown")
    table["centre"] = random.choice(["north", "south"], len(Y))
    table.loc[table.index[5], "stage"] = None
    return table


def test_the_columns_of_a_categorical_variable_are_one_feature():
    data = st.Data(with_text(), Y, prepare="impute=median")
    found = st.assess({"best": "anova:k=4", "lasso": "lasso:k=4"}, data, resampling=DRAWN)
    assert found.failures.empty
    assert found.features == (*X.columns, "stage", "centre")
    table = found.summary(details=False)
    assert table["size"].max() <= 4
    frequencies = found.selections["lasso"].frequencies
    assert frequencies[-2] == 1.0  # the stage, which the target made
    assert frequencies[-1] < 1.0


def test_one_hot_columns_are_those_of_scikit_learn():
    """The lasso on columns that were encoded by hand selects the same variables."""
    data = st.Data(with_text().dropna(), Y[with_text().notna().all(axis=1)], prepare="scale")
    texts = make_column_selector(dtype_exclude="number")
    encoded = make_column_transformer(
        (OneHotEncoder(drop="if_binary", sparse_output=False), texts),
        remainder=StandardScaler(),
        verbose_feature_names_out=False,
    )
    whole = make_pipeline(encoded, SelectKBest(f_classif, k=4))
    inside = st.assess({"s": SelectKBest(f_classif, k=4)}, data, resampling=DRAWN)
    own = st.assess({"s": whole}, st.Data(data.X, data.y), resampling=DRAWN, scoring=[])
    assert [c.selected for c in inside.cells] == [c.selected for c in own.cells]


def test_functions_get_the_prepared_columns_by_name():
    def first(table, y):
        return [table.columns[0]]

    found = st.assess(first, st.Data(X, Y, prepare="variance=3, scale"), resampling=DRAWN)
    assert found.failures.empty
    for run, cell in enumerate(found.cells):
        train = DRAWN.draw(run, st.resampling.Rows(len(Y), Y), 0).train
        assert cell.selected == (int(np.argsort(-X.to_numpy()[train].var(axis=0))[:3].min()),)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("impute=mean", "prepare must be impute=median|most_frequent|knn|iterative, scale, log2 or variance=N"),
        ("", "prepare must be impute="),
        ("variance=0", "a number in variance=N"),
        ("variance=few", "a number in variance=N"),
        ("log2=much", "a number in log2=NUMBER"),
        ("scale, scale", "scale twice"),
        (3, 'a text such as "impute=median, scale" or a transformer'),
        (PCA(2), "not the features any more"),
    ],
)
def test_what_cannot_prepare_is_told(given, sentence):
    with pytest.raises(InputError) as told:
        st.assess("anova:k=2", st.Data(X, Y, prepare=given), resampling=DRAWN)
    assert sentence in str(told.value)


def test_missing_values_that_nothing_fills_are_told_before_any_run():
    with pytest.raises(InputError, match="missing values in 10 of 10 features"):
        st.assess("anova:k=2", st.Data(HOLES, Y, prepare="scale"), resampling=DRAWN)
    with pytest.raises(InputError, match=r"impute.* and .*prepare.* are given"):
        st.assess("anova:k=2", st.Data(HOLES, Y, impute="median", prepare="scale"), resampling=DRAWN)


def test_logarithms_of_what_is_not_positive_are_told_with_what_helps():
    with pytest.raises(InputError, match=r"log2 needs values above 0, and 0 is among them; log2=1 adds 1 first"):
        st.assess("anova:k=2", st.Data(X, Y, prepare="log2"), resampling=DRAWN)


def test_a_file_with_text_and_gaps_is_read_where_rows_are_prepared(tmp_path):
    file = tmp_path / "patients.csv"
    with_text().assign(target=Y).to_csv(file, index=False)
    with pytest.raises(InputError, match="not numeric"):
        st.load_data(file, "target")
    data = st.load_data(file, "target", prepare="impute=median, scale", keep=["centre"])
    assert data.features == (*X.columns, "stage", "centre")
    assert any("the preparation of each run is to fill them" in note for note in data.notes)
    found = st.assess("lasso:k=4", data, resampling=DRAWN)
    same = st.assess("lasso:k=4", st.Data(with_text(), Y, prepare="impute=median, scale"), resampling=DRAWN)
    assert [c.selected for c in found.cells] == [c.selected for c in same.cells]


def test_the_preparation_is_recorded_and_told(tmp_path):
    data = st.Data(HOLES, Y, prepare="impute=knn, variance=6, scale")
    found = st.assess("anova:k=3", data, resampling=DRAWN, out=tmp_path / "runs")
    assert found.settings["prepare"] == "impute=knn, variance=6, scale"
    methods = st.methods_text(found)
    assert "In each run, missing values were replaced by the means of the 5 most similar training rows" in methods
    assert "the 6 features with the largest variance in the training rows were kept" in methods
    with pytest.raises(InputError, match="prepare"):
        st.assess(
            "anova:k=3", st.Data(HOLES, Y, prepare="impute=median"), resampling=DRAWN, out=tmp_path / "runs",
            execution={"resume": True},
        )  # fmt: skip


def test_configurations_are_prepared_in_each_run():
    data = st.Data(HOLES, Y, prepare="impute=median, scale, variance=6")
    space = {"filter": ["anova"], "fraction": [0.3], "model": {"lasso": {}}}
    tuning = st.tune(space, data, n_trials=2, resampling=st.KFold(3))
    assert (tuning.frame["failures"] == 0).all()
    assert 1 <= tuning.frame["n_features"].max() <= 3
    selected = tuning.selections(0)
    assert selected.n_features == 10
    fitted = tuning.estimator(0).fit(HOLES, Y)
    assert fitted.predict(HOLES.iloc[:5]).shape == (5,)
    with pytest.raises(InputError, match="columns of text"):
        st.tune(space, st.Data(with_text(), Y, prepare="impute=median"), n_trials=1)
