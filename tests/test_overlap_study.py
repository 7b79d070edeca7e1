"""The study of shared rows: its page has what was measured, and its pairs share what they have to."""

import json

import numpy as np
import pytest
from benchmarks import overlap as study

RESULTS = json.loads(study.RESULTS.read_text(encoding="utf-8"))
Y = np.array(["a"] * 15 + ["b"] * 19 + ["a"] * 21 + ["b"] * 17)


def test_the_page_shows_what_was_measured():
    shown = study.PAGE.read_text(encoding="utf-8").split(study.BEGIN)[1].split(study.END)[0]
    assert shown.strip() == study.page(RESULTS).strip()


@pytest.mark.parametrize("overlap", [0.0, 0.4, 0.9])
def test_a_pair_has_the_classes_of_the_studies_and_the_overlap(overlap):
    first, second = study.drawn_pair(Y, overlap, np.random.default_rng(8))
    for label, sizes in {"a": (15, 21), "b": (19, 17)}.items():
        parts = [part[Y[part] == label] for part in (first, second)]
        assert tuple(map(len, parts)) == sizes
        assert len(np.intersect1d(*parts)) == round(overlap * min(sizes))
    assert len(set(first)) == len(first)
    assert len(set(second)) == len(second)


def test_pairs_without_common_rows_hold_every_row_once():
    first, second = study.drawn_pair(Y, 0.0, np.random.default_rng(9))
    assert sorted([*first, *second]) == list(range(len(Y)))


@pytest.mark.parametrize("selector", study.SELECTORS)
def test_agreement_grows_with_the_rows_that_are_shared(selector):
    pairs = [np.array(RESULTS[selector][f"{overlap:g}"]) for overlap in study.OVERLAPS]
    assert all(len(one) == study.PAIRS for one in pairs)
    error = np.hypot(pairs[0].std(), pairs[-1].std()) / np.sqrt(study.PAIRS)
    assert pairs[-1].mean() - pairs[0].mean() > 5 * error
    assert np.corrcoef([one.mean() for one in pairs], study.OVERLAPS)[0, 1] > 0.95


def test_the_two_studies_are_placed_among_pairs_without_common_rows():
    found = {"0": [0, 0.25, 0.5], "0.25": [0.4], "0.5": [0.5], "0.75": [0.6], "0.9": [0.8], "studies": 0.25}
    assert study.p_of_studies(found) == pytest.approx(3 / 4)
    assert study.overlap_of_studies(found) == "0%"
    assert study.overlap_of_studies(found | {"studies": 0.45}) == "38%"
    assert study.overlap_of_studies(found | {"studies": 0.1}) == "below the mean at 0%"
