"""Every function that takes data uses each of its fields, or refuses it with a sentence: none is ignored.

Features g0 to g2 follow a batch, and the classes are unequal in the batches; g3 and g4 follow the class. Rows come
in groups of four copies with a little noise, of which each has one class.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

import steadyset as st
from steadyset.foundation.errors import InputError

QUIET = {"progress": False}
BATCH = {f"g{f}" for f in range(3)}
SPACE = {"filter": ["anova"], "fraction": [0.2], "model": {"knn": {}}}


def confounded(seed=1, n=80, d=20):
    random = np.random.default_rng(seed)
    batch = np.arange(n) % 2
    y = (random.random(n) < np.where(batch, 0.8, 0.2)).astype(int)
    X = random.normal(size=(n, d))
    X[:, :3] += 3 * batch[:, None]
    X[:, 3:5] += 2 * y[:, None]
    return pd.DataFrame(X, columns=[f"g{f}" for f in range(d)]), y, batch


def copied(seed=1, n_groups=16, copies=4, d=20):
    random = np.random.default_rng(seed)
    X = np.repeat(random.normal(size=(n_groups, d)), copies, axis=0)
    X += 0.01 * random.normal(size=X.shape)
    return X, np.repeat(np.arange(n_groups) % 2, copies), np.repeat(np.arange(n_groups), copies)


def assessed(data):
    return st.assess("anova:k=5", data, resampling=st.Bootstrap(12), execution=QUIET)


def listed(data):
    return st.shortlist(data, bases=["filter"], permutations=20, splits=10, outer=0, execution=QUIET)


def replicated(data):
    return st.replication("anova:k=3", data, pairs=10, execution=QUIET)


def split(data):
    return st.variance_split("anova:k=5", data, resampling=st.Bootstrap(12), execution=QUIET)


def tuned(data):
    return st.tune(SPACE, data, resampling=st.KFold(4), search={"sampler": "grid"}, execution=QUIET)


def compared(data):
    X, y, batch = confounded(2)
    other = st.Data(X, y, strata=batch if data.strata is not None else None)
    return st.compare_studies("anova:k=5", {"A": data, "B": other}, pairs=10, execution=QUIET)


def often(assessment):
    selections = next(iter(assessment.selections.values()))
    frequent = np.flatnonzero(selections.frequencies > 0.5)
    return {selections.features[f] for f in frequent}


SELECTED = {  # the features that a result selects, or that come back
    assessed: often,
    listed: lambda found: set(found.selected),
    replicated: lambda found: set(found.features["feature"]),
    split: lambda found: often(found.runs),
    tuned: lambda found: set(found.features(0).query("frequency > 0.5")["feature"]),
    compared: lambda found: set(found.features.query("comes_back")["feature"]),
}
# Those of many runs cost seconds.
FUNCTIONS = [
    pytest.param(function, marks=pytest.mark.slow) if function in (replicated, compared) else function
    for function in SELECTED
]
ADJUSTED = {  # by field, the functions that use it so that a batch is no effect any more
    "strata": (listed, compared),
    "block": (assessed, listed, replicated, split, tuned),
    "force": (assessed, listed, replicated, split, tuned),
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_features_of_a_batch_are_selected_where_nobody_names_the_batch(function):
    X, y, _ = confounded()
    assert SELECTED[function](function(st.Data(X, y))) & BATCH


@pytest.mark.parametrize("field", ADJUSTED)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_batch_is_adjusted_for_or_its_field_refused(function, field):
    X, y, batch = confounded()
    data = st.Data(X, y, **{field: {"batch": batch.astype(float)} if field == "force" else batch})
    if function in ADJUSTED[field]:
        found = SELECTED[function](function(data))
        assert not found & BATCH
        assert found & {"g3", "g4"}
    else:
        with pytest.raises(InputError, match=field):
            function(data)


def accuracy(found):
    return found.summary()["accuracy"].iloc[0]


def test_groups_stay_together_in_an_assessment():
    """Copies of a row in the training rows give the class of a row away, though no feature has an effect."""
    X, y, groups = copied()
    options = {
        "resampling": st.KFold(4, stratified=False),
        "predictor": KNeighborsClassifier(1),
        "execution": QUIET,
    }
    alone = st.assess("anova:k=20", X, y, **options)
    together = st.assess("anova:k=20", st.Data(X, y, groups=groups), **options)
    assert accuracy(alone) == 1.0
    assert accuracy(together) < 0.85


def test_groups_stay_together_in_a_tuning():
    X, y, groups = copied()
    options = {"search": {"sampler": "grid"}, "execution": QUIET}
    splits = st.KFold(4, stratified=False)
    alone = st.tune(SPACE, X, y, resampling=splits, **options)
    together = st.tune(SPACE, st.Data(X, y, groups=groups), resampling=splits, **options)
    assert alone.frame["accuracy"].iloc[0] > together.frame["accuracy"].iloc[0] + 0.1


def test_groups_are_drawn_whole_where_reruns_are_split():
    """Of sixteen units fewer are in a bootstrap than of 64 rows: reruns differ more."""
    X, y, groups = copied()
    assert split(st.Data(X, y, groups=groups)).sources.disagreement > split(st.Data(X, y)).sources.disagreement


def test_groups_exchange_their_targets_together_in_a_shortlist():
    X, y, groups = copied()
    assert len(listed(st.Data(X, y)).selected) > len(listed(st.Data(X, y, groups=groups)).selected)


@pytest.mark.slow  # buys: two comparisons of studies
def test_groups_count_once_where_studies_are_compared():
    p_values = []
    for grouped in (False, True):
        studies = {}
        for seed, name in enumerate("AB", 1):
            X, y, groups = copied(seed)
            X[:, 0] += 1.5 * y
            studies[name] = st.Data(X, y, groups=groups if grouped else None)
        found = st.compare_studies("anova:k=5", studies, pairs=10, execution=QUIET)
        p_values.append(found.features["p_value"].min())
    assert p_values[0] < p_values[1]


def test_groups_are_refused_by_a_replication():
    X, y, groups = copied()
    with pytest.raises(InputError, match="groups of rows"):
        replicated(st.Data(X, y, groups=groups))


@pytest.mark.parametrize("function", [one for one in SELECTED if one is not assessed])
def test_weights_of_rows_are_for_an_assessment_alone(function):
    X, y, batch = confounded()
    with pytest.raises(InputError, match=r"sample_weight.*assess takes it"):
        function(st.Data(X, y, sample_weight=1 + batch))


def test_rows_of_a_batch_that_count_by_their_number_leave_it_without_effect():
    """Each class of a batch gets the same weight in all, so that the batch says nothing of the class any more."""
    X, y, batch = confounded()
    cell = 2 * batch + y
    found = often(assessed(st.Data(X, y, sample_weight=1 / np.bincount(cell)[cell])))
    assert found >= {"g3", "g4"}
    assert len(found & BATCH) < len(often(assessed(st.Data(X, y))) & BATCH)
