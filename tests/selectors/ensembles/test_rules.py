"""Rules of stability selection: those of others read the runs like steadyset's own, in every process."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from steadyset.foundation.errors import InputError
from steadyset.selectors import BoundRule, StabilitySelection, error_control, register_rule
from steadyset.selectors.ensembles import Reading
from steadyset.selectors.ensembles.rules import RULES, get_rule
from steadyset.selectors.known import Extensions


@dataclass(frozen=True)
class Majority:
    """The features that more than half of the runs have among their first q, three unless given; no bound."""

    name: str = "majority"
    reference: str = ""

    def path_limits(self, limits):
        return limits

    def size(self, n_clusters, n_runs, limits):
        return limits.q or 3

    def read(self, runs, limits):
        return Reading(0.5 + 1 / runs.n_runs, np.nan, self.size(runs.n_clusters, runs.n_runs, limits))


def half_of_markov(q, threshold, d, n_pairs):
    return q**2 / (2 * (2 * threshold - 1) * d) if threshold > 0.5 else np.inf


@pytest.fixture
def registered():
    register_rule(Majority())
    register_rule(BoundRule("half", half_of_markov))


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 30))
    return X, X[:, 4] - X[:, 7] + 0.5 * random.normal(size=60)


@pytest.mark.usefixtures("registered")
def test_a_rule_of_ones_own_decides_what_is_stable(data):
    fitted = StabilitySelection(rule="majority", n_runs=20, random_state=0).fit(*data)
    assert (fitted.result_.rule, fitted.threshold_, fitted.q_) == ("majority", 0.55, 3)
    assert fitted.selections_.sizes.max() == 3
    np.testing.assert_array_equal(fitted.support_, fitted.selections_.frequencies > 0.5)
    np.testing.assert_array_equal(fitted.get_support(indices=True), [4, 7])


@pytest.mark.usefixtures("registered")
def test_runs_of_another_rule_can_be_read_by_it(data):
    fitted = StabilitySelection(n_runs=20, random_state=0).fit(*data)
    assert fitted.select(rule="majority").q == 3


@pytest.mark.usefixtures("registered")
def test_a_bound_of_ones_own_gives_the_third_limit_from_two():
    assert error_control(100, q=5, threshold=0.75, rule="half").pfer == pytest.approx(0.25)
    assert error_control(100, threshold=0.75, pfer=1, rule="half").q == 10
    assert error_control(100, q=5, pfer=0.25, rule="half", n_runs=100).threshold == pytest.approx(0.75)


@pytest.mark.usefixtures("registered")
def test_registered_rules_travel_to_other_processes():
    import cloudpickle

    assert [rule.name for rule in RULES.added()] == ["majority", "half"]
    sent = cloudpickle.dumps(Extensions())
    RULES.remove("majority")
    RULES.remove("half")
    pickle.loads(sent)
    assert get_rule("half").bound(5, 0.75, 100, 50) == pytest.approx(0.25)
    assert get_rule("majority").name == "majority"


@pytest.mark.usefixtures("registered")
def test_a_name_is_given_once():
    with pytest.raises(InputError, match="A rule called 'calibrated' exists already"):
        register_rule(BoundRule("calibrated", half_of_markov))
    with pytest.raises(InputError, match="rule must have a name, a reference, path_limits, size and read"):
        register_rule(half_of_markov)
