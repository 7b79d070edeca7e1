"""Integrated path stability selection against the published package on identical halves."""

import json
from pathlib import Path

import numpy as np
import pytest

from steadyset.shortlists.rules import expected_false, q_values

CASES = json.loads((Path(__file__).parent / "ipss.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES)
def test_expected_false_features_and_q_values_are_those_of_the_package(case):
    found = expected_false(np.array(case["importances"]), case["order"], case["delta"])
    assert found == pytest.approx(np.array(case["expected_false"]), abs=1e-10)
    assert q_values(found) == pytest.approx(np.array(case["q_values"]), abs=1e-10)


def test_nothing_is_expected_of_features_that_are_never_chosen():
    importances = np.zeros((20, 5))
    importances[:, 0] = 1.0
    found = expected_false(importances)
    assert found[0] == found.min()
    assert (found[1:] == 5).all()
