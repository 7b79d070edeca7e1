"""What the reproductions of chapter 6 of Nogueira (2018) rest on."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from papers.framework import all_items, all_papers, data_folder
from papers.nogueira_ensembles import _lasso
from papers.nogueira_filters import _correction, _cut, _drawn, _first
from papers.nogueira_penalised import Paths, _largest_rise, _paths
from papers.nogueira_validation import (
    Estimates,
    _farthest,
    estimates,
    probabilities_of,
    statistics_of,
)
from papers.nogueira_validation import _drawn as sets_drawn
from steadyset import Selections
from steadyset.inference.hypotheses import test_difference
from steadyset.inference.interval import confidence_interval
from steadyset.measures import stability


def test_the_example_of_the_toolbox_comes_from_5_bins_and_no_other_number():
    where = data_folder()
    if not where.holds("breast"):
        pytest.skip("the data of breast are not here")
    examples = all_papers()["nogueira-2018"].items["table-6.6"].given["toolbox_example"]
    data = where.read("breast")
    for name, wanted in examples.items():
        assert [bins for bins in (3, 4, 5, 6, 8, 10) if _first(data, bins, name, wanted) == wanted] == [5]


def test_bins_of_equal_width_are_numbered_without_gaps():
    cut = _cut(pd.DataFrame({"binary": [0, 1, 1, 0], "number": [0.0, 1.9, 2.1, 10.0], "same": [3, 3, 3, 3]}), 5)
    assert cut["binary"].tolist() == [0, 1, 1, 0]
    assert cut["number"].tolist() == [0, 0, 1, 2]
    assert cut["same"].tolist() == [0, 0, 0, 0]


def test_bootstraps_are_in_the_order_of_drawing_and_leave_the_other_rows_out():
    (train, test), (again, _) = _drawn(50, 2, seed=1)
    assert len(train) == 50
    assert (np.diff(train) < 0).any()
    assert not set(train) & set(test)
    assert set(train) | set(test) == set(range(50))
    assert (train != again).any()


@pytest.mark.parametrize("phi", [0.8, 0.5, 0.3])
def test_sets_drawn_with_the_probabilities_of_a_case_have_its_stability(phi):
    sets = sets_drawn(probabilities_of(phi, 100), 2000, np.random.default_rng(1))
    found = confidence_interval(sets, method="normal", level=0.999)
    assert phi in found


def test_the_greatest_of_1000_normal_numbers():
    # Harter (1961), Expected values of normal order statistics: 3.24144 for n = 1000.
    assert _farthest(1000)[0] == pytest.approx(3.2414, abs=2e-3)


def test_a_size_that_grows_with_the_penalty_is_found():
    penalties = np.array([3.0, 2.0, 1.0])
    never = _largest_rise(penalties, np.array([[1, 2, 3], [1, 3, 4]]))
    assert (never.words, never.significant) == ("never", False)
    rise = _largest_rise(penalties, np.array([[5, 9, 3], [6, 9, 3], [5, 8, 3]]))
    assert rise.words == "3.0 at λ = 1, 8.7 at λ = 2"
    assert rise.significant


def test_the_likelihood_of_a_path_without_features_is_that_of_a_coin():
    paths = _paths(0.8, (0, 0), 3, (10.0, 0.05), 1.0, 1)
    assert isinstance(paths, Paths)
    assert not paths.selected[:, 0].any()
    assert paths.likelihood[:, 0] == pytest.approx(-np.log(2), abs=0.01)
    assert paths.likeliest == 1
    assert np.isnan(paths.stabilities()[0]) or paths.stabilities()[0] <= stability(paths.at(1))


def test_one_standard_error_takes_the_signal_and_little_else():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 15))
    y = 3 * X[:, 2] - 2 * X[:, 7] + random.normal(size=200)
    chosen = _lasso(X, y, seed=0)
    assert {2, 7} <= set(chosen)
    assert len(chosen) <= 6


def test_estimates_of_many_collections_are_those_of_the_intervals_one_by_one():
    drawn = np.random.default_rng(3).random((5, 12, 30)) < np.linspace(0.9, 0.1, 30)
    found = Estimates.of(drawn)
    single = [confidence_interval(Selections.from_matrix(one), method="normal") for one in drawn]
    assert found.values == pytest.approx([one.estimate for one in single], abs=1e-12)
    assert found.errors == pytest.approx([one.se for one in single], abs=1e-12)


def test_the_statistic_of_theorem_7_is_that_of_the_test():
    random = np.random.default_rng(4)
    both = [random.random((20, 40)) < np.linspace(0.9, share, 40) for share in (0.1, 0.3)]
    ours = statistics_of(*(Estimates.of(one[None]) for one in both))[0]
    test = test_difference(*map(Selections.from_matrix, both), paired=False, method="normal")
    assert ours == pytest.approx(test.statistic)


def test_collections_are_drawn_in_parts_of_bounded_size():
    found = estimates(np.full(2000, 0.5), 400, 3, np.random.default_rng(0))  # 800,000 numbers at once
    assert found.values.shape == (3,)


def test_tables_of_coverages_have_the_repeats_of_the_thesis():
    smaller = {one.item for one in all_items() if one.paper == "nogueira-2018" and one.full_seconds is not None}
    assert {"table-6.2", "figure-6.3", "figure-6.4"}.isdisjoint(smaller)


def test_a_loss_of_likelihood_is_told_as_a_part_of_what_the_likeliest_model_gains_over_a_coin():
    likelihood = np.log([[0.5, 0.8, 0.65]])
    paths = Paths(np.array([3.0, 2.0, 1.0]), likelihood, likelihood, np.zeros((1, 3, 2), bool), np.zeros((3, 2), bool))
    gain = np.log(0.8 / 0.5)
    assert paths.losses() == pytest.approx([1, 0, np.log(0.8 / 0.65) / gain])


def test_errors_of_table_6_6_need_four_corrections_and_stabilities_one():
    told = all_papers()["nogueira-2018"].items["table-6.6"].given["corrections"]
    assert set(told) == {"bins", "gaps", "ties", "votes"}
    run = SimpleNamespace(published=SimpleNamespace(given={"corrections": told}))
    assert _correction(run, "congress", "MIM error (%)") == " ".join(told.values())
    assert told["votes"] not in _correction(run, "heart", "JMI error ± (%)")
    assert _correction(run, "congress", "JMI stability") == told["bins"]
