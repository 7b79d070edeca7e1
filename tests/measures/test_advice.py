"""Which measure to use: the reasons hold, the page says the same, and the command asks for what it lacks."""

import itertools
import json

import numpy as np
import pytest
from tests.documentation import DOCS, script

import steadyset as st
from steadyset.cli import run

EVERY = list(itertools.product(("fixed", "vary"), (False, True), (False, True)))


def advice_of(sizes, correlated, importances):
    return st.which_measure(sizes=sizes, correlated=correlated, importances=importances)


def computed_properties():
    """The table of properties.md, which another test holds to what certificates decide."""
    lines = (DOCS / "properties.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    header = next(row for row in rows if row[:2] == ["measure", "fully defined"])
    return {
        row[0]: dict(
            zip([name.replace(" ", "_") for name in header[1:]], [c.startswith("yes") for c in row[1:]], strict=True)
        )
        for row in rows
        if len(row) == len(header)
    }


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_reasons_rest_on_properties_that_are_computed(case):
    table = computed_properties()
    for name, claimed in advice_of(*case).properties.items():
        assert {key: table[name][key] for key in claimed} == dict(claimed), name


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_measure_takes_what_was_answered(case):
    sizes, correlated, importances = case
    advice = advice_of(*case)
    record = st.get_measure(advice.measure)
    assert record.adjusted == correlated
    assert ("weights" in record.needs or advice.measure == "msi") == importances
    assert not (sizes == "vary" and record.constant_size)
    assert all(st.get_measure(name) for name in advice.instead)


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_calls_for_statistics_run(case):
    sizes, correlated, importances = case
    advice = st.which_measure(sizes=sizes, correlated=correlated, importances=importances, statistics="all")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 8))
    known = {
        "runs": st.Selections.from_weights(np.where(rng.random((9, 8)) < 0.5, rng.random((9, 8)), 0.0)),
        "other_runs": st.Selections.from_weights(np.where(rng.random((9, 8)) < 0.5, rng.random((9, 8)), 0.0)),
        "similarity": st.FeatureSimilarity.from_data(X, threshold=0.2),
    }
    assert len(advice.statistics) == 3
    interval, threshold, difference = (eval(f"st.{call}", {"st": st, **known}) for call in advice.statistics)
    assert interval.low <= interval.estimate <= interval.high
    assert 0 <= threshold.p_value <= 1
    assert 0 <= difference.p_value <= 1
    assert advice_of(*case).statistics == {}
    assert advice_of(*case).measure == advice.measure


def test_published_statistics_are_named_for_the_measure_that_has_them():
    for case in EVERY:
        advice = st.which_measure(sizes=case[0], correlated=case[1], importances=case[2], statistics="interval")
        (basis,) = advice.statistics.values()
        assert ('method="normal"' in basis) == (advice.measure == "nogueira")


def test_measures_that_are_called_the_same_for_one_size_are():
    rng = np.random.default_rng(0)
    sel = st.Selections.from_sets([rng.choice(9, 3, replace=False) for _ in range(6)], n_features=9)
    named = "kuncheva, wald, npog, kappa, phi and unadjusted"
    assert any(named in reason for reason in advice_of("fixed", False, False).because)
    for name in named.replace(" and ", ", ").split(", "):
        assert st.stability(sel, name) == pytest.approx(st.stability(sel, "nogueira"))


def test_the_page_says_what_the_function_says():
    assert script("make_which_measure").answers() in (DOCS / "which-measure.md").read_text(encoding="utf-8")


def test_the_command_answers_flags_and_asks_for_those_it_lacks(capsys):
    flags = ["--sizes", "vary", "--correlated", "yes", "--importances", "no"]
    assert run(["measures", "--which", *flags]) == 0
    said = capsys.readouterr().out
    assert said.startswith(str(advice_of("vary", True, False)))
    assert "--measure intersection_count --data DATA" in said
    assert run(["measures", "--which", *flags, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["measure"] == "intersection_count"
    assert run(["measures", "--which", *flags[:4]]) == 2
    assert "--sizes fixed|vary, --correlated yes|no, --importances yes|no" in capsys.readouterr().err


def test_the_command_asks_four_questions_on_a_terminal(capsys, monkeypatch):
    answers = iter(["vary", "n", "YES", "interval"])
    asked = []
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("typer.prompt", lambda text, **options: (asked.append(text), next(answers))[1])
    assert run(["measures", "--which"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Use pearson.")
    assert "confidence_interval(runs" in said
    assert len(asked) == 4


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["--which", "--sizes", "big", "--correlated", "no", "--importances", "no"], "--sizes must be fixed or vary"),
        (["--sizes", "fixed"], "--sizes answers a question of --which"),
        (["jaccard", "--which"], "leave out jaccard"),
    ],
)
def test_answers_that_make_no_sense_get_a_sentence(command, sentence, capsys):
    assert run(["measures", *command]) == 2
    assert sentence in capsys.readouterr().err
