"""The pictures of docs/serve.md: the page on its own examples, in Chromium."""

from __future__ import annotations

import socket
import sys
import tempfile
import threading
from pathlib import Path

import chromium
import uvicorn
from playwright.sync_api import Page, sync_playwright

from steadyset.serve import create_application
from steadyset.serve.access import Access

IMAGES = Path(__file__).parent / "images"
PATIENCE = 600_000  # milliseconds
WIDTH = 1280


def main() -> int:
    with tempfile.TemporaryDirectory() as place:
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
            page = browser.new_page(viewport={"width": WIDTH, "height": 900})
            page.set_default_timeout(PATIENCE)
            page.goto(access.link)
            page.wait_for_url("**/")
            _shot(page, "serve-home.png")
            _data(page)
            _lists(page)
            _tune(page)
            browser.close()
        server.should_exit = True
        thread.join(10)
    return 0


def _data(page: Page) -> None:
    page.get_by_role("button", name="2,000 made-up genes").click()
    page.get_by_text("on 2 cores").or_(page.get_by_text("on 1 core")).or_(page.locator(".time b")).first.wait_for()
    _shot(page, "serve-data.png")
    page.get_by_role("button", name="Find the shortlist").click()
    page.get_by_text("Features so far").wait_for()
    page.locator(".left").get_by_text("About").wait_for()
    _shot(page, "serve-progress.png")
    page.get_by_role("button", name="Stop and keep what there is").click()
    page.get_by_role("link", name="Run again with changes").click()
    page.get_by_text("Quick look").click()
    page.get_by_role("button", name="Find the shortlist").click()
    page.frame_locator("iframe.report").get_by_role("heading", level=1).wait_for()
    page.wait_for_timeout(2000)
    _shot(page, "serve-report.png", 1400)


def _lists(page: Page) -> None:
    page.goto(page.url.partition("/runs")[0] + "/measure?example=signatures")
    page.frame_locator("#result iframe.report").locator(".picture svg").first.wait_for()
    page.wait_for_timeout(2000)
    _shot(page, "serve-lists.png", 1400)


def _tune(page: Page) -> None:
    page.goto(page.url.partition("/measure")[0])
    page.get_by_role("button", name="Example: 569 tumours").last.click()
    page.locator("#trials").fill("20")
    page.get_by_role("button", name="Find the best method").click()
    page.locator("svg.front circle").nth(4).wait_for()
    _shot(page, "serve-tune.png", 1100)
    page.frame_locator("iframe.report").get_by_role("heading", level=1).wait_for()
    page.get_by_role("link", name="Results").first.click()
    page.locator("td .tag.finished").nth(1).wait_for()
    page.wait_for_timeout(2000)
    _shot(page, "serve-runs.png")


def _shot(page: Page, name: str, most: int = 2000) -> None:
    height = min(most, page.evaluate("document.documentElement.scrollHeight"))
    page.screenshot(path=IMAGES / name, full_page=True, clip={"x": 0, "y": 0, "width": WIDTH, "height": height})


if __name__ == "__main__":
    sys.exit(main())
