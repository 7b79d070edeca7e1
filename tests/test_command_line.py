"""The command that is recorded: one line for a shell, without passwords."""

import json
import shlex

import numpy as np
import pytest

import steadyset as st
from steadyset.cli import run
from steadyset.foundation.command_line import command_line, recorded_line, started_by


def test_the_line_is_what_a_shell_takes_and_ends_with_the_command():
    arguments = ["steadyset", "assess", "my data.csv", "--target", "it's", "$(rm -rf x)", "é\n"]
    with started_by(arguments):
        assert shlex.split(command_line()) == arguments
    assert command_line() == ""


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("postgresql://me:s3cret@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:p@s:s@host/db", "postgresql://me:***@host/db"),
        ("mysql://host/db?user=me&password=s3cret&ssl=1", "mysql://host/db?user=me&password=***&ssl=1"),
        ("--storage=postgresql://me:s3cret@host/db", "--storage=postgresql://me:***@host/db"),
        ("sqlite:///trials.db", "sqlite:///trials.db"),
        ("tcp://127.0.0.1:8786", "tcp://127.0.0.1:8786"),
    ],
)
def test_passwords_in_addresses_are_not_kept(address, kept):
    with started_by([address]):
        assert shlex.split(command_line()) == [kept]


def test_the_run_folder_of_the_command_knows_it_and_that_of_python_has_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).standard_normal((20, 4))
    y = (X[:, 0] > 0).astype(int)
    np.savetxt("my data.csv", np.column_stack([X, y]), delimiter=",", header="a,b,c,d,y", comments="")
    command = ["assess", "my data.csv", "--target", "y", "-s", "anova", "--runs", "3", "-j", "1", "--out", "runs"]
    assert run(command) == 0
    assert run([*command, "--resume"]) == 0
    details = json.loads((tmp_path / "runs" / "assessment.json").read_text(encoding="utf-8"))["details"]
    assert details["command"] == shlex.join(["steadyset", *command])
    assert st.findings_of(tmp_path / "runs").settings["details"]["command"] == details["command"]
    st.assess("anova", X, y, resampling=st.Bootstrap(3), out=tmp_path / "python")
    assert "command" not in json.loads((tmp_path / "python" / "assessment.json").read_text(encoding="utf-8"))["details"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("steadyset assess 'my data.csv' --out runs", "steadyset assess 'my data.csv' --out runs"),
        ("steadyset assess x.csv; rm -rf ~", "steadyset assess 'x.csv;' rm -rf '~'"),
        ("steadyset assess $(reboot)\nreboot", "steadyset assess '$(reboot)' reboot"),
        ("rm -rf ~", ""),
        ("x=1 steadyset assess x.csv", ""),
        ("steadyset 'assess", ""),
        ("", ""),
    ],
)
def test_a_line_from_a_folder_of_a_stranger_is_one_command_of_steadyset(text, line):
    assert recorded_line(text) == line
