"""What the page promises without a browser: contrast, a policy that lets nothing else run, the order of headings."""

import base64
import hashlib
import json
import re
from itertools import pairwise

import numpy as np
import pytest

import steadyset as st
from steadyset.reports.page import _shipped

RUNS = st.Selections.from_sets([[0, 1], [0, 1], [0, 2]] * 3, n_features=8)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return st.report({"a": RUNS, "b": RUNS}, tmp_path_factory.mktemp("page") / "page.html").read_text()


def colours(scheme):
    """The colour variables of a scheme: those of the dark one stand in place of the others."""
    blocks = re.findall(r":root \{(.*?)\}", _shipped("page.css"), flags=re.DOTALL)
    light, dark, paper = (dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in blocks)
    return {"light": light, "dark": light | dark, "paper": light | paper}[scheme]


def contrast(one, other):
    """The ratio of WCAG 2: that of the relative luminances."""

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return float(np.dot([0.2126, 0.7152, 0.0722], linear))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark", "paper"])
def test_text_has_the_contrast_of_level_aa_and_edges_of_controls_that_of_graphics(scheme):
    found = colours(scheme)
    for text in ("ink", "muted", "accent", "found"):
        assert contrast(found[text], found["page"]) >= 4.5
    for text in ("ink", "muted"):
        for ground in ("panel", "core"):
            assert contrast(found[text], found[ground]) >= 4.5
    for graphic in ("edge", "mark"):
        assert contrast(found[graphic], found["page"]) >= 3


def test_black_on_white_has_the_largest_contrast():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_the_policy_names_the_script_and_the_style_of_the_page_and_nothing_else(page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#39;", "'")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    for element, rule in (("script", "script-src"), ("style", "style-src")):
        content = re.search(rf"<{element}>(.*?)</{element}>", page, flags=re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert not re.search(r"(?:src|href)=[\"'](?!#)", page)
    assert not re.search(r"\son[a-z]+=", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))


def test_headings_come_in_order_and_tables_have_captions_and_scopes(page):
    levels = [int(level) for level in re.findall(r"<h([1-6])>", page)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.count("<table") == page.count("<caption>")
    assert re.findall(r"<th(?! scope=\"col\")[ >]", page) == []
    identifiers = re.findall(r'\sid="([^"]*)"', page)
    assert len(identifiers) == len(set(identifiers))


def test_the_data_of_the_page_counts_as_the_selections_do(page):
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])
    first = data["procedures"][0]
    assert dict(zip((data["features"][f] for f in first["listed"]), first["counts"], strict=True)) == {
        "x0": 9,
        "x1": 6,
        "x2": 3,
    }
    assert [level[:2] for level in first["levels"]] == [[9, 1], [6, 1], [3, 1]]


def test_settings_checksum_versions_and_date_stand_at_the_end(tmp_path):
    random = np.random.default_rng(0)
    X = random.standard_normal((30, 5))
    y = (X[:, 0] > 0).astype(int)
    result = st.assess("anova:k=2", X, y, resampling=st.Bootstrap(4), engine="serial", scoring=[])
    page = st.report(result, tmp_path / "page.html").read_text()
    end = page.split('<section id="settings">')[1].split("<script")[0]
    assert result.settings["data_sha256"] in end
    assert re.search(r"steadyset \d.*numpy \d.*scikit-learn \d", end)
    assert re.search(r"Made by steadyset \S+ on \d{4}-\d\d-\d\d\.", end)


def test_pictures_with_many_marks_lose_their_labels_not_their_marks():
    from steadyset.reports.slim_svg import MOST_LABELLED, slim_svgs

    mark = '<path aria-label="feature: &lt;b&gt;; run: 1" role="graphics-symbol" d="M0,2.500000017h1"/>'
    few = slim_svgs({"": f'<svg a="1">{mark}</svg>'}, "kind", "Title")[""]
    assert few.startswith('<svg role="img" aria-label="Title" a="1">')
    assert '<path data-label="feature: &lt;b&gt;; run: 1" d="M0,2.50h1"/></svg>' in few
    n = MOST_LABELLED // 50
    many = slim_svgs({"": f'<svg a="1">{mark * n}</svg>'}, "kind", "Title")[""]
    assert many.count("<path") == n
    assert "data-label" not in many


def test_drawings_of_one_page_share_no_identifiers():
    from steadyset.reports.slim_svg import slim_svgs

    svg = '<svg a="1"><clipPath id="clip0"/><g clip-path="url(#clip0)"/><text>url(#clip0)</text></svg>'
    one, other = slim_svgs({"p": svg, "q": svg}, "kind", "Title").values()
    assert 'id="kind-0-clip0"/><g clip-path="url(#kind-0-clip0)"/><text>url(#clip0)</text>' in one
    assert 'id="kind-1-clip0"/><g clip-path="url(#kind-1-clip0)"/>' in other
