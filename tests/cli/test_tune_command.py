"""`steadyset tune`: the printed front, resuming, and sentences for bad input."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.cli import run
from steadyset.findings import findings_of
from steadyset.io import disk
from steadyset.options import as_shell_line
from steadyset.tuning.evaluation import Evaluator

SPACE = {"filter": ["anova"], "fraction": {"low": 0.1, "high": 0.8}, "model": {"lasso": {"penalty": [0.05, 0.1]}}}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = st.datasets.similar_features(40, 8, n_similar=1, random_state=0)
    header = ",".join([*(f"g{f}" for f in range(8)), "y"])
    np.savetxt("data.csv", np.column_stack([data.X, data.y]), delimiter=",", header=header, comments="")
    (tmp_path / "space.json").write_text(json.dumps(SPACE), encoding="utf-8")
    return tmp_path


def tune(*options):
    return run(
        ["tune", "data.csv", "--target", "y", "--space", "space.json", "--resampling", "kfold:n_splits=3", *options]
    )


def test_the_front_is_printed_with_the_chosen_configuration(files, capsys):
    assert tune("--trials", "5", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)["front"]
    assert [row["chosen"] for row in rows].count(True) == 1
    assert set(rows[0]["objectives"]) == {"accuracy", "stability", "n_features"}
    assert {"filter", "model"} <= set(rows[0]["params"])
    accuracies = [row["objectives"]["accuracy"] for row in rows]
    assert accuracies[:-1] == sorted(accuracies[:-1], reverse=True)
    assert (files / "data-tuning" / "trials.csv").exists()


def test_the_features_of_the_recommended_configuration_are_named_and_kept(files, capsys):
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 8))
    data = pd.DataFrame(X, columns=[f"g{f}" for f in range(8)]).assign(y=np.where(X[:, 2] > 0, "a", "b"))
    data.to_csv("data.csv", index=False)
    assert tune("--trials", "4", "--resampling", "kfold:n_splits=8") == 0
    table = pd.read_csv(files / "data-tuning" / "chosen.csv")
    names = table.loc[table["selected"], "feature"].tolist()
    assert names
    said = " ".join(capsys.readouterr().out.split())
    line = said.partition("the strongest first: ")[2].partition(". ")[0]
    assert line.startswith("g2 (higher in a)")
    assert sorted(one.partition(" ")[0] for one in line.split(", ")) == sorted(names)
    assert "A report: steadyset report data-tuning" in said
    steps = said.partition("What to do next")[2]
    assert "steadyset tune data.csv --target y --space space.json --trials 8 " in steps
    assert "--nested 5" in steps
    assert "st.tune(" not in steps
    assert table["frequency"].between(0, 1).all()


def test_a_score_that_needs_a_positive_class_is_answered_by_the_objectives_to_give(files, capsys):
    data = pd.read_csv("data.csv").assign(y=np.where(np.arange(40) % 2, "ill", "well"))
    data.to_csv("data.csv", index=False)
    assert tune("--objectives", "stability,f1") == 2
    assert 'Use --objectives "stability,f1_macro", the mean over the classes' in capsys.readouterr().err
    with pytest.raises(st.InputError, match=r'Use objectives=\["f1_macro", "stability"\]'):
        st.tune(SPACE, data, "y", objectives=["f1", "stability"])


def test_noise_leaves_no_file_of_chosen_features(files, capsys):
    X = np.random.default_rng(4).normal(size=(40, 3))
    data = pd.DataFrame(X, columns=["g0", "g1", "g2"]).assign(y=np.random.default_rng(5).permutation(np.arange(40) % 2))
    data.to_csv("data.csv", index=False)
    (files / "data-tuning").mkdir()
    (files / "data-tuning" / "chosen.csv").write_text("of an earlier choice", encoding="utf-8")
    assert tune("--trials", "2", "--resume") == 0
    said = capsys.readouterr().out
    assert "No configuration predicts significantly better than no features" in said
    assert "chosen.csv" not in said
    assert not (files / "data-tuning" / "chosen.csv").exists()
    assert "steadyset shortlist data.csv --target y" in said


def test_control_characters_in_names_come_back_from_the_kept_features(files, capsys):
    names = ["=1", "a\r\nb", "\x1b[31m", 'say "x"', "a\rb", "\x85", "c,d", " e "]
    X = np.random.default_rng(0).normal(size=(80, 8))
    data = pd.DataFrame(X, columns=names).assign(y=np.where(X[:, 4] > 0, "a", "b"))
    data.to_parquet("data.parquet")
    options = ["--space", "space.json", "--resampling", "kfold:n_splits=8", "--trials", "3"]
    assert run(["tune", "data.parquet", "--target", "y", *options]) == 0
    table = pd.read_csv(files / "data-tuning" / "chosen.csv")
    assert "a\rb" in set(table["feature"]) <= {name.strip(" ") for name in names}
    assert "\x1b" not in capsys.readouterr().out


def test_resume_goes_on_and_a_folder_in_use_is_not_overwritten(files, capsys):
    assert tune("--trials", "2") == 0
    assert "2 configurations were tried" in capsys.readouterr().out
    assert tune("--trials", "3") == 2
    assert "continue it with --resume" in capsys.readouterr().err
    assert tune("--trials", "3", "--resume", "--choose", "knee") == 0
    shown = capsys.readouterr().out
    assert "3 configurations were tried" in shown
    assert "Rule of choice: knee" in shown or "No configuration predicts" in shown or "chosen by knee" in shown


def test_the_folder_of_a_tuning_has_a_report_with_the_command(files, capsys):
    assert tune("--trials", "3", "--core", "0.6") == 0
    assert run(["report", "data-tuning", "-o", "report.md"]) == 0
    page = (files / "report.md").read_text(encoding="utf-8")
    assert "All configurations that were tried" in page
    assert "steady core: 60%" in page
    job = findings_of(files / "data-tuning").settings["details"]["job"]
    assert (job["command"], job["options"]["space"], job["options"]["core"]) == ("tune", "space.json", 0.6)
    command = as_shell_line(job)
    assert command.startswith("steadyset tune data.csv --target y --space space.json --trials 3")
    assert command in page.replace("\\_", "_")
    capsys.readouterr()
    assert run(["report", "data-tuning", "--core", "0.9"]) == 2
    assert "--core is that of the tuning in data-tuning" in capsys.readouterr().err


def test_the_folder_of_an_unfinished_tuning_says_what_to_do(files, capsys):
    (files / "begun").mkdir()
    (files / "begun" / "trials.db").touch()
    assert run(["report", "begun"]) == 2
    assert "holds a tuning whose findings are not written yet (no findings.json)" in capsys.readouterr().err


def test_a_stopped_tuning_says_nothing_old_and_can_be_reported_from_what_it_finished(files, capsys, monkeypatch):
    assert tune("--trials", "3") == 0
    tried, real = [], Evaluator.__call__

    def stop_at_the_second(self, configuration):
        tried.append(configuration)
        if len(tried) == 2:
            raise KeyboardInterrupt
        return real(self, configuration)

    monkeypatch.setattr(Evaluator, "__call__", stop_at_the_second)
    assert tune("--trials", "6", "--resume") == 130
    monkeypatch.undo()
    monkeypatch.chdir(files)
    assert sorted(path.name for path in (files / "data-tuning").iterdir()) == ["lock", "rankings", "trials.db"]
    capsys.readouterr()
    assert run(["report", "data-tuning"]) == 2
    said = capsys.readouterr().err
    assert "of the 4 configurations that it has finished, ask for no more: `steadyset tune ... --resume` for 4" in said
    assert tune("--trials", "4", "--resume") == 0
    assert run(["report", "data-tuning", "-o", "report.md"]) == 0
    assert "4 configurations" in (files / "report.md").read_text(encoding="utf-8")


def test_the_options_of_the_data_are_those_of_assess(files, capsys):
    text = (files / "data.csv").read_text(encoding="utf-8").splitlines()
    rows = [f"{line},{'patient' if i == 0 else i // 2}" for i, line in enumerate(text)]
    (files / "data.csv").write_text("\n".join(rows).replace(",", ";"), encoding="utf-8")
    assert tune("--trials", "1", "--delimiter", ";", "--groups", "patient") == 0
    assert "40 rows, 8 features, target 'y', 21 groups by 'patient'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--choose", "luck"], "--choose must be one of"),
        (["--objectives", "beauty"], "no score 'beauty'"),
        (["--sampler", "luck"], "--sampler must be one of"),
    ],
)
def test_bad_options_are_told_in_a_sentence(files, capsys, options, sentence):
    assert tune(*options) == 2
    assert sentence in capsys.readouterr().err


def test_an_interrupted_tuning_says_how_to_go_on(files, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("steadyset.tuning.tune", interrupted)
    assert tune("--storage", "postgresql://me:secret@host/db") == 130
    err = capsys.readouterr().err
    assert err == (
        "steadyset: interrupted; the finished configurations are in the storage, "
        "and the same command with --resume continues.\n"
    )
    assert tune("--trials", "5") == 130
    err = " ".join(capsys.readouterr().err.split())
    assert "To continue, run: steadyset tune data.csv" in err
    assert "--resume" in err.partition("steadyset tune")[2]


def test_nested_resampling_that_cannot_be_is_refused_before_the_search(files, capsys):
    assert tune("--trials", "3", "--nested", "41") == 2
    assert "--nested" in capsys.readouterr().err
    assert not (files / "data-tuning" / "trials.csv").exists()


def test_a_folder_in_which_another_process_tunes_is_refused(files, capsys):
    with disk.locked(files / "busy"):
        assert tune("--trials", "2", "--out", "busy") == 2
    error = capsys.readouterr().err
    assert "busy is in use by another process" in error
    assert not (files / "busy" / "trials.db").exists()
    assert tune("--trials", "2", "--out", "busy") == 0
