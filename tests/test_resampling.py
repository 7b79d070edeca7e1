"""Resampling: every run is a function of the seed and its number, and has the rows that its method promises."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

from steadyset.foundation.errors import InputError
from steadyset.resampling import (
    RESAMPLINGS,
    Bootstrap,
    Chunks,
    ComplementaryPairs,
    FixedOverlap,
    KFold,
    LeaveOut,
    NoiseInjection,
    Rows,
    Subsample,
)

N = 40
Y = np.array([0] * 28 + [1] * 12)
ROWS = Rows(N, Y)
EVERY = [
    Bootstrap(6),
    Bootstrap(6, stratified=True),
    Bootstrap(6, balanced=True),
    Subsample(6, fraction=0.3),
    Subsample(6, stratified=True),
    ComplementaryPairs(6),
    ComplementaryPairs(6, stratified=True),
    KFold(5, repeats=2),
    KFold(5, stratified=True),
    Chunks(4),
    FixedOverlap(6, overlap=0.4),
    NoiseInjection(3),
    LeaveOut(7),
]
EVERY += [kind() for kind in RESAMPLINGS.values() if kind not in map(type, EVERY)]  # new ones, as they are by default


@pytest.mark.parametrize("resampling", EVERY, ids=repr)
def test_a_run_is_the_same_whatever_was_drawn_before(resampling):
    runs = range(resampling.n_runs_for(ROWS))
    forward = [clone(resampling).draw(i, ROWS, 3) for i in runs]
    backward = [clone(resampling).draw(i, ROWS, 3) for i in reversed(runs)][::-1]
    for a, b in zip(forward, backward, strict=True):
        assert a.label == b.label
        assert np.array_equal(a.train, b.train)
        assert np.array_equal(a.test, b.test)


@pytest.mark.parametrize("resampling", EVERY, ids=repr)
def test_no_test_row_is_a_training_row_and_labels_are_distinct(resampling):
    resamples = [resampling.draw(i, ROWS, 1) for i in range(resampling.n_runs_for(ROWS))]
    assert len({r.label for r in resamples}) == len(resamples)
    for r in resamples:
        assert not set(r.train) & set(r.test)
        assert set(r.train) | set(r.test) == set(range(N))
        assert r.weights(N).sum() == len(r.train)


@pytest.mark.parametrize("resampling", [r for r in EVERY if not isinstance(r, LeaveOut)], ids=repr)
def test_other_seeds_draw_other_rows(resampling):
    a, b = resampling.draw(0, ROWS, 0), resampling.draw(0, ROWS, 1)
    if isinstance(resampling, NoiseInjection):
        assert a.noise.seed != b.noise.seed
    else:
        assert not np.array_equal(a.train, b.train)


GROUPED = Rows(N, Y, np.repeat(np.arange(10), 4))


@pytest.mark.parametrize(
    ("one", "other", "rows", "other_rows"),
    [
        (KFold(5), KFold(10), ROWS, ROWS),
        (KFold(5), KFold(5, stratified=True), ROWS, ROWS),
        (KFold(5), KFold(5), ROWS, GROUPED),
        (Subsample(6, fraction=0.5), Subsample(6, fraction=0.8), ROWS, ROWS),
        (Subsample(6), Subsample(6, stratified=True), ROWS, ROWS),
        (Subsample(6), Subsample(6), ROWS, GROUPED),
        (Bootstrap(6), Bootstrap(6), ROWS, Rows(N - 1)),
        (Bootstrap(6), Bootstrap(6), ROWS, GROUPED),
        (Bootstrap(6), Bootstrap(6, stratified=True), ROWS, ROWS),
        (Bootstrap(6, balanced=True), Bootstrap(8, balanced=True), ROWS, ROWS),
        (ComplementaryPairs(6), ComplementaryPairs(6, stratified=True), ROWS, ROWS),
        (Chunks(4), Chunks(5), ROWS, ROWS),
        (FixedOverlap(6, overlap=0.2), FixedOverlap(6, overlap=0.8), ROWS, ROWS),
        (NoiseInjection(6, level=0.1), NoiseInjection(6, level=0.2), ROWS, ROWS),
        (NoiseInjection(6), NoiseInjection(6, target="labels"), ROWS, ROWS),
        (LeaveOut(1), LeaveOut(2), ROWS, ROWS),
    ],
    ids=repr,
)
def test_labels_tell_resamplings_apart_so_that_other_rows_are_never_paired(one, other, rows, other_rows):
    labels = [
        {resampling.draw(i, some, 3).label for i in range(resampling.n_runs_for(some))}
        for resampling, some in ((one, rows), (other, other_rows))
    ]
    assert not labels[0] & labels[1]


def test_more_runs_keep_the_labels_of_the_first():
    few, many = ([kind(n).draw(i, ROWS, 3).label for i in range(4)] for n in (4, 40) for kind in (Bootstrap,))
    assert few == many


def test_a_bootstrap_leaves_out_about_37_percent():
    shares = [len(Bootstrap(50).draw(i, Rows(2000)).test) / 2000 for i in range(50)]
    assert np.mean(shares) == pytest.approx(np.exp(-1), abs=0.01)


def test_a_stratified_bootstrap_keeps_the_class_sizes():
    for i in range(6):
        assert np.bincount(Y[Bootstrap(stratified=True).draw(i, ROWS).train]).tolist() == [28, 12]


def test_a_balanced_bootstrap_uses_every_row_equally_often():
    weights = sum(Bootstrap(9, balanced=True).draw(i, ROWS).weights(N) for i in range(9))
    assert np.all(weights == 9)


def test_groups_stay_together():
    groups = np.repeat(np.arange(10), 4)
    rows = Rows(N, Y, groups)
    for resampling in (Bootstrap(5), Subsample(5), KFold(5)):
        for i in range(5):
            resample = resampling.draw(i, rows)
            assert not set(groups[resample.train]) & set(groups[resample.test])
    weights = Bootstrap(5).draw(0, rows).weights(N).reshape(10, 4)
    assert np.all(weights == weights[:, :1])


def test_complementary_pairs_are_disjoint_halves():
    pair = [ComplementaryPairs(2).draw(i, Rows(41)) for i in (0, 1)]
    assert [len(r.train) for r in pair] == [20, 20]
    assert not set(pair[0].train) & set(pair[1].train)


def test_stratified_complementary_pairs_halve_each_class():
    pair = [ComplementaryPairs(2, stratified=True).draw(i, ROWS) for i in (0, 1)]
    assert [tuple(np.bincount(Y[r.train])) for r in pair] == [(14, 6), (14, 6)]
    assert not set(pair[0].train) & set(pair[1].train)


def test_folds_are_left_out_once_each_and_classes_are_spread():
    rows = [KFold(4, stratified=True).draw(i, ROWS) for i in range(4)]
    assert sorted(np.concatenate([r.test for r in rows])) == list(range(N))
    assert {tuple(np.bincount(Y[r.test])) for r in rows} == {(7, 3)}


def test_chunks_share_no_row():
    rows = np.concatenate([Chunks(4).draw(i, ROWS).train for i in range(4)])
    assert sorted(rows) == list(range(N))


@pytest.mark.parametrize("overlap", [0.0, 0.25, 0.5, 0.9])
def test_partners_share_the_chosen_part_and_cover_the_data(overlap):
    a, b = (FixedOverlap(2, overlap=overlap).draw(i, Rows(1000)) for i in (0, 1))
    assert len(a.train) == len(b.train)
    assert set(a.train) | set(b.train) == set(range(1000))
    assert len(set(a.train) & set(b.train)) / len(a.train) == pytest.approx(overlap, abs=0.002)


def test_leaving_out_one_row_is_the_jackknife():
    tests = [LeaveOut().draw(i, ROWS).test.tolist() for i in range(N)]
    assert tests == [[i] for i in range(N)]


def test_noise_has_the_chosen_level_and_comes_back_with_the_seed():
    random = np.random.default_rng(0)
    X = random.standard_normal((4000, 3)) * [1, 5, 0.1]
    noise = NoiseInjection(2, level=0.3).draw(0, Rows(4000)).noise
    change = noise.values(X) - X
    assert change.std(axis=0) / X.std(axis=0) == pytest.approx([0.3] * 3, rel=0.05)
    assert np.array_equal(noise.values(X), noise.values(X))
    y = np.array(["a", "b", "c"])[random.integers(3, size=4000)]
    flipped = NoiseInjection(2, level=0.2, target="labels").draw(0, Rows(4000)).noise.labels(y)
    assert np.mean(flipped != y) == pytest.approx(0.2, abs=0.03)


def test_they_serve_as_scikit_learn_splitters():
    X = np.random.default_rng(0).standard_normal((N, 3))
    assert len(cross_val_score(LogisticRegression(), X, Y, cv=KFold(4, stratified=True))) == 4
    assert Bootstrap(7).get_n_splits() == 7
    assert LeaveOut(3).get_n_splits(X) == 14


@pytest.mark.parametrize(
    ("resampling", "sentence"),
    [
        (Bootstrap(0), r"n_runs.* must be .*\(got 0\)"),
        (Bootstrap(stratified=True, balanced=True), "not both"),
        (Subsample(fraction=1.5), r"fraction.* must be .*\(got 1.5\)"),
        (ComplementaryPairs(5), "even number"),
        (KFold(1), r"n_splits.* must be .*\(got 1\)"),
        (KFold(50), r"n_splits.* must be .*\(got 50\)"),
        (Chunks(100), r"n_runs.* must be .*\(got 100\)"),
        (FixedOverlap(overlap=1.0), r"overlap.* must be .*\(got 1.0\)"),
        (NoiseInjection(target="rows"), r"target.* must be .*\(got 'rows'\)"),
        (NoiseInjection(level=-1), r"level.* must be .*\(got -1\)"),
        (LeaveOut(40), r"size.* must be .*\(got 40\)"),
    ],
    ids=str,
)
def test_impossible_requests_are_one_sentence(resampling, sentence):
    with pytest.raises(InputError, match=sentence):
        resampling.check(ROWS)


def test_stratifying_needs_a_target_and_data_needs_rows():
    for kind in (Bootstrap, Subsample, KFold, ComplementaryPairs):
        resampling = kind(stratified=True)
        with pytest.raises(InputError, match="needs y"):
            resampling.check(Rows(N))
    with pytest.raises(InputError, match="at least 2"):
        Bootstrap().check(Rows(1))
    with pytest.raises(InputError, match="only one row of the class"):
        ComplementaryPairs(stratified=True).check(Rows(3, np.array(["a", "a", "b"])))


def test_every_resampling_has_a_name_for_the_command():
    assert {type(r) for r in EVERY} <= set(RESAMPLINGS.values())


@pytest.mark.parametrize("runs", [2.5, "5", True, None, 99999999999999999999])
def test_a_number_of_runs_is_a_whole_number_within_reason(runs):
    with pytest.raises(InputError, match="n_runs must be a whole number from 1 to 1,000,000"):
        Bootstrap(runs).check(Rows(10, None, None))


def test_a_share_that_is_no_number_is_refused():
    with pytest.raises(InputError, match=r"fraction must be a finite number \(got nan\)"):
        Subsample(fraction=float("nan")).check(Rows(10, None, None))
