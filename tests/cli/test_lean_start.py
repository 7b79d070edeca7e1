"""What the command leaves unimported, and that it works as ever when it is imported later."""

import subprocess
import sys

import numpy as np
import pytest
from scipy._lib import _array_api

LEAN = """
import sys
from steadyset.cli.lean_start import import_scikit_learn
import_scikit_learn()
assert "sklearn.linear_model" in sys.modules
assert not {"pandas", "scipy.stats", "numpy.f2py", "numpy.testing", "unittest"} & set(sys.modules)
"""


def after_a_lean_start(code):
    done = subprocess.run([sys.executable, "-c", LEAN + code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow  # buys: what only a program of its own can show
def test_scikit_learn_uses_scipy_stats_and_frames_after_a_lean_start():
    said = after_a_lean_start("""
from sklearn.metrics import label_ranking_average_precision_score
print(label_ranking_average_precision_score([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]))  # rankdata

from sklearn.preprocessing import QuantileTransformer, StandardScaler
transformer = QuantileTransformer(n_quantiles=3, output_distribution="normal")  # scipy.stats.norm
print(transformer.fit_transform([[0.0], [1.0], [2.0]])[1, 0])

import pandas as pd
frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 5.0]})
scaled = StandardScaler().set_output(transform="pandas").fit_transform(frame)
print(type(scaled) is pd.DataFrame, list(scaled.columns), scaled["a"].tolist())

import scipy.stats.mstats
print(scipy.stats.norm.cdf(0), sys.modules["scipy.stats"].__file__ == scipy.stats.__file__)

import numpy as np, numpy.testing
from numpy import f2py
print(np.testing.assert_array_equal([1], [1]), np.testing is sys.modules["numpy.testing"], "run_main" in f2py.__all__)

import scipy.linalg, scipy._lib._array_api as arrays
print("Parameters" in scipy.linalg.solve.__doc__, getattr(arrays, "FunctionDoc", str).__module__.partition(".")[0])
""")
    assert said == [
        "0.41666666666666663",
        "0.0",
        "True ['a', 'b'] [-1.0, 1.0]",
        "0.5 True",
        "None True True",
        f"True {'scipy' if hasattr(_array_api, 'FunctionDoc') else 'builtins'}",
    ]


@pytest.mark.slow  # buys: what only a program of its own can show
def test_what_scikit_learn_kept_of_scipy_stats_knows_its_instances_and_travels():
    said = after_a_lean_start("""
from sklearn.preprocessing import _data
from sklearn.metrics import _ranking
import copy, pickle, scipy.stats
kept = _ranking.rankdata
print(pickle.loads(pickle.dumps(kept)) is scipy.stats.rankdata, copy.copy(kept) is scipy.stats.rankdata)
print(isinstance(scipy.stats.norm, _data.stats.rv_continuous), isinstance(3, _data.stats.rv_continuous))
""")
    assert said == ["True True", "True False"]


USES = [
    "class Mine(scipy.stats.rv_continuous): pass",
    "scipy.stats.norm.cdf(0)",
    "from scipy.stats.mstats import gmean",
]


def test_whatever_uses_scipy_stats_while_it_stands_aside_fails():
    code = f"""
from steadyset.cli.lean_start import _in_place_of, _Module
with _in_place_of("scipy.stats", _Module("scipy.stats")):
    import scipy.stats
    for use in {USES}:
        try:
            exec(use)
        except Exception:
            print("failed")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["failed"] * len(USES)


@pytest.mark.slow  # buys: what only a program of its own can show
def test_a_scikit_learn_that_fails_while_scipy_stats_stands_aside_is_imported_with_it():
    code = f"""
import builtins, sys
plainly = builtins.__import__

def importing(name, *rest):
    if name.endswith("_ranking") and "sklearn.metrics._ranking" not in sys.modules:  # a later version of this module
        import scipy.stats
        {USES[0]}
    return plainly(name, *rest)

builtins.__import__ = importing
from steadyset.cli.lean_start import import_scikit_learn
import_scikit_learn()
import scipy.stats, sklearn.linear_model, sklearn.metrics, sklearn.utils.fixes
assert sklearn.metrics._ranking.rankdata is scipy.stats.rankdata
assert sklearn.utils.fixes.scipy.stats is scipy.stats
print(sklearn.linear_model.LinearRegression().fit([[0.0], [1.0]], [0.0, 2.0]).coef_)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[2.]\n", "")


@pytest.mark.slow  # buys: what only a program of its own can show
def test_a_program_that_has_imported_pandas_keeps_it():
    code = """
import sys, pandas, scipy.stats
from steadyset.cli.lean_start import import_scikit_learn
import_scikit_learn()
from sklearn.utils import fixes
assert sys.modules["pandas"] is pandas and sys.modules["scipy.stats"] is scipy.stats
assert fixes.scipy.stats is scipy.stats
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_assessing_filters_and_models_imports_neither_frames_nor_what_other_commands_need(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 6))
    data = np.column_stack([X, X[:, 0] > 0])
    np.savetxt(tmp_path / "small.csv", data, delimiter=",", header="a,b,c,d,e,f,y", comments="", fmt="%.6g")
    asked = ["assess", str(tmp_path / "small.csv"), "-t", "y", "--runs", "3", "-j", "1", "-o", str(tmp_path / "runs")]
    heavy = [
        "pandas",
        "scipy.stats",
        "optuna",
        "altair",
        "jinja2",
        "dask",
        "h5py",
        "steadyset.tuning",
        "steadyset.plots",
    ]
    code = (
        "import sys; from steadyset.cli import run; "
        f"code = run({[*asked, '-s', 'anova:k=2', '-s', 'lasso:k=2']}); "
        f"print(code, [name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"
