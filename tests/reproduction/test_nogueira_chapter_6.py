"""What the reproductions of chapter 6 of Nogueira (2018) rest on."""

import numpy as np
import pandas as pd
import pytest

from steadyset.inference import confidence_interval
from steadyset.measures import stability
from steadyset.reproduction import all_papers, data_folder
from steadyset.reproduction.papers.nogueira_ensembles import _lasso
from steadyset.reproduction.papers.nogueira_filters import _cut, _drawn, _first
from steadyset.reproduction.papers.nogueira_penalised import Paths, _largest_rise, _paths
from steadyset.reproduction.papers.nogueira_validation import _drawn as sets_drawn
from steadyset.reproduction.papers.nogueira_validation import _farthest, _probabilities


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
    sets = sets_drawn(_probabilities(phi, 100), 2000, np.random.default_rng(1))
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
