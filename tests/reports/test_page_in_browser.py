"""The page in a real browser: what its script changes, that it asks nobody for anything, and that names stay text."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from tests.reports.markup import contrast as colour_contrast

import steadyset as st
from steadyset.inference.runs import steady_core
from steadyset.io.formats.spreadsheet import spreadsheet_safe
from steadyset.selectors import error_control

N_RUNS, N_FEATURES = 20, 60
HOSTILE = (
    "<script>window.hit = 1</script>",
    "</script><img src=x onerror='window.hit = 2'>",
    "{{7*7}}",
    "javascript:alert(1)",
    "=cmd()|' /C calc'!A0",
    "@SUM(1)",
    "'-1+1",
    "w" * 300,
    "שלום עולם",
    'a,b "quoted"',
)


def steady_sets(shares, seed):
    """Feature i is selected in a share shares[i] of the runs, the others by chance."""
    random = np.random.default_rng(seed)
    runs = [[i for i, share in enumerate(shares) if run < round(share * N_RUNS)] for run in range(N_RUNS)]
    return [sorted({*run, *random.integers(len(shares), N_FEATURES, 4).tolist()}) for run in runs]


FIRST = st.Selections.from_sets(steady_sets([1, 0.95, 0.8, 0.6], 0), n_features=N_FEATURES)
SECOND = st.Selections.from_sets(steady_sets([1, 0.75, 0.7], 1), n_features=N_FEATURES)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    return st.report({"first": FIRST, "second": SECOND}, tmp_path_factory.mktemp("page") / "page.html")


def opened_page(browser, path, told, **options):
    """A page that writes down what it complains of and whom it asks."""
    page = browser.new_context(accept_downloads=True, **options).new_page()
    page.on("console", lambda message: told.append(message.text))
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("dialog", lambda dialog: told.append(f"dialog {dialog.message}"))
    page.on("request", lambda request: told.append(request.url) if request.url != path.as_uri() else None)
    page.goto(path.as_uri())
    for part in page.locator(".specialists > details > summary").all():  # by clicks, as scripts may be off
        part.click()
    return page


def assert_quiet(told):
    assert [text for text in told if not text.startswith("blob:")] == []


@pytest.fixture
def opened(browser):
    """Opens a page; at the end it has asked nobody for anything and complained of nothing."""
    pages, told = [], []

    def opening(path, **options):
        pages.append(opened_page(browser, path, told, **options))
        return pages[-1]

    yield opening
    for page in pages:
        page.context.close()
    assert_quiet(told)


@pytest.fixture(scope="module")
def shared(browser, two):
    """The page of two procedures, opened once: a large part of a test's time is that."""
    told = []
    page = opened_page(browser, two, told)
    draw_all(page)
    yield page, told
    page.context.close()


@pytest.fixture
def page(shared):
    """The shared page as it was when it was opened."""
    page, told = shared
    page.locator("#procedure").select_option(label="all")
    slide(page, 90)
    page.locator("#search").fill("")
    page.locator("#feature").evaluate("one => { one.hidden = true; }")
    settled(page)
    yield page
    assert_quiet(told)


def slide(page, percent):
    page.locator("#share").evaluate(
        "(slider, to) => { slider.value = to; slider.dispatchEvent(new Event('input', { bubbles: true })); }",
        2 * percent,
    )


def settled(page):
    """Wait until every picture shows what is asked for."""
    page.wait_for_function("document.querySelectorAll('.picture[aria-busy]').length === 0")


def draw_all(page):
    for picture in page.locator(".picture:visible").all():
        picture.scroll_into_view_if_needed()
    page.wait_for_function("[...document.querySelectorAll('.picture')].every(one => one.matches('.drawn'))")


def live(name):
    return f"[data-picture='{name}'] .live"


def labels(page, name):
    """What is said of each mark of a live picture."""
    return page.locator(f"{live(name)} path[aria-label]").evaluate_all("all => all.map(one => one.ariaLabel)")


def column(page, table, number):
    return page.locator(f"#table-{table} tbody tr td:nth-child({number})").all_inner_texts()


@pytest.mark.parametrize("percent", [100, 90, 75, 55])
def test_the_slider_changes_the_core_everywhere_to_that_of_the_library(page, percent):
    slide(page, percent)
    share = percent / 100
    cores = [steady_core(one, core=share) for one in (FIRST, SECOND)]
    assert page.locator("#core dd").all_inner_texts() == [", ".join(core) or "none" for core in cores]
    assert f"at least {percent}% of the runs" in page.locator("#core p").first.inner_text()
    head = page.locator("#table-summary thead th").all_inner_texts()
    place = next(i for i, title in enumerate(head, 1) if title.startswith("steady core"))
    assert column(page, "summary", place) == [str(len(core)) for core in cores]
    page.locator("#features details").first.evaluate("one => { one.open = true; }")
    marked = page.locator("#table-features-2 tbody tr.in-core td:first-child").all_inner_texts()
    assert marked == cores[0]
    assert "No bound on false selections holds: how the runs were drawn is not known" in page.inner_text("#meaning")


def test_the_slider_changes_the_core_in_the_picture_of_frequencies(page):
    strong = f"{live('selection_frequencies')} path[fill='#0b6e99']"
    for percent in (90, 60):
        slide(page, percent)
        expected = sum(len(steady_core(one, core=percent / 100)) for one in (FIRST, SECOND))
        assert page.locator(strong).count() == expected
        said = page.locator("[data-picture='selection_frequencies'] .note").text_content()
        assert f"in at least {percent}% of the runs (dashed line)" in said


def test_the_slider_changes_the_overlap_of_cores_to_that_of_the_library(page):
    for percent in (60, 90, 100):
        slide(page, percent)
        drawn = st.plot.core_overlap({"first": FIRST, "second": SECOND}, core=percent / 100).data
        expected = drawn.groupby("intersection")["features"].first().tolist()
        settled(page)
        told = page.locator("[data-picture='core_overlap'] .note").inner_text()
        assert told == f"Features in at least {percent}% of the runs, counted once each."
        bars = [text for text in labels(page, "core_overlap") if "selector: " not in text]
        assert [int(re.search(r"features: (\d+)", text)[1]) for text in bars] == expected


def test_a_share_at_which_cores_are_too_large_to_follow_is_told(opened, tmp_path):
    many = st.Selections.from_sets([range(3_000)] * 2 + [[0, 1]] * 18, n_features=3_001)
    page = opened(st.report({"a": many, "b": many}, tmp_path / "page.html"))
    slide(page, 5)
    settled(page)
    told = page.locator("[data-picture='core_overlap'] .told")
    assert "too large to follow: the picture shows them at 90%" in told.inner_text()
    slide(page, 90)
    settled(page)
    assert told.inner_text() == ""


def test_a_mark_tells_its_values_under_the_pointer(page):
    page.locator(f"{live('selection_frequencies')} path[fill='#0b6e99']").first.hover()
    assert page.locator("#tip div").all_inner_texts()[:2] == ["feature: x0", "share of the runs: 100%"]
    page.mouse.move(1, 1)
    assert not page.locator("#tip").is_visible()


def test_the_bound_of_random_halves_is_that_of_stability_selection(opened, tmp_path):
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 8))
    y = (X[:, 0] + X[:, 1] + 0.1 * random.standard_normal(60) > 0).astype(int)
    told = {}
    for resampling in (st.Subsample(10), st.Bootstrap(10)):
        result = st.assess(
            "anova:k=2", X, y, resampling=resampling, scoring=[], execution=st.Execution(engine="serial")
        )
        page = opened(st.report(result, tmp_path / f"{type(resampling).__name__}.html"))
        for percent in (90, 55, 50):
            slide(page, percent)
            told[type(resampling).__name__, percent] = page.inner_text("#meaning")
    bound = error_control(8, q=2, threshold=0.9).pfer
    assert f"at most {bound:.3g} of them are expected to be false" in told["Subsample", 90]
    assert "leaves open whether all of them are false" in told["Subsample", 55]
    assert "No bound on false selections holds: the share has to be above one half" in told["Subsample", 50]
    assert "needs runs on random halves" in told["Bootstrap", 90]


def test_tables_sort_by_value_and_say_so(page):
    heads = page.locator("#table-features-1 thead th")
    frequency = heads.nth(1)
    frequency.locator("button").click()
    assert frequency.get_attribute("aria-sort") == "descending"
    first = [float(text) for text in column(page, "features-1", 2)]
    assert first == sorted(first, reverse=True)
    frequency.locator("button").press("Enter")
    assert frequency.get_attribute("aria-sort") == "ascending"
    rising = [float(text) for text in column(page, "features-1", 2)]
    assert rising == sorted(rising)
    assert rising[0] < first[-1], "rows beyond the first 25 take part"
    heads.first.locator("button").click()
    assert frequency.get_attribute("aria-sort") is None
    assert column(page, "features-1", 1)[:3] == ["x0", "x1", "x2"]


def test_a_filter_shows_the_rows_that_hold_the_text_and_all_rows_can_be_shown(page):
    tools = page.locator("#features .tools").first
    tools.get_by_label("Filter the table").fill("x1")
    names = column(page, "features-1", 1)
    assert names
    assert all("x1" in name for name in names)
    tools.get_by_label("Filter the table").fill("")
    tools.get_by_role("button", name="Show all").click()
    assert len(column(page, "features-1", 1)) == int(((FIRST.counts + SECOND.counts) > 0).sum())


def test_choosing_a_procedure_leaves_its_rows_and_pictures(page):
    page.locator("#procedure").select_option(label="second")
    assert column(page, "summary", 1) == ["second"]
    assert page.locator("#core dt:visible").all_inner_texts() == ["second"]
    assert page.locator("#features details:visible summary").all_inner_texts() == ["second"]
    assert page.locator("[data-picture='runs_by_features'] figure:visible h3").all_inner_texts() == ["second"]
    settled(page)
    assert all("selector: second" in text for text in labels(page, "selectors_compared"))
    shown = page.locator(live("selection_frequencies")).text_content()
    assert "second" in shown
    assert "first" not in shown
    page.locator("#procedure").select_option(label="all")
    assert column(page, "summary", 1) == ["first", "second"]
    settled(page)
    assert {"first", "second"} == {
        re.search("selector: ([a-z]+)", text)[1] for text in labels(page, "selectors_compared")
    }


def test_a_searched_feature_shows_its_row_in_each_procedure(page):
    page.locator("#search").fill("x1")
    assert page.locator("#matches button").first.inner_text() == "x1"
    page.locator("#search").press("Enter")
    rows = page.locator("#feature tbody tr")
    assert page.locator("#feature h2").inner_text() == "x1"
    assert [row.locator("td").nth(1).inner_text() for row in rows.all()] == [
        f"0.95 (19 of {N_RUNS} runs)",
        f"0.75 (15 of {N_RUNS} runs)",
    ]
    table = st.features_table(FIRST).set_index("feature").loc["x1"]
    assert rows.first.locator("td").nth(2).inner_text() == f"{table.wilson_low:.2f} to {table.wilson_high:.2f}"
    assert rows.first.locator("td").nth(4).inner_text() == "1–19"
    assert page.locator(f"{live('selection_frequencies')} path.found").count() == 2
    page.get_by_role("button", name="Close").click()
    assert not page.locator("#feature").is_visible()
    page.locator("#search").fill("nobody has this name")
    assert page.locator("#matches").inner_text() == "No selected feature has this name."


def test_hostile_names_stay_text_everywhere_and_in_the_downloaded_table(opened, tmp_path):
    sets = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]] * 3 + [[0, 1, 2, 3, 4, 5, 6, 7, 8]] * 3
    runs = st.Selections.from_sets(sets, features=[*HOSTILE, "unselected"])
    page = opened(st.report({HOSTILE[0]: runs, HOSTILE[1]: runs}, tmp_path / "page.html"))
    draw_all(page)
    page.locator(f"{live('selection_frequencies')} path[aria-label*='feature: <script>']").first.hover()
    assert page.locator("#tip div").first.inner_text() == f"feature: {HOSTILE[0]}"
    assert page.evaluate("window.hit") is None
    assert page.locator("script").count() == 4
    assert page.locator("img").count() == page.locator("main a:not([download]), .picture a").count() == 0
    assert set(column(page, "features-1", 1)) == set(HOSTILE)
    for name in HOSTILE:
        page.locator("#search").fill(name)
        page.locator("#search").press("Enter")
        assert page.locator("#feature h2").inner_text() == name
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    with page.expect_download() as waited:
        page.locator("#features .tools").first.get_by_role("button", name="Download").click()
    text = Path(waited.value.path()).read_text(encoding="utf-8")
    assert [row["feature"] for row in csv.DictReader(io.StringIO(text))] == [spreadsheet_safe(name) for name in HOSTILE]
    assert waited.value.suggested_filename == "features-1.csv"


def test_every_picture_of_the_registry_shows_hostile_names_as_text(opened, tmp_path):
    random = np.random.default_rng(0)
    X = random.standard_normal((40, len(HOSTILE)))
    X[:, 1] = X[:, 0] + 0.1 * random.standard_normal(40)
    y = (X[:, 0] > 0).astype(int)
    selectors = {name: st.FilterSelector("anova", k=k) for name, k in zip(HOSTILE, (2, 4, 4), strict=False)}
    result = st.assess(
        selectors, st.Data(X, y, features=HOSTILE), resampling=st.Bootstrap(6), execution=st.Execution(engine="serial")
    )
    page = opened(st.report(result, tmp_path / "page.html"))
    draw_all(page)
    drawn = {"accuracy_against_stability", "selectors_compared", "selection_frequencies", "convergence"}
    assert drawn <= set(page.locator("[data-picture]").evaluate_all("all => all.map(one => one.dataset.picture)"))
    assert page.evaluate("window.hit") is None
    assert page.locator("script").count() == 4
    page.locator("#procedure").select_option(index=2)
    slide(page, 50)
    settled(page)
    assert HOSTILE[1] in page.locator(live("convergence")).text_content()
    assert HOSTILE[0] not in page.locator(live("convergence")).text_content()


def test_every_picture_has_a_description(page):
    described = page.locator(".live [role='graphics-document'], .live[role='graphics-document']").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label'))"
    )
    still = page.locator(".still svg").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert len(described) == len(still)
    assert all(len(text) > 30 for text in [*described, *still])


def test_everything_can_be_reached_and_used_with_the_keyboard_alone(opened, two):
    page = opened(two)
    page.reload()  # so that nothing has the focus
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "answer"
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("(one => one.id || one.tagName + ' ' + one.textContent)(document.activeElement)"))
        if reached.count("share") == 1 and reached[-1] == "share":
            page.keyboard.press("ArrowLeft")
    assert {"procedure", "share", "search", "BUTTON stability", "BUTTON Download CSV"} <= set(reached)
    assert "at least 89.5% of the runs" in page.locator("#core").text_content()
    outlined = page.locator("#share")
    outlined.focus()
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_without_javascript_the_page_is_a_whole_document(opened, two):
    page = opened(two, java_script_enabled=False)
    assert not page.locator("#controls").is_visible()
    assert page.locator("#core dd").all_inner_texts() == ["x0, x1", "x0"]
    assert len(column(page, "summary", 1)) == 2
    assert page.locator(".picture svg").count() >= 3


def test_selectors_with_two_scores_and_their_runs_are_seen_side_by_side_on_a_small_screen(opened, tmp_path):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selectors = {"elastic_net:k=10": "anova:k=10", "forest:k=10,n_estimators=100": "anova:k=10"}
    found = st.assess(selectors, X, y, resampling=st.Bootstrap(5), scoring=["accuracy", "auc"])
    page = opened(st.report(found, tmp_path / "page.html"), viewport={"width": 1100, "height": 900})
    assert page.locator("#table-summary th").last.inner_text().startswith("runs")
    assert page.locator(".wide:has(#table-summary)").evaluate("one => one.scrollWidth <= one.clientWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_width_makes_the_page_scroll_sideways(page, scheme):
    page.emulate_media(color_scheme=scheme)
    for width in (420, 1280, 2560):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(250)
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.locator("#answer").bounding_box()["y"] + page.evaluate("scrollY") < 900
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    letters = page.locator(f"{live('selectors_compared')} text").first.evaluate("one => getComputedStyle(one).fill")
    assert (ground != "rgb(245, 247, 249)") == (scheme == "dark")
    assert contrast(ground, letters) >= 4.5
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(color_scheme="light")


def contrast(one, other):
    return colour_contrast(
        *(f"#{''.join(f'{int(part):02x}' for part in re.findall('[0-9]+', text)[:3])}" for text in (one, other))
    )


def test_paper_has_no_controls_and_every_picture_once(page):
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator("#controls").is_visible()
    assert not page.locator(".tools").first.is_visible()
    assert page.locator("#table-summary").is_visible()
    assert page.locator(".picture svg:visible").count() == page.locator(".picture").count()
    letters = page.locator(f"{live('selectors_compared')} text").first
    assert letters.evaluate("one => getComputedStyle(one).fill") == "rgb(31, 41, 51)"
    page.emulate_media(media="screen", color_scheme="light")
