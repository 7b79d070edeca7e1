"""Takes the README's picture, the first screen of the report of `make demo`, with Chromium: make readme-picture"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import chromium

ROOT = Path(__file__).parents[1]
REPORT = ROOT / "demo-output" / "report.html"
PICTURE = ROOT / "docs" / "images" / "report.png"
WIDTH, HEIGHT = 1100, 930
OPTIONS = (
    "--headless",
    "--no-sandbox",  # it opens one file that this project has written
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=10000",  # until what the page draws itself is drawn
)


def main() -> None:
    browser = chromium.needed()
    if not REPORT.exists():
        sys.exit(f"{REPORT} does not exist; run make demo first.")
    with tempfile.TemporaryDirectory() as folder:
        taken = Path(folder) / "report.png"
        places = (f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={taken}")
        said = subprocess.run(
            [browser, *OPTIONS, *places, REPORT.as_uri()], capture_output=True, text=True, timeout=120
        )
        if not taken.exists():
            sys.exit(f"{browser} took no picture: {said.stderr.strip()}")
        shutil.copyfile(taken, PICTURE)
    print(f"{PICTURE.relative_to(ROOT)}: {WIDTH} x {HEIGHT}, {PICTURE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
