"""Settings and places that all tests share, which tests are the core and which are slow, and what each one costs."""

import os
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests.documentation import script

settings.register_profile("steadyset", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steadyset")

TESTS = Path(__file__).parent
BEGUN = pytest.StashKey[float]()
# What has to hold on every system, Python and version of a dependency: from a file to what the command prints.
CORE = ["assessment", "cli", "inference", "io", "kernels", "measures", "runner", "selectors", "similarity"]
CORE += ["test_portability.py", "test_resampling.py", "test_selections.py", "test_task.py"]


def pytest_addoption(parser):
    parser.addoption("--core", action="store_true", help="only the core tests, which hold on every system and version")


def pytest_ignore_collect(collection_path, config):
    """With --core, what is not part of it is not even imported."""
    if collection_path.name == "conftest.py":  # it has no examples, and others have its name
        return True
    core = [TESTS / name for name in CORE]
    related = any(path == collection_path or path in collection_path.parents for path in core)
    return True if config.getoption("--core") and not (related or collection_path == TESTS) else None


def pytest_itemcollected(item):
    """Whatever opens a browser is slow."""
    if "browser" in getattr(item, "fixturenames", ()):
        item.add_marker("slow")


def processor_seconds():
    """Of this process and of those that it has waited for."""
    return sum(os.times()[:4])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    item.stash[BEGUN] = processor_seconds()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    """What a test costs is kept with its result, for `python -m tests.costs`."""
    if call.when == "teardown":
        item.user_properties.append(("seconds", round(processor_seconds() - item.stash[BEGUN], 3)))
        item.user_properties.append(("slow", item.get_closest_marker("slow") is not None))


def pytest_runtest_setup(item):
    if os.name == "nt" and item.get_closest_marker("posix"):
        pytest.skip("processes and permissions of POSIX")


@pytest.fixture(scope="module")
def browser():
    """The chromium of the machine, driven by playwright."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    chromium = script("chromium").found()
    if chromium is None:
        pytest.skip("needs chromium: apt-get install chromium")
    with sync_api.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def small_disk(tmp_path):
    """A disk of half a megabyte; only root can make one."""
    if shutil.which("mount") is None:
        pytest.skip("no small disk can be made here: there is no mount")
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", folder], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no small disk can be made here: {made.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture(autouse=True)
def registries_as_before():
    """What a test registers is unknown after it."""
    from steadyset.foundation.registry import Registry

    with ExitStack() as kept:
        for registry in Registry.kinds.values():
            kept.enter_context(registry.unchanged())
        yield
