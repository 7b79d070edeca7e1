"""Intervals: what holds for every measure, and the cases that have no variance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra import numpy as some_arrays
from scipy import special

import steadyset as st
from steadyset.inference.interval import interval_of, jackknife, jackknives
from steadyset.measures.evaluate import Options, estimates, has_needs
from steadyset.measures.frequency import levels_of, levels_without
from steadyset.measures.pairwise import Pairwise, size_classes
from steadyset.measures.record import all_measures, get_measure

METHODS = ("auto", "normal", "t", "jackknife", "bootstrap", "logit")
matrices = some_arrays.arrays(np.bool_, some.tuples(some.integers(3, 7), some.integers(2, 8)))


def random_runs(M: int = 12, d: int = 20, size: int | None = None, seed: int = 0) -> st.Selections:
    """Runs with some features in common; `size` features each when it is given."""
    rng = np.random.default_rng(seed)
    score = rng.random((M, d)) + np.linspace(1.5, 0, d)
    if size is None:
        return st.Selections.from_matrix(score > 1.2)
    return st.Selections.from_sets(list(np.argsort(-score, axis=1)[:, :size]), n_features=d)


def plain_measures(sel: st.Selections) -> list[st.Measure]:
    return [measure for measure in all_measures() if has_needs(measure, sel, Options())]


@given(matrices)
@settings(max_examples=20, deadline=None)
def test_leave_one_out_values_are_those_of_the_runs_that_are_left(Z: np.ndarray) -> None:
    sel, options = st.Selections.from_matrix(Z), Options()
    M = sel.n_runs
    for found in jackknives(sel, plain_measures(sel), options):
        if np.isnan(found.value):
            continue
        direct = [estimates(sel.take(np.arange(M) != i), [found.measure], options)[0].value for i in range(M)]
        np.testing.assert_allclose(found.without, direct, atol=1e-12, equal_nan=True, err_msg=found.measure.name)


def test_krizek_without_a_run_is_that_of_the_runs_that_are_left() -> None:
    selections = st.Selections.from_sets([[0], [1], [0], [2], [0], [1], [3]], n_features=5)
    found = jackknives(selections, [st.get_measure("krizek")], Options())[0]
    runs = np.arange(selections.n_runs)
    left = [st.stability(selections.take(runs != i), "krizek") for i in runs]
    np.testing.assert_allclose(found.without, left, rtol=0, atol=1e-14)


def test_levels_without_a_run_count_the_others() -> None:
    sel = random_runs()
    for i, levels in enumerate(levels_without(sel, levels_of(sel), np.arange(sel.n_runs))):
        others = sel.take(np.arange(sel.n_runs) != i)
        np.testing.assert_array_equal(levels, np.bincount(others.counts, minlength=sel.n_runs))


@pytest.mark.parametrize("method", METHODS)
def test_every_measure_gets_an_interval_within_its_bounds(method: str) -> None:
    sel = random_runs(size=6)
    for measure in plain_measures(sel):
        if method == "logit" and not np.isfinite(measure.bounds).all():
            continue
        found = st.confidence_interval(sel, measure, method=method, random_state=1, n_resamples=200)
        assert measure.bounds[0] <= found.low <= found.high <= measure.bounds[1], measure.name
        assert found.se >= 0
        if method != "bootstrap":
            assert found.low <= found.estimate <= found.high


def test_a_registered_measure_gets_an_interval() -> None:
    st.register_measure("overlap_of_smaller", lambda r, ki, kj, d: r / np.minimum(ki, kj), bounds=(0, 1))
    try:
        found = st.confidence_interval(random_runs(), "overlap_of_smaller")
        assert 0 <= found.low < found.estimate < found.high <= 1
        assert "overlap_of_smaller" in st.stability_table(random_runs()).index
    finally:
        st.unregister_measure("overlap_of_smaller")


def test_corrected_measures_by_expectation_get_intervals() -> None:
    found = st.confidence_interval(random_runs(), "jaccard", expectation="exact")
    assert found.low < found.estimate < found.high <= 1
    found = st.confidence_interval(random_runs(M=5), "davis", expectation="monte_carlo", n_draws=500)
    assert found.se > 0
    assert np.isfinite([found.low, found.high]).all()


def test_more_confidence_is_wider_and_more_runs_are_narrower() -> None:
    sel = random_runs(M=60)
    widths = [st.confidence_interval(sel, level=level).width for level in (0.8, 0.9, 0.95, 0.99)]
    assert widths == sorted(widths)
    assert st.confidence_interval(sel).width < st.confidence_interval(sel.take(slice(15))).width


def test_auto_is_lopsided_towards_less_stability() -> None:
    found = st.confidence_interval(random_runs(M=10, size=6))
    assert found.estimate - found.low > found.high - found.estimate > 0


def test_methods_agree_for_many_runs() -> None:
    sel = random_runs(M=300)
    ends = [(x.low, x.high) for x in (st.confidence_interval(sel, method=m, random_state=0) for m in METHODS)]
    np.testing.assert_allclose(ends, np.broadcast_to(ends[0], (len(METHODS), 2)), atol=0.006)


def test_runs_that_all_agree_get_the_bound_on_those_that_would_not() -> None:
    sel = st.Selections.from_sets([[0, 1, 2]] * 10, n_features=30)
    found = st.confidence_interval(sel)
    assert (found.estimate, found.se, found.high) == (1.0, 0.0, 1.0)
    assert found.low == pytest.approx(0.05 ** (1 / 10))
    assert "no spread" in found.note
    assert st.confidence_interval(sel, method="bootstrap").low == found.low
    narrower = st.confidence_interval(st.Selections.from_sets([[0, 1, 2]] * 100, n_features=30))
    assert narrower.low == pytest.approx(0.05 ** (1 / 100))


def test_the_published_interval_of_runs_that_all_agree_has_no_width() -> None:
    found = st.confidence_interval(st.Selections.from_sets([[0, 1]] * 5, n_features=9), method="normal")
    assert (found.low, found.high, found.note) == (1.0, 1.0, "zero variance")


def test_runs_that_differ_all_in_the_same_way_have_no_spread_but_a_width() -> None:
    sel = st.Selections.from_sets([[0, 1], [0, 2], [0, 3], [0, 4]], n_features=9)
    found = st.confidence_interval(sel)
    assert found.se == 0
    assert found.low < found.estimate < found.high < 1


def test_a_measure_where_lower_is_steadier_has_its_bound_above() -> None:
    found = st.confidence_interval(st.Selections.from_sets([[0, 1]] * 5, n_features=9), "krizek")
    assert (found.low, found.high) == (0.0, np.inf)


def test_two_runs_have_no_variance_and_get_the_whole_range() -> None:
    sel = st.Selections.from_sets([[0, 1, 2], [0, 1, 3]], n_features=9)
    for measure, low in (("nogueira", 0.0), ("jaccard", 0.0), ("phi", -1.0)):
        found = st.confidence_interval(sel, measure)
        assert (found.low, found.high) == (low, 1.0)
        assert np.isnan(found.se)
        assert "two runs make one pair" in found.note


def test_a_measure_that_is_undefined_for_some_pairs_says_so() -> None:
    sel = st.Selections.from_sets([[0, 1], [], [], [0, 1], [1]], n_features=5)
    found = st.confidence_interval(sel, "jaccard")
    assert np.isnan([found.estimate, found.low, found.high, found.se]).all()
    assert "undefined for 1 of 10 pairs" in found.note
    filled = st.confidence_interval(sel, "jaccard", undefined=1.0)
    assert 0 <= filled.low < filled.estimate < filled.high <= 1
    with pytest.raises(st.UndefinedError, match="jaccard is undefined for 1 of 10 pairs"):
        st.confidence_interval(sel, "jaccard", undefined="raise")


def test_a_measure_that_is_undefined_without_one_run_gets_the_whole_range() -> None:
    sel = st.Selections.from_sets([[], [], [0, 1]], n_features=5)
    found = st.confidence_interval(sel)
    assert "undefined without run 3" in found.note
    assert found.high == 1


def test_nogueira_of_many_runs_is_never_negative_and_neither_is_its_interval() -> None:
    rng = np.random.default_rng(1)
    sel = st.Selections.from_sets([rng.choice(50, 4, replace=False) for _ in range(8)], n_features=50)
    found = st.confidence_interval(sel)
    assert found.low == min(0.0, found.estimate)


def test_the_same_seed_gives_the_same_bootstrap() -> None:
    sel = random_runs(size=6)
    for measure in ("nogueira", "jaccard", "guzman"):
        one, two = (st.confidence_interval(sel, measure, method="bootstrap", random_state=5) for _ in range(2))
        assert one == two


def test_copies_of_a_run_do_not_lift_the_bootstrap() -> None:
    from steadyset.inference.interval import jackknife, resampled_values

    sel, options = random_runs(M=15), Options(random_state=0)
    for name in ("nogueira", "jaccard", "somol"):
        values = jackknife(sel, st.get_measure(name), options)
        resampled = resampled_values(sel, values, options, 2000)
        naive_bias = (1 - values.value) / sel.n_runs
        assert abs(resampled.mean() - values.value) < 0.25 * naive_bias
        assert resampled.std() == pytest.approx(values.se, rel=0.35)


def test_values_without_a_run_are_the_same_by_kinds_of_pairs_and_pair_by_pair() -> None:
    rng = np.random.default_rng(2)
    many = st.Selections.from_matrix(rng.random((40, 400)) < rng.random((40, 1)))
    assert size_classes(many.sizes) is None  # more kinds of pairs than can be counted with profit
    few = random_runs(M=40)
    assert size_classes(few.sizes) is not None
    records = [measure for measure in all_measures() if measure.family == "pairwise" and measure.name != "kuncheva"]
    for runs in (many, few):
        found, without = Pairwise().jackknifed(runs, records, Options())
        assert found == Pairwise().evaluate(runs, records, Options())
        np.testing.assert_allclose(without, Pairwise().without(runs, records, Options()), rtol=0, atol=1e-13)
        for m, measure in enumerate(records):
            scores = Pairwise().settled_scores(runs, measure, Options())
            left = [np.delete(np.delete(scores, i, 0), i, 1).sum() / (39 * 38) for i in range(40)]
            np.testing.assert_allclose(without[m], left, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"level": 1.5}, r"level must be a number between 0 and 1, such as 0.95 \(got 1.5\)"),
        ({"method": "exact"}, r"method must be one of auto, normal.* \(got 'exact'\)"),
        ({"method": "logit", "measure": "wald"}, "two finite bounds"),
        (
            {"method": "bootstrap", "n_resamples": 10},
            r"n_resamples must be a whole number from 100 to [\d,]+ \(got 10\)",
        ),
        ({"measure": "jacard"}, "did you mean 'jaccard'"),
    ],
)
def test_bad_questions_get_one_sentence(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(st.InputError, match=sentence):
        st.confidence_interval(random_runs(), **options)  # type: ignore[arg-type]


def test_the_interval_of_lustgarten_covers_where_equal_sets_do_not_reach_1() -> None:
    """Sets of k of d features that are all the same have 1 - k/d."""
    rng = np.random.default_rng(4)
    p = np.repeat([0.98, 0.005], (20, 80))
    latent = np.repeat(rng.standard_normal((4400, 10)), 10, axis=1) + rng.standard_normal((4400, 100))
    pool = latent / 2**0.5 < special.ndtri(p)
    measure, options = get_measure("lustgarten"), Options()
    truth = st.stability(st.Selections.from_matrix(pool[:400]), "lustgarten")
    draws = (st.Selections.from_matrix(runs) for runs in pool[400:].reshape(400, 10, 100))
    found = [interval_of(jackknife(sel, measure, options), options, 0.95) for sel in draws]
    assert 0.92 <= np.mean([truth in one for one in found]) <= 0.985


def test_the_test_of_a_value_of_lustgarten_reaches_the_end_of_its_interval() -> None:
    rng = np.random.default_rng(5)
    sel = st.Selections.from_matrix(rng.random((12, 30)) < np.linspace(1.3, -0.4, 30))
    found = st.confidence_interval(sel, "lustgarten", level=0.9)
    assert st.test_threshold(sel, found.low, "lustgarten").p_value == pytest.approx(0.05)
    assert st.test_threshold(sel, found.high, "lustgarten", alternative="less").p_value == pytest.approx(0.05)
