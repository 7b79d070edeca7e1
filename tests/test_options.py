"""One table of options: the command, jobs, the page's forms and the lines of Python say the same."""

import ast
import inspect
import json
import shlex
from pathlib import Path

import numpy as np
import pytest
import typer
from starlette.datastructures import QueryParams

import steadyset as st
from steadyset.cli import COMMANDS, app, run
from steadyset.foundation.errors import InputError
from steadyset.foundation.job import Job
from steadyset.options import RECORDS, as_shell_line, job_from, job_of, jobs, options_of, to_argv, values_of
from steadyset.options.table import TABLE
from steadyset.serve.forms import fields, options_given, python_lines
from steadyset.serve.run_store import KINDS
from steadyset.tasks import TASKS

PARSERS = typer.main.get_command(app).commands
ASSESS = {
    "file": "data/x.csv",
    "target": "-odd name",
    "selector": ["lasso:k=10", "anova"],
    "resampling": "subsample:fraction=0.8",
    "runs": "30",
    "score": ["auc"],
    "samples": "data/known.csv",
    "transpose": False,
    "drop": ["id", "--help"],
    "impute": "median",
    "jobs": 2,
    "seed": 7,
    "out": "my runs",
}
TUNE = {"file": "data/x.csv", "target": "y", "trials": 5, "jobs": 1, "seed": 3, "out": "tuned"}
JOBS = [Job("assess", ASSESS), Job("tune", TUNE)]


def test_every_command_has_options_and_no_option_is_there_twice():
    named = {command for option in TABLE for command in option.commands.split()}
    assert named == set(COMMANDS)
    for command in COMMANDS:
        names = [option.name for option in TABLE if command in option.commands.split()]
        assert len(names) == len(set(names))
        arguments = [one.argument or one.name for one in options_of(command).values()]
        assert len(arguments) == len(set(arguments))


def test_every_option_says_what_it_is():
    for option in TABLE:
        assert option.words.endswith(".")
        assert option.field is None or option.field.called or option.field.label


@pytest.mark.parametrize(
    ("call", "command", "part"),
    [
        (st.assess, "assess", "run"),
        (st.tune, "tune", "run"),
        (st.load_data, "assess", "data"),
        (st.Selections.read, "measure", "read"),
        (st.findings_of, "assess", "findings"),
    ],
)
def test_the_library_takes_what_options_give_it(call, command, part):
    asked = [one for one in options_of(command).values() if part in one.calls]
    taken = set(inspect.signature(call).parameters)
    assert asked
    assert {one.record or one.argument or one.name for one in asked} <= taken
    for one in asked:
        if one.record:
            assert (one.argument or one.name) in inspect.signature(getattr(st, RECORDS[one.record])).parameters


@pytest.mark.parametrize(("call", "most"), [(st.assess, 14), (st.tune, 13)])
def test_assess_and_tune_take_few_arguments(call, most):
    """The thirteenth of tune is `nested`, no part of the search, and of assess `sample_weight`, as in `fit`.

    Its fourteenth is `importance`, which decides what its measures of weights compare.
    """
    assert len(inspect.signature(call).parameters) <= most


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.command)
def test_the_command_understands_the_words_as_they_are_meant(job):
    name, *words = to_argv(Job(job.command, {**job.options, "resume": True}))
    understood = PARSERS[name].make_context(name, list(words)).params
    for option, value in job.options.items():
        found = understood[option]
        found = list(found) if isinstance(found, tuple) else found  # as older versions of typer give several
        assert (found if isinstance(found, list | bool) else str(found)) == (
            value if isinstance(value, list | bool) else str(value)
        )
    assert understood["resume"] is True
    assert job_of(name, {**values_of(job), "resume": False}) == job


@pytest.mark.parametrize("file", ["-x.csv", "--load=x.py"])
def test_a_file_whose_name_begins_with_a_dash_is_a_file(file):
    name, *words = to_argv(Job("assess", {"file": file, "target": "y"}))
    understood = PARSERS[name].make_context(name, words).params
    assert str(understood["file"]).removeprefix("./") == file
    assert not understood["load"]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.command)
def test_the_lines_of_python_give_the_same_arguments(job):
    calls = {
        node.func.attr: node
        for node in ast.walk(ast.parse(python_lines(job)))
        if isinstance(node, ast.Call)
        if isinstance(node.func, ast.Attribute)
    }
    reading, running = calls["load_data"], calls[job.command]
    assert [ast.literal_eval(one) for one in reading.args] == [job.options["file"], job.options["target"]]
    given = {one.arg: ast.literal_eval(one.value) for one in running.keywords}
    assert (given["random_state"], given["n_jobs"]) == (job.options["seed"], job.options["jobs"])
    if job.command == "assess":
        assert (given["n_runs"], given["scoring"]) == (30, ["auc"])
        assert "impute='median'" in ast.unparse(reading)
        assert given["resampling"] == "subsample:fraction=0.8"
        assert {one.arg for one in reading.keywords} == {"samples", "transpose", "drop", "impute"}
    else:
        assert given["n_trials"] == 5


# ---- jobs --------------------------------------------------------------------------------------------------------


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).standard_normal((20, 4))
    y = (X[:, 0] > 0).astype(int)
    np.savetxt("my data.csv", np.column_stack([X, y]), delimiter=",", header="a,b,c,d,y", comments="")
    return {"file": "my data.csv", "target": "y", "selector": ["anova"], "runs": "3", "jobs": 1, "out": "runs"}


def test_a_job_may_say_the_number_of_runs_as_a_number(table):
    assert values_of(job_from({"command": "assess", "options": {**table, "runs": 3}}))["runs"] == "3"


def test_a_job_does_what_its_command_does_and_records_the_same(table, tmp_path, capsys):
    Path("job.json").write_text(json.dumps({"command": "assess", "options": table}), encoding="utf-8")
    assert run(["run", "job.json"]) == 0
    said = capsys.readouterr().out
    assert run([*to_argv(Job("assess", {**table, "out": "typed"}))]) == 0
    for before, after in (("runs/", "typed/"), ("folder: runs", "folder: typed"), ("--out runs", "--out typed")):
        said = said.replace(before, after)
    assert capsys.readouterr().out == said
    recorded = [
        json.loads((tmp_path / name / "assessment.json").read_text(encoding="utf-8")) for name in ("runs", "typed")
    ]
    assert recorded[0]["details"]["job"] == {"command": "assess", "options": table}
    recorded[1]["details"]["job"]["options"]["out"] = "runs"
    assert recorded[0]["details"] == recorded[1]["details"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "job.json is not a job: it holds no JSON"),
        ("[" * 100_000, "job.json is not a job"),
        ("[]", "A job must hold a command and its options."),
        ('{"command": "rm", "options": {}}', 'A job must be one of shortlist, replicate, assess, tune (got "rm").'),
        ('{"command": ["assess"], "options": {}}', "A job must be one of shortlist, replicate, assess, tune"),
        ('{"command": "assess", "options": {"colour": "red"}}', "steadyset assess has no option 'colour'."),
        ('{"command": "assess", "options": {"seed": -1}}', "seed must be a whole number of at least 0 (got -1)."),
        ('{"command": "assess", "options": {"seed": true}}', "seed must be a whole number of at least 0 (got true)."),
        ('{"command": "assess", "options": {"drop": "x"}}', 'drop must be a list (got "x").'),
        ('{"command": "assess", "options": {"format": "xml"}}', "format must be one of table, csv, json"),
        ('{"command": "assess", "options": {"level": NaN}}', "level must be a number"),
        ('{"command": "assess", "options": {"target": 3}}', "target must be a text (got 3)."),
        ('{"command": "assess", "options": {"load": ["evil.py"]}}', "its command loads Python code"),
        ('{"command": "assess", "options": {"engine": "tcp://elsewhere:1"}}', "its command uses other machines"),
        ('{"command": "tune", "options": {"storage": "sqlite:///x"}}', "a database elsewhere"),
        ('{"command": "assess", "options": {"target": "y"}}', "A job must give file."),
    ],
)
def test_what_is_no_job_is_one_sentence_and_nothing_runs(content, sentence, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("job.json").write_text(content, encoding="utf-8")
    assert run(["run", "job.json"]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.startswith("steadyset: ")
    assert [path.name for path in tmp_path.iterdir()] == ["job.json"]


def test_errors_of_a_job_speak_of_the_options_of_its_command(table, capsys):
    Path("job.json").write_text(json.dumps({"command": "assess", "options": {**table, "core": 2}}), encoding="utf-8")
    assert run(["run", "job.json"]) == 2
    assert "--core must be a share of the runs" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content",
    [
        None,
        {},
        "steadyset assess x.csv; rm -rf ~",
        {"command": "rm", "options": {"file": "x"}},
        {"command": "assess", "options": {"; rm -rf ~": "x"}},
        {"command": "assess", "options": {"file": ["x"]}},
        {"command": ["assess"], "options": {}},
    ],
)
def test_what_a_stranger_wrote_into_a_folder_is_shown_as_a_command_of_steadyset_or_not_at_all(content):
    assert as_shell_line(content) == ""


def test_whatever_a_stranger_gave_an_option_is_one_word_of_the_line():
    line = as_shell_line({"command": "assess", "options": {"file": "$(reboot)\nreboot", "drop": ["; rm -rf ~"]}})
    assert shlex.split(line) == ["steadyset", "assess", "$(reboot)\nreboot", "--drop", "; rm -rf ~"]


# ---- forms -------------------------------------------------------------------------------------------------------


def test_every_job_of_the_page_has_a_kind_of_folder():
    assert [kind.command for kind in KINDS] == jobs()


def test_a_filled_form_gives_the_options_that_the_command_takes():
    filled = {"score": "auc", "runs": "30", "jobs": "2", "seed": "7", "out": "x", "target": " y ", "task": ""}
    filled |= {"resampling": "subsample", "resampling_parameters": "fraction=0.8", "transpose": "no", "sheet": ""}
    filled |= {"drop": "a\n\n b", "delimiter": "\t"}
    form = QueryParams([("selector", "anova"), ("selector", "lasso:k=1\n jmi "), *filled.items()])
    given = options_given("assess", form, "target", "columns", "reading", "order", "runs")
    assert given == {
        "target": "y",
        "selector": ["anova", "lasso:k=1", "jmi"],
        "resampling": "subsample:fraction=0.8",
        "runs": "30",
        "score": ["auc"],
        "drop": ["a", "b"],
        "transpose": False,
        "delimiter": "\t",
        "jobs": 2,
        "out": "x",
        "seed": 7,
    }
    job_from({"command": "assess", "options": {"file": "x.csv", **given}})


@pytest.mark.parametrize(
    ("command", "name", "text", "sentence"),
    [
        ("assess", "runs", "1", '“Runs” must be a whole number of at least 2 (got "1").'),
        ("assess", "runs", "", '“Runs” must be a whole number of at least 2 (got "").'),
        ("assess", "jobs", "0", '“Cores” must be a whole number of at least 1 (got "0").'),
        ("tune", "trials", "x", '“Configurations” must be a whole number of at least 1 (got "x").'),
        ("assess", "task", "evil", f'“Task” must be one of {", ".join(TASKS)} (got "evil").'),
        ("measure", "features", "0", '“Number of features” must be a whole number of at least 1 (got "0").'),
    ],
)
def test_a_field_that_holds_what_it_cannot_is_named_as_in_the_form(command, name, text, sentence):
    places = {option.field.place for option in fields(command, "target", "ask", "runs", "measure")}
    with pytest.raises(InputError) as caught:
        options_given(command, QueryParams({name: text}), *places)
    assert str(caught.value) == sentence
