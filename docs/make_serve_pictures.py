"""The pictures of docs/serve.md: the page on the data of the demonstration, in Chromium."""

from __future__ import annotations

import socket
import sys
import tempfile
import threading
from pathlib import Path

import chromium
import uvicorn
from playwright.sync_api import Page, sync_playwright
from sklearn.datasets import load_breast_cancer

from steadyset.serve import create_application
from steadyset.serve.access import Access

IMAGES = Path(__file__).parent / "images"
PATIENCE = 600_000  # milliseconds


def main() -> int:
    with tempfile.TemporaryDirectory() as place:
        table = Path(place) / "breast-cancer.csv"
        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        X.assign(diagnosis=y.map({0: "malignant", 1: "benign"})).to_csv(table, index=False)
        folder = Path(place) / "page"
        folder.mkdir()
        listening = socket.create_server(("127.0.0.1", 0))
        access = Access("127.0.0.1", listening.getsockname()[1])
        application = create_application(folder, access)
        server = uvicorn.Server(uvicorn.Config(application, log_level="warning"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium.needed(), args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1100, "height": 800})
            page.set_default_timeout(PATIENCE)
            page.goto(access.link)
            page.wait_for_url("**/")
            _measure(page)
            _assess(page, table)
            _tune(page)
            browser.close()
        server.should_exit = True
        thread.join(10)
    return 0


def _measure(page: Page) -> None:
    page.get_by_role("link", name="Measure").first.click()
    page.get_by_role("button", name="Two procedures").click()
    page.locator("#result svg[role=img]").first.wait_for()
    _shot(page, "serve-measure.png", height=1300)


def _assess(page: Page, table: Path) -> None:
    page.get_by_role("link", name="Assess").first.click()
    page.set_input_files("#upload", table)
    page.get_by_role("button", name="diagnosis").click()
    page.get_by_text("One run:").wait_for()
    _shot(page, "serve-assess.png", height=1500)
    page.get_by_label("Runs (").fill("30")
    page.get_by_label("Name").fill("breast cancer")
    page.get_by_role("button", name="Assess").click()
    page.locator(".progress tbody tr:has-text(' to ')").nth(4).wait_for()  # all five have an interval
    _shot(page, "serve-progress.png", height=900)
    page.frame_locator("iframe.report").get_by_role("heading", level=1).wait_for()
    _shot(page, "serve-report.png", height=1100)


def _tune(page: Page) -> None:
    page.get_by_role("link", name="Tune").first.click()
    page.get_by_role("link", name="data/").click()
    page.get_by_role("button", name="diagnosis").click()
    page.get_by_label("Configurations").fill("8")
    page.get_by_label("Name").fill("tuned")
    page.get_by_role("button", name="Tune").click()
    page.get_by_text("The Pareto front so far").wait_for()
    _shot(page, "serve-tune.png", height=1000)
    page.frame_locator("iframe.report").get_by_role("heading", level=1).wait_for()
    page.get_by_role("link", name="Runs").first.click()
    page.get_by_text("The steadiest selector").wait_for()
    _shot(page, "serve-runs.png", height=388)


def _shot(page: Page, name: str, height: int) -> None:
    IMAGES.mkdir(exist_ok=True)
    page.screenshot(path=IMAGES / name, full_page=True, clip={"x": 0, "y": 0, "width": 1100, "height": height})


if __name__ == "__main__":
    sys.exit(main())
