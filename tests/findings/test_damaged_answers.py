"""Run folders of every kind with a file removed, cut, or put in from another run: the right answer, or its name."""

import shutil
from functools import cache

import numpy as np
import pytest

import steadyset as st
from steadyset.assessment import Assessment
from steadyset.findings.parts import record_findings
from steadyset.foundation.errors import InputError

QUIET = {"progress": False}
ROWS, FEATURES = 32, 12


def data(seed, n=ROWS):
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = random.normal(size=(n, FEATURES))
    X[y == 1, :2] += 1.5
    return X, y


def marked(X, y):
    return [0, 1]


def assessed(path, seed):
    execution = {**QUIET, "predictions": True}
    st.assess(["anova:k=2", "auc:k=2"], *data(seed), resampling=st.Bootstrap(6), out=path, execution=execution)


def shortlisted(path, seed):
    options = {"bases": ["filter"], "permutations": 20, "splits": 10, "outer": 5}
    st.shortlist(*data(seed), **options, out=path, execution=QUIET)


def replicated(path, seed):
    found = st.replication("anova:k=2", *data(seed), pairs=10, out=path, execution=QUIET)
    record_findings(st.findings_of(found), path)


def split(path, seed):
    found = st.variance_split(
        ["anova:k=2", "auc:k=2"], *data(seed), resampling=st.Bootstrap(10), out=path, execution=QUIET
    )
    record_findings(st.findings_of(found), path)


def studies(path, seed):
    few = {"A": data(seed, 20), "B": data(seed + 50, 20)}
    found = st.compare_studies(marked, few, out=path, execution=QUIET)
    record_findings(st.findings_of(found), path)


def tuned(path, seed):
    space = {"filter": ["anova"], "fraction": [0.2, 0.5], "model": {"knn": {}}}
    search = {"sampler": "grid"}
    found = st.tune(space, *data(seed), resampling=st.KFold(3), search=search, out=path, execution=QUIET)
    record_findings(st.findings_of(found), path)


KINDS = {
    "assess": assessed,
    "shortlist": shortlisted,
    "replicate": replicated,
    "why": split,
    "studies": studies,
    "tune": tuned,
}


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    @cache
    def made(kind, seed):
        path = tmp_path_factory.mktemp("runs") / f"{kind}-{seed}"
        KINDS[kind](path, seed)
        return path

    return made


def files_of(path):
    return sorted(file.relative_to(path) for file in path.rglob("*") if file.is_file() and file.name != "lock")


def answer(path):
    return st.findings_of(path).to_json()


def right_or_named(path, expected, *names):
    """The right answer, or a sentence that names one of the files; no answer has the name of a file in it."""
    try:
        found = answer(path)
    except InputError as error:
        found = str(error)
    assert found == expected or any(name in found for name in names)


@pytest.mark.slow  # buys: every file of every kind of folder
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_missing_or_cut_is_named_or_not_needed(kind, folder_of, tmp_path):
    whole = folder_of(kind, 0)
    expected = answer(whole)
    for number, name in enumerate(files_of(whole)):
        for damage in ("missing", "cut"):
            copy = tmp_path / f"{number}-{damage}"
            shutil.copytree(whole, copy)
            if damage == "missing":
                (copy / name).unlink()
            else:
                content = (copy / name).read_bytes()
                (copy / name).write_bytes(content[: len(content) // 2])
            right_or_named(copy, expected, name.name)
            shutil.rmtree(copy)


@pytest.mark.slow  # buys: every file of every kind of folder
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_of_another_run_is_named_or_not_needed(kind, folder_of, tmp_path):
    whole, other = folder_of(kind, 0), folder_of(kind, 1)
    expected = answer(whole)
    assert answer(other) != expected
    for number, name in enumerate(files_of(whole)):
        if not (other / name).exists():
            continue
        copy = tmp_path / str(number)
        shutil.copytree(whole, copy)
        shutil.copyfile(other / name, copy / name)
        right_or_named(copy, expected, name.name)
        shutil.rmtree(copy)


@pytest.mark.parametrize(("name", "kept"), [("cells.json", "alike.json"), ("predictions.parquet", "cells.json")])
def test_a_missing_file_is_made_again_by_the_run_that_is_continued(name, kept, folder_of, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(folder_of("assess", 0), copy)
    expected = Assessment.open(copy)
    (copy / name).unlink()
    with pytest.raises(InputError, match=name):
        Assessment.open(copy)
    assessed(copy, 0)
    again = Assessment.open(copy)
    assert [cell.selected for cell in again.cells] == [cell.selected for cell in expected.cells]
    assert [cell.kept for cell in again.cells] == [cell.kept for cell in expected.cells]


def test_fewer_runs_than_were_finished_are_told(tmp_path):
    for place, n_runs in (("few", 4), ("many", 8)):
        st.assess("anova:k=2", *data(0), resampling=st.Bootstrap(n_runs), out=tmp_path / place, execution=QUIET)
    shutil.copyfile(tmp_path / "few" / "cells.json", tmp_path / "many" / "cells.json")
    with pytest.raises(InputError, match=r"cells\.json holds 5 of the 9 results that were finished"):
        Assessment.open(tmp_path / "many")


class EnoughError(Exception):
    """Ends the work in its middle."""


def stopping(after):
    def progress(done, total):
        if done >= after:
            raise EnoughError

    return {"progress": progress}


INTERRUPTED = {
    "replication": (lambda out, how: st.replication("anova:k=2", *data(0), pairs=10, out=out, execution=how), 5),
    "variance_split": (
        lambda out, how: st.variance_split("anova:k=2", *data(0), resampling=st.Bootstrap(10), out=out, execution=how),
        5,
    ),
    "compare_studies": (
        lambda out, how: st.compare_studies(marked, {"A": data(0), "B": data(1)}, out=out, execution=how),
        2,
    ),
    "shortlist": (
        lambda out, how: st.shortlist(
            *data(0), bases=["filter"], permutations=20, splits=10, outer=5, out=out, execution=how
        ),
        3,
    ),
}


@pytest.mark.parametrize("function", INTERRUPTED)
def test_a_report_of_interrupted_work_is_refused_and_says_how_to_continue(function, tmp_path):
    call, after = INTERRUPTED[function]
    with pytest.raises(EnoughError):
        call(tmp_path / "out", stopping(after))
    named = "replication" if function == "compare_studies" else function
    for marker in (None, "replication.json"):  # the folder is known without the file that says what it holds
        if marker is not None:
            (tmp_path / "out" / marker).unlink(missing_ok=True)
        with pytest.raises(InputError, match=r"no findings\.json with its answer") as error:
            st.report(tmp_path / "out", tmp_path / "report.md")
        assert f"{named}(..., execution={{'resume': True}})" in str(error.value)


def test_the_answer_of_a_replication_that_was_removed_is_not_replaced_by_an_assessment(folder_of, tmp_path):
    for kind in ("replicate", "why", "shortlist", "studies"):
        copy = tmp_path / kind
        shutil.copytree(folder_of(kind, 0), copy)
        (copy / "findings.json").unlink()
        with pytest.raises(InputError, match=r"findings\.json"):
            st.findings_of(copy)


def test_the_command_that_continues_is_named_as_it_is_typed(folder_of, tmp_path, capsys):
    from steadyset.cli import run

    for kind, command in (("replicate", "replicate"), ("why", "why"), ("shortlist", "shortlist")):
        copy = tmp_path / kind
        shutil.copytree(folder_of(kind, 0), copy)
        (copy / "findings.json").unlink()
        assert run(["report", str(copy), "--out", str(tmp_path / "report.html")]) != 0
        assert f"`steadyset {command} ... --resume`" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["replicate", "why"])
def test_runs_that_differ_by_design_have_no_stability(kind, folder_of, capsys):
    from steadyset.cli import run

    assert run(["measure", str(folder_of(kind, 0))]) != 0
    assert "differ by design" in capsys.readouterr().err
