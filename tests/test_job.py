"""The job that is recorded: a command and its options, without passwords."""

import json

import numpy as np
import pytest

import steadyset as st
from steadyset.cli import run
from steadyset.foundation.job import Job, current_job, doing
from steadyset.options import as_shell_line


def test_the_job_ends_with_the_command():
    with doing(Job("assess", {"file": "my data.csv"})):
        assert current_job() == {"command": "assess", "options": {"file": "my data.csv"}}
    assert current_job() is None


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("postgresql://me:s3cret@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:p@s:s@host/db", "postgresql://me:***@host/db"),
        ("mysql://host/db?user=me&password=s3cret&ssl=1", "mysql://host/db?user=me&password=***&ssl=1"),
        ("sqlite:///trials.db", "sqlite:///trials.db"),
        ("tcp://127.0.0.1:8786", "tcp://127.0.0.1:8786"),
    ],
)
def test_passwords_in_addresses_are_not_kept(address, kept):
    with doing(Job("tune", {"storage": address, "drop": [address]})):
        assert current_job()["options"] == {"storage": kept, "drop": [kept]}


def test_the_run_folder_of_the_command_knows_it_and_that_of_python_has_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).standard_normal((20, 4))
    y = (X[:, 0] > 0).astype(int)
    np.savetxt("my data.csv", np.column_stack([X, y]), delimiter=",", header="a,b,c,d,y", comments="")
    command = ["assess", "my data.csv", "--target", "y", "-s", "anova", "--runs", "3", "-j", "1", "--out", "runs"]
    assert run(command) == 0
    assert run([*command, "--resume"]) == 0
    details = json.loads((tmp_path / "runs" / "assessment.json").read_text(encoding="utf-8"))["details"]
    options = {"file": "my data.csv", "target": "y", "selector": ["anova"], "runs": "3", "jobs": 1, "out": "runs"}
    assert details["job"] == {"command": "assess", "options": options}
    assert st.findings_of(tmp_path / "runs").settings["details"]["job"] == details["job"]
    line = "steadyset assess 'my data.csv' --target y --selector anova --runs 3 --jobs 1 --out runs"
    assert as_shell_line(details["job"]) == line
    st.report("runs", "report.md")
    assert line in (tmp_path / "report.md").read_text(encoding="utf-8")
    st.assess("anova", X, y, resampling=st.Bootstrap(3), out=tmp_path / "python")
    assert "job" not in json.loads((tmp_path / "python" / "assessment.json").read_text(encoding="utf-8"))["details"]
