"""The report: what stands in it for each kind of result, and that it believes no name."""

import re

import numpy as np
import pytest
from tests.records import call
from tests.reports.markup import without_scripts

import steadyset as st

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((40, 6))
Y = (X[:, 0] + 0.5 * RANDOM.standard_normal(40) > 0).astype(int)
HOSTILE = ["\x1b[31mred", "\ud800half", "a\nb", "\u202eabc", "</script><script>alert(1)", "{{ 7 * 7 }}"]
SELECTIONS = st.Selections.from_sets([[0, 1], [0, 1], [0, 2]] * 3, n_features=8)


def assessed(selectors, **options):
    return call(st.assess, selectors, X, Y, resampling=st.Bootstrap(6), engine="serial", **options)


def headings_without_content(page):
    page = without_scripts(page)
    between = r"(?:\s|</?section[^>]*>|</main>)*"
    return re.findall(rf"<h[23]>.*?</h[23]>{between}(?=<h2>|<footer>|</body>)", page)


def test_a_report_of_one_selector_has_no_empty_headings(tmp_path):
    page = st.report(assessed("anova:k=2"), tmp_path / "page.html").read_text(encoding="utf-8")
    assert "What differs" not in page
    assert "Runs without" not in page
    assert headings_without_content(page) == []
    assert "1 selector on 6 bootstrap samples of the rows, seed 0" in page


def test_a_report_without_scores(tmp_path):
    result = assessed(["anova:k=2", "anova:k=3"], scoring=[])
    page = st.report(result, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The steadiest selector" in page
    assert ">baseline<" not in without_scripts(page)
    assert headings_without_content(page) == []


def test_scores_stand_with_their_error_and_baselines(tmp_path):
    page = st.report(assessed("anova:k=2"), tmp_path / "page.html").read_text(encoding="utf-8")
    assert re.search(r"<td>0\.\d{3} ± 0\.\d{3}</td>", page)
    assert "the largest class, no features" in page
    assert "random, 2 features" in page


def test_hostile_names_are_shown_written_out_and_survive_the_run_folder(tmp_path):
    result = assessed({"sel \x07": st.FilterSelector("anova", k=3)}, features=HOSTILE, out=tmp_path / "runs")
    again = st.Assessment.open(tmp_path / "runs")
    assert again.features == tuple(HOSTILE)
    assert again.selections == result.selections
    page = st.report(tmp_path / "runs", tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in without_scripts(page)
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", page)
    assert "sel \\x07" in page
    assert "\\x1b[31mred" in page


def test_the_core_share_is_that_of_words_and_pictures(tmp_path):
    page = st.report(SELECTIONS, tmp_path / "page.html", core=0.6, level=0.8).read_text(encoding="utf-8")
    assert "selected in at least 60% of the runs" in page
    assert "in at least 60% of the runs (dashed line)" in page
    assert "80% interval" in page
    assert "90%" not in page
    assert "<dd>x0, x1</dd>" in page


@pytest.mark.parametrize(
    "result",
    [
        SELECTIONS,
        {"a": SELECTIONS, "b": SELECTIONS},
        st.compare({"a": SELECTIONS, "b": SELECTIONS}),
        st.findings_of(SELECTIONS),
        np.eye(4),
        st.Selections.from_sets([[], []], n_features=3),
        st.Selections.from_sets([[0, 1]], n_features=2),
    ],
    ids=["selections", "several", "comparison", "findings", "array", "nothing", "one run of everything"],
)
def test_whatever_says_something_has_a_report(result, tmp_path):
    page = st.report(result, tmp_path / "page.html").read_text(encoding="utf-8")
    assert headings_without_content(page) == []
    assert "nan" not in re.sub(r"<svg.*?</svg>", "", without_scripts(page), flags=re.DOTALL).lower()


@pytest.mark.parametrize(
    ("result", "path", "sentence"),
    [
        (SELECTIONS, "page.txt", "unknown ending"),
        (SELECTIONS, "nowhere/page.html", "The folder .*nowhere of the report does not exist"),
        (SELECTIONS, "folder.html", "is a folder"),
        (SELECTIONS, "a\0b.html", "null character"),
        ("missing", "page.html", "missing does not exist"),
        ({}, "page.html", "There are no selections"),
    ],
)
def test_what_cannot_be_reported_is_one_sentence(result, path, sentence, tmp_path):
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(st.InputError, match=sentence):
        st.report(result, f"{tmp_path}/{path}")
    with pytest.raises(st.InputError, match=r"path must be the name of an \.html, .* file, or of a folder \(got 5\)"):
        st.report(result, 5)


def test_the_table_of_features_shows_the_best_and_counts_the_rest(tmp_path):
    sets = [[*range(10), 10 + run] for run in range(30)]
    page = st.report(st.Selections.from_sets(sets, n_features=50), tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<td>0.03</td>") == 15  # 25 rows: 10 features of every run, 15 of a single one
    assert "15 more features selected less often" in page
    told = st.findings_of(st.Selections.from_sets(sets, n_features=50)).to_dict()["features"]
    assert [(len(one["rows"]), one["left_out"]) for one in told] == [(40, 0)]


def test_the_report_names_stand_ins_and_what_is_selected_on_all_rows(tmp_path):
    twins = np.column_stack([X, X[:, 0] + 0.01 * RANDOM.standard_normal(40)])
    result = st.assess(
        ["anova:k=1", "lasso:k=1"],
        twins,
        Y,
        resampling=st.Bootstrap(10),
        scoring=[],
        execution=st.Execution(engine="serial"),
    )
    page = st.report(result, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h3><bdi>all 2 selectors</bdi></h3>" in page
    assert re.search(r"x0 \(|x6 \(", page)
    assert "<summary><bdi>lasso:k=1</bdi></summary>" in page
