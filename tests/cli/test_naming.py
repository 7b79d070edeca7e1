"""The library names arguments, the command its options: each in its own words, and only what is an argument."""

import ast
import inspect
import pickle
import re
from pathlib import Path

import pandas as pd
import pytest
import typer
from tests.documentation import written_pages

import steadyset as st
from steadyset.cli import app, run
from steadyset.cli.terminal import as_option
from steadyset.foundation.errors import Argument, Complaints, InputError, about
from steadyset.io.data.data_table import load_data
from steadyset.options.table import TABLE

LIBRARY = Path(st.__file__).parent
COMMANDS = typer.main.get_command(app).commands
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def options_of(command):
    return {name for option in COMMANDS[command].params for name in (*option.opts, *option.secondary_opts)}


EVERY_OPTION = {name for command in COMMANDS for name in options_of(command)} | {"--help", "--version"}


def texts_of(path):
    """Every text of a file: strings, parts of f-strings, docstrings."""
    return [
        node.value
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(getattr(node, "value", 0), str)
    ]


def test_the_library_does_not_speak_of_options():
    spoken = {
        f"{path.relative_to(LIBRARY)}: {found}"
        for path in LIBRARY.rglob("*.py")
        if path.parent.name not in ("cli", "options")
        for text in texts_of(path)
        for found in re.findall(r"(?<![\w-])--(?:[a-z][\w-]*|$)", text)  # or made of a name: f"--{name}"
    }
    assert spoken == set()


def test_every_option_that_the_command_mentions_exists():
    mentioned = {
        (path.name, found)
        for path in (*(LIBRARY / "cli").glob("*.py"), *(LIBRARY / "options").glob("*.py"))
        for text in texts_of(path)
        for found in OPTION.findall(text)
    }
    assert len(mentioned) > 20
    assert {found for _, found in mentioned} <= EVERY_OPTION


def test_every_option_that_the_documentation_mentions_exists():
    foreign = {"--nworkers", "--nthreads", "--full", "--large", "--download"}  # of dask, and of the papers
    pages = [LIBRARY.parents[1] / "README.md", *written_pages()]
    lines = [
        line
        for page in pages
        for line in page.read_text(encoding="utf-8").splitlines()
        if "steadyset" in line or "`--" in line
    ]
    mentioned = {found for line in lines for found in OPTION.findall(line)}
    assert len(mentioned) > 10
    assert mentioned <= EVERY_OPTION | foreign


def test_options_with_another_name_are_arguments_of_the_library():
    calls = [st.shortlist, st.assess, st.tune, st.stability_table, st.Selections.read, st.FeatureSimilarity.from_data]
    known = {name for call in calls for name in inspect.signature(call).parameters} | {"rule"}  # of TuningResult.choose
    assert {option.argument for option in TABLE if option.argument} <= known


@pytest.mark.parametrize(
    ("command", "argument", "in_python", "as_typed"),
    [
        ("assess", Argument("n_jobs"), "n_jobs", "--jobs"),
        ("assess", Argument("random_state"), "random_state", "--seed"),
        ("assess", Argument("scoring"), "scoring", "--score"),
        ("assess", Argument("out", ...), "out", "--out"),
        ("assess", Argument("resume", True), "resume=True", "--resume"),
        ("assess", Argument("impute", "median"), 'impute="median"', "--impute median"),
        ("assess", Argument("max_gb", ...), "max_gb", "--max-gb"),
        ("assess", Argument("drop", ("a", "the b")), 'drop=["a", "the b"]', '--drop a --drop "the b"'),
        ("assess", Argument("delimiter", ";"), 'delimiter=";"', '--delimiter ";"'),
        ("assess", Argument("k"), "k", "k"),  # of a selector: no option holds it
        ("tune", Argument("n_trials"), "n_trials", "--trials"),
        ("tune", Argument("rule"), "rule", "--choose"),
        ("measure", Argument("n_features", 12), "n_features=12", "--features 12"),
        ("measure", Argument("transpose", True), "transpose=True", "--transpose"),
        ("measure", Argument("transpose", False), "transpose=False", "--no-transpose"),
        ("compare", Argument("paired", False), "paired=False", "--independent"),
        ("assess", Argument("paired", True), "paired=True", "paired=True"),  # assess has no such option
        ("assess", Argument("resume", False), "resume=False", "resume=False"),  # nor a way to say no
    ],
)
def test_an_argument_is_said_as_it_is_given(command, argument, in_python, as_typed):
    assert str(argument) == in_python
    assert as_option(argument, command) == as_typed


def test_names_in_a_sentence_are_not_taken_for_arguments(tmp_path, capsys):
    """Columns called like arguments of the call stay what they are; the advice names the options."""
    path = tmp_path / "data.csv"
    pd.DataFrame({"resume=True": ["u", "v"] * 4, "out=": range(8), "y": [0, 1] * 4}).to_csv(path, index=False)
    with pytest.raises(InputError, match=r"'resume=True' holds 'u'.*drop=\[\"resume=True\"\]"):
        load_data(path, "y")
    assert run(["assess", str(path), "-t", "y", "--out", str(tmp_path / "runs")]) == 2
    err = capsys.readouterr().err
    assert "('resume=True' holds 'u')" in err
    assert '--drop "resume=True"' in err


def test_missing_values_are_answered_in_the_words_of_the_caller(tmp_path, capsys):
    path = tmp_path / "data.csv"
    pd.DataFrame({"a": [None, *range(7)], "b": range(8), "y": [0, 1] * 4}).to_csv(path, index=False)
    with pytest.raises(InputError, match=r'fill with impute="median", or leave columns out with drop\.'):
        load_data(path, "y")
    assert run(["assess", str(path), "-t", "y"]) == 2
    assert "fill with --impute median, or leave columns out with --drop." in capsys.readouterr().err


def test_parameters_of_a_resampling_are_not_options(tmp_path, capsys):
    """A resampling has a level and a target of its own, which --level and --target do not set."""
    path = tmp_path / "data.csv"
    pd.DataFrame({"a": range(8), "b": [3, 1, 4, 1, 5, 9, 2, 6], "y": [0, 1] * 4}).to_csv(path, index=False)
    arguments = ["assess", str(path), "-t", "y", "-s", "anova:k=1", "--out", str(tmp_path / "runs")]
    assert run([*arguments, "--resampling", "noise:level=-1"]) == 2
    err = capsys.readouterr().err
    assert "level must be at least 0" in err
    assert "--level" not in err


def test_lists_that_could_be_two_layouts_ask_for_the_option(tmp_path, capsys):
    path = tmp_path / "lists.csv"
    path.write_text("a,b\nb,c\n", encoding="utf-8")
    assert run(["measure", str(path)]) == 2
    assert "give --layout columns or --layout rows." in capsys.readouterr().err


def test_arguments_survive_a_file_before_them_a_list_and_another_process():
    error = InputError("holds a run; give ", Argument("resume", True), ".")
    assert str(error.after("runs: ")) == "runs: holds a run; give resume=True."
    again = pickle.loads(pickle.dumps(error.after("runs: ")))
    assert as_options(again, "assess") == "runs: holds a run; give --resume."
    wrong = Complaints("Two things are wrong")
    wrong.add("the first: ", Argument("out", ...))
    with wrong.collected():
        raise error
    with pytest.raises(InputError) as caught:
        wrong.tell()
    assert as_options(caught.value, "assess").splitlines() == [
        "Two things are wrong:",
        "- the first: --out",
        "- holds a run; give --resume.",
    ]


def test_what_is_wrong_within_an_object_is_told_in_its_own_words():
    with pytest.raises(InputError) as caught, about("The selector 'forest' cannot run"):
        raise InputError(Argument("n_jobs"), " must be at least 1 (got 0).")
    assert as_options(caught.value, "assess") == "The selector 'forest' cannot run: n_jobs must be at least 1 (got 0)."


def test_where_measures_are_listed_is_a_function_in_python_and_a_subcommand_in_the_command():
    with pytest.raises(InputError) as caught:
        st.get_measure("qqqqq")
    assert str(caught.value) == "There is no measure called 'qqqqq'; list_measures() lists them."
    assert as_options(caught.value, "measure") == "There is no measure called 'qqqqq'; `steadyset measures` lists them."


def as_options(error, command):
    return error.told(lambda argument: as_option(argument, command))


@pytest.mark.parametrize("command", [[], ["assess"], ["tune"], ["compare"]])
def test_help_shows_no_type_after_an_option_that_takes_no_value(command, capsys):
    assert run([*command, "--help"]) == 0
    said = capsys.readouterr().out
    assert "--help" in said
    assert "bool" not in said.lower()


def test_help_breaks_lines_at_the_end_of_the_terminal_and_shows_options_under_headings(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    assert run(["compare", "--help"]) == 0
    said = capsys.readouterr().out
    assert "in several runs; each selector of a run folder is a procedure." in said
    headings = ["Arguments", "Options", "Reading the selections", "Undefined values and chance", "Similar features"]
    assert [said.index(f"─ {heading} ─") for heading in headings] == sorted(
        said.index(f"─ {heading} ─") for heading in headings
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["measure", "{long}"],
        ["compare", "{long}", "{long}.csv"],
        ["consensus", "{long}", "{long}.csv"],
        ["assess", "{long}", "-t", "y"],
        ["tune", "{long}", "-t", "y"],
        ["assess", "x.csv", "-t", "y", "--samples", "{long}"],
        ["report", "{long}"],
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_a_name_that_no_disk_can_hold_is_one_sentence(arguments, capsys):
    assert run([argument.format(long="9" * 300) for argument in arguments]) == 2
    assert "steadyset: path cannot be the name of a file: File name too long ('99" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["assess", "x.csv", "--strata", "batch"],
            "It is an option of `steadyset shortlist`. For `steadyset assess` use --block COLUMN.",
        ),
        (["tune", "x.csv", "--selector", "lasso"], "For `steadyset tune` use --space SPACE."),
        (["shortlist", "x.csv", "--tagret", "y"], "The closest option of `steadyset shortlist` is --target."),
        (["assess", "x.csv", "--random-state", "1"], "For `steadyset assess` use --seed N."),
    ],
)
def test_an_unknown_option_is_followed_by_the_one_to_use(words, told, capsys):
    assert run(words) == 2
    printed = capsys.readouterr().err
    assert printed.startswith(f"steadyset: No such option: {words[2]}. ")
    assert told in printed


def test_every_option_that_stands_for_another_name_exists():
    from steadyset.cli.terminal import OTHER_NAMES

    assert {f"--{instead.partition(' ')[0]}" for instead in OTHER_NAMES.values()} <= EVERY_OPTION
