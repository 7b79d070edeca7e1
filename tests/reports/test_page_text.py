"""What the page promises without a browser: contrast, a policy that lets nothing else run, the order of headings."""

import base64
import hashlib
import json
import re
import sys
from itertools import pairwise

import numpy as np
import pytest
from tests.reports.markup import contrast, without_scripts

import steadyset as st
from steadyset.plots.drawing import slim_svg
from steadyset.reports.html import _shipped, isolating

RUNS = st.Selections.from_sets([[0, 1], [0, 1], [0, 2]] * 3, n_features=8)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return st.report({"a": RUNS, "b": RUNS}, tmp_path_factory.mktemp("page") / "page.html").read_text(encoding="utf-8")


def colours(scheme):
    """The colour variables of a scheme: those of the dark one stand in place of the others."""
    blocks = re.findall(r":root \{(.*?)\}", _shipped("page.css"), flags=re.DOTALL)
    light, dark, paper = (dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", block)) for block in blocks)
    return {"light": light, "dark": light | dark, "paper": light | paper}[scheme]


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
    for element, rule, n in (("script", "script-src", 2), ("style", "style-src", 1)):
        contents = re.findall(rf"<{element}>(.*?)</{element}>", page, flags=re.DOTALL)
        digests = [base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() for content in contents]
        assert len(digests) == n
        assert rules[rule] == " ".join(f"'sha256-{digest}'" for digest in digests)
    read = without_scripts(page)
    files = re.findall(r'<a class="button" download="([\w.]+)" href="data:[^"]*"', read)
    assert files == ["features.xlsx", "features.csv", "features.txt"]
    assert not re.search(r"(?:src|href)=[\"'](?!#|data:)", read)
    assert not re.search(r"\s(?:on[a-z]+|style)=", read)


def test_headings_come_in_order_and_tables_have_captions_and_scopes(page):
    page = without_scripts(page)
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


def test_settings_of_a_stranger_leave_out_what_was_not_set():
    from sklearn.feature_selection import SelectFromModel
    from sklearn.linear_model import LogisticRegression

    from steadyset.findings.tables import settings_told

    X = np.random.default_rng(0).standard_normal((30, 5))
    chosen = {"mine": SelectFromModel(LogisticRegression(C=0.5), max_features=2, threshold=-np.inf)}
    told = settings_told(st.findings_of(st.assess(chosen, X, X[:, 0] > 0, resampling=st.Bootstrap(4))))
    assert told["method mine"].startswith("SelectFromModel, estimator: LogisticRegression(C=0.5, dual=False")
    assert "max features: 2" in told["method mine"]
    assert not [text for text in told.values() if "None" in text or "deprecated" in text]


def test_settings_checksum_versions_and_date_stand_at_the_end(tmp_path):
    random = np.random.default_rng(0)
    X = random.standard_normal((30, 5))
    y = (X[:, 0] > 0).astype(int)
    result = st.assess(
        "anova:k=2", X, y, resampling=st.Bootstrap(4), scoring=[], execution=st.Execution(engine="serial")
    )
    page = st.report(result, tmp_path / "page.html").read_text(encoding="utf-8")
    end = page.split('<details id="settings">')[1].split("<script")[0]
    assert result.settings["data_sha256"] in end
    assert re.search(r"steadyset \d.*numpy \d.*scikit-learn \d", end)
    assert "<dt>method anova:k=2</dt>" in end
    assert "a filter by the F statistic of an analysis of variance, features: 2" in end
    assert "bootstrap samples of the rows" in end
    assert re.search(r"Made by steadyset \S+ on \d{4}-\d\d-\d\d\.", end)


def test_neighbours_of_one_colour_become_one_path_and_rectangles_of_one_height_its_thick_lines():
    colours = ["#000000", "#000000", "#ffffff", "#000000"]
    cells = [f'<path d="M{3 * i},5h2v2.5h-2Z" fill="{colour}"/>' for i, colour in enumerate(colours)]
    drawn = slim_svg(f'<svg a="1">{"".join(cells)}</svg>', "key", "What it shows")
    assert drawn.startswith('<svg role="img" aria-label="What it shows" a="1">')
    lines = '<path d="M0,6.25h2M3,6.25h2" fill="none" stroke="#000000" stroke-width="2.5"/>'
    assert f"{lines}{cells[2]}{cells[3]}</svg>" in drawn
    lower = cells[1].replace("v2.5", "v1")
    both = '<path d="M0,5h2v2.5h-2ZM3,5h2v1h-2Z" fill="#000000"/>'
    assert both in slim_svg(f'<svg a="1">{cells[0]}{lower}</svg>', "key", "")


def test_paths_that_let_others_through_or_have_a_stroke_stay_apart():
    for look in ('fill="#000000" opacity="0.5"', 'fill="#000000" stroke="#ffffff"'):
        both = f'<path d="M0,0h9v9h-9Z" {look}/><path d="M3,3h9v9h-9Z" {look}/>'
        assert both in slim_svg(f'<svg a="1">{both}</svg>', "key", "")


def test_marks_that_overlap_stay_in_their_order():
    crossing = '<path d="M0,0h9v9h-9Z" fill="#000000"/><path d="M3,3h9v9h-9Z" fill="#ffffff"/>'
    assert crossing in slim_svg(f'<svg a="1">{crossing}</svg>', "key", "")


def test_coordinates_have_two_decimals_and_words_are_left_alone():
    drawn = slim_svg('<svg a="1"><path d="M0,2.500000017h1"/><text y="1.23456">2.500000017</text></svg>', "key", "")
    assert '<path d="M0,2.50h1"/><text y="1.23">2.500000017</text>' in drawn


def test_drawings_of_one_page_share_no_identifiers():
    svg = '<svg a="1"><clipPath id="clip0"/><g clip-path="url(#clip0)"/><text>url(#clip0)</text></svg>'
    drawn = slim_svg(svg, "kind-1", "")
    assert 'id="kind-1-clip0"/><g clip-path="url(#kind-1-clip0)"/><text>url(#clip0)</text>' in drawn


def test_names_from_right_to_left_are_set_apart_in_lists():
    hebrew, arabic = "שלום", "مرحبا"
    isolated = isolating(["latin", hebrew, f"{hebrew} 2", arabic])
    assert isolated(f"{hebrew} 2, {arabic}, <latin>") == f"<bdi>{hebrew} 2</bdi>, <bdi>{arabic}</bdi>, &lt;latin&gt;"
    assert isolating(["latin"])("latin, <b>") == "latin, &lt;b&gt;"


def test_the_steady_core_sets_such_names_apart(tmp_path):
    runs = st.Selections.from_sets([[0, 1, 2]] * 6, features=["שלום", "עולם", "x", "y"])
    assert "<bdi>שלום</bdi>, <bdi>עולם</bdi>, x" in st.report(runs, tmp_path / "page.html").read_text(encoding="utf-8")


def test_without_the_extra_the_page_says_what_to_install_and_other_formats_need_nothing(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(st.MissingExtraError, match=r'pip install "steadyset\[report\]"'):
        st.report(RUNS, tmp_path / "page.html")
    assert st.report(RUNS, tmp_path / "report.md").exists()


@pytest.mark.slow  # buys: a report of the size that omics has
def test_ten_selectors_of_a_hundred_runs_over_twenty_thousand_features_stay_under_three_megabytes(tmp_path):
    random = np.random.default_rng(0)
    names = [f"ENSG{i:011d}" for i in range(20_000)]

    def selector():
        steady = random.choice(20_000, 60, replace=False)
        sets = [[*steady[random.random(60) < 0.8], *random.choice(20_000, 60)] for _ in range(100)]
        return st.Selections.from_sets([sorted(set(one)) for one in sets], features=names)

    runs = {f"selector {i}": selector() for i in range(3)}
    one, three = (st.report(dict([*runs.items()][:n]), tmp_path / f"{n}.html").stat().st_size for n in (1, 3))
    assert one + 9 * (three - one) / 2 < 3e6
