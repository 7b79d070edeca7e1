"""The Pareto front and the rules that choose one configuration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st_
from hypothesis.extra import numpy as arrays

import steadyset as st

TABLES = arrays.arrays(
    np.float64,
    st_.tuples(st_.integers(1, 12), st_.integers(1, 4)),
    elements=st_.integers(0, 4).map(float),
)


@given(TABLES)
def test_the_front_holds_exactly_the_rows_that_no_row_dominates(values):
    directions = ["max", "min", "max", "min"][: values.shape[1]]
    signed = values * np.array([1, -1, 1, -1])[: values.shape[1]]
    dominated = [any((z >= y).all() and (z > y).any() for z in signed) for y in signed]
    assert st.pareto_front(values, directions).tolist() == np.flatnonzero(~np.array(dominated)).tolist()


@given(TABLES)
def test_without_errors_the_probability_of_the_front_is_the_front(values):
    directions = ["max"] * values.shape[1]
    share = st.front_probability(values, np.zeros_like(values), directions, n_draws=3, random_state=0)
    assert np.flatnonzero(share == 1).tolist() == st.pareto_front(values, directions).tolist()
    assert set(share) <= {0.0, 1.0}


def test_two_configurations_that_differ_by_less_than_their_errors_share_the_front():
    share = st.front_probability([[0.80], [0.80]], [[0.1], [0.1]], ["max"], n_draws=4000, random_state=1)
    assert share == pytest.approx([0.5, 0.5], abs=0.03)
    assert share.sum() == pytest.approx(1)


def test_undefined_values_are_never_on_the_front_nor_chosen():
    assert st.pareto_front([[0.9, np.nan], [0.5, 0.5]], ["max", "max"]).tolist() == [1]
    assert st.choose.epsilon_constraint([0.9, 0.5], [np.nan, 0.5]) == 1
    with pytest.raises(st.InputError, match="nothing to choose"):
        st.choose.weighted_sum([0.9], [np.nan])


def test_epsilon_constraint_follows_algorithm_3_2_step_by_step():
    #                steps 1-2 drop the last, 3-4 the first two, 5-6 leave the third and fourth, 7-9 the fourth
    accuracy = [0.900, 0.890, 0.885, 0.885, 0.880, 0.874]
    stability = [0.50, 0.55, 0.75, 0.80, 0.85, 1.00]
    assert st.choose.epsilon_constraint(accuracy, stability, 0.025, 0.1) == 3


def test_epsilon_constraint_without_accuracy_slack_is_single_criteria_tuning():
    accuracy, stability = [0.9, 0.89, 0.8], [0.1, 0.9, 1.0]
    assert st.choose.epsilon_constraint(accuracy, stability, 0.0, 0.1) == st.choose.best_accuracy(accuracy) == 0


def test_equal_configurations_go_to_the_smallest_and_then_to_chance():
    equal = [0.9] * 4
    assert st.choose.epsilon_constraint(equal, equal, n_features=[3, 2, 5, 4]) == 1
    drawn = {st.choose.epsilon_constraint(equal, equal, random_state=seed) for seed in range(40)}
    assert drawn == {0, 1, 2, 3}
    again = [st.choose.epsilon_constraint(equal, equal, random_state=7) for _ in range(2)]
    assert again[0] == again[1]


def test_a_distance_of_exactly_the_slack_is_within_it():
    for best in np.arange(0.55, 1.0, 0.01):
        values = np.array([[best, 0.0], [best - 0.05, 1.0]])
        assert st.choose.pa_best(values, ["max", "max"], slack=0.05).tolist() == [0, 1]


def test_pa_best_is_the_front_within_a_slack_of_the_best_accuracy():
    values = [[0.90, 0.2], [0.86, 0.6], [0.85, 0.9], [0.84, 1.0], [0.86, 0.5]]
    assert st.choose.pa_best(values, ["max", "max"], slack=0.05).tolist() == [0, 1, 2]


def test_one_standard_error_takes_the_smallest_within_the_error_of_the_best():
    assert st.choose.one_standard_error([0.90, 0.88, 0.86], [0.02, 0.1, 0.1], [30, 10, 2]) == 1


def test_weights_of_the_sum_move_the_choice_from_accuracy_to_stability():
    accuracy, stability = [0.9, 0.8, 0.4], [0.1, 0.6, 0.9]
    assert [st.choose.weighted_sum(accuracy, stability, gamma) for gamma in (0.0, 0.5, 1.0)] == [0, 1, 2]


def test_the_harmonic_mean_is_that_of_saeys():
    accuracy, stability = np.array([0.9, 0.6, 0.2]), np.array([0.3, 0.5, 0.99])
    for gamma in (0.2, 1.0, 4.0):
        means = (gamma**2 + 1) * stability * accuracy / (gamma**2 * stability + accuracy)
        assert st.choose.harmonic_mean(accuracy, stability, gamma) == int(means.argmax())


def test_the_knee_lies_furthest_from_the_line_through_the_ends():
    assert st.choose.knee([[1.0, 10], [0.9, 2], [0.3, 1], [0.2, 5]], ["max", "min"]) == 1


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: st.pareto_front([[1.0, 2.0]], ["max"]), "directions"),
        (lambda: st.pareto_front([1.0, 2.0], ["max"]), "values has the shape"),
        (lambda: st.choose.epsilon_constraint([0.5, 0.5], [0.5]), "one for each configuration"),
        (lambda: st.choose.epsilon_constraint([0.5], [0.5], -1), r"accuracy_slack.* must be .*\(got -1\)"),
        (lambda: st.choose.weighted_sum([0.5], [0.5], 2.0), r"gamma.* must be .*\(got 2.0\)"),
        (lambda: st.front_probability([[0.5]], [[0.5, 1]], ["max"]), "errors must have the shape"),
    ],
)
def test_bad_input_is_told_in_a_sentence(call, sentence):
    with pytest.raises(st.InputError, match=sentence):
        call()


def test_a_rule_of_your_own_is_a_record_that_a_tuning_knows_by_name():
    from steadyset.tuning import Trials
    from steadyset.tuning.choose import CHOICES

    values = [{"accuracy": a, "accuracy_se": 0.1, "stability": s, "n_features": 3} for a, s in [(0.9, 0.2), (0.8, 0.7)]]
    tried = [(number, {"k": number}, reached) for number, reached in enumerate(values)]
    trials = Trials(["accuracy", "stability"], tried, measure="nogueira", random_state=0)
    rule = st.choose.ChoiceRule("least", lambda tuning, low: int((tuning.stability() > low).argmax()), "it", (0.5,))
    with CHOICES.unchanged():
        st.choose.register_choice(rule)
        assert (trials.choose("least"), trials.choose("least:0.1")) == (1, 0)
        with pytest.raises(st.InputError, match="at most 1 number after least:"):
            trials.choose("least:1,2")
        with pytest.raises(st.InputError, match="called 'knee' exists already"):
            st.choose.register_choice(replace(rule, name="knee"))
    names = "margins, stable, smallest, epsilon, best, one_se, weighted, harmonic, knee"
    with pytest.raises(st.InputError, match=f"rule must be one of {names}"):
        trials.choose("least")
