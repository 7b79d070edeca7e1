"""The Snakemake rules: a data set with spaces in every name becomes features, a report and findings."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steadyset as st

RULES = Path(__file__).parents[2] / "integrations" / "snakemake" / "Snakefile"
SNAKEMAKE = shutil.which("snakemake")


@pytest.mark.slow  # buys: the rules are run; snakemake starts the command twice
@pytest.mark.skipif(SNAKEMAKE is None, reason="snakemake is not installed")
def test_every_data_set_gets_features_a_report_and_findings(tmp_path):
    X, states = _data()
    X.assign(**{"the state": states}).to_csv(tmp_path / "my data.csv", index=False, float_format="%.17g")
    own = {"file": "my data.csv", "target": "the state", "options": {"runs": 5, "resume": False}}
    shared = {"selector": ["anova:k=2", "lasso:k=2"], "runs": 90, "seed": 3}
    (tmp_path / "config.yaml").write_text(
        json.dumps({"data_sets": {"first set": own}, "options": shared}), encoding="utf-8"
    )
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    subprocess.run(
        [SNAKEMAKE, "--cores", "1", "--snakefile", str(RULES)],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        check=True,
        capture_output=True,
        timeout=300,
    )
    folder = tmp_path / "results" / "first set"
    result = st.assess(["anova:k=2", "lasso:k=2"], X, states, resampling=st.Bootstrap(5), random_state=3)
    found = json.loads((folder / "findings.json").read_text(encoding="utf-8"))
    assert [row["stability"] for row in found["summary"]] == list(result.summary()["stability"])
    assert set(pd.read_csv(folder / "features.csv")["feature"]) <= set(X.columns)
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def _data():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(40, 6)), columns=[f"gene {i}" for i in range(6)])
    return X, np.where(X["gene 0"] + X["gene 2"] > 0, "ill", "well")
