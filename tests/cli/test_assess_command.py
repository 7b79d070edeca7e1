"""`steadyset assess` and `steadyset report`: from a data file to an answer."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.assessment import engines
from steadyset.cli import run


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """60 rows, 8 features of which two matter; one has a name that HTML must not believe."""
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 8))
    names = [*(f"gene{i}" for i in range(7)), "<script>alert(1)</script>"]
    y = np.where(X[:, 0] + X[:, 7] + 0.5 * random.standard_normal(60) > 0, "sick", "well")
    path = tmp_path_factory.mktemp("data") / "genes.csv"
    pd.DataFrame(X, columns=names).assign(state=y).to_csv(path, index=False)
    return path


QUICK = ["--selector", "anova:k=2", "--selector", "lasso:k=2", "--runs", "12", "--jobs", "1"]


@pytest.fixture(scope="module")
def runs(data):
    folder = data.parent / "runs"
    assert run(["assess", str(data), "--target", "state", *QUICK, "--out", str(folder), "--format", "json"]) == 0
    return folder


def test_the_summary_answers_in_words(data, tmp_path, capsys):
    out = ["--out", str(tmp_path / "runs")]
    assert run(["assess", str(data), "-t", "state", *QUICK, "--score", "accuracy", "--score", "auc", *out]) == 0
    text = capsys.readouterr().out
    assert "60 rows, 8 features, target 'state'" in text
    assert re.search(r"The steadiest selector is (anova|lasso):k=2: stability 0\.\d\d", text)
    assert "Steady core" in text
    assert "share a letter" in text
    assert f"Run folder: {tmp_path / 'runs'}" in text


def test_json_agrees_with_the_recorded_assessment(runs, data, capsys):
    arguments = ["assess", str(data), "-t", "state", *QUICK, "--out", str(runs), "--format", "json"]
    assert run(arguments) == 2
    assert (
        "already holds an assessment; continue it with --resume, or choose another folder with --out."
        in capsys.readouterr().err
    )
    assert run([*arguments, "--resume"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["summary"]}
    for name, sel in st.Assessment.open(runs).selections.items():
        assert rows[name]["stability"] == pytest.approx(st.stability(sel))
        assert rows[name]["runs"] == 12


def test_terminal_report_python_and_comparison_give_the_same_verdict(runs, data, tmp_path, capsys):
    summary = st.Assessment.open(runs).summary(details=True)
    lasso = summary.loc["lasso:k=2"]
    assert lasso["low"] < 0.4 < lasso["stability"] < 0.75 < lasso["high"]
    words = lasso["verdict"]
    assert words == "not above baseline"  # the accuracy of 12 runs is not shown to be better than that of random genes
    assert run(["assess", str(data), "-t", "state", *QUICK, "--out", str(runs), "--resume"]) == 0
    assert words in capsys.readouterr().out
    assert words in st.report(runs, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "verdict" not in st.Assessment.open(runs).summary(measure="jaccard", details=True)
    assert run(["compare", str(runs), "--format", "json"]) == 0
    compared = json.loads(capsys.readouterr().out)
    assert {row["name"]: row["verdict"] for row in compared["summary"]} == summary["verdict"].to_dict()
    found = st.findings_of(runs)
    assert compared["differences"][0]["groups"] == found.differences[0].groups
    assert compared["differences"][0]["test"] == found.differences[0].test
    assert "Holm over 1 pair" in found.differences[0].test


def test_the_margin_is_an_option_and_stands_in_the_report(runs, tmp_path, capsys):
    assert run(["report", str(runs), "--out", str(tmp_path / "report.json"), "--margin", "0.5"]) == 0
    told = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["preference"]
    assert told["margin"] == 0.5
    assert all(loss["within_margin"] for loss in told["losses"])
    assert run(["report", str(runs), "--out", str(tmp_path / "report.md"), "--margin", "0.5"]) == 0
    assert "margin of the loss: 0.5 of accuracy" in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert run(["report", str(runs), "--out", str(tmp_path / "report.md"), "--margin", "-1"]) == 2
    assert "--margin must be a number of at least 0" in capsys.readouterr().err


@pytest.mark.slow  # buys: runs are added until it is enough; that they end at the maximum is in make test
def test_auto_adds_runs_until_the_intervals_are_narrow(data, tmp_path, capsys):
    arguments = ["--runs", "auto", "--width", "0.1", "--jobs", "1", "--out", str(tmp_path / "runs"), "--format", "json"]
    assert run(["assess", str(data), "-t", "state", "-s", "anova:k=4", *arguments]) == 0
    row = json.loads(capsys.readouterr().out)["summary"][0]
    assert row["runs"] > 30
    assert row["high"] - row["low"] <= 0.1


def test_auto_ends_at_max_runs(data, tmp_path, capsys):
    arguments = ["--runs", "auto", "--width", "0.001", "--max-runs", "14", "--jobs", "1", "--format", "json"]
    out = ["--out", str(tmp_path / "runs")]
    assert run(["assess", str(data), "-t", "state", "-s", "anova:k=4", *arguments, *out]) == 0
    assert json.loads(capsys.readouterr().out)["summary"][0]["runs"] == 14


def test_rows_of_a_group_stay_together_and_the_delimiter_is_as_given(data, tmp_path, capsys):
    frame = pd.read_csv(data).assign(patient=np.repeat(np.arange(20), 3))
    frame.to_csv(tmp_path / "x.csv", sep=";", index=False)
    arguments = ["-t", "state", "-s", "anova:k=2", "--runs", "5", "--jobs", "1", "--delimiter", ";"]
    out = ["--out", str(tmp_path / "runs")]
    assert run(["assess", str(tmp_path / "x.csv"), *arguments, "--groups", "patient", *out]) == 0
    assert "60 rows, 8 features, target 'state', 20 groups by 'patient'" in capsys.readouterr().out
    expected = st.assess(
        "anova:k=2",
        st.Data(frame.drop(columns=["state", "patient"]), frame["state"], groups=frame["patient"].astype(str)),
        resampling=st.Bootstrap(5),
    )
    assert st.Assessment.open(tmp_path / "runs").selections == expected.selections


def test_the_report_stands_alone_and_believes_no_name(runs, tmp_path, capsys):
    page = tmp_path / "report.html"
    assert run(["report", str(runs), "-o", str(page)]) == 0
    assert f"The report is in {page}." in capsys.readouterr().out
    html = page.read_text(encoding="utf-8")
    assert html.count("<script") == html.count("</script>") == 4  # data, drawings, Vega, the page's own
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;alert(1)" in html
    assert not re.search(r"""(src|href)\s*=\s*["']?https?:""", html)
    assert html.count('<div class="still"><svg') >= 3
    assert "steadiest selector" in html


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-t", "status"], "has no column 'status'"),
        (["-t", "state", "-s", "lassso"], "did you mean 'lasso'"),
        (["-t", "state", "-s", "lasso:k"], "is not understood at 'k'"),
        (["-t", "state", "-s", "anova:k=3,k=4"], "'anova:k=3,k=4' gives 'k' twice; give it once"),
        (["-t", "state", "--resampling", "subsample:n_runs=3,n_runs=3"], "gives 'n_runs' twice; give it once"),
        (["-t", "state", "-s", "lasso:kk=3"], "no parameter 'kk'"),
        (["-t", "state", "--resampling", "jackknife"], "no resampling called 'jackknife'"),
        (["-t", "state", "--resampling", "subsample:fraction=2"], "fraction must be a number between 0 and 1 (got 2)"),
        (["-t", "state", "--resampling", "kfold", "--runs", "5"], "fixed number of runs"),
        (["-t", "state", "--runs", "some"], "--runs must be a whole number of at least 2, or auto (got 'some')"),
        (["-t", "state", "--score", "r2"], "no score 'r2'"),
        (["-t", "state", "--max-runs", "50"], "--max-runs limits --runs auto"),
        (["-t", "state", "--groups", "gene"], "has no column 'gene'; did you mean 'gene"),
        (
            ["-t", "state", "-s", "anova:k=9"],
            "cannot run: k must be at most 8, the number of features of X (got 9)",
        ),
        (["-t", "gene0", "--drop", "state", "-s", "rfe_svm"], "cannot run on a number: rfe_svm (for classes)"),
        (["-t", "state", "--engine", "tcp://127.0.0.1:9"], "No dask scheduler answers"),
        ([], "give --target"),
    ],
)
def test_bad_requests_are_one_sentence(data, tmp_path, arguments, sentence, capsys, monkeypatch):
    monkeypatch.setattr(engines, "CONNECTING", 1.0)
    assert run(["assess", str(data), *arguments, "--out", str(tmp_path / "runs")]) == 2
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1


def test_several_faults_of_the_data_are_a_line_each(data, tmp_path, capsys):
    pd.read_csv(data).assign(state="same", name="q").to_csv(tmp_path / "x.csv", index=False)
    assert run(["assess", str(tmp_path / "x.csv"), "-t", "state"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == f"steadyset: {tmp_path / 'x.csv'} cannot be used as it is:"
    assert [line[:2] for line in lines[1:]] == ["- ", "- "]


def test_a_report_of_nothing_is_one_sentence(tmp_path, capsys):
    assert run(["report", str(tmp_path)]) == 2
    assert "not a run folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("jobs", "sent", "word"),
    [
        pytest.param("1", signal.SIGINT, "interrupted", marks=pytest.mark.slow),
        ("2", signal.SIGINT, "interrupted"),
        pytest.param("1", signal.SIGTERM, "asked to end", marks=pytest.mark.slow),
        ("2", signal.SIGTERM, "asked to end"),
    ],
)
@pytest.mark.posix
def test_a_signal_ends_the_command_cleanly_and_it_says_how_to_resume(data, tmp_path, jobs, sent, word):
    folder = tmp_path / "runs"
    arguments = ["assess", str(data), "-t", "state", "-s", "forest:n_estimators=3000", "--out", str(folder)]
    command = [sys.executable, "-m", "steadyset", *arguments, "--runs", "400", "--jobs", jobs]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, start_new_session=True
    )
    while not list((folder / "finished").glob("*.json")):
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, sent)  # as a terminal or a queue does: the workers get it too
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + sent
    *progress, sentence = err.splitlines()
    assert all(line.startswith("This takes about ") for line in progress)
    assert sentence.startswith(f"steadyset: {word}; the finished runs are in {folder}")
    assert "To continue, run: steadyset assess" in err
    assert "--resume" in err
    assert len(st.Assessment.open(folder).cells) > 0
    assert run([*arguments, "--runs", "2", "--jobs", "1", "--resume"]) == 0


@pytest.mark.parametrize(
    ("command", "arguments", "sentence"),
    [
        ("assess", ["--core", "0"], "--core must be a share of the runs"),
        ("assess", ["--core", "nan"], "--core must be a share of the runs"),
        ("assess", ["--level", "95"], "--level must be a number between 0 and 1, such as 0.95 (got 95.0)"),
        ("tune", ["--core", "2"], "--core must be a share of the runs"),
    ],
)
def test_options_of_the_output_are_checked_before_any_work(tmp_path, command, arguments, sentence, capsys):
    """The data does not even exist."""
    assert run([command, str(tmp_path / "missing.csv"), "-t", "state", *arguments]) == 2
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--core", "7"], "--core must be a share of the runs"),
        (["--level", "0"], "--level must be a number between 0 and 1"),
        (["-o", "page.pdf", "--format", "md"], "page.pdf ends like pdf, but --format md is asked for"),
        (["-o", "nowhere/x.html"], "The folder nowhere of the report does not exist"),
    ],
)
def test_options_of_the_report_are_checked_before_the_folder_is_read(
    tmp_path, arguments, sentence, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert run(["report", "missing", *arguments]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"steadyset: {sentence}")
    assert err.count("\n") == 1


def test_core_and_level_are_chosen(runs, data, tmp_path, capsys):
    arguments = ["assess", str(data), "-t", "state", *QUICK, "--out", str(runs), "--resume", "--core", "0.5"]
    assert run([*arguments, "--level", "0.8"]) == 0
    text = capsys.readouterr().out
    assert "Steady core (selected in at least 50% of the runs)" in text
    assert "80% interval" in text
    assert run(["report", str(runs), "-o", str(tmp_path / "x.html"), "--core", "0.5"]) == 0
    assert "at least 50% of the runs" in (tmp_path / "x.html").read_text(encoding="utf-8")


def test_a_terminal_of_latin_1_and_names_that_act(tmp_path):
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 3))
    y = np.where(X.sum(axis=1) > 0, "sick", "well")
    names = ["\x1b[31mΔ", "größe", "=cmd()"]
    pd.DataFrame(X, columns=names).assign(state=y).to_csv(tmp_path / "x.csv", index=False)
    command = [sys.executable, "-m", "steadyset", "assess", "x.csv", "-t", "state", "-s", "anova:k=3", "-j", "1"]
    done = subprocess.run(
        [*command, "--runs", "3", "--core", "0.1"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=True,
    )
    said = done.stdout.decode("latin-1")
    assert "selects all 3 features in every run: nothing to compare" in said
    assert "\x1b" not in said
    assert "anova:k=3 | -" in said  # the dash of what is undefined


def test_csv_tells_of_names_that_a_spreadsheet_would_run(capsys):
    from steadyset.cli.terminal import print_rows

    print_rows([{"feature": "=cmd()", "value": -1.0}, {"feature": "fine", "value": 1.0}], "csv")
    told = capsys.readouterr()
    assert told.out == "feature,value\n=cmd(),-1.0\nfine,1.0\n"
    assert told.err == (
        "The csv output: 1 name would be run as a formula by a spreadsheet, the first is '=cmd()'; "
        "--spreadsheet-safe writes such names with an apostrophe in front.\n"
    )
    print_rows([{"feature": "=cmd()", "value": -1.0}, {"feature": "fine", "value": 1.0}], "csv", safe=True)
    assert capsys.readouterr() == ("feature,value\n'=cmd(),-1.0\nfine,1.0\n", "")
