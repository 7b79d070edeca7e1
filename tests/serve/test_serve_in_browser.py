"""Journeys in a real browser: from an empty folder to a report, without a terminal."""

import re
import socket

import numpy as np
import pandas as pd
import pytest
from tests.serve.test_browsing import assessed
from tests.serve.test_safety import listening
from tests.waiting import until

from steadyset.assessment import Assessment
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

    def opening(path="/", *, refused=False, **options):
        context = browser.new_context(accept_downloads=True, **options)
        context.set_default_timeout(PATIENCE)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=base)
        contexts.append(context)
        page = context.new_page()
        expected = ("net::ERR_FAILED", "htmx:sseError", "[object Event]", "400 (Bad Request)") if refused else ()
        page.on("console", lambda said: None if any(one in said.text for one in expected) else told.append(said.text))
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
    page.set_input_files("#upload", table(tmp_path / "my study.csv"))
    page.get_by_role("button", name="tumour (2 values)").click()
    page.get_by_role(
        "heading", name="40 samples, 6 features, 2 values of tumour to tell apart: no (20) and yes (20)."
    ).wait_for()
    page.get_by_label("Lists of methods that I choose, compared").check()
    for name in ("lasso", "elastic_net", "jmi", "forest"):
        page.locator(f'input[value="{name}"]').uncheck()
    page.get_by_text(re.compile(r"^All \d+ methods")).click()
    page.get_by_label("With parameters").fill("relieff:k=2")
    page.get_by_text("More settings").click()
    page.get_by_label("Runs (").fill("3")
    page.get_by_label("Name").fill("study 1")
    page.get_by_text("one run: anova").wait_for()
    assert "About" in page.locator("#estimate").inner_text()
    page.get_by_role("button", name="Compare the methods").click()
    page.wait_for_url("**/runs/study%201")
    frame = page.frame_locator("iframe.report")
    assert frame.get_by_role("heading", level=1).inner_text().startswith("What tells")
    assert page.locator(".tag.provisional").count() == 0  # what was known meanwhile does not stand beside the report
    with page.expect_download() as report:
        page.get_by_role("link", name="Download the report").click()
    assert "relieff" in report.value.path().read_text(encoding="utf-8")
    with page.expect_download() as features:
        page.get_by_role("link", name="features.csv").click()
    assert features.value.path().read_bytes() == (folder / "study 1" / "features.csv").read_bytes()
    page.get_by_role("button", name="Paragraphs for a paper").click()
    page.get_by_role("button", name="Copy the paragraph").click()
    assert "bootstrap" in page.evaluate("navigator.clipboard.readText()")
    page.get_by_text("The same without the page").press("Enter")  # it moves while pictures above it are drawn
    assert page.inner_text("#command").startswith("steadyset assess 'data/my study.csv'")
    _more_runs_then_rename_and_delete(page, folder)


def _more_runs_then_rename_and_delete(page, folder):
    page.get_by_text("Add runs or methods").press("Enter")
    page.get_by_label("Runs in all").fill("4")
    page.get_by_role("button", name="Add", exact=True).click()
    page.locator(".progress").wait_for()
    report = page.frame_locator("iframe.report").get_by_role("heading", level=1)  # else the frame would ask for a run
    report.wait_for()  # that has another name meanwhile, or is gone
    assert len(Assessment.open(folder / "study 1").cells) == 8
    page.get_by_text("Rename, tag or delete").press("Enter")
    page.get_by_label("New name").fill("../away")
    page.get_by_role("button", name="Rename").click()
    page.get_by_text("cannot be the name of a run").wait_for()
    page.get_by_label("New name").fill("kept")
    page.get_by_role("button", name="Rename").click()
    page.wait_for_url("**/runs/kept")
    report.wait_for()
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_text("Rename, tag or delete").press("Enter")
    page.get_by_role("button", name="Delete").click()
    assert (folder / "kept" / "assessment.json").exists()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").click()
    page.wait_for_url("**/runs")
    assert not (folder / "kept").exists()


def test_from_a_table_to_a_list_with_nothing_but_clicks(opened, server):
    folder, _ = server
    table(folder / "a list.csv", 60)
    page = opened("/data?file=a list.csv&target=tumour")
    page.get_by_text("Quick look").click()
    page.get_by_role("button", name="0.5", exact=True).click()
    assert page.get_by_label("False features").input_value() == "0.5"
    page.get_by_role("button", name="Find the shortlist").click()
    page.wait_for_url("**/runs/a-list")
    until(
        lambda: (folder / "a-list" / "report.html").exists(), seconds=PATIENCE / 1000
    )  # though nobody has looked at it
    report = page.frame_locator("iframe.report")
    report.get_by_text("tell yes from no").first.wait_for()
    assert page.title().startswith("✓")
    assert set((folder / "a-list" / "shortlist.txt").read_text(encoding="utf-8").split("\n")) >= {"gene 0", "gene 1"}
    for name in ("shortlist.csv", "shortlist.xlsx", "shortlist.txt"):
        with page.expect_download() as taken:
            page.get_by_role("link", name=name).click()
        assert taken.value.suggested_filename == f"a-list-{name}"
    page.get_by_text("The same without the page").press("Enter")  # it moves while pictures above it are drawn
    assert "st.shortlist(" in page.locator("#python").inner_text()
    assert "--false 0.5" in page.locator("#command").inner_text()
    page.get_by_role("link", name="Run again with changes").click()
    assert page.get_by_label("False features").input_value() == "0.5"
    assert page.get_by_label("Quick look").is_checked()
    assert page.locator("#out").input_value() == "a-list-2"


def test_results_are_sorted_found_tagged_and_those_that_fit_compared(opened, server):
    folder, _ = server
    for seed, name in enumerate(("one", "other", "third")):
        assessed(folder / name, seed, n_features=6 if name != "third" else 5)
    page = opened("/runs", refused=True)
    page.get_by_label("Choose one").check()
    assert page.get_by_label("Choose third").is_disabled()
    page.get_by_text("Greyed boxes: other features").wait_for()
    page.get_by_label("Choose other").check()
    page.get_by_role("button", name="Compare", exact=True).click()
    frame = page.frame_locator("iframe.report")
    frame.get_by_role("heading", level=1).wait_for()
    assert frame.get_by_text("other: anova:k=2").count()
    assert no_wider_than_the_window(page)
    with page.expect_download() as report:
        page.get_by_role("link", name="Download the comparison").click()
    assert "one: anova:k=2" in report.value.path().read_text(encoding="utf-8")
    page.goto(page.url.replace("run=other", "run=third"))
    assert "features" in page.get_by_role("alert").inner_text()
    page.goto(page.url.partition("/compare")[0] + "/runs/one")
    page.get_by_text("Rename, tag or delete").press("Enter")
    page.get_by_label("Tags").fill("for the paper")
    page.get_by_role("button", name="Tag", exact=True).click()
    page.get_by_role("link", name="Results").first.click()
    page.get_by_role("button", name="for the paper").click()
    assert page.locator("tbody tr:visible th a").all_inner_texts() == ["one"]
    page.get_by_role("button", name="for the paper").click()
    page.get_by_label("Find").fill("third")
    assert page.locator("tbody tr:visible th a").all_inner_texts() == ["third"]
    page.get_by_label("Find").fill("")
    page.get_by_role("button", name="File").click()
    names = page.locator("tbody tr:visible th a").all_inner_texts()
    assert names == sorted(names)


def test_from_pasted_selections_to_a_report_with_the_keyboard_alone(opened):
    page = opened("/measure")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    while page.evaluate("document.activeElement.id") != "first_text":
        page.keyboard.press("Tab")
    page.keyboard.insert_text(MATRIX)
    while page.evaluate("document.activeElement.textContent") != "Compare the lists":
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.frame_locator("#result iframe.report").get_by_text("In all 4", exact=True).wait_for()
    page.get_by_text("How it was understood").click()
    assert page.locator("#result").get_by_text("4 runs, 4 features, 2 selected").is_visible()
    with page.expect_download() as report:
        page.get_by_role("link", name="Download the report").click()
    assert "4 runs" in report.value.path().read_text(encoding="utf-8")


def test_examples_comparisons_and_errors_are_seen_and_a_link_carries_the_input(opened):
    page = opened("/measure")
    page.get_by_label("Your lists").fill("a,b\n1,0\n")
    page.get_by_role("button", name="Compare the lists", exact=True).click()
    page.locator("#complaint .complaint").wait_for()
    page.get_by_role("button", name="Two procedures").click()
    report = page.frame_locator("#result iframe.report")
    report.get_by_text("The steadiest procedure is first").first.wait_for()
    assert page.locator("#complaint").inner_text() == ""
    page.get_by_role("button", name="Copy a link").click()
    link = page.evaluate("navigator.clipboard.readText()")
    assert "/measure#in=" in link
    page.goto(link.replace("#", "?again#"))
    report.get_by_text("The steadiest procedure is first").first.wait_for()
    page.get_by_role("link", name="Results").first.click()
    page.go_back()
    assert page.get_by_label("Your lists").is_visible()


@pytest.mark.parametrize(
    "options",
    [
        {"viewport": {"width": 390, "height": 800}, "color_scheme": "dark"},
        {"viewport": {"width": 640, "height": 450}, "device_scale_factor": 2},  # 1280 x 900 at 200%
        {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    ],
    ids=["narrow-dark", "zoomed", "wide-light"],
)
def test_pages_fit_the_window_and_paint_at_once(opened, server, tmp_path, options):
    folder, access = server
    file = table(folder / "fit.csv").name
    page = opened(**options)
    form = f"/data?kind=assess&file={file}&target=tumour"
    for path in ("/", "/measure", "/shortlist", "/tune", "/runs", "/help", form):
        page.goto(f"http://127.0.0.1:{access.port}{path}")
        assert no_wider_than_the_window(page), path
        dark = options.get("color_scheme") == "dark"
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (background == "rgb(18, 23, 28)") == dark
