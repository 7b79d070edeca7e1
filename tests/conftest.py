"""Settings and places that all tests share."""

import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("steadyset", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steadyset")


@pytest.fixture(scope="module")
def browser():
    """The chromium of the machine, driven by playwright."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("needs chromium: apt-get install chromium")
    with sync_api.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def small_disk(tmp_path):
    """A disk of half a megabyte; only root can make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", folder], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no small disk can be made here: {made.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.fixture
def forgotten_registrations():
    """Selectors and resamplings that a test registers are unknown after it."""
    from steadyset.resampling import RESAMPLINGS
    from steadyset.selectors.known import MODELS

    tables = [(table, dict(table)) for table in (MODELS, RESAMPLINGS)]
    yield
    for table, before in tables:
        table.clear()
        table.update(before)
