"""The command certify: counter-examples for people, every verdict for programs."""

import json

from steadyset.cli import run


def test_one_measure_shows_its_counterexamples_and_what_papers_say(capsys):
    assert run(["certify", "SMW"]) == 0
    out = " ".join(capsys.readouterr().out.split())  # long reasons are wrapped
    assert "no ≠" in out
    assert "bommert_2020: yes" in out
    assert "-31 for 32" in out


def test_many_measures_show_a_row_each_and_the_disagreements(capsys):
    assert run(["certify", "jaccard", "wald"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines() if line.strip().startswith(("jaccard", "wald"))] == [
        "jaccard",
        "wald",
    ]
    assert "- wald, bounded: bommert_2020 says yes." in out


def test_json_holds_every_verdict(capsys):
    assert run(["certify", "hamming", "--format", "json"]) == 0
    rows = {row["property"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["fully_defined"]["holds"] is True
    assert rows["corrected"]["holds"] is False
    assert rows["extremes"]["disagrees"] == ["sen_2021"]
    assert rows["defined_at_limits"]["bommert_2020"] is None


def test_an_unknown_measure_is_one_sentence(capsys):
    assert run(["certify", "jacard"]) == 2
    assert "did you mean 'jaccard'" in capsys.readouterr().err
