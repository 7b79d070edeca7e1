"""Rankings by filters stay in the folder of a tuning."""

import errno
import threading

import numpy as np
import pytest

import steadyset as st
from steadyset.assessment.request import make_plan
from steadyset.assessment.written import write_json
from steadyset.foundation.errors import InputError
from steadyset.resampling import KFold
from steadyset.selectors.filters import Filter
from steadyset.tuning import evaluation

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 12)), np.arange(40) % 2
SPACE = {"filter": ["jmi", "anova"], "fraction": [0.25, 0.5], "model": {"knn": {}}}


@pytest.fixture
def ranked(monkeypatch):
    """The names of the filters that were asked to rank, in order."""
    names = []

    def noted(name, *args, **kwargs):
        names.append(name)
        return real(name, *args, **kwargs)

    real = evaluation.ranked
    monkeypatch.setattr(evaluation, "ranked", noted)
    return names


def tuned(out, n_trials=4, **options):
    return st.tune(
        SPACE, X, Y, n_trials=n_trials, resampling=KFold(4), out=out, search=st.SearchOptions(sampler="grid"), **options
    )


def without_seconds(result):
    return result.frame.drop(columns=[name for name in result.frame if "seconds" in name])


def test_a_filter_ranks_each_resample_once_for_all_configurations(ranked):
    space = {"filter": ["anova", "mim"], "fraction": [0.25, 0.5, 0.75], "model": {"knn": {}}}
    result = st.tune(space, X, Y, resampling=KFold(4), search=st.SearchOptions(sampler="grid"))
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
            path.write_bytes(write_json({"order": [[99] * 6] * 4, "seconds": 0.0}))
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
    st.tune(
        SPACE,
        X + 1,
        Y,
        n_trials=4,
        resampling=KFold(4),
        out=tmp_path / "study",
        search=st.SearchOptions(sampler="grid"),
    )
    (tmp_path / "study" / "trials.db").unlink()
    st.tune(
        SPACE, X, Y, n_trials=4, resampling=KFold(5), out=tmp_path / "study", search=st.SearchOptions(sampler="grid")
    )
    assert sorted(ranked) == ["anova", "anova", "jmi", "jmi"]
    assert len(set((tmp_path / "study" / "rankings").iterdir()) - first) == 4


def test_a_filter_of_ones_own_which_may_have_changed_ranks_again(tmp_path, ranked, monkeypatch):
    own = Filter(name="own", score=lambda X, y: X.var(axis=0), weights=False, reference="")
    st.register_filter(own)
    space = {"filter": ["own", "anova"], "fraction": [0.5], "model": {"knn": {}}}
    for _ in range(2):
        st.tune(space, X, Y, resampling=KFold(4), out=tmp_path / "study", search=st.SearchOptions(sampler="grid"))
        (tmp_path / "study" / "trials.db").unlink()
    assert sorted(ranked) == ["anova", "own", "own"]


def test_another_version_ranks_again(tmp_path, ranked, monkeypatch):
    tuned(tmp_path / "study")
    (tmp_path / "study" / "trials.db").unlink()
    monkeypatch.setattr(evaluation, "__version__", "999.0")
    ranked.clear()
    tuned(tmp_path / "study")
    assert set(ranked) == {"jmi", "anova"}


@pytest.fixture
def store(tmp_path):
    plan, _ = make_plan(X, Y, resampling=KFold(3), random_state=0)
    return evaluation.Rankings(plan, plan.resamples(), folder=tmp_path)


ORDER = np.array([[3, 1], [0, 11], [5, 2]])


def test_no_flipped_bit_of_a_ranking_is_taken_for_another_ranking(store):
    store.write(store.folder, "jmi", ORDER, 0.5)
    (path,) = (store.folder / "rankings").iterdir()
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        for order, seconds in store.read(store.folder, "jmi").values():
            assert order.tolist() == ORDER.tolist()
            assert seconds == 0.5


@pytest.mark.parametrize(
    "content",
    [
        {"order": ORDER.tolist(), "seconds": [1.0, 2.0]},
        {"order": ORDER.tolist(), "seconds": "soon"},
        {"order": ORDER.tolist()},
        {"order": [1, 2], "seconds": 1.0},
        {"order": [[0.5, 1.0]] * 3, "seconds": 1.0},
        {"order": [[1], [1, 2], [3, 4]], "seconds": 1.0},
        {"order": ORDER[:2].tolist(), "seconds": 1.0},
        {"order": [[3, 3], [0, 1], [5, 2]], "seconds": 1.0},
        {"order": (-ORDER).tolist(), "seconds": 1.0},
    ],
)
def test_a_file_that_holds_something_else_is_no_ranking(store, content):
    store.write(store.folder, "jmi", ORDER, 0.5)
    (path,) = (store.folder / "rankings").iterdir()
    path.write_bytes(write_json(content))
    assert store.read(store.folder, "jmi") == {}


def test_a_full_disk_is_a_sentence_and_what_is_finished_stays(tmp_path, ranked, monkeypatch):
    def full(folder, name, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as there:
        there.setattr(evaluation.beneath, "write", full)
        with pytest.raises(InputError, match="is full; what was finished is kept, so make room and resume"):
            tuned(tmp_path / "study")
    assert without_seconds(tuned(tmp_path / "study")).equals(without_seconds(tuned(tmp_path / "whole")))


def test_two_that_rank_at_once_leave_one_whole_ranking(store):
    orders = [np.stack([RNG.permutation(12) for _ in range(3)]) for _ in range(2)]
    seen, at_once = [], threading.Barrier(3)

    def write(order):
        at_once.wait()
        for _ in range(20):
            store.write(store.folder, "jmi", order, 1.0)

    writers = [threading.Thread(target=write, args=(order,)) for order in orders]
    for writer in writers:
        writer.start()
    at_once.wait()
    while any(writer.is_alive() for writer in writers):
        seen += [order.tolist() for order, _ in store.read(store.folder, "jmi").values()]
    for writer in writers:
        writer.join()
    left = [order.tolist() for order, _ in store.read(store.folder, "jmi").values()]
    assert left
    assert all(order in [one.tolist() for one in orders] for order in seen + left)
    assert len(list((store.folder / "rankings").iterdir())) == 1
