"""What notebooks show: HTML that is well formed and short, with names that stay text."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import steadyset as st
from steadyset.foundation.display import MOST_ROWS, WIDTH
from steadyset.runner.run import Cell

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 6))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)
HOSTILE = ["<script>alert(1)</script>", "</td></table>", '" onclick="x', "a\x1b[31m\x00", "\ud800", "\u202eabc", "$x$"]
VOID = {"br", "hr", "img", "input", "link", "meta"}


class Read(HTMLParser):
    """The text, the attributes and the open tags of a piece of HTML."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], [], [], []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(self.texts)


@pytest.fixture(scope="module")
def assessment():
    return st.assess(["anova:k=2", "auc:k=3"], X, Y, resampling=st.Bootstrap(8), execution=st.Execution(all_rows=False))


@pytest.fixture(scope="module")
def results(assessment):
    space = {"filter": ["anova"], "fraction": [0.3, 0.6], "model": {"ridge": {"penalty": [0.123456789]}}}
    runs = assessment.selections["anova:k=2"]
    return {
        "Selections": runs,
        "Interval": st.confidence_interval(runs),
        "TestResult": st.test_threshold(runs, 0.2),
        "Comparison": assessment.compare(),
        "Assessment": assessment,
        "Tuning": st.tune(space, X, Y, n_trials=2, resampling=st.KFold(3)),
        "Consensus": st.consensus(assessment.selections),
        "Findings of assessment": st.findings_of(assessment),
        "Certificate": st.certify("jaccard"),
        "Stable features": st.StabilitySelection(n_runs=10, threshold=0.6, random_state=0).fit(X, Y).result_,
        "FeatureSimilarity": st.FeatureSimilarity.from_data(np.c_[X, X[:, 0]]),
    }


KINDS = (
    *("Selections", "Interval", "TestResult", "Comparison", "Assessment", "Tuning", "Consensus", "Certificate"),
    *("Stable features", "FeatureSimilarity", "Findings of assessment"),
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_result_shows_itself_in_short_tables(results, kind):
    html = results[kind]._repr_html_()
    page = Read(html)
    assert next(text for text in page.texts if text.strip()) == kind
    assert page.tags.count("table") == {"Consensus": 3, "Tuning": 2}.get(kind, 1)
    assert page.tags.count("tr") <= (MOST_ROWS + 1) * page.tags.count("table")
    assert len(html) < 10_000
    assert "://" not in html


@pytest.mark.parametrize("kind", KINDS)
def test_every_result_prints_itself_within_80_columns(results, kind):
    text = str(results[kind])
    assert text.startswith(kind)
    assert len(text.splitlines()) > 3
    assert max(map(len, text.splitlines())) <= WIDTH
    # Only calls that are shown as a next step leave something out.
    assert "..." not in re.sub(r"st\.(assess|tune)\(\.\.\., ", "", text)


@pytest.mark.parametrize("kind", ["Assessment", "Comparison", "Consensus", "Tuning"])
def test_print_and_notebook_say_the_answer_of_the_findings(results, kind):
    found = st.findings_of(results[kind])
    printed, shown = " ".join(str(results[kind]).split()), Read(results[kind]._repr_html_()).text
    assert found.answer
    for sentence in (*found.answer, *found.notes, *(one.words for one in found.differences)):
        assert " ".join(sentence.split()) in printed
        assert sentence in shown


def test_print_says_what_the_command_says(assessment, capsys):
    from steadyset.cli.terminal import render

    render(st.findings_of(assessment), "table")
    told = sorted(word for word in capsys.readouterr().out.split() if "─" not in word)
    printed = str(assessment).partition("\n\n")[2]  # without what it is
    assert sorted(word for word in printed.split() if "---" not in word) == told


def test_long_names_and_many_scores_are_folded_not_cut():
    name = "elastic_net:k=20,l1_ratio=0.5 of the second cohort, scaled"
    scoring = ["accuracy", "auc", "balanced_accuracy", "f1"]
    result = st.assess(
        {name: "anova:k=2"}, X, Y, resampling=st.Bootstrap(4), scoring=scoring, execution=st.Execution(all_rows=False)
    )
    lines = str(result).splitlines()
    assert max(map(len, lines)) <= WIDTH
    row = result.summary().iloc[0]
    assert all(f"{row[score]:.3f}" in str(result) for score in scoring)


def test_a_summary_has_stability_scores_and_size_first_and_all_of_it_at_80_columns(assessment):
    import pandas as pd

    table = assessment.summary()
    assert table.columns.tolist() == ["stability", "low", "high", "accuracy", "size", "n_runs"]
    with pd.option_context("display.max_columns", 0, "display.width", 80):
        assert "..." not in repr(table)
        assert max(map(len, repr(table).splitlines())) <= 80
    whole = assessment.summary(details=True)
    assert whole.columns[:6].tolist() == table.columns.tolist()
    assert {"verdict", "accuracy_se", "accuracy_random", "failures", "tied", "note"} <= set(whole.columns)


def test_a_comparison_of_scores_shows_itself(assessment):
    text = str(assessment.compare_scores())
    assert text.startswith("Comparison: accuracy")
    assert "share a letter show no significant difference at 5% (Holm)." in " ".join(text.split())


def test_the_numbers_shown_are_those_of_the_result(results):
    interval = results["Interval"]
    text = Read(interval._repr_html_()).text
    assert f"{interval.estimate:.3f}" in text
    assert f"{interval.low:.3f} to {interval.high:.3f}" in text
    table = results["Comparison"].table
    assert all(f"{value:.2f}" in Read(results["Comparison"]._repr_html_()).text for value in table["estimate"])
    summary = results["Assessment"].summary()
    shown = Read(results["Assessment"]._repr_html_()).text
    assert all(f"{value:.2f}" in shown for value in summary["stability"])
    assert "penalty=0.123" in Read(results["Tuning"]._repr_html_()).text


def test_colours_are_those_of_the_page_around():
    html = st.Selections.from_sets([[0]], n_features=2)._repr_html_()
    style = html.partition("<style>")[2].partition("</style>")[0]
    assert "color: inherit" in style
    assert "white;" not in style
    assert "#fff" not in style
    assert "#000" not in style


def test_hostile_names_stay_text_and_are_written_out():
    html = st.Selections.from_sets([HOSTILE], features=HOSTILE)._repr_html_()
    page = Read(html)
    html.encode()  # halves of characters are written out
    assert "script" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "<script>alert(1)</script>" in page.texts
    assert "a\\x1b[31m\\x00" in page.texts
    assert not any(c in html for c in "\x1b\x00\u202e")


def test_hostile_names_of_procedures_and_notes_stay_text():
    runs = st.Selections.from_sets([[0, 1], [0, 2], [0, 1], [1, 2]], n_features=6)
    compared = Read(st.compare(dict.fromkeys(HOSTILE[:3], runs))._repr_html_())
    assert set(HOSTILE[:3]) <= set(compared.texts)
    assert "script" not in compared.tags
    noted = Read(st.Interval(0.5, 0.4, 0.6, 0.1, "auto", 0.95, note="<b>bold</b>")._repr_html_())
    assert "<b>bold</b>" in noted.texts


def test_a_formula_in_a_name_is_not_typeset():
    html = st.Selections.from_sets([["$x$"]], features=["$x$", "b"])._repr_html_()
    assert html.startswith('<div class="steadyset tex2jax_ignore mathjax_ignore">')


def test_long_names_are_cut():
    name = "n" * 100_000
    assert len(st.Selections.from_sets([[name]], features=[name, "b"])._repr_html_()) < 5_000


def test_selections_show_the_most_selected_and_count_the_rest():
    runs = st.Selections.from_sets([list(range(8)), list(range(2, 8)), [7]], n_features=20)
    text = Read(runs._repr_html_()).text
    assert text.index("x7") < text.index("x2")
    assert "x1 " not in text
    assert "3 more features selected, 12 never selected" in text


def test_empty_selections_show_no_table():
    empty = st.Selections.from_sets([[], []], n_features=3)
    page = Read(empty._repr_html_())
    assert "table" not in page.tags
    assert "3 never selected" in page.text
    assert str(empty) == "Selections: 2 runs, 3 features, size 0\n\n3 never selected"


def test_as_many_features_as_there_can_be_are_shown_without_an_array_of_them():
    text = Read(st.Selections.from_sets([[5, 2**31 - 2], [5]], n_features=2**31 - 1)._repr_html_()).text
    assert "x2147483646" in text


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_undefined_numbers_are_shown(value):
    assert "Interval" in Read(st.Interval(value, value, value, value, "auto", 0.95)._repr_html_()).text
    result = st.TestResult(value, np.nan, value, value, value, value, value, "greater", "auto")
    assert "–" in Read(result._repr_html_()).text


def test_many_procedures_are_counted():
    runs = st.Selections.from_sets([[0, 1], [0, 2], [0, 1], [1, 2]], n_features=6)
    text = Read(st.compare({f"p{i}": runs for i in range(MOST_ROWS + 3)})._repr_html_()).text
    assert "3 more procedures" in text


def test_pairs_of_many_features_are_not_compared_for_a_notebook():
    many = st.FeatureSimilarity.from_data(RNG.normal(size=(5, 300)))
    page = Read(many._repr_html_())
    assert "table" not in page.tags
    assert "neighbours" not in vars(many)
    assert len(many.neighbours.indices) > 0
    assert "similar pairs" in Read(many._repr_html_()).text


def test_a_similarity_shows_its_most_similar_pair_first():
    similarity = st.FeatureSimilarity.from_matrix(
        [[1, 0.92, 0], [0.92, 1, 0.97], [0, 0.97, 1]], features=["a", "b", "<c>"]
    )
    texts = Read(similarity._repr_html_()).texts
    assert texts.index("<c>") < texts.index("a")
    assert "3 features, similar from 0.9; 2 similar pairs" in texts


def test_the_stability_of_very_many_runs_is_left_to_summary(assessment, monkeypatch):
    monkeypatch.setattr("steadyset.assessment.result.MAX_MEASURED", 3)
    text = Read(assessment._repr_html_()).text
    assert "summary() measures the stability." in text
    assert "95% interval" not in text


def test_failed_runs_are_counted():
    settings = st.assess(
        {"<s>": "anova:k=1"}, X, Y, resampling=st.Bootstrap(3), execution=st.Execution(all_rows=False)
    ).settings
    failed = [Cell(0, run, str(run), None, None, failure="ValueError: no") for run in range(3)]
    texts = Read(st.Assessment(settings, failed)._repr_html_()).texts
    assert "<s>: 3 runs: ValueError: no" in texts
    assert "<s>" in texts


@pytest.mark.parametrize("names", [None, [*"abcde", "<img src=x>"]])
def test_stability_selection_shows_the_diagram_and_once_fitted_what_it_found(names):
    import pandas as pd

    data = X if names is None else pd.DataFrame(X, columns=names)
    selector = st.StabilitySelection(n_runs=10, threshold=0.6, random_state=0)
    before = selector._repr_mimebundle_()["text/html"]
    assert "Stable features" not in before
    selector.fit(data, Y)
    after = selector._repr_mimebundle_()["text/html"]
    assert "Stable features" in selector._repr_html_()
    found = after[after.index('<div class="steadyset') :]
    page = Read(found)
    assert "Expected false selections: at most" in page.text
    assert "img" not in page.tags
    assert page.tags.count("tr") == 1 + min(selector.get_support().sum(), MOST_ROWS)


def test_stability_selection_shows_no_html_where_scikit_learn_is_told_to_show_text():
    from sklearn import config_context

    selector = st.StabilitySelection(n_runs=4, random_state=0).fit(X, Y)
    with config_context(display="text"):
        assert "text/html" not in selector._repr_mimebundle_()
        assert not hasattr(selector, "_repr_html_")
