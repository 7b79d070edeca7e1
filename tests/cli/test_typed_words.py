"""What the page orders is what one would type."""

import ast

import pytest
import typer

from steadyset.cli import app
from steadyset.cli.typed_words import given_options, typed_words
from steadyset.foundation.errors import InputError
from steadyset.serve.python_lines import python_lines

COMMANDS = typer.main.get_command(app).commands
ASSESS = {
    "file": "data/x.csv",
    "target": "-odd name",
    "selectors": ["lasso:k=10", "anova"],
    "resampling": "subsample:fraction=0.8",
    "runs": "30",
    "scores": ["auc"],
    "samples": "data/known.csv",
    "transpose": False,
    "drop": ["id", "--help"],
    "impute": "median",
    "jobs": 2,
    "seed": 7,
    "out": "my runs",
}
TUNE = {"file": "data/x.csv", "target": "y", "trials": 5, "jobs": 1, "seed": 0, "out": "tuned"}


@pytest.mark.parametrize(("subcommand", "options"), [("assess", ASSESS), ("tune", TUNE)])
def test_the_command_understands_the_words_as_they_are_meant(subcommand, options):
    name, *words = typed_words(subcommand, {**options, "resume": True, "task": None})
    command = COMMANDS[name]
    understood = command.make_context(name, list(words)).params
    for option, value in options.items():
        found = understood[option]
        found = list(found) if isinstance(found, tuple) else found  # as older versions of typer give several
        assert (found if isinstance(found, list) or isinstance(value, bool) else str(found)) == (
            value if isinstance(value, list | bool) else str(value)
        )
    assert understood["resume"] is True


@pytest.mark.parametrize(("subcommand", "options"), [("assess", ASSESS), ("tune", TUNE)])
def test_typed_words_are_read_back_as_they_were_given(subcommand, options):
    found, given = given_options(typed_words(subcommand, options))
    as_typed = {name: value if isinstance(value, list | bool) else str(value) for name, value in options.items()}
    assert (found, given) == (subcommand, as_typed)


@pytest.mark.parametrize(("subcommand", "options"), [("assess", ASSESS), ("tune", TUNE)])
def test_the_lines_of_python_give_the_same_arguments(subcommand, options):
    calls = {
        node.func.attr: node
        for node in ast.walk(ast.parse(python_lines(subcommand, options)))
        if isinstance(node, ast.Call)
        if isinstance(node.func, ast.Attribute)
    }
    reading, running = calls["load_data"], calls[subcommand]
    assert [ast.literal_eval(one) for one in reading.args] == [options["file"], options["target"]]
    given = {one.arg: one.value for one in running.keywords}
    assert ast.literal_eval(given["random_state"]) == options["seed"]
    assert ast.literal_eval(given["n_jobs"]) == options["jobs"]
    if subcommand == "assess":
        assert ast.literal_eval(given["n_runs"]) == 30
        assert ast.literal_eval(given["scoring"]) == ["auc"]
        assert {one.arg for one in reading.keywords} == {"samples", "transpose", "drop", "impute"}
    else:
        assert ast.literal_eval(given["n_trials"]) == 5


@pytest.mark.parametrize("file", ["-x.csv", "--load=x.py"])
def test_a_file_whose_name_begins_with_a_dash_is_a_file(file):
    name, *words = typed_words("assess", {"file": file, "target": "y"})
    understood = COMMANDS[name].make_context(name, words).params
    assert str(understood["file"]).removeprefix("./") == file
    assert not understood["load"]


def test_an_option_that_the_command_does_not_have_is_told():
    with pytest.raises(InputError, match="no option 'colour'"):
        typed_words("assess", {"file": "x.csv", "colour": "red"})
