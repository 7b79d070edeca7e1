"""The study of replications: its page says what was measured, and the intervals hold."""

import json

import numpy as np
from benchmarks import replication as study

RESULTS = json.loads(study.OUT.read_text(encoding="utf-8"))


def test_the_page_shows_what_was_measured():
    shown = study.PAGE.read_text(encoding="utf-8").split(study.BEGIN)[1].split(study.END)[0]
    assert shown.strip() == study.page(RESULTS).strip()


def test_intervals_cover_in_every_case():
    """At least 85% in each, as the specification asks, and 93% on average."""
    for at in ("half", "same"):
        covered = [one[at]["covered"] for one in RESULTS]
        assert min(covered) >= 0.85
        assert np.mean(covered) >= 0.93


def test_half_of_the_rows_is_unbiased():
    for one in RESULTS:
        assert abs(one["half"]["bias"]) <= 4 * one["half"]["rmse"] / np.sqrt(one["data_sets"]) + 0.01
