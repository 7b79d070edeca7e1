"""The site: it builds without a warning, every link in it leads somewhere, and it loads nothing from the network."""

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import steadyset as st
from steadyset.cli import app

pytestmark = pytest.mark.slow
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
NOT_LOADED = ("canonical", "index", "search", "prev", "next")  # what a <link> only names


class Page(HTMLParser):
    """What a page links to, what it loads, and the places on it that a link can name."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.places = [], [], {"", "top"}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in LOADED and given.get(LOADED[tag]) and given.get("rel") not in NOT_LOADED:
            self.loaded.append(given[LOADED[tag]])


@cache
def pages(site):
    return {path: Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}


def is_external(address):
    return bool(urlsplit(address).scheme or urlsplit(address).netloc)


def broken(site, path, address):
    """Whether a relative address leads to no file of the site, or to no place on its page."""
    parts = urlsplit(address)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_relative_to(site.resolve()) or not target.is_file():
        return True
    return target in pages(site) and unquote(parts.fragment) not in pages(site)[target].places


def test_every_link_within_the_site_leads_to_a_place(site):
    site = site.resolve()
    dead = {
        f"{path.relative_to(site)}: {address}"
        for path, page in pages(site).items()
        for address in [*page.links, *page.loaded]
        if not is_external(address) and broken(site, path, address)
    }
    assert dead == set()


def test_nothing_is_loaded_from_elsewhere(site):
    loaded = {address for page in pages(site.resolve()).values() for address in page.loaded if is_external(address)}
    assert {address for address in loaded if not address.startswith("data:")} == set()
    styles = {path.name for path in Path(site).rglob("*.css") if "url(http" in path.read_text(encoding="utf-8")}
    assert styles == set()


def test_links_to_elsewhere_are_addresses_of_the_web(site):
    addresses = {address for page in pages(site.resolve()).values() for address in page.links if is_external(address)}
    assert {address for address in addresses if urlsplit(address).scheme not in ("https", "mailto")} <= {
        "http://127.0.0.1:8421/"  # where `steadyset serve` listens
    }
    assert any("doi.org" in address for address in addresses)


def test_every_public_name_command_and_measure_has_its_page(site):
    public = [name for name in st.__all__ if callable(getattr(st, name))]
    wanted = [
        *(f"reference/api/steadyset.{name}.html" for name in public),
        *(f"reference/api/steadyset.selectors.{name}.html" for name in st.selectors.__all__ if name not in st.__all__),
        *(f"reference/api/steadyset.plot.{name}.html" for name in st.plot.list_pictures().index),
        *(f"reference/commands/{command.name}.html" for command in app.registered_commands),
        *(f"reference/measures/{name}.html" for name in st.list_measures().index),
    ]
    assert [page for page in wanted if not (site / page).is_file()] == []


def test_every_selector_and_resampling_has_its_section(site):
    read = pages(site.resolve())
    listed = st.list_selectors()
    for folder, names in {
        "filters": listed.index[listed["kind"] == "filter"],
        "selectors": listed.index[listed["kind"] == "model"],
        "resamplings": st.list_resamplings().index,
    }.items():
        places = read[(site / "reference" / folder / "index.html").resolve()].places
        assert [name for name in names if name.replace("_", "-") not in places and name not in places] == []


def test_code_in_a_sentence_leads_to_its_page(site):
    links = pages(site.resolve())[(site / "findings.html").resolve()].links
    assert "reference/api/steadyset.report.html#steadyset.report" in links  # `st.report(...)`
    assert "reference/commands/report.html" in links  # `steadyset report DIR`
