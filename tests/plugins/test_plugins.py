"""Measures, filters, resamplings and selectors of others: by a package's entry points, by a file that is loaded."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

MINE = '''
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin

import steadyset as st
from steadyset.resampling import Resampling


def simpson(r, ki, kj, d):
    """Formula: r / min(ki, kj)"""
    return np.where(np.minimum(ki, kj) > 0, r / np.maximum(np.minimum(ki, kj), 1), np.nan)


def spread(X, y):
    return np.ptp(X, axis=0)


class FirstColumns(SelectorMixin, BaseEstimator):
    """Selects the first k columns, whatever the data."""

    def __init__(self, k=2):
        self.k = k

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def _get_support_mask(self):
        return np.arange(self.n_features_in_) < self.k


class Halves(Resampling):
    """The first and the second half of the rows."""

    def __init__(self, n_runs=2, *, random_state=None):
        self.n_runs = n_runs
        self.random_state = random_state

    def _draw(self, run, rows, seed):
        return np.arange(run % 2, rows.n, 2), np.arange(1 - run % 2, rows.n, 2)
'''
REGISTERED = """
st.register_measure("simpson", simpson, bounds=(0, 1))
st.register_filter(st.Filter(name="spread", score=spread, weights=False, reference=""))
st.register_selector("first_columns", FirstColumns)
st.register_resampling("halves", Halves)
"""
RECORDS = """
SIMPSON = st.Measure(name="simpson", family="pairwise", score=simpson, bounds=(0, 1))
SPREAD = st.Filter(name="spread", score=spread, weights=False, reference="")
LENIENT = st.BoundRule("lenient", lambda q, threshold, d, n_pairs: q / threshold, lowest=0.0)
"""
PICTURE = """
import pandas as pd
from steadyset.plots import Picture, register_picture


def sizes(selections):
    data = pd.DataFrame({"size": selections.sizes})
    return Picture(data, lambda alt, shown: alt.Chart(shown).mark_bar().encode(x="size:O", y="count()"), ("size",))


register_picture("sizes", sizes, title="Sizes of the sets", takes="selections")
"""
ENTRY_POINTS = """
[steadyset.pictures]
sizes = packaged_picture
[steadyset.measures]
simpson = packaged:SIMPSON
[steadyset.filters]
spread = packaged:SPREAD
[steadyset.rules]
lenient = packaged:LENIENT
[steadyset.selectors]
first_columns = packaged:FirstColumns
[steadyset.resamplings]
halves = packaged:Halves
"""


def install(folder, name, module, entry_points):
    """A package in a folder of its own, as pip leaves it."""
    (folder / f"{name}.py").write_text(module, encoding="utf-8")
    info = folder / f"{name}_kit-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-kit\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")
    return folder


def command(*arguments, cwd, path=None):
    """The real command, in a process of its own; `path` holds installed packages."""
    places = [str(path)] if path is not None else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*places, os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(
        [sys.executable, "-m", "steadyset", *map(str, arguments)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture
def table(tmp_path):
    rows = np.random.default_rng(0).normal(size=(20, 4)) * [1, 1, 9, 5]
    lines = [",".join(map(str, [*row.round(3), "ab"[i // 2 % 2]])) for i, row in enumerate(rows)]
    (tmp_path / "table.csv").write_text("\n".join(["p,q,r,s,class", *lines]), encoding="utf-8")
    return tmp_path / "table.csv"


def assessed(tmp_path, *options, path=None):
    """Which features each of the own selectors takes, by the run folder of an assessment in two processes."""
    done = command(
        *("assess", "table.csv", "-t", "class", "-s", "first_columns:k=1", "-s", "spread:k=2"),
        *("--resampling", "halves", "--runs", "4", "--jobs", "2", "--engine", "processes", "--out", "folder"),
        *("--format", "json", *options),
        cwd=tmp_path,
        path=path,
    )
    assert done.returncode == 0, done.stderr
    return {row["name"]: row for row in json.loads(done.stdout)["summary"]}


RULE = """
import numpy as np
import steadyset as st
from steadyset.selectors.ensembles import Reading


class Ever:
    name, reference = "ever", ""

    def path_limits(self, limits):
        return limits

    def size(self, n_clusters, n_runs, limits):
        return limits.q

    def read(self, runs, limits):
        return Reading(threshold=1 / runs.n_runs, pfer=np.nan, q=limits.q)


st.register_rule(Ever())
"""


@pytest.mark.slow  # buys: rules in every process; filters are in make test
def test_a_rule_from_a_loaded_file_reaches_every_process_of_an_assessment(tmp_path, table):
    (tmp_path / "rule.py").write_text(RULE, encoding="utf-8")
    done = command(
        *("assess", "table.csv", "-t", "class", "-s", "stability_selection:rule=ever,q=3,n_runs=20"),
        *("-s", "stability_selection:q=1,threshold=0.9,n_runs=20", "--runs", "2", "--jobs", "2"),
        *("--engine", "processes", "--format", "json", "--load", "rule.py"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    ever, strict = json.loads(done.stdout)["summary"]
    assert ever["failures"] == 0
    assert ever["size"] == 4  # over 20 halves, each of the four features is among the first three of some path
    assert strict["size"] < 4


@pytest.mark.slow  # buys: five commands with workers of their own; --load in one process is in make test
def test_a_loaded_file_reaches_every_process_of_an_assessment_and_its_report_needs_it_no_more(
    tmp_path, table, monkeypatch, capsys
):
    from steadyset.cli import run

    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "numpy.py").write_text(
        MINE + REGISTERED, encoding="utf-8"
    )  # a file may be called like an installed module
    rows = assessed(tmp_path, "--load", "mine/numpy.py")
    assert [rows[name]["runs"] for name in ("first_columns:k=1", "spread:k=2")] == [4, 4]
    assert [rows[name]["failures"] for name in rows] == [0, 0]
    assert [rows[name]["size"] for name in rows] == [1, 2]
    monkeypatch.chdir(tmp_path)
    assert run(["report", "folder"]) == 0  # in this process, which never loaded the file
    assert "Sizes of the sets" not in (tmp_path / "report.html").read_text(encoding="utf-8")
    (tmp_path / "pictured.py").write_text(PICTURE, encoding="utf-8")
    command("report", "folder", "--load", "pictured.py", cwd=tmp_path)
    assert "Sizes of the sets" in (tmp_path / "report.html").read_text(encoding="utf-8")
    listed = command("measures", "simpson", "--load", "mine/numpy.py", "--format", "json", cwd=tmp_path)
    assert json.loads(listed.stdout)[0]["formula"] == "r / min(ki, kj)", listed.stderr
    assert run(["assess", "table.csv", "-t", "class", "-s", "first_columns:k=1", "--out", "folder", "--resume"]) == 2
    told = capsys.readouterr().err
    assert "There is no selector called 'first_columns'; `steadyset selectors` lists them" in told
    assert "Traceback" not in told


@pytest.mark.slow  # buys: entry points of a package in every process; those of one process are in make test
def test_an_installed_package_reaches_the_command_and_its_worker_processes(tmp_path, table):
    site = tmp_path / "site"
    site.mkdir()
    install(site, "packaged", MINE + RECORDS, ENTRY_POINTS)
    (site / "packaged_picture.py").write_text(PICTURE, encoding="utf-8")
    rows = assessed(tmp_path, path=site)
    assert [rows[name]["failures"] for name in rows] == [0, 0]
    assert [rows[name]["size"] for name in rows] == [1, 2]
    page = command("report", "folder", cwd=tmp_path, path=site)
    assert page.returncode == 0, page.stderr
    assert "Sizes of the sets" in (tmp_path / "report.html").read_text(encoding="utf-8")
    by_rule = "stability_selection:base=anova,rule=lenient,q=1,threshold=0.1,n_runs=10"
    stable = command(
        *("assess", "table.csv", "-t", "class", "-s", by_rule, "--runs", "2", "--resampling", "halves"),
        *("--format", "json"),
        cwd=tmp_path,
        path=site,
    )
    assert json.loads(stable.stdout)["summary"][0]["failures"] == 0, stable.stderr
    listed = command("measures", "simpson", "--format", "json", cwd=tmp_path, path=site)
    assert json.loads(listed.stdout)[0]["formula"] == "r / min(ki, kj)"


def test_a_package_that_fails_to_import_is_one_sentence_that_names_it(tmp_path):
    install(tmp_path, "broken", "import a_module_that_nobody_has", "[steadyset.measures]\nbroken_one = broken:THING\n")
    why = (
        "steadyset: The measure 'broken_one' of the package broken-kit cannot be loaded: "
        "ModuleNotFoundError: No module named 'a_module_that_nobody_has'.\n"
    )
    asked = command("measures", "broken_one", cwd=tmp_path, path=tmp_path)
    assert asked.returncode == 2
    assert why in asked.stderr
    others = command("measures", "--format", "json", cwd=tmp_path, path=tmp_path)
    assert others.returncode == 0
    assert others.stderr == why
    assert any(row["name"] == "nogueira" for row in json.loads(others.stdout))


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("gone.py", None, "gone.py cannot be loaded: No such file or directory."),
        ("wrong.py", "def", "cannot be loaded: SyntaxError: invalid syntax (wrong.py, line 1)."),
        ("leaves.py", "raise SystemExit(3)", "cannot be loaded: SystemExit: 3."),
        ("nowhere", None, "nowhere cannot be loaded: ModuleNotFoundError: No module named 'nowhere'."),
        ("beside", "", "No module named 'beside'; to load the file beside, write beside.py."),
    ],
)
def test_what_cannot_be_loaded_is_one_sentence(tmp_path, monkeypatch, capsys, name, text, why):
    from steadyset.cli import run

    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / f"{name.removesuffix('.py')}.py").write_text(text, encoding="utf-8")
    assert run(["measures", "--load", name]) == 2
    told = capsys.readouterr().err
    assert why in told
    assert told.count("\n") == 1


def test_importing_steadyset_and_looking_up_what_it_has_searches_no_packages(tmp_path):
    (tmp_path / "watch.py").write_text(
        "import importlib.metadata as m\n"
        "search = m.entry_points\n"
        "def searched(**of): return search(**of) if not of['group'].startswith('steadyset') else 1 / 0\n"
        "m.entry_points = searched\n"
        "import steadyset as st\n"
        "from steadyset.resampling import resampling_by_name\n"
        "from steadyset.selectors.catalogue import selector_by_name\n"
        "st.get_measure('jaccard'); resampling_by_name('kfold'); selector_by_name('lasso', 'classes')\n"
        "from steadyset.selectors.filters import get_filter; get_filter('anova')\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, tmp_path / "watch.py"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("engine", ["processes", pytest.param("dask", marks=pytest.mark.slow)])
def test_a_filter_registered_in_this_process_alone_runs_in_others(engine):
    import steadyset as st

    largest = 2

    def by_column(X, y):
        return np.where(np.arange(X.shape[1]) == largest, 1.0, 0.0)

    st.register_filter(st.Filter(name="by_column", score=by_column, weights=False, reference=""))
    X = np.random.default_rng(0).normal(size=(12, 4))
    result = st.assess(
        ["by_column:k=1"],
        X,
        [0, 1] * 6,
        resampling=st.KFold(4),
        scoring=[],
        n_jobs=2,
        execution=st.Execution(engine=engine),
    )
    assert result.failures.empty
    assert result.selections["by_column:k=1"].counts.tolist() == [0, 0, 4, 0]


def test_names_that_are_taken_or_cannot_be_typed_are_refused():
    import steadyset as st

    with pytest.raises(st.InputError, match="A selector called 'lasso' exists already"):
        st.register_selector("lasso", st.FilterSelector("anova"))
    with pytest.raises(st.InputError, match="A selector called 'anova' exists already"):
        st.register_selector("anova", st.FilterSelector("anova"))
    with pytest.raises(st.InputError, match="A resampling called 'kfold' exists already"):
        st.register_resampling("kfold", st.KFold)
    with pytest.raises(st.InputError, match="name must be a text without spaces"):
        st.register_resampling("k:fold", st.KFold)
    with pytest.raises(st.InputError, match="resampling must be a subclass of Resampling"):
        st.register_resampling("mine", st.KFold(3))
    with pytest.raises(st.InputError, match="selector must be given, or tasks"):
        st.register_selector("mine")
