"""The pictures of docs/start.md: the report that the page makes, in Chromium."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

import chromium
from make_outputs import with_outputs
from playwright.sync_api import sync_playwright

DOCS = Path(__file__).parent
PICTURES = {"start-frequencies.png": "selection_frequencies", "start-groups.png": "similarity_groups"}


def main() -> None:
    text = (DOCS / "start.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver, contextlib.chdir(folder):
        with_outputs(text, "start.md")
        browser = driver.chromium.launch(executable_path=chromium.needed(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 700})
        page.goto(Path("report.html").resolve().as_uri())
        page.screenshot(path=DOCS / "images" / "start-report.png")
        for name, picture in PICTURES.items():
            part = page.locator(f"[data-picture={picture}]")
            part.evaluate("part => { part.open = true }")
            part.scroll_into_view_if_needed()
            page.wait_for_timeout(2000)  # pictures are drawn when they come into view
            part.screenshot(path=DOCS / "images" / name)
        browser.close()


if __name__ == "__main__":
    main()
