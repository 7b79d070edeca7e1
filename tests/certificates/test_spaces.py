"""The collections that certificates search are all there are, each counted as often as it should be."""

from __future__ import annotations

from itertools import permutations
from math import comb, prod

import numpy as np
import pytest

from steadyset.certificates.evidence import (
    Likeness,
    Space,
    exhaustive_spaces,
    likenesses,
    members,
    random_spaces,
    shrink,
)
from steadyset.measures.frequency import bits


def shape(space: Space) -> str:
    return f"{space.n_runs}x{space.n_features}"


@pytest.mark.parametrize("space", exhaustive_spaces(), ids=shape)
def test_every_collection_of_given_sizes_is_counted(space: Space) -> None:
    """There are prod C(d, k_i) collections with the sizes k_i."""
    for places in space.same_sizes:
        ways = prod(comb(space.n_features, int(k)) for k in space.sizes[places[0]])
        assert space.n_alike[places].sum() == ways


def test_every_vector_of_sizes_occurs_with_its_larger_sets_first() -> None:
    for space in exhaustive_spaces():
        vectors = {tuple(row) for row in space.sizes.tolist()}
        assert len(vectors) == comb(space.n_features - 2 + space.n_runs, space.n_runs)
        assert (np.diff(space.sizes) <= 0).all()


def test_an_orbit_holds_the_collections_that_differ_by_the_order_of_runs_and_features() -> None:
    space = next(s for s in exhaustive_spaces() if (s.n_runs, s.n_features) == (3, 4))

    def canonical(row: np.ndarray) -> tuple[tuple[int, ...], ...]:
        tables = (bits(row[list(order)], space.n_features).T.tolist() for order in permutations(range(3)))
        return min(tuple(sorted(map(tuple, table))) for table in tables)

    forms = [canonical(row) for row in space.masks]
    assert len(set(forms)) == len(space.first)
    for orbit in range(len(space.first)):
        assert len({forms[at] for at in np.flatnonzero(space.orbit == orbit)}) == 1


def test_random_collections_are_the_same_each_time_and_of_given_sizes() -> None:
    first = [space.masks.copy() for space in random_spaces()]
    random_spaces.cache_clear()
    for before, space in zip(first, random_spaces(), strict=True):
        assert (before == space.masks).all()
        assert (space.sizes == space.sizes[0]).all()
        assert space.sizes.min() > 0
        assert space.sizes.max() < space.n_features


def test_likenesses_differ_and_never_make_all_features_alike() -> None:
    for d in (3, 4, 5):
        found = likenesses(d)
        assert len(set(found)) == len(found)
        assert Likeness.all_alike(d) not in found


def test_renamed_features_keep_their_similarities() -> None:
    like, order = Likeness(3, ((0, 1, 0.95),)), np.array([2, 0, 1])
    assert like.reordered(order).matrix[2, 0] == 0.95


def test_shrinking_keeps_what_breaks_and_nothing_else() -> None:
    """Of a collection in which two runs share a feature, that feature is left and one that is not selected."""
    table = np.array([[1, 1, 0, 0, 1], [0, 1, 1, 0, 1], [1, 0, 0, 1, 0]])
    (small,) = shrink((table,), lambda case: bool((case[0].sum(axis=0) >= 2).any()))
    assert small.tolist() == [[1, 0], [1, 0]]


def test_members_reads_bits_from_the_right() -> None:
    assert members(0b1011, 4) == (0, 1, 3)
