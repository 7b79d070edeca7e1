"""The study of shortlists: its page and the phrases of the rules say what was measured, and the list holds."""

import json

import pytest
from benchmarks import shortlist as study

from steadyset.shortlists.rules import LIST_RULES

RESULTS = json.loads(study.RESULTS.read_text(encoding="utf-8"))
RECIPE = ("filter, ", "filter + lasso, ", "lasso, ", "groups of ")


def test_the_page_shows_what_was_measured():
    shown = study.PAGE.read_text(encoding="utf-8").split(study.BEGIN)[1].split(study.END)[0]
    assert shown.strip() == study.page(RESULTS).strip()


@pytest.mark.parametrize("rule", LIST_RULES, ids=lambda rule: rule.name)
def test_a_rule_has_the_figures_of_the_study(rule):
    assert rule.held == study.held(RESULTS, rule.name)


def test_the_list_holds_in_every_cell():
    """Of some two hundred means a few exceed what is allowed by two standard errors; none does by three."""
    cells = [cell for cell in RESULTS if cell.startswith(study.STUDIED)]
    assert len(cells) > 20
    above = list(study.too_many({cell: _recipe(RESULTS[cell]) for cell in cells}, 3.0))
    assert above == []


def test_on_other_arrays_the_list_finds_nearly_what_the_best_rule_finds():
    ratios = [one.own / one.best for one in study.best_peers(RESULTS)]
    assert len(ratios) == (len(study.HELD_OUT) + len(study.BOTH)) * len(study.ALLOWED)
    assert min(ratios) > 0.9


def test_bounds_that_fail_are_seen_to_fail():
    nulls = {cell: sums for cell, sums in RESULTS.items() if cell.startswith("other rules") and cell.endswith(", 0")}
    failing = {line.split(": ")[2].rsplit(", false", 1)[0] for line in study.too_many(nulls) if ", false 1" in line}
    assert "r-concave" in failing
    assert "Meinshausen-Bühlmann" not in failing
    assert "unimodal" not in failing


def _recipe(sums):
    return {rule: numbers for rule, numbers in sums.items() if rule.startswith(RECIPE)}
