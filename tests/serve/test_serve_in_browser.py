"""Both journeys in a real browser: from an empty folder to a report, without a terminal."""

import socket

import numpy as np
import pandas as pd
import pytest
from tests.serve.test_browsing import assessed
from tests.serve.test_safety import listening

from steadyset.io.data.data_table import load_data
from steadyset.serve import create_application
from steadyset.serve.access import Access

PATIENCE = 180_000  # milliseconds, on a machine that does other things
MATRIX = "a,b,c,d\n1,1,0,0\n1,1,0,0\n1,0,1,0\n1,1,0,0\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    sock = socket.create_server(("127.0.0.1", 0))
    access = Access("127.0.0.1", sock.getsockname()[1])
    with listening(create_application(folder, access, cores=2), sock):
        yield folder, access


@pytest.fixture
def opened(browser, server):
    """A page that came in by the printed link; at the end nothing was complained of and nobody else asked."""
    _, access = server
    contexts, told = [], []
    base = f"http://127.0.0.1:{access.port}"

    def opening(path="/", **options):
        context = browser.new_context(accept_downloads=True, **options)
        context.set_default_timeout(PATIENCE)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=base)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on(
            "request", lambda asked: None if asked.url.startswith((base, "data:", "blob:")) else told.append(asked.url)
        )
        page.goto(access.link)
        page.wait_for_url(f"{base}/")
        if path != "/":
            page.goto(base + path)
        return page

    yield opening
    for context in contexts:
        context.close()
    assert told == []


def table(path, n_rows=40):
    random = np.random.default_rng(0)
    y = np.arange(n_rows) % 2
    columns = {f"gene {i}": random.normal(size=n_rows) + 2 * y * (i < 2) for i in range(6)}
    pd.DataFrame({**columns, "tumour": np.where(y, "yes", "no")}).to_csv(path, index=False)
    return path


def no_wider_than_the_window(page):
    return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_from_a_table_to_a_report(opened, server, tmp_path):
    folder, _ = server
    page = opened()
    page.get_by_role("link", name="Assess").last.click()
    page.set_input_files("#upload", table(tmp_path / "my study.csv"))
    page.get_by_role("button", name="tumour (2 values)").click()
    understood = page.locator(".understood").inner_text()
    assert load_data(tmp_path / "my study.csv", "tumour").understood in understood
    assert "2 classes (no 20, yes 20)" in understood
    page.get_by_text("One run:").wait_for()
    assert "About" in page.locator('[hx-post="/estimate"]').inner_text()
    for name in ("lasso", "elastic_net", "jmi", "forest"):
        page.get_by_label(name, exact=True).uncheck()
    page.get_by_label("With parameters").fill("relieff:k=2")
    page.get_by_label("Runs (").fill("3")
    page.get_by_label("Name").fill("study 1")
    page.get_by_role("button", name="Assess").click()
    page.wait_for_url("**/runs/study%201")
    frame = page.frame_locator("iframe.report")
    assert "How steady is the selection?" in frame.get_by_role("heading", level=1).inner_text()
    assert "Finished: 6 of 6 runs" in page.inner_text("#run")
    with page.expect_download() as report:
        page.get_by_role("link", name="Download the report").click()
    assert "relieff" in report.value.path().read_text(encoding="utf-8")
    with page.expect_download() as features:
        page.get_by_role("link", name="features.csv").click()
    assert features.value.path().read_bytes() == (folder / "study 1" / "features.csv").read_bytes()
    page.get_by_role("button", name="Methods paragraph").click()
    page.get_by_role("button", name="Copy the paragraph").click()
    assert "bootstrap" in page.evaluate("navigator.clipboard.readText()")
    assert page.inner_text("#command").startswith("steadyset assess data/my-study-")
    _more_runs_then_rename_and_delete(page, folder)


def _more_runs_then_rename_and_delete(page, folder):
    page.get_by_text("Add runs or selectors").click()
    page.get_by_label("Runs in all").fill("4")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("8 of 8 runs").wait_for()
    page.get_by_text("Rename or delete").click()
    page.get_by_label("New name").fill("../away")
    page.get_by_role("button", name="Rename").click()
    page.get_by_text("cannot be the name of a run").wait_for()
    page.get_by_label("New name").fill("kept")
    page.get_by_role("button", name="Rename").click()
    page.wait_for_url("**/runs/kept")
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_text("Rename or delete").click()
    page.get_by_role("button", name="Delete").click()
    assert (folder / "kept" / "assessment.json").exists()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").click()
    page.wait_for_url("**/runs")
    assert not (folder / "kept").exists()


def test_from_a_table_to_a_list(opened, server, tmp_path):
    folder, _ = server
    page = opened()
    page.get_by_role("link", name="List").last.click()
    page.set_input_files("#upload", table(tmp_path / "a list.csv", 60))
    page.get_by_role("button", name="tumour (2 values)").click()
    page.get_by_text("About").wait_for()
    page.get_by_label("False features").fill("0.5")
    page.get_by_label("Repeats").fill("2")
    page.get_by_label("Name").fill("listed")
    page.get_by_role("button", name="Shortlist").click()
    page.wait_for_url("**/runs/listed")
    report = page.frame_locator("iframe.report")
    report.get_by_text("tell yes from no").wait_for()
    assert "Finished: 4 of 4 runs" in page.inner_text("#run")
    assert set((folder / "listed" / "shortlist.txt").read_text(encoding="utf-8").split("\n")) >= {"gene 0", "gene 1"}
    assert "about 0.5 of them may be false" in report.locator("#answer").inner_text()
    for name in ("shortlist.csv", "shortlist.xlsx", "shortlist.txt"):
        with page.expect_download() as taken:
            page.get_by_role("link", name=name).click()
        assert taken.value.suggested_filename == f"listed-{name}"
    assert "st.shortlist(" in page.locator("#python").inner_text()
    assert "--false 0.5" in page.locator("#command").inner_text()


def test_two_runs_are_compared(opened, server):
    folder, _ = server
    for seed, name in enumerate(("one", "other")):
        assessed(folder / name, seed)
    page = opened("/runs")
    page.get_by_label("First").select_option("one")
    page.get_by_label("Second").select_option("other")
    page.get_by_role("button", name="Compare").click()
    frame = page.frame_locator("iframe.report")
    frame.get_by_role("heading", level=1).wait_for()
    assert frame.get_by_text("other: anova:k=2").count()
    assert no_wider_than_the_window(page)
    with page.expect_download() as report:
        page.get_by_role("link", name="Download the comparison").click()
    assert "one: anova:k=2" in report.value.path().read_text(encoding="utf-8")


def test_from_pasted_selections_to_a_report_with_the_keyboard_alone(opened):
    page = opened("/measure")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    while page.evaluate("document.activeElement.id") != "first_text":
        page.keyboard.press("Tab")
    page.keyboard.insert_text(MATRIX)
    while page.evaluate("document.activeElement.textContent") != "Measure":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#result").get_by_text("4 runs, 4 features, 2 selected").wait_for()
    assert page.locator("#result tbody tr td:first-child").first.inner_text() == "nogueira"
    with page.expect_download() as report:
        page.get_by_role("link", name="Download the report").click()
    assert "4 runs" in report.value.path().read_text(encoding="utf-8")
    page.locator("#result svg[role=img]").first.wait_for()


def test_examples_comparisons_and_errors_are_seen_and_a_link_carries_the_input(opened):
    page = opened("/measure")
    page.get_by_label("Paste here").first.fill("a,b\n1,0\n")
    page.get_by_role("button", name="Measure", exact=True).click()
    page.locator("#complaint .complaint").wait_for()
    page.get_by_role("button", name="Two procedures").click()
    page.locator("#result").get_by_text("The steadiest procedure is first").wait_for()
    assert page.locator("#complaint").inner_text() == ""
    page.get_by_role("button", name="Copy a link").click()
    link = page.evaluate("navigator.clipboard.readText()")
    assert "/measure#in=" in link
    page.goto(link.replace("#", "?again#"))
    page.locator("#result").get_by_text("The steadiest procedure is first").wait_for()
    page.get_by_role("link", name="Runs").click()
    page.go_back()
    assert page.get_by_label("Paste here").first.is_visible()


@pytest.mark.parametrize(
    "options",
    [
        {"viewport": {"width": 420, "height": 800}, "color_scheme": "dark"},
        {"viewport": {"width": 640, "height": 450}, "device_scale_factor": 2},  # 1280 x 900 at 200%
        {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    ],
    ids=["narrow-dark", "zoomed", "wide-light"],
)
def test_pages_fit_the_window_and_paint_at_once(opened, server, tmp_path, options):
    folder, access = server
    file = table(folder / "fit.csv").name
    page = opened(**options)
    for path in ("/", "/measure", "/assess", "/tune", "/runs", f"/data?kind=assess&file={file}&target=tumour"):
        page.goto(f"http://127.0.0.1:{access.port}{path}")
        assert no_wider_than_the_window(page), path
        dark = options.get("color_scheme") == "dark"
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(20, 25, 31)") == dark
