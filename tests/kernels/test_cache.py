"""Kernels run whatever became of the folder that keeps them compiled."""

import importlib.util
import os
import pkgutil
import shutil
import subprocess
import sys
import tempfile

import llvmlite.binding as llvm
import numba
import pytest
from numba.core.dispatcher import Dispatcher

from steadyset import kernels
from steadyset.kernels import cache
from steadyset.kernels.cache import before_compiling

SOURCE = """
from steadyset.kernels.jit import kernel

@kernel
def twice(x):
    return x + x
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A module with a kernel, whose caches all lie below tmp_path."""
    (tmp_path / "tmp").mkdir()
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "doubling.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path


def loaded(place):
    spec = importlib.util.spec_from_file_location("doubling", place / "code" / "doubling.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiles(place, argument=21):
    """Whether a fresh copy of the kernel has to be compiled; its answer is checked."""
    module = loaded(place)
    told = []
    with before_compiling(lambda: told.append(True)):
        assert module.twice(argument) == 2 * argument
    assert not cache._listeners  # what compiles later is somebody else's
    return bool(told)


def files(place, kind):
    return sorted((place / "code" / "__pycache__").glob(f"*.{kind}"))


def test_a_kernel_is_compiled_once(place):
    assert compiles(place)
    assert not compiles(place)
    assert not list((place / "tmp").iterdir())


def test_a_kernel_that_was_kept_is_built_into_one_that_was_not(place, monkeypatch):
    (place / "code" / "doubling.py").write_text(
        SOURCE
        + """
@kernel
def four_times(x):
    return twice(twice(x))
""",
        encoding="utf-8",
    )
    assert compiles(place)
    read = []
    parse = llvm.parse_bitcode
    monkeypatch.setattr(llvm, "parse_bitcode", lambda code: (read.append(code), parse(code))[1])
    module = loaded(place)
    assert module.twice(21) == 42
    assert not read  # the code for building it in
    assert module.four_times(21) == 84
    assert len(read) == 1


@pytest.mark.slow  # buys: what only a program of its own can show
def test_a_kernel_that_was_kept_does_not_import_what_it_was_made_of(place):
    (place / "code" / "solving.py").write_text(
        """
import sys
import numpy as np
from steadyset.kernels.jit import kernel

@kernel
def solved(a, b):
    return np.linalg.solve(a, b)

try:
    solved(np.zeros((1, 1)), np.ones(1))
except np.linalg.LinAlgError as error:
    print(error, solved(np.array([[2.0]]), np.array([3.0])), "numba.np.linalg" in sys.modules)
""",
        encoding="utf-8",
    )
    command = [sys.executable, str(place / "code" / "solving.py")]
    said = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() for _ in range(2)]
    about = "Matrix is singular to machine precision. [1.5]"
    assert said == [f"{about} True", f"{about} False"]


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: os.urandom(len(content)),
        lambda content: os.urandom(16),
        lambda content: content + b"x",
        lambda content: content[:200] + bytes([content[200] ^ 4]) + content[201:],
    ],
    ids=["empty", "one byte short", "half", "random", "short random", "one byte more", "one bit flipped"],
)
def test_a_damaged_entry_is_compiled_again_and_replaced(place, kind, damage):
    assert compiles(place)
    (path,) = files(place, kind)
    path.write_bytes(damage(path.read_bytes()))
    assert compiles(place)
    assert not compiles(place)


def test_the_code_of_another_signature_is_not_run(place):
    """Two processes that save at the same time may both take the same name."""
    compiles(place, 21)
    (whole,) = files(place, "nbc")
    compiles(place, 2.5)
    (real,) = [path for path in files(place, "nbc") if path != whole]
    real.write_bytes(whole.read_bytes())
    assert compiles(place, 2.5)


def test_the_code_of_an_older_source_is_not_run(place):
    compiles(place)
    (old,) = files(place, "nbc")
    code = old.read_bytes()
    source = place / "code" / "doubling.py"
    source.write_text(SOURCE.replace("x + x", "2 * x"), encoding="utf-8")
    compiles(place)
    old.write_bytes(code)
    assert compiles(place)


def test_code_with_a_part_of_an_older_source_is_not_run(place, monkeypatch):
    part = place / "parts" / "deep" / "part.py"
    part.parent.mkdir(parents=True)
    part.write_text("FACTOR = 2", encoding="utf-8")
    monkeypatch.setattr(cache, "STAMP", cache.stamp_of(place / "parts"))
    assert compiles(place)
    assert not compiles(place)
    part.write_text("FACTOR = 2.0", encoding="utf-8")
    monkeypatch.setattr(cache, "STAMP", cache.stamp_of(place / "parts"))
    assert compiles(place)
    assert not compiles(place)


def test_without_a_folder_a_temporary_one_is_used(place):
    (place / "code" / "__pycache__").write_text("a file in place of the folder", encoding="utf-8")
    (place / "user").write_text("a file in place of the folder", encoding="utf-8")
    assert compiles(place)
    assert not compiles(place)
    assert list((place / "tmp").iterdir())


def test_without_any_folder_kernels_are_compiled_each_time(place, monkeypatch):
    for name in ("code/__pycache__", "user"):
        (place / name).write_text("a file in place of the folder", encoding="utf-8")
    monkeypatch.setattr(tempfile, "tempdir", str(place / "user"))
    assert compiles(place)
    assert compiles(place)


@pytest.mark.posix
def test_a_temporary_folder_that_others_can_write_is_not_believed(place):
    for name in ("code/__pycache__", "user"):
        (place / name).write_text("a file in place of the folder", encoding="utf-8")
    compiles(place)
    (folder,) = (place / "tmp").iterdir()
    folder.chmod(0o777)
    assert compiles(place)


@pytest.mark.posix
def test_a_full_disk_leaves_the_temporary_folder(place, small_disk):
    (place / "code" / "__pycache__").symlink_to(small_disk)
    (small_disk / "filling").write_bytes(bytes(shutil.disk_usage(small_disk).free))
    assert compiles(place)
    assert not compiles(place)
    assert not list(small_disk.glob("*.nbc"))


def test_every_kernel_has_this_cache():
    """numba's own stops the import where no folder can be written."""
    modules = [
        importlib.import_module(found.name) for found in pkgutil.walk_packages(kernels.__path__, "steadyset.kernels.")
    ]
    found = {one for module in modules for one in vars(module).values() if isinstance(one, Dispatcher)}
    assert len(found) > 50
    assert {one.__name__ for one in found if not isinstance(one._cache, cache.KernelCache)} == set()
