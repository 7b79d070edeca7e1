"""Every command that a run prints as a next step runs as it is pasted, in the folder where the run was made."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest

from steadyset.assessment import Assessment
from steadyset.cli import run

QUICK = {
    "assess": ["--selector", "anova:k=2", "--selector", "lasso:k=2", "--runs", "10", "--jobs", "1"],
    "shortlist": ["--permutations", "20", "--splits", "10", "--outer", "0", "--base", "filter"],
    "replicate": ["--selector", "anova:k=2", "--pairs", "10"],
    "why": ["--selector", "anova:k=2", "--resampling", "bootstrap:n_runs=10"],
    "tune": ["--trials", "3", "--jobs", "1"],
}
PRINTED = re.compile(r"steadyset (?:assess|shortlist|replicate|why|tune|report) [^`\n]*")
REPORT = "steadyset report "


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a study of 72 rows, whose name a shell would split."""
    random = np.random.default_rng(0)
    X = random.normal(size=(72, 8))
    status = np.where(X[:, 0] + X[:, 1] + 0.5 * random.normal(size=72) > 0, "ill", "well")
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(**{"the status": status})
    frame.to_csv(tmp_path / "study 0.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("assess", []),
        ("assess", ["--resume"]),
        ("assess", ["--out", "another folder"]),
        ("shortlist", []),
        ("shortlist", ["--fdr", "0.1", "--permutations", "50"]),
        ("replicate", []),
        ("why", []),
        ("tune", []),
    ],
)
def test_every_printed_step_runs_as_it_is_pasted(here, capsys, command, more):
    quick = [word for word in QUICK[command] if "--permutations" not in more or word not in ("--permutations", "20")]
    assert run([command, "study 0.csv", "--target", "the status", *quick, *more]) == 0
    folder = next(path for path in here.iterdir() if path.is_dir())
    printed = capsys.readouterr().out
    assert run(["report", str(folder), "--out", "report.md"]) == 0
    printed += (here / "report.md").read_text(encoding="utf-8")
    commands = {line for line in PRINTED.findall(printed) if "the status" in line or line.startswith(REPORT)}
    steps = [line for line in commands if f"- command: {line}" not in printed]
    assert steps
    capsys.readouterr()
    for line in sorted(steps):
        # Fewer permuted targets and runs than by default, so that the test is quick; everything else is as printed.
        words = shlex.split(line)[1:]
        if words[0] == "shortlist" and "--permutations" not in words and "--fdr" not in words:
            words += QUICK["shortlist"][:2]
        if words[0] == "shortlist" and "--outer" not in words:
            words += ["--outer", "0", "--splits", "10"]
        if words[0] == "assess" and "--runs" not in words:
            words += ["--runs", "5"]
        if words[0] == "replicate" and "--pairs" not in words:
            words += ["--pairs", "10"]
        if words[0] == "tune" and "--trials" not in words:
            words += ["--trials", "2"]
        assert run(words) == 0, (line, capsys.readouterr().err)
    if command == "assess":
        assert len(Assessment.open(folder).cells) == 2 * 20


def test_too_few_resamples_are_refused_before_anything_is_computed(here, capsys):
    typed = ["why", "study 0.csv", "--target", "the status", "--selector", "anova:k=2"]
    assert run([*typed, "--resampling", "bootstrap:n_runs=8"]) == 2
    error = capsys.readouterr().err
    assert "8 resamples" in error
    assert "at least 10" in error
    assert not [path for path in here.iterdir() if path.is_dir()]


@pytest.mark.parametrize(("option", "least"), [("--permutations", 20), ("--splits", 10)])
def test_help_and_refusal_state_the_same_minimum(here, capsys, option, least):
    assert run(["shortlist", "study 0.csv", "--target", "the status", option, str(least - 1)]) == 2
    assert str(least) in capsys.readouterr().err
    assert run(["shortlist", "--help"]) == 0
    assert f"[x>={least}]" in capsys.readouterr().out
