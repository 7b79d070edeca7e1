"""A family is one object: what it can do follows from the methods that it has."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import pytest

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.inference.interval import jackknives
from steadyset.measures import Family, all_measures, random_overlaps, register_family
from steadyset.measures.evaluate import Options
from steadyset.measures.random_overlaps import RandomOverlaps
from steadyset.measures.record import get_family, unregister_family


class Tables(Family):
    """Means over pairs of scores that are given the whole 0/1 table."""

    name = "tables"

    def pair_scores(self, selections, measure, options):
        table = np.asarray(measure.score(selections.to_matrix().toarray().astype(float)), dtype=float)
        np.fill_diagonal(table, np.nan)
        return table


def jaccard_of_table(Z):
    shared, sizes = Z @ Z.T, Z.sum(axis=1)
    union = sizes[:, None] + sizes - shared
    return np.where(union > 0, shared / np.where(union > 0, union, 1), np.nan)


@pytest.fixture
def tables():
    register_family(Tables())
    st.register_measure("table_jaccard", jaccard_of_table, family="tables", bounds=(0, 1))
    yield "table_jaccard"
    st.unregister_measure("table_jaccard")
    unregister_family("tables")


def runs():
    order = np.argsort(np.random.default_rng(1).random((9, 12)) + 0.5 * (np.arange(12) > 5), axis=1)
    return st.Selections.from_sets([row[: 2 + i % 3].tolist() for i, row in enumerate(order)], n_features=12)


def test_a_family_of_ones_own_that_scores_pairs_has_everything_that_a_pairwise_measure_has(tables):
    assert st.stability(runs(), tables) == pytest.approx(st.stability(runs(), "jaccard"), rel=1e-12)
    for method, rtol in {"auto": 1e-9, "jackknife": 1e-9, "normal": 1e-9, "bootstrap": 0.02}.items():
        own, known = (
            st.confidence_interval(runs(), name, method=method, random_state=0) for name in (tables, "jaccard")
        )  # the bootstrap counts how many resamples are below the value, where the last bit decides ties
        np.testing.assert_allclose([own.low, own.high, own.se], [known.low, known.high, known.se], rtol=rtol)
    assert st.certify(tables).properties["monotone"].holds is True
    assert st.certify(tables).properties["corrected"].holds is False
    assert st.list_measures().loc[tables, "family"] == "tables"
    own, known = (st.null_expectation(runs(), name, n_draws=300, random_state=0) for name in (tables, "jaccard"))
    assert own.method == "monte_carlo"
    assert own.value == pytest.approx(known.value, abs=4 * own.se)


def test_undefined_pairs_of_a_family_of_ones_own_are_named(tables):
    empty = st.Selections.from_sets([[], [], [0], [1]], n_features=3)
    table = st.stability_table(empty, [tables], level=None)
    assert "undefined for 1 of 6 pairs" in table.loc[tables, "note"]
    assert st.stability(empty, tables, undefined=0) == 0


def test_what_a_family_cannot_do_is_refused_in_one_sentence(tables):
    with pytest.raises(InputError, match="no largest value to scale to"):
        st.stability(runs(), tables, expectation="exact")
    with pytest.raises(InputError, match="still has the measure 'table_jaccard'"):
        unregister_family("tables")
    with pytest.raises(InputError, match="exists already"):
        register_family(Tables())
    with pytest.raises(InputError, match=r"family must be one of frequency, .*, tables"):
        st.register_measure("other", jaccard_of_table, family="triples")
    with pytest.raises(InputError, match="derived from Family"):
        register_family(Tables)


def test_families_say_whether_their_measures_are_means_over_pairs():
    over_pairs = {name for name in ("frequency", "pairwise", "patterns", "effective") if get_family(name).over_pairs}
    assert over_pairs == {"pairwise"}
    assert all(get_family(name).over_pairs for name in ("adjusted", "weights", "rankings"))


def test_what_is_remembered_of_chance_is_bounded_and_goes_with_the_similarity(monkeypatch):
    monkeypatch.setattr(random_overlaps, "MOST_REMEMBERED", 3)
    similarity = st.FeatureSimilarity.from_groups([0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7])
    values = [st.stability(runs(), "intersection_mbm", similarity=similarity) for _ in range(2)]
    assert values[0] == values[1] == st.stability(runs(), "intersection_greedy", similarity=similarity)
    overlaps = RandomOverlaps.of(similarity)
    assert 0 < len(overlaps.remembered) <= 3
    assert len(pickle.dumps(similarity)) < 2000
    gone = weakref.ref(overlaps)
    del overlaps, similarity
    gc.collect()
    assert gone() is None


def test_without_a_seed_values_intervals_and_bootstraps_are_the_same_each_time():
    similarity = st.FeatureSimilarity.from_matrix(
        np.eye(12) + 0.95 * (np.abs(np.subtract.outer(np.arange(12), np.arange(12))) == 1)
    )
    first, second = (st.stability(runs(), "intersection_mean", similarity=similarity, n_draws=50) for _ in range(2))
    assert first == second
    options = {"similarity": similarity, "n_draws": 50}
    assert st.confidence_interval(runs(), "intersection_mean", **options).estimate == first
    ends = [st.confidence_interval(runs(), "jaccard", method="bootstrap") for _ in range(2)]
    assert ends[0] == ends[1]


def collections_of_many_sizes():
    """levels and sizes of collections of 5 runs out of 9 features, empty and full ones among them."""
    rng = np.random.default_rng(3)
    Z = rng.random((60, 5, 9)) < rng.random((60, 5, 1))
    Z[:20] = rng.permuted(np.repeat(np.arange(9) < 4, 100).reshape(9, 100).T, axis=1).reshape(20, 5, 9)
    Z[20], Z[21], Z[22, 0], Z[23, 1:] = False, True, False, True
    levels = np.stack([np.bincount(one.sum(axis=0), minlength=6) for one in Z])
    return levels, Z.sum(axis=2)


@pytest.mark.parametrize("measure", [m for m in all_measures() if m.batched], ids=lambda measure: measure.name)
@pytest.mark.parametrize("d", [9, 2**31 - 1], ids=["few features", "whole numbers beyond 64 bits"])
def test_a_batched_score_gives_every_collection_its_own_value(measure, d):
    levels, sizes = collections_of_many_sizes()
    levels[:, 0] += d - 9
    if d > 9:
        sizes, levels[:, 1:] = 10**8 * sizes, 10**8 * levels[:, 1:]
    params = [measure.params, {"alpha": 0.5}] if measure.name == "davis" else [measure.params]
    for given in params:
        together = measure.score(levels, sizes, d, **given)
        alone = [measure.score(one, own, d, **given) for one, own in zip(levels, sizes, strict=True)]
        np.testing.assert_allclose(together, alone, rtol=1e-14, atol=1e-15)
        assert np.isfinite(together).sum() > 10


def test_a_score_that_is_not_batched_sees_the_sizes_of_one_collection():
    seen = []

    def spread_of_sizes(levels, sizes, d):
        seen.append(sizes.shape)
        return np.full(levels.shape[:-1], float(sizes.max() - sizes.min()))

    st.register_measure("spread_of_sizes", spread_of_sizes, family="frequency")
    try:
        sel = runs()
        found = jackknives(sel, [st.get_measure("spread_of_sizes")], Options())[0]
    finally:
        st.unregister_measure("spread_of_sizes")
    left = [np.delete(sel.sizes, i) for i in range(sel.n_runs)]
    assert found.without.tolist() == [float(sizes.max() - sizes.min()) for sizes in left]
    assert {len(shape) for shape in seen} == {1}


def test_a_one_sided_measure_of_weights_is_the_mean_over_ordered_pairs():
    table = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 4.0], [5.0, 6.0, 0.0]])
    st.register_measure("one_sided_weights", lambda rows: table.copy(), family="weights", symmetric=False)
    try:
        sel = st.Selections.from_weights([[1.0, 2.0], [2.0, 1.0], [3.0, 3.0]])
        assert st.stability(sel, "one_sided_weights") == table.sum() / 6
        without_first = jackknives(sel, [st.get_measure("one_sided_weights")], Options())[0].without[0]
        assert without_first == (4.0 + 6.0) / 2
    finally:
        st.unregister_measure("one_sided_weights")
