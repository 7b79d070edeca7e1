"""What is taken as a selector or as a resampling besides steadyset's own."""

import numpy as np
import pytest
from sklearn import model_selection
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest, f_classif

import steadyset as st
from steadyset import Data
from steadyset.assessment import assess
from steadyset.foundation.errors import InputError
from steadyset.resampling import Rows, Splits, as_resampling
from steadyset.runner.run import RANDOM_DRAWS

FRAME, Y = load_breast_cancer(return_X_y=True, as_frame=True)
FRAME, Y = FRAME.iloc[::5, :8], Y.iloc[::5]
X = FRAME.to_numpy()
GROUPS = np.arange(len(Y)) // 3


def two_best(X, y):
    return np.argsort(-f_classif(X, y)[0])[:2]


@pytest.mark.parametrize(
    "function",
    [
        two_best,
        lambda X, y: np.isin(np.arange(8), two_best(X, y)),
        lambda X, y: FRAME.columns[two_best(X, y)],
        lambda X, y: {FRAME.columns[f] for f in two_best(X, y)},
        lambda X, y: np.isin(np.arange(8), two_best(X, y)).astype(int),
    ],
)
def test_a_function_may_return_numbers_a_mask_or_names(function):
    expected = assess(SelectKBest(f_classif, k=2), FRAME, Y, resampling=st.Bootstrap(3))
    result = assess({"SelectKBest": function}, FRAME, Y, resampling=st.Bootstrap(3))
    assert [cell.selected for cell in result.cells] == [cell.selected for cell in expected.cells]


def test_a_function_gets_a_frame_where_a_frame_was_given():
    seen = []
    assess(lambda X, y: seen.append(type(X).__name__) or [0], FRAME, Y, resampling=st.Bootstrap(1))
    assess(lambda X, y: seen.append(type(X).__name__) or [0], X, Y, resampling=st.Bootstrap(1))
    assert seen == ["DataFrame", "DataFrame", "ndarray", "ndarray"]  # one run, and the fit on all rows
    assert assess(two_best, X, Y, resampling=st.Bootstrap(1)).selectors == ("two_best",)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ([0.5, 1.0], "float64 of the shape"),
        ([8], "distinct numbers from 0 to 7"),
        ([-1], "distinct numbers from 0 to 7"),
        ([1, 1], "distinct numbers from 0 to 7"),
        (["nobody"], "'nobody', which is not among the features"),
        ([True, False], "decides on 2 columns"),
        (np.full(8, np.nan), "float64 of the shape"),
    ],
)
def test_what_a_function_must_not_return(answer, sentence):
    with pytest.raises(InputError, match=sentence):
        assess(lambda X, y: answer, FRAME, Y, resampling=st.Bootstrap(2))


@pytest.mark.parametrize(
    "splitter",
    [
        model_selection.KFold(4),
        model_selection.KFold(4, shuffle=True, random_state=3),
        model_selection.StratifiedKFold(4, shuffle=True, random_state=3),
        model_selection.ShuffleSplit(4, test_size=0.3, random_state=3),
        model_selection.RepeatedKFold(n_splits=2, n_repeats=2, random_state=3),
        model_selection.GroupKFold(4),
    ],
)
def test_a_splitter_gives_the_rows_that_it_gives_to_scikit_learn(splitter):
    groups = GROUPS if "Group" in type(splitter).__name__ else None
    result = assess(two_best, Data(X, Y, groups=groups), resampling=splitter)
    expected = [two_best(X[train], Y.to_numpy()[train]) for train, _ in splitter.split(X, Y, groups)]
    assert [set(cell.selected) for cell in result.cells] == [set(row.tolist()) for row in expected]
    assert len({cell.label for cell in result.cells}) == 4


def test_an_open_random_state_follows_the_seed_and_one_that_is_given_stays():
    def labels(splitter, seed):
        return [c.label.partition(":")[0] for c in assess(two_best, X, Y, resampling=splitter, random_state=seed).cells]

    free, fixed = model_selection.ShuffleSplit(3), model_selection.ShuffleSplit(3, random_state=1)
    assert labels(free, 0) == labels(free, 0) != labels(free, 1)
    assert labels(fixed, 0) == labels(fixed, 1)
    with pytest.raises(InputError, match="random_state of ShuffleSplit must be a whole number"):
        labels(model_selection.ShuffleSplit(3, random_state=np.random.RandomState(0)), 0)


def test_a_splitter_is_the_same_in_worker_processes_and_may_be_resumed(tmp_path):
    splitter = model_selection.ShuffleSplit(4)
    selector = SelectKBest(f_classif, k=2)
    alone = assess(selector, X, Y, resampling=splitter, out=tmp_path / "runs")
    assert (
        assess(selector, X, Y, resampling=splitter, n_jobs=2, execution={"engine": "processes"}).selections
        == alone.selections
    )
    assert assess(selector, X, Y, resampling=splitter, out=tmp_path / "runs").selections == alone.selections
    with pytest.raises(InputError, match="another resampling"):
        assess(selector, X, Y, resampling=model_selection.ShuffleSplit(4, test_size=0.3), out=tmp_path / "runs")


def test_pairs_of_rows_are_a_resampling_as_numbers_or_masks(tmp_path):
    train = np.arange(len(Y)) % 3 > 0
    pairs = [(np.flatnonzero(train), np.flatnonzero(~train)), (train, ~train)]
    result = assess(two_best, X, Y, resampling=iter(pairs), out=tmp_path / "runs")
    assert result.cells[0].selected == result.cells[1].selected
    assert result.cells[0].scores == result.cells[1].scores
    with pytest.raises(InputError, match="another resampling"):
        assess(two_best, X, Y, resampling=[pairs[0], (~train, train)], out=tmp_path / "runs")


@pytest.mark.parametrize(
    ("resampling", "sentence"),
    [
        ([([0, 1, 2], [2, 3])], "tests rows that it was trained on"),
        ([([0, 1, 500], [3])], "numbers from 0 to"),
        ([([0.5], [3])], "numbers from 0 to"),
        ([([], [3])], "no training rows"),
        ([[0, 1, 2]], "expected a pair"),
        ([], "has no runs"),
        ("bootstrp", "no resampling called 'bootstrp'"),
        (model_selection.StratifiedKFold(100), "StratifiedKFold cannot split the data"),
        (model_selection.KFold, "resampling is <class"),
    ],
)
def test_resamplings_that_cannot_be_are_one_sentence(resampling, sentence):
    with pytest.raises(InputError, match=sentence):
        assess(two_best, X, Y, resampling=resampling)


def test_a_splitter_that_breaks_groups_apart_is_refused():
    with pytest.raises(InputError, match="KFold does not keep groups together"):
        assess(two_best, Data(X, Y, groups=GROUPS), resampling=model_selection.KFold(4, shuffle=True))


def test_runs_are_paired_only_where_the_rows_are_the_same():
    rows = Rows(len(Y), Y.to_numpy())
    four, five = (as_resampling(model_selection.KFold(k)) for k in (4, 5))
    assert not {four.draw(i, rows).label for i in range(4)} & {five.draw(i, rows).label for i in range(5)}
    assert isinstance(as_resampling([(np.arange(3), np.arange(3, 6))]), Splits)


def test_a_name_is_a_resampling():
    result = assess(two_best, X, Y, resampling="kfold:n_splits=3")
    drawn = [st.KFold(3).draw(run, Rows(len(Y), Y.to_numpy())) for run in range(3)]
    assert [cell.label for cell in result.cells] == [resample.label for resample in drawn]


class AlternateBy:
    """A splitter that looks at X: rows above the median of the first column are left out, then the others."""

    def get_n_splits(self, X=None, y=None, groups=None):
        return 2

    def split(self, X, y=None, groups=None):
        high = X[:, 0] > np.median(X[:, 0])
        yield np.flatnonzero(~high), np.flatnonzero(high)
        yield np.flatnonzero(high), np.flatnonzero(~high)


def test_a_splitter_may_look_at_x():
    seen = []
    assess(lambda X, y: seen.append(X[:, 0].max()) or [0], X, Y, resampling=AlternateBy())
    assert min(seen) <= np.median(X[:, 0]) < max(seen)


class Foreign:
    """A predictor that is no estimator of scikit-learn: the most frequent class of the nearest of two means."""

    def __init__(self, shrink=0.0):
        self.shrink = shrink

    def get_params(self, deep=True):
        return {"shrink": self.shrink}

    def fit(self, X, y):
        self.means = {label: X[y == label].mean(axis=0) * (1 - self.shrink) for label in np.unique(y)}
        return self

    def predict(self, X):
        labels = np.array(list(self.means))
        distance = [((X - mean) ** 2).sum(axis=1) for mean in self.means.values()]
        return labels[np.argmin(distance, axis=0)]


def test_a_predictor_needs_no_more_than_fit_predict_and_parameters():
    result = assess(two_best, X, Y, resampling=st.KFold(3), predictor=Foreign(), scoring=["accuracy", "f1"])
    assert not any(cell.failure for cell in result.cells)
    fold = st.KFold(3).draw(0, Rows(len(Y), Y.to_numpy()))
    columns = list(result.cells[0].selected)
    model = Foreign().fit(X[np.ix_(fold.train, columns)], Y.to_numpy()[fold.train])
    right = model.predict(X[np.ix_(fold.test, columns)]) == Y.to_numpy()[fold.test]
    assert result.cells[0].scores["accuracy"] == pytest.approx(right.mean())


def test_selectors_of_one_size_share_their_baselines():
    fits = []

    class Counting(Foreign):
        def fit(self, X, y):
            fits.append(X.shape)
            return super().fit(X, y)

    selectors = {f"two {i}": two_best for i in range(4)}
    result = assess(
        selectors, X, Y, resampling=st.KFold(3), predictor=Counting(), n_jobs=1, execution={"engine": "threads"}
    )
    # A run fits one model for each selector, and once for all of them one on each draw of random features.
    assert len(fits) == 3 * (4 + RANDOM_DRAWS)
    for run in range(3):
        of_run = [cell for cell in result.cells if cell.run == run]
        assert len({tuple(cell.random.items()) for cell in of_run}) == 1
    again = assess(two_best, X + 1.0, Y, resampling=st.KFold(3), predictor=Counting(shrink=0.9))
    assert again.cells[0].random != result.cells[0].random
