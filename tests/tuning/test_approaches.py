"""The four approaches of chapter 8, and what tuning for stability is good for on the papers' data."""

from __future__ import annotations

import functools
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

import steadyset as st
from steadyset.resampling import Bootstrap, KFold
from steadyset.selectors import L0Logistic, SparseLogistic
from steadyset.tuning.approaches import L0Paths

DATA = st.datasets.similar_features(60, 30, n_similar=4, random_state=3)
SIZES = (2, 4, 6, 8)


def test_a_model_of_the_path_is_the_fit_of_that_size():
    path = L0Logistic(8).fit(DATA.X, DATA.y)
    for size in SIZES:
        alone = L0Logistic(size).fit(DATA.X, DATA.y)
        np.testing.assert_array_equal(path.of_size(size).get_support(), alone.get_support())
        np.testing.assert_allclose(path.of_size(size).coef_, alone.coef_, atol=1e-8)
        assert path.of_size(size).intercept_ == pytest.approx(alone.intercept_, abs=1e-8)
    assert path.get_support().sum() == 8


def test_the_final_model_is_the_l0_fit_of_the_chosen_size_on_all_rows():
    found = st.approaches.adj(DATA.X, DATA.y, sizes=SIZES, random_state=1)
    alone = L0Logistic(found.params["size"]).fit(DATA.X, DATA.y)
    assert found.selected == tuple(alone.get_support(indices=True))
    assert (found.predict(DATA.X) == alone.predict(DATA.X)).all()
    assert found.tried["size"].tolist() == list(SIZES)


def test_approaches_choose_by_their_own_measure_on_the_same_folds():
    paths = L0Paths.fit(DATA.X, DATA.y, SIZES, KFold(5), None, 7)
    options = {"sizes": SIZES, "resampling": KFold(5), "random_state": 7}
    calls = {name: st.approaches.APPROACHES[name] for name in ("adj", "unadj", "acc")}
    tried = {name: call(DATA.X, DATA.y, **options).tried for name, call in calls.items()}
    for name in calls:
        np.testing.assert_allclose(tried[name]["accuracy"], paths.accuracy)
    assert (tried["adj"]["stability"] > tried["unadj"]["stability"]).any()
    assert "stability" not in tried["acc"]


def test_without_similar_features_adj_and_unadj_are_the_same():
    lonely = st.datasets.similar_features(60, 20, n_similar=0, random_state=0)
    alike = st.FeatureSimilarity.from_groups(list(range(20)))
    a = st.approaches.adj(lonely.X, lonely.y, similarity=alike, sizes=SIZES, random_state=0)
    b = st.approaches.unadj(lonely.X, lonely.y, sizes=SIZES, random_state=0)
    np.testing.assert_allclose(a.tried["stability"], b.tried["stability"], atol=1e-10)
    assert a.selected == b.selected


def test_stabs_selects_what_stability_selection_selects_with_the_chosen_limits():
    options = {"n_trials": 6, "n_runs": 20, "resampling": KFold(3), "random_state": 2}
    found = st.approaches.stabs(DATA.X, DATA.y, **options)
    assert found.tried["pfer"].between(0.1, 10).all()
    assert found.tried["threshold"].between(0.6, 0.9).all()
    best = found.tried[found.tried["accuracy"] == found.tried["accuracy"].max()]
    assert (found.params["pfer"], found.params["threshold"]) in list(zip(best["pfer"], best["threshold"], strict=True))
    assert len(found.selected) < 10
    again = st.approaches.stabs(DATA.X, DATA.y, n_jobs=2, **options)
    assert again.selected == found.selected


def test_nested_evaluation_never_shows_the_left_out_rows_to_an_approach(monkeypatch):
    seen = []

    @functools.wraps(st.approaches.acc)
    def spy(X, y, **options):
        seen.append(X)
        return st.approaches.acc(X, y, **options)

    monkeypatch.setitem(st.approaches.APPROACHES, "acc", spy)
    outer = KFold(3, random_state=0)
    table = st.approaches.nested_evaluation(
        DATA.X, DATA.y, approaches=["acc"], outer=outer, options={"sizes": SIZES, "resampling": KFold(3)}
    )
    assert len(table) == 3
    for X, (train, _) in zip(seen, outer.split(DATA.X, DATA.y), strict=True):
        np.testing.assert_array_equal(X, DATA.X[train])
    with pytest.raises(st.InputError, match="'luck'"):
        st.approaches.nested_evaluation(DATA.X, DATA.y, approaches=["luck"])
    with pytest.raises(st.InputError, match="'size', which none of acc, stabs takes"):
        st.approaches.nested_evaluation(DATA.X, DATA.y, approaches=["acc", "stabs"], options={"size": 3})


def test_an_approach_that_fails_on_one_outer_resample_is_told_and_the_others_count(monkeypatch):
    calls = []

    @functools.wraps(st.approaches.acc)
    def fragile(X, y, **options):
        calls.append(len(y))
        if len(calls) == 2:
            raise ValueError("a singular matrix")
        warnings.warn("slow to converge", ConvergenceWarning, stacklevel=1)
        return st.approaches.acc(X, y, **options)

    monkeypatch.setitem(st.approaches.APPROACHES, "acc", fragile)
    options = {"sizes": SIZES, "resampling": KFold(3)}
    table = st.approaches.nested_evaluation(DATA.X, DATA.y, approaches=["acc"], outer=KFold(3), options=options)
    assert table["failure"].tolist() == ["", "ValueError: a singular matrix", ""]
    assert table["accuracy"].isna().tolist() == [False, True, False]
    assert table["warning"].tolist() == [
        "ConvergenceWarning: slow to converge",
        "",
        "ConvergenceWarning: slow to converge",
    ]


def test_an_approach_that_fails_on_every_outer_resample_is_refused():
    with pytest.raises(st.InputError, match="'acc' failed in every run: sizes must hold numbers of features from 1"):
        st.approaches.nested_evaluation(DATA.X, DATA.y, approaches=["acc"], outer=KFold(3), options={"sizes": [999]})


def test_what_the_fits_of_an_approach_warn_of_is_heard_and_kept(monkeypatch):
    fit = L0Logistic.fit

    def loud(self, X, y, sample_weight=None):
        warnings.warn(f"{len(y)} rows", ConvergenceWarning, stacklevel=1)
        return fit(self, X, y, sample_weight)

    monkeypatch.setattr(L0Logistic, "fit", loud)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = st.approaches.acc(DATA.X, DATA.y, sizes=SIZES, resampling=KFold(3))
    assert found.warnings == ("ConvergenceWarning: 40 rows", "ConvergenceWarning: 60 rows")


def test_options_go_to_the_approaches_that_take_them():
    options = {"sizes": SIZES, "n_trials": 2, "n_runs": 4, "resampling": KFold(3)}
    table = st.approaches.nested_evaluation(
        DATA.X, DATA.y, approaches=["acc", "stabs"], outer=KFold(2), options=options
    )
    assert table["approach"].tolist() == ["acc", "stabs"] * 2


def test_columns_of_a_frame_are_found_by_name():
    names = [f"gene {f}" for f in range(30)]
    frame = pd.DataFrame(DATA.X, columns=names)
    found = st.approaches.acc(frame, DATA.y, sizes=SIZES)
    assert found.selected_names == tuple(names[f] for f in found.selected)
    np.testing.assert_array_equal(found.predict(frame[names[::-1]]), found.predict(DATA.X))
    with pytest.raises(st.InputError, match="no column 'gene 3'"):
        found.predict(frame.drop(columns="gene 3"))
    with pytest.raises(st.InputError, match="expected 30 features"):
        found.predict(DATA.X[:, :29])


@pytest.mark.slow  # buys: the finding of chapter 8, on fewer repeats and sizes
def test_adjusted_stability_removes_false_positives_at_equal_accuracy():
    sizes, false, hits = range(2, 21, 2), {"adj": [], "acc": []}, {"adj": [], "acc": []}
    for repeat in range(100, 107):
        train = st.datasets.similar_features(random_state=repeat)
        test = st.datasets.similar_features(2000, random_state=1000 + repeat)
        for name in false:
            found = st.approaches.APPROACHES[name](train.X, train.y, sizes=sizes, random_state=repeat, n_jobs=2)
            false[name].append(train.false_selections(found.selected).positives)
            hits[name].append(np.mean(found.predict(test.X) == test.y))
    assert np.mean(false["adj"]) < 0.7 * np.mean(false["acc"])
    assert np.mean(hits["adj"]) > np.mean(hits["acc"]) - 0.02


@pytest.mark.slow  # buys: table 6.4 of Nogueira (2018) for high redundancy, on its rows and features
def test_tuning_for_stability_too_removes_the_false_positives_of_the_likeliest_lasso_at_equal_error():
    space = {"model": {"lasso": {"penalty": np.geomspace(0.005, 0.1, 8).tolist()}}}
    rules = ("best", "weighted:1", "knee")  # the likeliest, the steadiest (as in the table), and a compromise
    false, errors = dict.fromkeys(rules, 0), {rule: [] for rule in rules}
    for seed in range(300, 304):
        data = st.datasets.redundant_features(2000, 100, rho=0.8, random_state=seed)
        result = st.tune(
            space,
            data.X[:1000],
            data.y[:1000],
            objectives=("log_likelihood", "error", "stability", "n_features"),
            sampler="grid",
            resampling=Bootstrap(12),
            n_jobs=2,
        )
        for rule in rules:
            number = result.choose(rule)
            final = SparseLogistic(result.estimator(number).model.penalty).fit(data.X[1000:], data.y[1000:])
            false[rule] += int(final.get_support()[50:].sum())
            errors[rule].append(result.frame.loc[number, "error"])
    assert false["best"] >= 8
    for rule in rules[1:]:
        assert false[rule] <= false["best"] / 10
        assert np.mean(errors[rule]) <= np.mean(errors["best"]) + 0.005
