"""The error bounds: published values, direct computation of the extremal distributions, order and inverses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, linprog, minimize

from steadyset.foundation.errors import InputError
from steadyset.selectors.ensembles.rules import (
    RULES,
    BoundRule,
    error_control,
    largest_tail,
    markov,
    r_concave,
    unimodal,
)

BOUNDS = [name for name, rule in RULES.items() if isinstance(rule, BoundRule)]
UNIMODAL, R_CONCAVE = "shah_samworth_unimodal", "shah_samworth_r_concave"


def test_the_bound_of_meinshausen_and_buhlmann_is_q_squared_over_2_pi_minus_1_times_d():
    assert error_control(1000, q=20, threshold=0.9).pfer == pytest.approx(400 / (0.8 * 1000))


def test_meinshausen_and_buhlmann_choose_q_as_the_root_of_0_8_d_for_one_false_selection_at_0_9():
    # Their rule of thumb: pi = 0.9 and q = sqrt(0.8 d) give an expected number of false selections of at most 1.
    assert error_control(1000, threshold=0.9, pfer=1).q == int(np.sqrt(800))


@pytest.mark.parametrize(
    ("d", "q", "threshold", "n_runs", "pfer"),
    [(88, 20, 0.8, 100, 3.743316), (32, 15, 0.97, 200, 0.975), (9, 2, 0.75, 100, 0.454)],
)
def test_unimodal_bounds_equal_those_printed_by_the_r_package_stabs(d, q, threshold, n_runs, pfer):
    found = error_control(d, q=q, threshold=threshold, rule=UNIMODAL, n_runs=n_runs).pfer
    assert found == pytest.approx(pfer, abs=5e-7 if pfer > 1 else 5e-4)


def unimodal_tail(mean, least, n):
    """max P(X >= least) over unimodal distributions on 0..n of at most this mean, by a linear program for each mode."""
    i = np.arange(n + 1)
    best = 0.0
    for mode in range(n + 1):
        rises = np.zeros((n, n + 1))
        for j in range(n):
            rises[j, j], rises[j, j + 1] = (1, -1) if j < mode else (-1, 1)
        found = linprog(
            -(i >= least).astype(float),
            A_ub=np.vstack([rises, i]),
            b_ub=np.append(np.zeros(n), mean),
            A_eq=np.ones((1, n + 1)),
            b_eq=[1],
        )
        best = max(best, -found.fun) if found.success else best
    return best


@pytest.mark.parametrize(("d", "q", "pairs"), [(100, 5, 8), (50, 10, 12), (10, 5, 6)])
def test_unimodal_bound_is_the_largest_tail_of_unimodal_distributions(d, q, pairs):
    for both in range(2, pairs + 1):
        threshold = (1 + both / pairs) / 2
        exact = d * unimodal_tail((q / d) ** 2 * pairs, both, pairs)
        bound = unimodal(q, threshold, d, pairs)
        assert bound >= exact - 1e-7
        if bound < markov(q, threshold, d, pairs) and both / pairs > 1 / 2:
            assert bound == pytest.approx(exact, rel=1e-6)


def searched_tail(mean, least, n, r, seed):
    """The largest tail among r-concave distributions that a general-purpose optimiser finds from random starts."""
    random, i, best = np.random.default_rng(seed), np.arange(n + 1), 0.0

    def share(u):
        f = np.exp(u - u.max())
        return f / f.sum()

    def curvature(u):
        g = np.exp(r * (u - u.max()))
        return (g[2:] - 2 * g[1:-1] + g[:-2]) / g[1:-1]

    limits = [{"type": "ineq", "fun": curvature}, {"type": "ineq", "fun": lambda u: mean - share(u) @ i}]
    for _ in range(8):
        start = np.log(np.exp(random.uniform(-4, 4)) + i) / r - random.random() * np.maximum(i - random.integers(n), 0)
        found = minimize(
            lambda u: -share(u)[least:].sum(),
            start - start.max(),
            constraints=limits,
            bounds=[(-12, 0)] * (n + 1),
            method="SLSQP",
        )
        if curvature(found.x).min() > -1e-7 and share(found.x) @ i <= mean + 1e-7:
            best = max(best, -found.fun) if found.success else best
    return best


@pytest.mark.parametrize("r", [-0.5, -0.25])
@pytest.mark.parametrize(("mean", "least"), [(0.2, 2), (0.5, 5), (1.0, 4), (2.0, 3), (2.5, 5), (4.0, 6)])
def test_r_concave_tail_is_the_largest_that_a_search_over_r_concave_distributions_finds(mean, least, r):
    found = searched_tail(mean, least, 8, r, seed=least)
    largest = largest_tail(mean, least, 8, r)
    assert found <= largest + 1e-6
    assert found >= 0.97 * largest


@pytest.mark.parametrize(
    ("d", "q", "threshold", "pairs", "stabs"),
    [
        (1000, 10, 0.99, 25, (6.611460e-07, 1.584973e-06)),
        (1000, 1, 0.99, 25, (6.497574e-09, 2.460978e-08)),
        (1000, 5, 0.99, 10, (5.334684e-07, 3.139243e-06)),
        (100, 2, 0.99, 25, (3.330414e-06, 8.037015e-06)),
        (100, 5, 0.90, 10, (3.466500e-04, 9.136790e-04)),
    ],
)
def test_r_concave_tails_of_the_r_package_stabs_are_exceeded_by_distributions_that_exist(d, q, threshold, pairs, stabs):
    # stabs searches each interval for the extremal distribution up to 1e-4, and misses optima at the ends by up to 1.6.
    both = round((2 * threshold - 1) * pairs + 0.4999)
    for found, mean, least, n, r in (
        (stabs[0], (q / d) ** 2 * pairs, both, pairs, -0.5),
        (stabs[1], q / d * 2 * pairs, both + pairs, 2 * pairs, -0.25),
    ):
        i = np.arange(n + 1)

        def member(log_a, i=i, r=r):
            f = (np.exp(log_a) + i) ** (1 / r)  # f^r is linear
            return f / f.sum()

        f = member(brentq(lambda log_a, i=i, m=mean, member=member: member(log_a) @ i - m, -30, 25, xtol=1e-14))
        assert f @ i == pytest.approx(mean, rel=1e-9)
        assert f[least:].sum() > found * 1.001
        assert largest_tail(mean, least, n, r) >= f[least:].sum() * (1 - 1e-6)
        assert largest_tail(mean, least, n, r) <= f[least:].sum() * 1.02


@settings(max_examples=40, deadline=None)
@given(mean=st.floats(0.05, 6.0), least=st.integers(1, 12), r=st.sampled_from([-1.0, -0.5, -0.25]))
def test_tails_shrink_with_concavity_and_never_exceed_markov(mean, least, r):
    tail = largest_tail(mean, least, 12, r)
    assert tail <= min(1.0, mean / least) + 1e-9
    assert tail <= largest_tail(mean, least, 12, 2 * r) + 1e-6
    assert tail <= unimodal_tail(mean, least, 12) + 1e-6


def test_a_geometric_like_member_of_the_family_is_below_its_own_bound():
    i = np.arange(51)
    f = (0.7 + i) ** -2.0
    f /= f.sum()
    assert largest_tail(float(f @ i), 10, 50, -0.5) >= f[10:].sum()


@settings(max_examples=25, deadline=None)
@given(d=st.integers(5, 400), part=st.floats(0.01, 0.5), half=st.integers(1, 10))
def test_stronger_assumptions_give_smaller_bounds(d, part, half):
    q, threshold = max(1, int(part * d)), 0.5 + half / 20
    assert r_concave(q, threshold, d, 10) <= unimodal(q, threshold, d, 10) + 1e-9
    assert unimodal(q, threshold, d, 10) <= markov(q, threshold, d, 10) + 1e-9


@pytest.mark.parametrize("rule", BOUNDS)
def test_bounds_fall_in_the_threshold_and_rise_in_q(rule):
    bound = RULES[rule].bound
    by_threshold = [bound(8, (1 + both / 20) / 2, 60, 20) for both in range(1, 21)]
    by_q = [bound(q, 0.8, 60, 20) for q in range(1, 61)]
    assert (np.diff(by_threshold) <= 1e-9).all()
    assert (np.diff(by_q) >= -1e-9).all()


@pytest.mark.parametrize("rule", BOUNDS)
def test_each_of_q_threshold_and_pfer_follows_from_the_other_two(rule):
    largest = error_control(500, threshold=0.8, pfer=1, rule=rule)
    assert largest.pfer <= 1
    assert error_control(500, q=largest.q + 1, threshold=0.8, rule=rule).pfer > 1
    least = error_control(500, q=12, pfer=0.5, rule=rule)
    assert least.pfer <= 0.5
    assert error_control(500, q=12, threshold=least.threshold, rule=rule).pfer <= 0.5 + 1e-9
    assert error_control(500, q=12, threshold=least.threshold - 0.02, rule=rule).pfer > 0.5


def test_r_concavity_allows_thresholds_below_one_half():
    assert error_control(1000, q=20, pfer=1, rule=R_CONCAVE).threshold < 0.5


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"q": 30, "pfer": 1}, "With q = 30 of 100 features .* cannot promise a PFER below 9, and 1 is asked for"),
        ({"threshold": 0.6, "pfer": 0.01}, "even q = 1 of 100 features has a PFER bound of 0.05"),
        ({"threshold": 0.5, "q": 3}, "threshold is 0.5; the rule 'meinshausen_buhlmann' bounds the error only above"),
        ({"threshold": 1.2, "q": 3}, r"threshold must be a number above 0 and at most 1 \(got 1.2\)"),
        ({"q": 101, "pfer": 1}, "q is 101 and there are 100 features"),
        ({"q": 2}, "Two of q, threshold and pfer have to be given, and the third follows; found: q"),
        ({"q": 2, "pfer": 1, "threshold": 0.9}, "found: q, threshold, pfer"),
        ({"q": 2, "pfer": 1, "rule": "shah"}, "There is no rule called 'shah'; known are meinshausen_buhlmann"),
        ({"q": 2, "pfer": 1, "rule": "calibrated"}, "The rule 'calibrated' is no bound .* choose one of 'meins"),
        ({"q": 2, "pfer": 1, "n_runs": 51}, "n_runs is 51; complementary pairs need an even number of runs"),
        ({"q": 60, "threshold": 0.4, "rule": R_CONCAVE}, "says nothing about q = 60 of 100 features at the threshold"),
    ],
)
def test_impossible_combinations_get_a_sentence(options, sentence):
    with pytest.raises(InputError, match=sentence):
        error_control(100, **options)
