"""What a command leaves unimported: nothing that only other commands need."""

import subprocess
import sys

import numpy as np


def test_assessing_filters_and_models_does_not_import_what_other_commands_need(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 6))
    data = np.column_stack([X, X[:, 0] > 0])
    np.savetxt(tmp_path / "small.csv", data, delimiter=",", header="a,b,c,d,e,f,y", comments="", fmt="%.6g")
    asked = ["assess", str(tmp_path / "small.csv"), "-t", "y", "--runs", "3", "-j", "1", "-o", str(tmp_path / "runs")]
    heavy = ["optuna", "altair", "jinja2", "dask", "h5py", "steadyset.tuning", "steadyset.plots"]
    code = (
        "import sys; from steadyset.cli import run; "
        f"code = run({[*asked, '-s', 'anova:k=2', '-s', 'lasso:k=2']}); "
        f"print(code, [name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"


def test_help_and_importing_the_package_import_no_scikit_learn():
    for code in ("import steadyset", "from steadyset.cli import run; run(['--help'])"):
        seen = subprocess.run(
            [sys.executable, "-c", f"import sys; {code}; print('sklearn' in sys.modules)"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert seen.stdout.splitlines()[-1] == "False"
