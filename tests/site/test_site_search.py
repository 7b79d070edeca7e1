"""Search in a browser, from the files alone: no server, no network."""

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture
def page(browser):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.told = []
    page.on("pageerror", lambda error: page.told.append(str(error)))
    page.on("request", lambda asked: page.told.append(asked.url) if not asked.url.startswith("file:") else None)
    yield page
    context.close()


def found(page):
    page.locator(".search-summary", has_text="Search finished").wait_for()  # results come one by one before it
    return page.locator("#search-results li a").all_inner_texts()


def test_a_word_is_found_from_the_first_page(site, page):
    page.goto((site / "index.html").as_uri())
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog input[type=search]").fill("kuncheva")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?*")
    assert found(page)[0] == "kuncheva"
    page.locator("#search-results li a").first.click()
    page.wait_for_url("**/reference/measures/kuncheva.html*")
    assert page.told == []


@pytest.mark.parametrize(
    ("words", "page_found"), [("complementary pairs", "ComplementaryPairs"), ("pareto_front", "pareto_front")]
)
def test_what_readers_look_for_is_found(site, page, words, page_found):
    page.goto(f"{(site / 'search.html').as_uri()}?q={words.replace(' ', '+')}")
    assert page_found in "\n".join(found(page))
    assert page.told == []


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("excel", "data-files"),
        ("number of runs", "runs"),
        ("correlated features", "correlated-features"),
        ("scikit-learn", "scikit-learn"),
        ("paper", "paper"),
    ],
)
def test_pages_that_show_how_come_first(site, page, words, first):
    page.goto(f"{(site / 'search.html').as_uri()}?q={words.replace(' ', '+')}")
    found(page)
    assert f"how-to/{first}.html" in page.locator("#search-results li a").first.get_attribute("href")


def test_formulas_are_drawn_by_the_browser(site, page):
    page.goto((site / "reference" / "measures" / "jaccard.html").as_uri())
    box = page.locator("math mfrac").first.bounding_box()
    assert box["height"] > 1.5 * page.locator("math mfrac mi").first.bounding_box()["height"]
    assert page.told == []
