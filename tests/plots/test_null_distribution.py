"""The observed value beside what chance gives."""

import numpy as np
import pytest
from scipy.stats import hypergeom

import steadyset as st
from steadyset.measures.chance import chance_distribution
from steadyset.measures.evaluate import Options

TWO = st.Selections.from_sets([[0, 1, 2, 3], [1, 2, 3, 7, 8]], n_features=20)


def random_runs(M: int, seed: int = 0, n_features: int = 30) -> st.Selections:
    random = np.random.default_rng(seed)
    sets = [random.choice(n_features, random.integers(3, 8), replace=False) for _ in range(M)]
    return st.Selections.from_sets(sets, n_features=n_features)


def small() -> st.plot.Picture:
    return st.plot.null_distribution(random_runs(5), n_draws=200)


def law(sel: st.Selections, measure: str, **options):
    return chance_distribution(sel, st.get_measure(measure), Options(**options))


def test_two_runs_have_the_law_of_what_they_share():
    data = st.plot.null_distribution(TWO, "jaccard").data
    shared = np.arange(5)
    np.testing.assert_allclose((data["from"] + data["to"]) / 2, shared / (9 - shared))
    np.testing.assert_allclose(data["share"], hypergeom(20, 4, 5).pmf(shared))


@pytest.mark.parametrize("measure", ["jaccard", "nogueira", "davis"])
@pytest.mark.parametrize("sel", [TWO, random_runs(6)], ids=["two", "six"])
def test_the_mean_of_the_distribution_is_the_expectation_under_chance(sel, measure):
    found = law(sel, measure, n_draws=4000)
    expected = st.null_expectation(sel, measure, n_draws=4000).value
    mean = found.values @ found.probabilities
    spread = np.sqrt(found.probabilities @ (found.values - mean) ** 2)
    assert mean == pytest.approx(expected, abs=1e-9 if found.method == "exact" else 4 * spread / np.sqrt(4000))


def test_random_runs_are_rarely_far_from_chance():
    p_values = [
        law(random_runs(5, seed), "nogueira", n_draws=99).at_least(st.stability(random_runs(5, seed)))
        for seed in range(60)
    ]
    assert 0.35 < np.mean(p_values) < 0.65
    assert np.mean(np.array(p_values) <= 0.1) < 0.25


def test_a_p_value_of_draws_is_never_zero_and_one_of_all_values_is_exact():
    steady = st.Selections.from_sets([[0, 1, 2]] * 5, n_features=30)
    assert law(steady, "nogueira", n_draws=99).at_least(1.0) == 0.01
    assert law(steady.take([0, 1]), "nogueira").at_least(1.0) == pytest.approx(hypergeom(30, 3, 3).pmf(3))
    assert "probability below 0.01" in st.plot.null_distribution(steady, n_draws=99).note


def test_shares_add_up_and_the_seed_decides():
    one, same, other = (st.plot.null_distribution(random_runs(8), n_draws=300, random_state=s).data for s in (1, 1, 2))
    assert one["share"].sum() == pytest.approx(1)
    assert one.equals(same)
    assert not one.equals(other)
    assert one["observed"].unique().tolist() == [st.stability(random_runs(8))]


def test_a_measure_of_which_less_is_steadier_counts_smaller_values():
    lower = next(name for name in st.list_measures().index if not st.get_measure(name).higher_is_steadier)
    alike = st.Selections.from_rankings(np.tile(np.arange(1, 9), (4, 1)), top=3)
    assert "probability below" in st.plot.null_distribution(alike, lower, n_draws=99).note


def test_weights_are_dealt_out_too():
    sel = random_runs(6)
    weighted = sel.with_weights([np.arange(1.0, k + 1) for k in sel.sizes])
    data = st.plot.null_distribution(weighted, "pearson", n_draws=100).data
    assert data["share"].sum() == pytest.approx(1)


def test_what_is_undefined_is_refused_in_one_sentence():
    with pytest.raises(st.InputError, match="nothing to hold against chance"):
        st.plot.null_distribution(st.Selections.from_sets([[], []], n_features=3))


def test_a_narrow_distribution_far_from_the_observed_value_can_be_seen():
    steady = st.Selections.from_sets([range(10)] * 300, n_features=500)
    data = st.plot.null_distribution(steady, n_draws=50).data
    assert (data["to"] - data["from"]).min() >= 0.99 / 120
