"""The command: what it prints, and that bad usage and bad input end in one sentence and exit code 2."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest

import steadyset as st
from steadyset.cli import run
from steadyset.cli.terminal import print_rows


@pytest.fixture
def recorded(tmp_path):
    path = tmp_path / "runs.csv"
    sel = st.Selections.from_sets([["a", "b"], ["a", "b"], ["a", "c"]], features=["a", "b", "c", "d", "e"])
    sel.write(path)
    return path, sel


def test_json_gives_what_the_library_gives(recorded, capsys):
    path, sel = recorded
    assert run(["measure", str(path), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rows, table = found["measures"], st.stability_table(sel)
    assert (found["kind"], found["level"], {row["name"] for row in rows}) == ("measures", None, {str(path)})
    assert [row["measure"] for row in rows] == list(table.index)
    assert [row["estimate"] for row in rows] == list(table["estimate"])


def test_csv_of_two_files_names_the_file_in_each_row(recorded, capsys):
    path, _ = recorded
    assert run(["measure", str(path), str(path), "-m", "SMJ", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["file"], row["measure"]) for row in rows] == [(str(path), "jaccard")] * 2


def test_the_table_says_how_good_the_default_measure_is(recorded, capsys):
    path, sel = recorded
    assert run(["measure", str(path)]) == 0
    out = capsys.readouterr().out
    assert "3 runs, 5 features, 2 selected" in out
    assert f"nogueira {st.stability(sel):.4f}: intermediate to good" in out
    assert "--level 0.95 shows how certain that is" in out
    assert run(["measure", str(path), "--level", "0.95"]) == 0
    assert f"nogueira {st.stability(sel):.4f}: interval holds chance" in capsys.readouterr().out


def test_undefined_is_shown_as_a_dash_with_the_reason(tmp_path, capsys):
    path = tmp_path / "runs.json"
    path.write_text('[["a"], [], ["a", "b"]]', encoding="utf-8")
    features = tmp_path / "named.json"
    st.Selections.from_sets([["a"], [], ["a", "b"]], features=["a", "b", "c"]).write(features)
    assert run(["measure", str(features), "-m", "ochiai"]) == 0
    out = capsys.readouterr().out
    assert "–" in out
    assert "undefined for 2 of 3 pairs (a set is empty): run 2" in out
    assert run(["measure", str(features), "-m", "ochiai", "--undefined", "0", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["measures"][0]["estimate"] == pytest.approx(2**-0.5 / 3)
    assert run(["measure", str(features), "-m", "ochiai", "--undefined", "raise"]) == 2


def test_a_long_table_without_a_number_of_features_is_measured_among_its_names(tmp_path, capsys):
    path = tmp_path / "long.csv"
    path.write_text("run,feature\n1,a\n1,b\n2,a\n", encoding="utf-8")
    assert run(["measure", str(path), "-m", "hamming", "--format", "json"]) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert found["measures"][0]["estimate"] == pytest.approx(0.5)
    assert "Chance agreement is then overstated" in found["notes"][0]
    assert "2 distinct names; universe: those names; give --features N or --universe FILE" in told.err
    assert run(["measure", str(path), "--features", "10", "-m", "hamming", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["measures"][0]["estimate"] == pytest.approx(0.9)


def test_json_sets_of_names_need_only_the_number_of_features(tmp_path, capsys):
    path = tmp_path / "sets.json"
    path.write_text('[["a", "b"], ["a"]]', encoding="utf-8")
    assert run(["measure", str(path), "--features", "10", "-m", "hamming", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["measures"][0]["estimate"] == pytest.approx(0.9)
    assert run(["measure", str(path), "--features", "1"]) == 2
    assert "2 distinct names, more than the 1" in capsys.readouterr().err


def test_same_seed_same_simulation(recorded, capsys):
    path, _ = recorded
    arguments = [
        "measure",
        str(path),
        "-m",
        "davis",
        "--expectation",
        "monte_carlo",
        "--draws",
        "100",
        "--format",
        "json",
    ]
    outputs = []
    for seed in ("1", "1", "2"):
        assert run([*arguments, "--seed", seed]) == 0
        outputs.append(json.loads(capsys.readouterr().out)["measures"][0])
    assert outputs[0] == outputs[1] != outputs[2]
    assert outputs[0]["mc_error"] > 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["measure", "absent.csv"], "absent.csv does not exist."),
        (["measure", __file__], "unknown ending"),
        (["measure"], "Missing argument"),
        (["measure", "--nonsense", "x.csv"], "No such option"),
        (["frobnicate"], "No such command"),
        (
            ["measure", "x.csv", "--undefined", "maybe"],
            "--undefined must be nan, raise, paper or a number (got 'maybe')",
        ),
        (["measure", "x.csv", "-m", "jacard"], "did you mean 'jaccard'?"),
        (["measure", "x.csv", "--expectation", "vague"], "--expectation must be"),
        (["measures", "nothing_like_it"], "There is no measure called"),
    ],
)
def test_bad_usage_is_one_sentence_and_exit_code_2(arguments, sentence, capsys):
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sentence in captured.err
    assert captured.err.startswith("steadyset: ")
    assert captured.err.count("\n") == 1


def test_one_run_is_refused(tmp_path, capsys):
    path = tmp_path / "one.csv"
    path.write_text("a,b\n1,0\n", encoding="utf-8")
    assert run(["measure", str(path)]) == 2
    assert "at least 2 are needed, found 1" in capsys.readouterr().err


def test_the_catalogue_lists_every_measure(capsys):
    assert run(["measures", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == list(st.list_measures().index)
    assert all(row["formula"] and row["reference"] and row["undefined"] for row in rows)
    assert run(["measures"]) == 0
    assert "nogueira" in capsys.readouterr().out
    assert run(["measures", "CWrel"]) == 0
    assert "name: somol" in capsys.readouterr().out


def test_markup_in_a_file_name_is_printed_as_it_is(tmp_path, capsys):
    path = tmp_path / "[red]runs[bold].csv"
    st.Selections.from_sets([[0], [0]], n_features=2).write(path)
    assert run(["measure", str(path), "-m", "jaccard"]) == 0
    assert "[red]runs[bold].csv" in capsys.readouterr().out


def test_no_arguments_show_the_help(capsys):
    assert run([]) == 0
    assert "Usage: steadyset" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["-m", "steadyset"], ["-c", "from steadyset.cli import main; main()"]])
def test_module_and_command_are_the_same(command):
    done = subprocess.run([sys.executable, *command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"steadyset {st.__version__}\n"


def test_measuring_a_small_file_waits_for_nothing_heavy(recorded):
    heavy = "'numba', 'pandas', 'sklearn', 'scipy'"
    code = (
        "import sys; from steadyset.cli import run; "
        f"code = run(['measure', {str(recorded[0])!r}, '--format', 'csv']); "
        f"print(code, [m for m in ({heavy}) if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"


def test_importing_steadyset_imports_nothing_heavy():
    heavy = "'numba', 'pandas', 'sklearn', 'scipy', 'pyarrow'"
    code = f"import sys, steadyset; print([m for m in ({heavy}) if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_carriage_return_in_a_name_ends_no_line_of_the_csv(capsys):
    rows = [{"feature": "a\rb", "frequency": 0.5}, {"feature": "c,d", "frequency": 1.0}]
    print_rows(rows, "csv")
    shown = io.StringIO(capsys.readouterr().out, newline="")
    assert list(csv.reader(shown)) == [["feature", "frequency"], ["a\rb", "0.5"], ["c,d", "1.0"]]
    print_rows(rows[1:], "csv")
    assert capsys.readouterr().out == 'feature,frequency\n"c,d",1.0\n'


def test_ranks_of_all_features_are_not_measured_as_sets(tmp_path, capsys):
    path, other = tmp_path / "ranks.csv", tmp_path / "others.csv"
    path.write_text("gene,f1,f2,f3\nA,1,2,1\nB,2,1,3\nC,3,3,2\nD,4,4,4\n", encoding="utf-8")
    other.write_text("gene,f1,f2,f3\nA,1,2,1\nB,2,1,2\nC,3,3,4\nD,4,4,3\n", encoding="utf-8")
    assert run(["measure", str(path), "--format", "json"]) == 0
    said = capsys.readouterr()
    assert [row["measure"] for row in json.loads(said.out)["measures"]] == ["spearman", "kendall", "canberra"]
    assert "measures of sets are left out, as every run selects all 4 features; --top K" in said.err
    for command in (["measure", str(path), "-m", "jaccard"], ["compare", str(path), str(other), "-m", "jaccard"]):
        assert run(command) == 2
        assert "jaccard compares sets, and every run selects all 4 features; give --top K." in capsys.readouterr().err
    assert run(["measure", str(path), "-m", "jaccard", "--top", "2", "--format", "csv"]) == 0
    assert ",jaccard,higher,0.555" in capsys.readouterr().out


def test_a_report_reads_selections_like_measure_and_says_that_the_universe_is_not_known(tmp_path, capsys):
    path, page = tmp_path / "lists.csv", tmp_path / "report.html"
    path.write_text("ANNA,BEN,CARLA\nTP53,MYC,TP53\nEGFR,KRAS,PTEN\n", encoding="utf-8")
    assert run(["report", str(path), "-o", str(page)]) == 2
    assert "give --header; if not, --no-header." in capsys.readouterr().err
    assert run(["report", str(path), "-o", str(page), "--header"]) == 0
    assert "The universe is not known" in capsys.readouterr().out
    assert "The universe is not known" in page.read_text(encoding="utf-8")
    assert run(["report", str(path), "-o", str(page), "--header", "--features", "100"]) == 0
    assert "The universe is not known" not in page.read_text(encoding="utf-8")
    assert "3 runs, 100 features" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["compare", "consensus"])
def test_lists_without_a_universe_take_that_of_the_other_file_and_say_so(tmp_path, capsys, command):
    lists, table = tmp_path / "lists.gmt", tmp_path / "table.json"
    lists.write_text("one\tna\ta\tb\ntwo\tna\ta\tc\nthree\tna\ta\tb\n", encoding="utf-8")
    st.Selections.from_sets([["a"], ["a", "d"], ["a"]], features=list("abcdefgh")).write(table)
    assert run([command, str(lists), str(table)]) == 0
    said = capsys.readouterr().out
    assert (
        f"lists.gmt: 3 runs from 3 GMT lines; 3 distinct names; universe: the 8 features are those of {table}" in said
    )
    assert "not known" not in said


def test_no_word_judges_a_value_whose_universe_is_unknown(tmp_path, capsys):
    path = tmp_path / "lists.gmt"
    path.write_text("a\tna\ttp53\tmyc\nb\tna\ttp53\tkras\nc\tna\ttp53\tmyc\n", encoding="utf-8")
    for arguments in ([], ["--level", "0.9"]):
        assert run(["measure", str(path), *arguments]) == 0
        told = capsys.readouterr().out
        assert "no verdict: the universe is unknown" in told
        assert "poor" not in told
        assert run(["measure", str(path), "--features", "50", *arguments]) == 0
        told = capsys.readouterr().out
        assert "no verdict" not in told
        assert "interval holds chance" in told if arguments else "by the convention of Fleiss: poor below 0.40" in told
    page = tmp_path / "page.html"
    assert run(["report", str(path), "--out", str(page)]) == 0
    assert ">verdict<" not in page.read_text(encoding="utf-8")
    assert run(["report", str(path), "--features", "50", "--out", str(page)]) == 0
    assert ">verdict<" in page.read_text(encoding="utf-8")


def test_methods_read_selections_like_measure_and_tell_no_universe_that_is_not_known(tmp_path, capsys):
    path = tmp_path / "lists.csv"
    path.write_text("Smith,Jones\nTP53,BRCA1\nBRCA1,EGFR\nEGFR,\n", encoding="utf-8")
    assert run(["methods", str(path), "--layout", "columns", "--header"]) == 0
    told = capsys.readouterr()
    assert "the 3 features that were selected at least once counted as all features." in told.out
    assert "over 3 features" not in told.out
    assert "called poor" not in told.out
    assert "2 runs from 2 columns with a heading" in told.err
    assert run(["methods", str(path), "--layout", "columns", "--header", "--features", "20"]) == 0
    assert "selected over 20 features were compared as recorded." in capsys.readouterr().out


@pytest.mark.parametrize("command", ["measure", "compare", "consensus", "report", "methods"])
def test_commands_that_read_selections_have_the_same_reading_options(command, capsys):
    assert run([command, "--help"]) == 0
    told = capsys.readouterr().out
    for option in ("features", "universe", "layout", "top", "transpose", "header", "runs", "sheet", "max-gb"):
        assert f"--{option} " in told, option


@pytest.mark.parametrize("command", ["report", "methods"])
def test_options_for_files_are_refused_for_a_run_folder(command, tmp_path, capsys):
    y = np.repeat([0, 1], 8)
    X = np.random.default_rng(0).normal(size=(16, 4)) + y[:, None]
    st.assess("anova:k=2", X, y, resampling=st.Bootstrap(3), out=tmp_path / "runs", scoring=[])
    assert run([command, str(tmp_path / "runs"), "--layout", "columns"]) == 2
    assert "--layout says how a file with selections is read" in capsys.readouterr().err
