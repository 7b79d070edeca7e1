"""Arrays, frames, missing values and huge numbers where a word, a flag, a number or a list is meant: one sentence."""

import numpy as np
import pandas as pd
import pytest
from tests.records import call

import steadyset as st

RUNS = st.Selections.from_sets([["a", "b"], ["a", "c"], ["b"]], features=list("abcd"))
X = np.random.default_rng(0).normal(size=(24, 5))
Y = (X[:, 0] > 0).astype(int)
PAIR, NOTHING, HUGE, NO_AXIS = np.array(["a", "b"]), pd.NA, 10**30, np.array(1.0)
FRAME = pd.DataFrame({"a": [1, 2], "b": ["x", None]})
PLACES = [PAIR, NOTHING, FRAME, NO_AXIS, np.zeros((2, 2))]


def _assess(**options):
    return call(st.assess, ["anova:k=2"], X, Y, resampling=st.KFold(3), **options)


def _tune(**options):
    return call(st.tune, {"filter": ["anova"]}, X, Y, n_trials=1, resampling=st.KFold(2), **options)


def _split(resampling, **given):
    return list(resampling.split(X, **{"y": Y, **given}))


def _fit(name, **options):
    return getattr(st.selectors, name)(**options).fit(X, Y)


WORDS_AND_FLAGS = {
    "aggregate method": (lambda v: st.aggregate(RUNS, v), "method must be one of threshold,"),
    "transpose": (lambda v: st.Selections.from_matrix(np.eye(3), transpose=v), "transpose must be True, False or None"),
    "layout": (lambda v: RUNS.write("runs.csv", layout=v), "layout must be one of wide, long, None"),
    "frame layout": (lambda v: RUNS.to_frame(layout=v), "layout must be one of wide, long"),
    "diagonal": (lambda v: st.FeatureSimilarity.from_matrix(np.eye(3), diagonal=v), "diagonal must be one of check,"),
    "similarity method": (lambda v: st.FeatureSimilarity.from_data(X, method=v), "method must be one of pearson,"),
    "impute": (lambda v: _assess(impute=v), "impute must be one of median, leave, None"),
    "on_warning": (lambda v: _assess(on_warning=v), "on_warning must be one of record, fail"),
    "n_runs": (lambda v: _assess(n_runs=v), 'n_runs must be a whole number or "auto"'),
    "progress": (lambda v: _assess(progress=v), "progress must be True, False, None or a function of (done, total)"),
    "progress of tune": (
        lambda v: _tune(progress=v),
        "progress must be True, False, None or a function of (done, total)",
    ),
    "n_trials": (lambda v: st.tune(None, X, Y, n_trials=v), "n_trials must be a whole number"),
    "sampler": (lambda v: _tune(sampler=v), "sampler must be one of random,"),
    "similarity of tune": (lambda v: _tune(similarity=v), "similarity "),
    "standardise": (lambda v: _fit("ElasticNetSelector", standardise=v), "standardise must be True or False"),
    "max_features": (lambda v: _fit("ForestSelector", max_features=v), "max_features must be sqrt, log2,"),
    "rule": (lambda v: _fit("StabilitySelection", rule=v), "rule must be the name of a rule"),
    "base": (lambda v: _fit("StabilitySelection", base=v), "base must be a selector, its name or None"),
    "random_state": (lambda v: _fit("StabilitySelection", random_state=v, n_runs=4), "random_state must be"),
}


@pytest.mark.parametrize("name", WORDS_AND_FLAGS)
def test_things_of_many_values_where_one_is_meant_are_refused(name):
    call, beginning = WORDS_AND_FLAGS[name]
    for value in PLACES:
        _refused(lambda call=call, value=value: call(value), beginning)


OTHERS = [
    (lambda: _fit("ElasticNetSelector", n_lambdas=HUGE), "n_lambdas must be a whole number from 1 to 100,000"),
    (lambda: _fit("StabilitySelection", n_lambdas=HUGE), "n_lambdas must be a whole number from 2 to 100,000"),
    (lambda: st.selectors.elastic_net_path(X, Y, n_lambdas=HUGE), "n_lambdas must be a whole number from 1 to 100,000"),
    (lambda: _fit("BoostingSelector", n_steps=HUGE), "n_steps must be a whole number from 1 to 1,000,000"),
    (lambda: st.tune(None, X, Y, n_trials=HUGE), "n_trials must be a whole number from 1 to 1,000,000"),
    (lambda: _fit("GroupLassoSelector", groups=[[], [1]]), "groups holds lists of different lengths"),
    (lambda: _fit("GroupLassoSelector", groups=[1, "a", 2, 3, 4]), "groups mixes text and numbers"),
    (lambda: _fit("GroupLassoSelector", groups=[1, None, 2, 3, 4]), "groups has missing values; drop those features"),
    (lambda: st.selectors.ElasticNetSelector().fit(X, [[], [1]]), "y holds lists of different lengths"),
    (lambda: RUNS.take(None), "runs must be run numbers from 0 to 2"),
    (lambda: RUNS.take([[], [1]]), "runs must be run numbers from 0 to 2"),
    (lambda: RUNS.take(()), "runs chooses none of the runs"),
    (lambda: RUNS.with_weights(NO_AXIS), "rows must hold one list"),
    (lambda: st.Selections.from_sets(NO_AXIS, n_features=3), "sets must be a collection of runs"),
    (lambda: st.Selections.from_sets([NO_AXIS], n_features=3), "Run 1 is array(1.)"),
    (lambda: st.FeatureSimilarity.from_groups(NO_AXIS), "groups must be one label per feature"),
    (lambda: _split(st.Bootstrap(2), groups=[None, 1] * 12), "groups has missing values"),
    (lambda: _split(st.Subsample(2), groups=FRAME), "groups has the shape (2, 2)"),
    (lambda: _split(st.KFold(2), groups=["a", 1] * 12), "groups mixes text and numbers"),
    (lambda: _split(st.KFold(2, stratified=True), y=["a", 1] * 12), "y mixes text and numbers"),
    (lambda: _split(st.Subsample(2, stratified=True), y=X), "y has the shape (24, 5)"),
    (lambda: _tune(objectives="accuracy"), "objectives must be a sequence of names"),
    (lambda: _tune(objectives=[[]]), "objectives must be a sequence of names"),
    (lambda: st.Assessment.open("\n"), r"path must be the name of a file (got '\n')"),
    (lambda: st.Selections.read("a\nb.csv"), r"path must be the name of a file (got 'a\nb.csv')"),
    (lambda: _assess(scoring=False), "scoring must be a score, several or a mapping of them, or [] for none"),
    (lambda: _assess(progress=len), "progress must be True, False, None or a function of (done, total)"),
    (
        lambda: st.plot.selection_frequencies({"a": 3}),
        "selections must be Selections, or an array or a table with one row per run",
    ),
]


@pytest.mark.parametrize(("call", "beginning"), OTHERS)
def test_what_no_argument_can_be_is_one_sentence(call, beginning):
    _refused(call, beginning)


def test_masked_labels_are_groups_of_their_own_like_other_missing_ones():
    masked = np.ma.masked_array([1, 1, 1], mask=[False, True, False])
    missing = st.FeatureSimilarity.from_groups([1, None, 1])
    assert np.array_equal(
        st.FeatureSimilarity.from_groups(masked).block(range(3), range(3)), missing.block(range(3), range(3))
    )


def test_a_tuple_of_run_numbers_is_a_list_of_them():
    assert RUNS.take((0, 2)).sets() == RUNS.take([0, 2]).sets()


def _refused(call, beginning):
    with pytest.raises(st.InputError) as told:
        call()
    assert str(told.value).startswith(beginning)
    assert "\n" not in str(told.value)
