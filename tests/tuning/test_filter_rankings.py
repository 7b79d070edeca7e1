"""Rankings by filters stay in the folder of a tuning."""

import numpy as np
import pytest

import steadyset as st
from steadyset.resampling import KFold
from steadyset.selectors.filters import Filter, registry
from steadyset.tuning import filter_rankings

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 12)), np.arange(40) % 2
SPACE = {"filter": ["jmi", "anova"], "fraction": [0.25, 0.5], "model": {"knn": {}}}


@pytest.fixture
def ranked(monkeypatch):
    """The names of the filters that were asked to rank, in order."""
    names = []

    def top_features(name, *args, **kwargs):
        names.append(name)
        return real(name, *args, **kwargs)

    real = filter_rankings.top_features
    monkeypatch.setattr(filter_rankings, "top_features", top_features)
    return names


def tuned(out, n_trials=4, **options):
    return st.tune(SPACE, X, Y, sampler="grid", n_trials=n_trials, resampling=KFold(4), out=out, **options)


def without_seconds(result):
    return result.frame.drop(columns=[name for name in result.frame if "seconds" in name])


def test_a_filter_ranks_each_resample_once_for_all_configurations(ranked):
    space = {"filter": ["anova", "mim"], "fraction": [0.25, 0.5, 0.75], "model": {"knn": {}}}
    result = st.tune(space, X, Y, sampler="grid", resampling=KFold(4))
    assert sorted(ranked) == ["anova", "mim"]
    assert len(result.frame) == 6


def test_a_tuning_that_goes_on_ranks_no_filter_again(tmp_path, ranked):
    tuned(tmp_path / "first", n_trials=3)
    known = list(ranked)
    resumed = tuned(tmp_path / "first")
    assert set(ranked[len(known) :]).isdisjoint(known)
    assert without_seconds(resumed).equals(without_seconds(tuned(tmp_path / "whole")))


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 damaged", None])
def test_a_damaged_ranking_is_made_again(tmp_path, ranked, content):
    whole = tuned(tmp_path / "study")
    (tmp_path / "study" / "trials.db").unlink()
    for path in (tmp_path / "study" / "rankings").iterdir():
        if content is None:  # a ranking of features that there are not
            np.savez(path, order=np.full((4, 6), 99, np.int32), seconds=np.float64(0))
        else:
            path.write_bytes(content)
    ranked.clear()
    again = tuned(tmp_path / "study")
    assert set(ranked) == {"jmi", "anova"}
    assert without_seconds(again).equals(without_seconds(whole))


def test_other_data_and_other_resamples_have_their_own_rankings(tmp_path, ranked):
    tuned(tmp_path / "study")
    first = set((tmp_path / "study" / "rankings").iterdir())
    (tmp_path / "study" / "trials.db").unlink()
    ranked.clear()
    st.tune(SPACE, X + 1, Y, sampler="grid", n_trials=4, resampling=KFold(4), out=tmp_path / "study")
    (tmp_path / "study" / "trials.db").unlink()
    st.tune(SPACE, X, Y, sampler="grid", n_trials=4, resampling=KFold(5), out=tmp_path / "study")
    assert sorted(ranked) == ["anova", "anova", "jmi", "jmi"]
    assert len(set((tmp_path / "study" / "rankings").iterdir()) - first) == 4


def test_a_filter_of_ones_own_which_may_have_changed_ranks_again(tmp_path, ranked, monkeypatch):
    own = Filter(name="own", score=lambda X, y: X.var(axis=0), weights=False, reference="")
    monkeypatch.setitem(registry._filters, "own", own)
    space = {"filter": ["own", "anova"], "fraction": [0.5], "model": {"knn": {}}}
    for _ in range(2):
        st.tune(space, X, Y, sampler="grid", resampling=KFold(4), out=tmp_path / "study")
        (tmp_path / "study" / "trials.db").unlink()
    assert sorted(ranked) == ["anova", "own", "own"]
