"""Repeats share permuted targets: lists do not depend on where they were ranked, and parts without any are skipped."""

import copy

import numpy as np
import pytest

import steadyset as st
from steadyset.selectors.filters.selector import run_seeds
from steadyset.shortlists.afterwards import PooledTargets, RowsShortlist
from steadyset.shortlists.procedure import read_procedure

KNOWN = [None, None, None]


def columns(d=60, n=90):
    random = np.random.default_rng(11)
    X = random.normal(size=(n, d))
    y = np.arange(n) % 2
    X[y == 1, :3] += 1.6
    return X, y


def procedure(permutations=25):
    return read_procedure(1.0, None, ("filter", "lasso"), permutations, 10, None)


def parts(n, size, count):
    random = np.random.default_rng(5)
    return [np.sort(random.permutation(n)[:size]) for _ in range(count)]


@pytest.mark.parametrize("count", [1, 4, 10])
def test_parts_share_the_targets_evenly(count):
    X, y = columns()
    pooled = PooledTargets.of_parts(procedure(), X, y, "classes", KNOWN, parts(90, 72, count), 3)
    assert len(pooled.orders) == 25
    distinct = {orders["filter"].tobytes() for orders in pooled.orders}
    assert len(distinct) == 25


def test_a_part_with_too_few_of_a_class_has_no_pool():
    X, y = columns()
    small = np.r_[np.flatnonzero(y == 0)[:30], np.flatnonzero(y == 1)[:2]]
    assert PooledTargets.of_parts(procedure(), X, y, "classes", KNOWN, [np.arange(72), small], 3) is None


def test_the_targets_of_the_rows_themselves_list_what_the_rows_alone_list():
    X, y = columns()
    settings = {"splits": 10, "permutations": 25, "random_state": 7}
    alone = st.ShortlistSelector(**settings).fit(X, y)
    seed = run_seeds(7, 1)[0]  # of the selector's own targets
    pooled = PooledTargets.of_parts(procedure(), X, y, "classes", KNOWN, [np.arange(90)], seed)
    selector = RowsShortlist(pooled=copy.deepcopy(pooled), **settings).fit(X, y)
    assert (selector.scores_ == alone.scores_).all()
    assert set(np.flatnonzero(selector.support_)) >= {0, 1, 2}


def test_repeats_do_not_depend_on_jobs_or_on_interruptions(tmp_path):
    X, y = columns()
    asked = {"permutations": 20, "splits": 10}
    whole = st.shortlist(X, y, outer=5, n_jobs=2, out=tmp_path / "whole", **asked)
    st.shortlist(X, y, outer=2, out=tmp_path / "parts", **asked)  # too few to say anything, and continued
    resumed = st.shortlist(X, y, outer=5, out=tmp_path / "parts", **asked)
    alone = st.shortlist(X, y, outer=5, **asked)
    assert whole.listed.repeats.n_pooled == 20
    for other in (resumed, alone):
        assert other.listed.repeats == whole.listed.repeats
        assert repr(other.listed.features) == repr(whole.listed.features)  # undefined numbers are not equal
        assert repr(other.listed.prediction) == repr(whole.listed.prediction)
        assert other.listed.fewer_rows == whole.listed.fewer_rows


def test_repeats_with_a_preparation_of_their_own_have_permuted_targets_of_their_own():
    X, y = columns()
    data = st.Data(X, y, prepare="variance=40")
    found = st.shortlist(data, permutations=20, splits=10, outer=5)
    assert found.listed.repeats.n_pooled == 0
