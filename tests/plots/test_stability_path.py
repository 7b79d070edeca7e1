"""Stability paths: the frequencies of the fitted selector, the stable features in colour."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LassoCV

import steadyset as st


@cache
def fitted(
    base=None, d: int = 8, n: int = 60, names: tuple[str, ...] | None = None, **options
) -> st.StabilitySelection:
    random = np.random.default_rng(0)
    X = random.normal(size=(n, d))
    y = X[:, :3].sum(axis=1) + 0.5 * random.normal(size=n)
    frame = X if names is None else pd.DataFrame(X, columns=list(names))
    return st.StabilitySelection(base, n_runs=10, n_lambdas=12, random_state=0, **options).fit(frame, y)


def small() -> st.plot.Picture:
    return fitted(rule="calibrated").plot_path(top=5)


def test_lines_are_the_frequencies_of_the_selector():
    selector = fitted(rule="calibrated")
    data = selector.plot_path().data
    for name, line in data.groupby("feature"):
        f = int(name[1:])
        levels = [int(np.flatnonzero(selector.levels_ == level)[0]) for level in line["level"]]
        np.testing.assert_allclose(line["frequency"], selector.frequencies_[levels, f])
        assert (line["selected"] == selector.support_[f]).all()


def test_stable_features_come_first_and_what_is_left_out_is_said():
    selector = fitted(rule="calibrated")
    drawn = selector.plot_path(top=4)
    order = drawn.data.drop_duplicates("feature").sort_values("place")
    n_stable = int(selector.support_.sum())
    assert order["selected"].tolist() == [True] * n_stable + [False] * (4 - n_stable)
    ever = int((selector.frequencies_.max(axis=0) > 0).sum())
    assert f"4 of the {ever} features" in drawn.note


def test_the_lines_mark_threshold_and_level():
    calibrated = fitted(rule="calibrated")
    spec = str(calibrated.plot_path().specification())
    assert f"'threshold': {calibrated.threshold_}" in spec
    assert f"'level': {calibrated.result_.level}" in spec
    by_entry = fitted(q=3)
    assert by_entry.result_.level is None
    assert "first 3 features of each run" in by_entry.plot_path().note


def test_a_path_of_sizes_is_read_where_it_has_q_features():
    drawn = fitted("jmi", q=3).plot_path()
    assert drawn.data["level"].drop_duplicates().tolist()[:3] == [1, 2, 3]
    assert "Vertical line: where stable is read, 3." in drawn.note


def test_clusters_are_drawn_where_clusters_decide():
    selector = fitted(clusters=(0, 0, 1, 1, 2, 3, 4, 5), q=2)
    data = selector.plot_path().data
    assert {"x0 and 1 more", "x2 and 1 more", "x4"} >= set(data["feature"]) & {
        "x0",
        "x0 and 1 more",
        "x2",
        "x2 and 1 more",
        "x4",
    }
    stable = data.loc[data["selected"], "place"].nunique()
    assert stable == selector.result_.selected_clusters.sum()
    assert data["frequency"].max() <= 1


def test_twenty_thousand_marks_are_not_drawn():
    selector = fitted(d=400, n=60, rule="calibrated")
    assert len(selector.plot_path(top=400).data) <= 5000
    assert selector.plot_path().data["feature"].nunique() <= selector.support_.sum() + 30


def test_names_stay_text():
    names = ("<script>alert(1)</script>", "x" * 300, "\u202eabc", "a\nb", "é", "f", "g", "h")
    drawn = fitted(names=names, rule="calibrated").plot_path()
    assert set(drawn.data["feature"]) <= set(names)
    assert "<script>" not in drawn.svg()


def test_what_has_no_path_is_refused_in_one_sentence():
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 5))
    with pytest.raises(st.InputError, match="not fitted"):
        st.plot.stability_path(st.StabilitySelection())
    with pytest.raises(st.InputError, match="selector must be a fitted StabilitySelection"):
        st.plot.stability_path(X)
    whole = st.StabilitySelection(SelectFromModel(LassoCV(cv=3)), n_runs=4, random_state=0).fit(X, X[:, 0])
    with pytest.raises(st.InputError, match="has no path"):
        whole.plot_path()
