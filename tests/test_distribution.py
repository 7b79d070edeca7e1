"""What users install: the wheel holds all that the package reads, and works without any extra."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from packaging.requirements import Requirement

pytest.importorskip("hatchling", reason="building needs hatchling: pip install 'steadyset[dev]'")

ROOT = Path(__file__).parents[1]
DIST = os.environ.get(
    "STEADYSET_DIST"
)  # the folder with the files that are to be tested; they are built where it is unset
PACKAGE = ROOT / "src" / "steadyset"
WORKS = None
# Every command, and what is to be installed for it; None means that it works without extras.
COMMANDS: list[tuple[str, str | None]] = [
    ("measure lists.csv --features 9 --measure jaccard --measure nogueira --level 0.9", WORKS),
    ("measure lists.xlsx", "excel"),
    ("compare lists.csv others.csv --features 9", WORKS),
    ("consensus lists.csv others.csv --features 9", WORKS),
    ("assess table.csv --target class --selector anova:k=2 --resampling kfold:n_splits=3 --jobs 1 --out runs", WORKS),
    ("assess table.csv --target class --selector anova:k=2 --engine dask", "dask"),
    ("assess cells.h5ad --target class", "anndata"),
    ("run job.json", WORKS),
    ("methods runs", WORKS),
    ("report runs", "report"),
    ("report runs --format md", WORKS),
    ("report runs --format json", WORKS),
    ("report runs --format folder", "report"),
    ("report runs --format pdf", "report"),
    ("tune table.csv --target class --trials 1 --out tuned", "tune"),
    ("shortlist table.csv --target class --base filter --outer 0 --permutations 20 --out listed", WORKS),
    ("replicate table.csv --target class --selector anova:k=2 --pairs 10 --out replicated", WORKS),
    ("why table.csv --target class --selector anova:k=2 --resampling bootstrap:n_runs=12 --out differ", WORKS),
    ("measures", WORKS),
    ("selectors", WORKS),
    ("resamplings", WORKS),
    ("certify jaccard", WORKS),
    ("serve", "serve"),
    ("warm-up --jobs 1", WORKS),
]
# All in one process, since the imports take longer than the commands.
TRIED = """
import contextlib, io, json, sys
import steadyset as st
from steadyset import cli, warming

warming._fit = warming._measures = warming._shortlist = lambda *_, **__: None  # to compile everything takes minutes
told = []
for line in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.run(line.split())
    told.append((code, out.getvalue(), err.getvalue()))
runs = st.Selections.from_sets([["a"], ["b"]], features=["a", "b", "c"])
for call in (lambda: st.plot.selection_frequencies(runs).chart(), lambda: runs.to_frame(backend="polars")):
    try:
        call()
    except st.MissingExtraError as error:
        told.append((2, "", str(error)))
json.dump(told, sys.stdout)
"""


def build(source: Path, to: Path, *targets: str) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--directory", to, *targets],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr


def content(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if DIST:
        return ROOT / DIST
    folder = tmp_path_factory.mktemp("built") / "dist"
    build(ROOT, folder, "--target", "wheel", "--target", "sdist")
    return folder


def the_only(pattern: str, folder: Path) -> Path:
    """The one file of this kind, so that no other version lies beside the one that is tested."""
    (found,) = folder.glob(pattern)
    return found


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    return the_only("*.whl", dist)


def test_the_wheel_holds_every_file_of_the_package_the_licences_and_nothing_else(wheel):
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert {".py", ".j2", ".json", ".js", ".css", ".svg", ".typed"} <= {path.suffix for path in files}
    about = [name for name in content(wheel) if ".dist-info/" in name]
    assert set(content(wheel)) - set(about) == {path.relative_to(PACKAGE.parent).as_posix() for path in files}
    assert {Path(name).name for name in about if "/licenses/" in name} == {
        "LICENSE",
        *(path.name for path in files if path.name.endswith("LICENSE.txt")),
    }


def test_the_sdist_builds_the_same_wheel_and_brings_what_its_tests_need(dist, wheel, tmp_path):
    with tarfile.open(the_only("*.tar.gz", dist)) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    source = next((tmp_path / "unpacked").iterdir())
    build(source, tmp_path / "again", "--target", "wheel")
    assert content(the_only("*.whl", tmp_path / "again")) == content(wheel)
    for needed in ("Makefile", "requirements.lock", "CONTRIBUTING.md", "CITATION.cff", ".github", "tests", "docs"):
        assert (source / needed).exists(), needed


def required(names: list[str]) -> Iterator[Distribution]:
    """The distributions that these need without extras, and what those need."""
    found: dict[str, Distribution] = {}
    while names:
        requirement = Requirement(names.pop())
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        needed = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if needed and name not in found:
            found[name] = distribution(name)
            names += found[name].requires or []
    return iter(found.values())


def clean_environment(folder: Path, wheel: Path) -> Path:
    """An environment with the wheel and what it requires, which is linked from where the tests run; its programs."""
    venv.create(folder, symlinks=True)
    programs = folder / "bin"
    pip = [sys.executable, "-m", "pip", "--python", programs / "python", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", wheel], check=True, env=plain_environment())
    site = next(folder.glob("lib/python*/site-packages"))
    metadata = content(wheel)[next(name for name in content(wheel) if name.endswith("/METADATA"))].decode()
    for needed in required(re.findall(r"^Requires-Dist: (.*)", metadata, flags=re.MULTILINE)):
        for top in {file.parts[0] for file in needed.files or []} - {"..", "__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(needed.locate_file(top))
    return programs


def plain_environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}


def write_inputs(folder: Path) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 6)), columns=list("abcdef"))
    X.assign(**{"class": np.where(X["a"] > 0, "case", "control")}).to_csv(folder / "table.csv", index=False)
    for name in ("lists.csv", "others.csv"):
        (folder / name).write_text("run,feature\n1,a\n1,b\n2,a\n2,c\n3,a\n3,b\n", encoding="utf-8")
    asked = {
        "file": "table.csv",
        "target": "class",
        "selector": ["anova:k=2"],
        "runs": "3",
        "jobs": 1,
        "out": "ordered",
    }
    (folder / "job.json").write_text(json.dumps({"command": "assess", "options": asked}), encoding="utf-8")
    (folder / "lists.xlsx").write_bytes(b"PK\3\4")
    (folder / "cells.h5ad").write_bytes(b"\x89HDF\r\n\x1a\n")


@pytest.mark.slow
def test_without_extras_every_command_works_or_says_in_one_sentence_what_to_install(wheel, tmp_path):
    """Buys: what a user meets who types only `pip install steadyset`."""
    programs = clean_environment(tmp_path / "clean", wheel)
    write_inputs(tmp_path)

    def say(*words, given=""):
        done = subprocess.run(
            [programs / words[0], *words[1:]],
            input=given,
            cwd=tmp_path,
            env=plain_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    shown = say("steadyset", "--help")
    assert set(re.findall(r"^│ ([a-z][a-z-]*) ", shown, re.MULTILINE)) == {line.split()[0] for line, _ in COMMANDS}
    told = json.loads(say("python", "-c", TRIED, given=json.dumps([line for line, _ in COMMANDS])))
    python = [("pictures", "report"), ("polars", "polars")]
    for (line, extra), (code, out, err) in zip([*COMMANDS, *python], told, strict=True):
        if extra is WORKS:
            assert (code, bool(out)) == (0, True), f"{line}: {err}"
        else:
            assert code == 2, f"{line}: {out}"
            assert err.strip().endswith(f'pip install "steadyset[{extra}]".'), f"{line}: {err}"
            assert "Traceback" not in err
