"""How many false units are listed where targets have no effect at all, and how ties are broken."""

from itertools import pairwise

import numpy as np
import pytest

from steadyset.shortlists.bases import BASES, Features
from steadyset.shortlists.exchange import exchange_of
from steadyset.shortlists.standing import Standing, q_values
from steadyset.tasks import CLASSES

HALVES, UNITS, BUNCH, PERMUTED = 20, 60, 6, 50


@pytest.fixture(scope="module")
def null_targets():
    """Orders of targets that are all alike: units of a bunch stand high or low together, as correlated features do."""
    random = np.random.default_rng(0)
    scores = np.repeat(random.normal(size=(400, 1, UNITS // BUNCH)), BUNCH, axis=2)
    scores = scores + 0.7 * random.normal(size=(400, 1, UNITS)) + random.normal(size=(400, HALVES, UNITS))
    return [{"filter": np.argsort(-one, axis=1)} for one in scores]


def standings(targets):
    random = np.random.default_rng(1)
    for number, observed in enumerate(targets):
        others = random.permutation(np.delete(np.arange(len(targets)), number))[:PERMUTED]
        yield Standing([observed, *(targets[other] for other in others)], {"filter": (5, 10)}, UNITS)


def mean_and_error(values):
    return np.mean(values), np.std(values) / np.sqrt(len(values))


@pytest.mark.parametrize("false", [0.5, 1.0, 3.0])
def test_at_most_the_allowed_number_is_false_where_nothing_has_an_effect(null_targets, false):
    found, error = mean_and_error([one.listing(false, None).listed.sum() for one in standings(null_targets)])
    assert 0.7 * false < found < false + 2 * error


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.2])
def test_the_chance_of_any_is_at_most_the_rate_where_nothing_has_an_effect(null_targets, rate):
    found, error = mean_and_error([one.listing(None, rate).listed.any() for one in standings(null_targets)])
    assert 0.4 * rate < found < rate + 2 * error


def test_a_larger_allowance_never_lists_fewer(null_targets):
    """Also where more may be false than a quarter of all units, which the gate stops at."""
    allowed = (0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 14.0, 15.0, 16.0, 20.0, 30.0)
    for one in list(standings(null_targets))[:10]:
        lists = [one.listing(false, None).listed for false in allowed]
        assert all((larger >= smaller).all() for smaller, larger in pairwise(lists))


def test_q_values_are_the_smallest_rates_of_the_lists_that_hold_a_feature():
    """By hand, with 9 permuted targets: none reaches the first three, so that a tenth of a feature stands for each."""
    expected = np.array([0.0, 0.0, 0.0, 0.8, 0.6, 3.0, 14.0])
    by_hand = [0.1 / 3, 0.1 / 3, 0.1 / 3, 0.6 / 5, 0.6 / 5, 3.0 / 6, 1.0]
    assert q_values(expected, 9) == pytest.approx(by_hand)
    assert len(q_values(np.empty(0), 9)) == 0


@pytest.mark.parametrize("bound", [0.1, 0.2])
def test_as_many_listed_by_q_values_are_false_as_they_say(null_targets, bound):
    """Five units stand above all others in every half; of those up to a q-value few enough are others."""
    shares = []
    for number, one in enumerate(standings(null_targets)):
        if number == 150:
            break
        order = np.array([np.concatenate([np.arange(UNITS, UNITS + 5), half]) for half in one.orders[0]["filter"]])
        wide = [{"filter": order}, *one.orders[1:]]
        listing = Standing(wide, {"filter": (5, 10)}, UNITS + 5).listing(1.0, None)
        listed = listing.order[listing.q_values <= bound]
        shares.append(np.mean(listed < UNITS) if len(listed) else 0.0)
    found, error = mean_and_error(shares)
    assert found < bound + 2 * error


def test_places_of_other_columns_count_but_they_are_never_listed():
    order = np.array([[1, -2, 0, 2], [-2, 1, 2, -1]])
    standing = Standing([{"filter": order}] * 3, {"filter": (2,)}, 3, 3)
    assert standing._at_first.counts[0].tolist() == [0, 2, 0]
    assert standing._count(np.arange(3) == 1).counts[0].tolist() == [1, 0, 1]


@pytest.mark.slow  # buys: why lists take no more steps than they do; that their own hold is tested above
def test_plain_stepping_does_not_hold_where_false_units_come_in_bunches(null_targets):
    lists = [one.listing(3.0, None, gate=1.0, last=1.0).listed.sum() for one in standings(null_targets)]
    found, error = mean_and_error(lists)
    assert found > 3.0 + 2 * error


def test_more_can_be_set_aside_than_an_order_is_long():
    """Forty units are always before the others, of which the orders hold ten places; permuted targets hold any."""
    random = np.random.default_rng(2)
    observed = np.array([np.concatenate([random.permutation(40), 40 + random.permutation(60)])[:50] for _ in range(40)])
    permuted = [np.array([random.permutation(100)[:50] for _ in range(40)]) for _ in range(50)]
    orders = [{"filter": one} for one in (observed, *permuted)]
    listing = Standing(orders, {"filter": (10, 20)}, 100).listing(1.0, None)
    assert listing.listed[:40].all()
    assert listing.listed[40:].sum() <= 4


def test_a_ranking_that_runs_short_does_not_hide_what_another_shows():
    """A second ranking holds ten places, all taken by units set aside; permuted targets have theirs full of others."""
    random = np.random.default_rng(4)
    strong, weak = np.arange(12), np.arange(12, 16)

    def orders(first, second):
        others = np.setdiff1d(np.arange(100), [*first, *second])
        rows = [np.concatenate([random.permutation(one) for one in (first, second, others)]) for _ in range(40)]
        return {"filter": np.array(rows)[:, :60], "lasso": np.array(rows)[:, :10]}

    permuted = [orders(random.permutation(100)[:12], random.permutation(100)[:0]) for _ in range(50)]
    standing = Standing([orders(strong, weak), *permuted], {"filter": (5, 10), "lasso": (5, 10)}, 100)
    assert standing._lasting(np.zeros(100, np.bool_)).all()
    assert standing._lasting(np.isin(np.arange(100), strong)).tolist() == [True, True, False, False]
    counts = standing._count(np.isin(np.arange(100), strong)).counts
    assert counts[:2, weak].all()
    assert not counts[2:].any()


def test_equal_columns_share_the_places():
    """Two hundred copies of a binary column: none is favoured by its number, and half of the halves swap no others."""
    random = np.random.default_rng(3)
    y = np.arange(40) % 2
    column = (random.random(40) < 0.3 + 0.3 * y).astype(float)
    X = np.repeat(column[:, None], 200, axis=1)
    halves = exchange_of(y, CLASSES).halves(y, 100, random)
    orders = BASES["filter"][0](Features.of(X, np.arange(200), ranks=False), y, CLASSES, halves).features
    counts = np.bincount(orders[:, :20][orders[:, :20] >= 0], minlength=200)
    # About 20 of 200 halves each; a binomial count stays within five standard deviations of its mean.
    assert np.abs(counts - counts.mean()).max() < 5 * np.sqrt(counts.mean())
