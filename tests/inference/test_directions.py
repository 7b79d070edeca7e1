"""In which direction features go with the target, read off the data."""

import numpy as np
import pytest

from steadyset.inference.features import Directions, class_names, data_directions
from steadyset.tasks import CLASSES, NUMBER


def words(X, y, task=CLASSES, target=""):
    found = Directions(data_directions(np.asarray(X, dtype=float), y, task), class_names(y, task), target)
    return found.words(np.arange(np.shape(X)[1]))


TWO = np.array(["DLBCL", "DLBCL", "DLBCL", "FL", "FL"])


def test_of_two_classes_the_one_with_the_higher_mean_is_named():
    X = np.array([[3, 1, 0], [3, 1, 1], [4, 0, 0], [1, 2, 1], [2, 2, 1]])
    assert words(X, TWO) == ["higher in DLBCL", "higher in FL", "higher in FL"]


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_neither_scale_nor_place_changes_a_direction(scale, shift):
    X = (np.array([[3.0], [3], [4], [1], [2]]) + shift) * scale
    assert words(X, TWO) == ["higher in DLBCL"]


def test_constants_and_equal_means_have_no_direction():
    X = np.array([[0.1, 0, 1], [0.1, 2, 1], [0.1, 1, 1], [0.1, 1, np.nan], [0.1, 1, np.nan]])
    assert words(X, TWO) == ["", "", ""]  # the last is known in one class alone


def test_missing_values_are_left_out():
    X = np.array([[np.nan], [1.0], [1.0], [np.nan], [2.0]])
    assert words(X, TWO) == ["higher in FL"]


def test_of_several_classes_the_one_that_stands_out_is_named():
    y = np.repeat(["a", "b", "c", "d"], 2)
    X = np.array(
        [[9, 1, 0, 5], [9, 1, 0, 5], [1, 9, 1, 5], [1, 9, 1, 5], [1, 9, 2, 5], [1, 9, 2, 5], [1, 9, 3, 5], [1, 9, 3, 5]]
    )
    assert words(X, y) == ["highest in a", "lowest in a", "highest in d", ""]


def test_unequal_classes_count_the_same():
    y = np.array(["rare"] + ["common"] * 49 + ["third"] * 50)
    X = np.array([[5.0]] + [[0.0]] * 49 + [[0.1]] * 50)
    assert words(X, y) == ["highest in rare"]


def test_a_feature_rises_or_falls_with_a_number():
    y = np.array([1.0, 2, 3, 4, 5])
    X = np.column_stack([y**3, -y, (y - 3) ** 2, np.ones(5), [np.nan, 1, 5, 2, np.nan]])
    assert words(X, y, NUMBER, "dose") == ["rises with dose", "falls with dose", "", "", "rises with dose"]
    assert words(X[:, :1], y, NUMBER) == ["rises with y"]
    assert words(X[:, :1], np.ones(5), NUMBER) == [""]


def test_a_positive_coefficient_speaks_for_the_second_class_or_a_larger_number():
    two = Directions(np.zeros(1, dtype=int), ("a", "b"))
    assert (two.of_sign(1), two.of_sign(-1)) == ("higher in b", "higher in a")
    assert Directions(np.zeros(1, dtype=int), (), "age").of_sign(-1) == "falls with age"


def test_many_columns_are_read_in_blocks(monkeypatch):
    from steadyset.inference import features

    X, y = np.random.default_rng(0).normal(size=(20, 50)), np.arange(20) % 3
    whole = data_directions(X, y, CLASSES)
    monkeypatch.setattr(features, "CELLS_A_BLOCK", 100)
    assert data_directions(X, y, CLASSES).tolist() == whole.tolist()
    means = np.array([X[y == c].mean(axis=0) for c in range(3)])
    assert [abs(code) - 1 for code in whole] == np.abs(means - means.mean(axis=0)).argmax(axis=0).tolist()
