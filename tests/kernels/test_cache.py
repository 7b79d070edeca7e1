"""Kernels run whatever became of the folder that keeps them compiled."""

import importlib.util
import os
import pkgutil
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import pytest

from steadyset import kernels
from steadyset.kernels import jit

SOURCE = """
from steadyset.kernels.jit import kernel

@kernel
def twice(x):
    return x + x
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Folders for caches and a module with a kernel, all below tmp_path."""
    for name in ("tmp", "code", "own"):
        (tmp_path / name).mkdir()
    (tmp_path / "code" / "doubling.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(jit, "HERE", tmp_path / "own")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path


def loaded(place, monkeypatch, stamp):
    """A fresh copy of the module with the kernel."""
    monkeypatch.setattr(jit, "FOLDER", jit.cache_folder(stamp))
    spec = importlib.util.spec_from_file_location("doubling", place / "code" / "doubling.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiles(place, monkeypatch, stamp="a"):
    """Whether a fresh copy of the kernel has to be compiled; its answer is checked."""
    twice = loaded(place, monkeypatch, stamp).twice
    assert twice(21) == 42
    return not twice.stats.cache_hits


def block(place, *names):
    for name in names:
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text("a file in place of the folder", encoding="utf-8")


def test_a_kernel_is_compiled_once_and_kept_with_the_package(place, monkeypatch):
    assert compiles(place, monkeypatch)
    assert not compiles(place, monkeypatch)
    assert list((place / "own" / "__pycache__" / "kernels-a").rglob("*.nbc"))
    assert not list((place / "tmp").iterdir())


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: bytes(len(content)),
        lambda content: content + b"x",
    ],
    ids=["empty", "one byte short", "half", "zeros", "one byte more"],
)
def test_a_file_that_was_cut_short_is_compiled_again_and_replaced(place, monkeypatch, kind, damage):
    assert compiles(place, monkeypatch)
    (path,) = (place / "own" / "__pycache__" / "kernels-a").rglob(f"*.{kind}")
    path.write_bytes(damage(path.read_bytes()))
    assert compiles(place, monkeypatch)
    assert not compiles(place, monkeypatch)


def test_an_empty_folder_is_told_from_one_that_keeps_a_kernel(place, monkeypatch):
    twice = loaded(place, monkeypatch, "a").twice
    assert jit.nothing_compiled()
    twice(21)
    assert not jit.nothing_compiled()
    monkeypatch.setattr(jit, "FOLDER", None)
    assert jit.nothing_compiled()


def test_a_change_of_any_source_compiles_anew_and_what_is_a_week_old_is_removed(place, monkeypatch):
    part = place / "parts" / "deep" / "part.py"
    part.parent.mkdir(parents=True)
    part.write_text("FACTOR = 2", encoding="utf-8")
    before = jit.stamp_of(place / "parts")
    assert compiles(place, monkeypatch, before)
    kept = place / "own" / "__pycache__"
    old = kept / "kernels-old"
    old.mkdir()
    os.utime(old, (0, 0))
    part.write_text("FACTOR = 2.0", encoding="utf-8")
    after = jit.stamp_of(place / "parts")
    assert compiles(place, monkeypatch, after)
    assert not compiles(place, monkeypatch, after)
    assert {folder.name for folder in kept.iterdir()} == {f"kernels-{before}", f"kernels-{after}"}


def test_the_same_sources_at_another_time_are_not_compiled_again(place, monkeypatch):
    source = place / "code" / "doubling.py"
    assert compiles(place, monkeypatch, jit.stamp_of(place / "code"))
    source.write_bytes(source.read_bytes())
    os.utime(source, (10**9, 10**9))
    assert not compiles(place, monkeypatch, jit.stamp_of(place / "code"))


def test_the_folder_that_the_user_gave_numba_is_used(place, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(place / "given"))
    assert compiles(place, monkeypatch)
    assert not compiles(place, monkeypatch)
    assert list((place / "given" / "steadyset").iterdir())
    assert str(place / "given") == numba.config.CACHE_DIR


def test_without_a_folder_of_the_package_the_user_s_is_used(place, monkeypatch):
    block(place, "own/__pycache__")
    assert compiles(place, monkeypatch)
    assert not compiles(place, monkeypatch)
    assert list((place / "user" / "steadyset").iterdir())


def test_without_a_folder_a_temporary_one_is_used(place, monkeypatch):
    block(place, "own/__pycache__", "user")
    assert compiles(place, monkeypatch)
    assert not compiles(place, monkeypatch)
    assert list((place / "tmp").iterdir())


def test_without_any_folder_kernels_are_compiled_each_time(place, monkeypatch):
    block(place, "own/__pycache__", "user")
    monkeypatch.setattr(tempfile, "tempdir", str(place / "user"))
    assert compiles(place, monkeypatch)
    assert compiles(place, monkeypatch)


@pytest.mark.posix
def test_a_temporary_folder_that_others_can_write_is_not_believed(place, monkeypatch):
    block(place, "own/__pycache__", "user")
    compiles(place, monkeypatch)
    (folder,) = (place / "tmp").iterdir()
    folder.chmod(0o777)
    assert compiles(place, monkeypatch)


def test_a_full_disk_is_left_for_the_next_folder(place, monkeypatch):
    full = shutil.disk_usage(place)._replace(free=1000)
    real = shutil.disk_usage
    monkeypatch.setattr(shutil, "disk_usage", lambda path: full if "own" in Path(path).parts else real(path))
    assert compiles(place, monkeypatch)
    assert not compiles(place, monkeypatch)
    assert list((place / "user" / "steadyset").iterdir())


def test_a_process_without_any_folder_still_imports_the_kernels(tmp_path):
    """numba's own cache stops the import there."""
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    script = "import steadyset.kernels.paths.solver; from steadyset.kernels import jit; print(jit.FOLDER)"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(blocked), "XDG_CACHE_HOME": str(blocked), "TMPDIR": str(blocked)}
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert said.stdout.strip() == "None" or tempfile.gettempdir() in said.stdout


def test_every_kernel_is_kept():
    modules = [
        importlib.import_module(found.name) for found in pkgutil.walk_packages(kernels.__path__, "steadyset.kernels.")
    ]
    found = {one for module in modules for one in vars(module).values() if hasattr(one, "py_func")}
    assert len(found) > 50
    assert {one.__name__ for one in found if not str(one.stats.cache_path).startswith(str(jit.FOLDER))} == set()
