"""Verdicts: tolerances come from printed digits and from chance, and every verdict is held against the recorded one."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from papers.framework import (
    DataFolder,
    Verdict,
    chosen_items,
    item,
    register_paper,
    reproduce_item,
    unregister_paper,
)
from papers.framework.run import TENTH
from papers.framework.verdicts import tolerance_of, within
from steadyset import InputError

PAPER = "example-2026"
RESULTS = Path(__file__).parents[2] / "docs" / "reproduction"
SETS = [["a", "b"], ["a", "c"]]


@pytest.fixture(autouse=True)
def _forgotten():
    yield
    unregister_paper(PAPER)


def published(**parts):
    contents = {"title": "Two sets", "digits": 2, "cells": [{"row": "two sets", "column": "jaccard", "value": 0.33}]}
    register_paper(PAPER, {"paper": "An example", "items": {"table-1": contents | parts}})


def reproduced(tmp_path, compute, **options):
    item(PAPER, "table-1")(compute)
    return reproduce_item(chosen_items([f"{PAPER}/table-1"])[0], out=tmp_path, **options)


def jaccard(run):
    ours = st.stability(st.Selections.from_sets(SETS, features=list("abc")), "jaccard")
    yield run.row(run.published.cell("two sets", "jaccard"), ours)


def test_a_number_that_rounds_to_the_printed_one_is_reproduced(tmp_path):
    published()
    result = reproduced(tmp_path, jaccard)
    assert [(row.verdict, row.published, row.ours) for row in result.rows] == [
        (Verdict.REPRODUCED, "0.33", "0.3333"),
    ]
    assert result.rows[0].tolerance == "±0.005: half a unit of the last digit"
    assert not result.differing()


def test_a_number_outside_its_tolerance_is_refuted_and_differs_from_the_record(tmp_path):
    published(cells=[{"row": "two sets", "column": "jaccard", "value": 0.34}])
    result = reproduced(tmp_path, jaccard)
    assert [row.verdict for row in result.differing()] == [Verdict.REFUTED]


def test_a_refuted_number_that_becomes_right_differs_from_the_record_too(tmp_path):
    published(expected=[{"row": "two sets", "verdict": "refuted", "reason": "A typing error."}])
    result = reproduced(tmp_path, jaccard)
    assert [(row.verdict, row.expected) for row in result.differing()] == [(Verdict.REPRODUCED, Verdict.REFUTED)]


def test_a_recorded_verdict_gives_its_reason(tmp_path):
    published(
        cells=[{"row": "two sets", "column": "jaccard", "value": 0.35}],
        expected=[{"verdict": "refuted", "reason": "1/3 was meant."}],
    )
    result = reproduced(tmp_path, jaccard)
    assert result.rows[0].reason == "1/3 was meant."
    assert not result.differing()


def test_what_needs_a_correction_says_which(tmp_path):
    published(expected=[{"verdict": "reproduced with a correction", "reason": "Sets of three features."}])

    def corrected(run):
        yield run.row(run.published.cells[0], 1 / 3, correction="d = 3.")

    row = reproduced(tmp_path, corrected).rows[0]
    assert (row.verdict, row.reason) == (Verdict.CORRECTED, "Sets of three features. d = 3.")


@pytest.mark.parametrize(("published_value", "holds"), [(0.545, True), (0.57, False)])
def test_chance_widens_the_tolerance_by_the_error_of_the_difference(published_value, holds):
    tolerance = tolerance_of(None, standard_error=0.012, published_error=0.016, times=3)
    assert tolerance.width == pytest.approx(3 * 0.02)
    assert within(published_value, 0.5, tolerance) is holds


def test_a_number_between_two_roundings_is_either():
    tolerance = tolerance_of(2)
    assert within(0.42, 0.425, tolerance)
    assert within(0.43, 0.425, tolerance)
    assert not within(0.42, 0.426, tolerance)


def test_an_undefined_number_is_never_reproduced(tmp_path):
    published()
    result = reproduced(tmp_path, lambda run: [run.row(run.published.cells[0], float("nan"))])
    assert (result.rows[0].verdict, result.rows[0].ours) == (Verdict.REFUTED, "–")


def test_missing_data_leave_the_rest_undecided_without_failing(tmp_path):
    cells = [{"row": name, "column": "rows", "value": 2} for name in ("here", "elsewhere")]
    published(cells=cells, digits=0)
    pd.DataFrame({"x": [1.0, 2.0], "target": ["a", "b"]}).to_parquet(tmp_path / "here.parquet")

    def rows(run):
        for name in run.item.data:
            yield run.row(run.published.cell(name, "rows"), len(run.data(name).X))

    item(PAPER, "table-1", data=("here", "elsewhere"))(rows)
    result = reproduce_item(chosen_items([PAPER])[0], out=tmp_path / "out", data=DataFolder((tmp_path,)))
    assert [row.verdict for row in result.rows] == [Verdict.REPRODUCED, Verdict.MISSING]
    assert result.rows[1].reason == "It needs the data of elsewhere, which is not here."
    assert not result.differing()


def test_how_long_something_takes_is_told_and_fails_nothing(tmp_path):
    published(cells=[], claims=[{"claim": "linear", "text": "It takes twice as long for twice as much."}])
    result = reproduced(tmp_path, lambda run: [run.claim("linear", False, "three times as long", timed=True)])
    assert (result.rows[0].verdict, result.rows[0].ours) == (Verdict.REFUTED, "three times as long")
    assert not result.differing()


def test_data_that_an_item_did_not_declare_are_refused(tmp_path):
    published()
    with pytest.raises(InputError, match="does not say that it needs the data of sonar"):
        reproduced(tmp_path, lambda run: [run.row(run.published.cells[0], len(run.data("sonar").X))])


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (lambda run: [], "gives no row for 'two sets, jaccard'"),
        (lambda run: [run.row(run.published.cells[0], 1 / 3)] * 2, "gives two rows for 'two sets, jaccard'"),
        (lambda run: [run.claim("grows", True, "")], "has no claim called 'grows'"),
        (lambda run: [run.row(run.published.cell("two sets", "dice"), 1)], "has no cell in the row 'two sets'"),
    ],
)
def test_an_item_gives_one_row_per_cell_and_claim(tmp_path, rows, sentence):
    published()
    with pytest.raises(InputError, match=sentence):
        reproduced(tmp_path, rows)


def test_claims_hold_fail_or_stay_open(tmp_path):
    texts = {"grows": "It grows.", "falls": "It falls.", "open": "It is so.", "unsaid": "It does."}
    claims = [{"claim": name, "text": text, "page": 3} for name, text in texts.items()]
    published(
        cells=[], claims=claims, expected=[{"claim": "unsaid", "verdict": Verdict.NOT_STATED, "reason": "Says who?"}]
    )

    def told(run):
        yield run.claim("grows", bool(np.all(np.diff([1, 2, 3]) > 0)), "1 to 3")
        yield run.claim("falls", False, "1 to 3")
        yield run.not_computed(run.published.claim("open"), "It takes a year.")
        yield run.not_stated(run.published.claim("unsaid"))

    rows = reproduced(tmp_path, told).rows
    assert [row.verdict for row in rows] == [
        Verdict.REPRODUCED,
        Verdict.REFUTED,
        Verdict.NOT_COMPUTED,
        Verdict.NOT_STATED,
    ]
    assert rows[0].what == "It grows (p. 3)."
    assert [row.reason for row in rows[2:]] == ["It takes a year.", "Says who?"]


def test_what_was_never_computed_is_not_expected_to_be_reproduced(tmp_path):
    published(expected=[])
    (row,) = reproduced(tmp_path, lambda run: [run.not_computed(run.published.cells[0], "It takes a year.")]).rows
    assert row.expected is Verdict.NOT_COMPUTED


@pytest.mark.parametrize(("holds", "words"), [(True, "consistent"), (False, "contrary")])
def test_an_experiment_of_reduced_size_neither_reproduces_nor_refutes(tmp_path, holds, words):
    published(cells=[], claims=[{"claim": "grows", "text": "It grows."}])

    def small(run):
        run.size({"data sets": (3, 12), "folds": (5, 10)})
        yield run.claim("grows", holds, "1 to 3", cutoff="grows: by more than 1")

    result = reproduced(tmp_path, small)
    assert result.size == "3 of 12 data sets, 5 of 10 folds (12.5% of the size)"
    assert (result.rows[0].told, result.rows[0].tolerance) == (f"{words} at 12.5% of the size", "grows: by more than 1")
    assert bool(result.differing()) is not holds


@pytest.mark.parametrize("holds", [True, False])
def test_an_experiment_below_a_tenth_of_the_size_decides_only_what_it_says_it_can(tmp_path, holds):
    published(
        cells=[], claims=[{"claim": "grows", "text": "It grows."}, {"claim": "falls", "text": "It falls."}], expected=[]
    )

    def tiny(run):
        run.size({"data sets": (3, 12), "folds": (1, 10)}, reach="It sees a growth of 1 or more.")
        yield run.claim("grows", holds, "1 to 3", cutoff="grows: by more than 1")
        yield run.claim("falls", holds, "3 to 1", reach="", reason="One fold has no standard error.")

    grows, falls = reproduced(tmp_path, tiny).rows
    assert grows.verdict is (Verdict.CONSISTENT if holds else Verdict.CONTRARY)
    assert grows.reach == "It sees a growth of 1 or more."
    assert (falls.verdict, falls.reason) == (Verdict.UNDECIDED, "One fold has no standard error.")
    assert not falls.differs
    assert not falls.verdict.decided


def test_a_number_below_a_tenth_of_the_size_is_not_decided_without_a_reach(tmp_path):
    published(expected=[])

    def tiny(reach):
        def rows(run):
            run.size({"folds": (1, 20)}, reach=reach)
            yield run.row(run.published.cells[0], 1 / 3)

        return rows

    (without,) = reproduced(tmp_path / "without", tiny("")).rows
    assert without.verdict is Verdict.UNDECIDED


def test_no_recorded_result_below_a_tenth_of_the_size_is_judged_without_its_reach():
    kept = [json.loads(file.read_text(encoding="utf-8")) for file in RESULTS.glob("*.json")]
    judged = [
        (one["item"], row["what"])
        for one in kept
        for row in one["rows"]
        if row["share"] < TENTH
        and Verdict(row["verdict"]) in (Verdict.CONSISTENT, Verdict.CONTRARY)
        and not row.get("reach")
    ]
    assert kept
    assert judged == []


@pytest.mark.parametrize(("holds", "verdict"), [(True, Verdict.REPRODUCED), (False, Verdict.REFUTED)])
def test_an_experiment_of_reduced_size_with_power_decides_in_both_directions(tmp_path, holds, verdict):
    published(cells=[], claims=[{"claim": "grows", "text": "It grows."}])

    def small(run):
        run.size({"data sets": (3, 12)})
        yield run.claim("grows", holds, "1 to 3", power="growth by 0.1 is seen in 99% of cases")

    assert reproduced(tmp_path, small).rows[0].verdict is verdict


@pytest.mark.parametrize(
    ("matters", "ours", "words"),
    [
        (0.1, 0.34, "reproduced"),
        (0.1, 0.6, "refuted"),
        (0.02, 0.34, "consistent within a wide tolerance"),
        (None, 0.34, "consistent within a wide tolerance"),
    ],
)
def test_a_tolerance_that_would_miss_what_matters_reproduces_nothing(tmp_path, matters, ours, words):
    published()
    seen = 0.005 + (3 + 1.2816) * 0.01  # half a unit, 3 standard errors, and so far beyond them in 90% of cases
    (row,) = reproduced(
        tmp_path, lambda run: [run.row(run.published.cells[0], ours, standard_error=0.01, matters=matters)]
    ).rows
    assert row.told == words
    assert f"a difference of {seen:.2g} is refuted in 90% of cases" in row.tolerance


def test_a_file_that_is_not_the_set_of_the_papers_is_not_used(tmp_path):
    published(cells=[{"row": "sonar", "column": "rows", "value": 2}], digits=0)
    frame = pd.DataFrame({"x": [1.0, 2.0], "target": ["M", "R"]})
    frame.to_parquet(tmp_path / "sonar.parquet")
    item(PAPER, "table-1", data=("sonar",))(lambda run: [run.row(run.published.cells[0], len(run.data("sonar").X))])
    (row,) = reproduce_item(chosen_items([PAPER])[0], out=tmp_path / "out", data=DataFolder((tmp_path,))).rows
    assert row.verdict is Verdict.MISSING
    assert row.reason == "sonar.parquet is not the set of the papers: it has 2 rows and 1 features."


def test_a_full_version_replaces_the_fast_one_on_the_page(tmp_path):
    from papers.framework.summary import write_summary

    published()
    item(PAPER, "table-1", full_seconds=100)(jaccard)
    (only,) = chosen_items([PAPER])
    results = [reproduce_item(only, out=tmp_path / "out", version=version) for version in ("fast", "full")]
    write_summary(tmp_path / "page.md", results)
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert "\n1 comparison: 1 reproduced.\n" in text
    assert text.count("### Table 1") == 1


def test_what_is_left_out_of_a_paper_is_told_with_its_reason(tmp_path):
    from papers.framework.summary import summary_of

    contents = {"title": "Two sets", "cells": [{"row": "two sets", "column": "jaccard", "value": 0.33, "digits": 2}]}
    register_paper(
        PAPER, {"paper": "An example", "items": {"table-1": contents}, "left_out": {"Figure 2": "It is a photograph."}}
    )
    assert "- Left out: Figure 2. It is a photograph.\n" in summary_of([reproduced(tmp_path, jaccard)])


def test_only_the_full_version_computes_what_takes_long(tmp_path):
    published()

    def slow(run):
        cell = run.published.cells[0]
        yield run.row(cell, 1 / 3) if run.full else run.only_full(cell)

    item(PAPER, "table-1", full_seconds=100)(slow)
    fast, full = (
        reproduce_item(chosen_items([PAPER])[0], out=tmp_path, version=version) for version in ("fast", "full")
    )
    assert (fast.rows[0].verdict, fast.differing()) == (Verdict.NOT_COMPUTED, [])
    assert full.rows[0].verdict is Verdict.REPRODUCED
    assert {path.name for path in (tmp_path / PAPER).iterdir()} == {"table-1", "table-1-full"}


def test_results_are_written_as_csv_markdown_tables_and_figures(tmp_path):
    from papers.framework.curves import curves

    published()

    def drawn(run):
        frame = pd.DataFrame({"k": [1, 2, 1, 2], "stability": [0.1, 0.2, 0.3, 0.4], "measure": list("aabb")})
        run.table(frame, "values")
        run.figure(curves(frame, "k", "stability", series="measure"))
        yield run.row(run.published.cells[0], 1 / 3)

    result = reproduced(tmp_path, drawn)
    folder = tmp_path / PAPER / "table-1"
    assert pd.read_csv(folder / "comparison.csv")["verdict"].tolist() == ["reproduced"]
    assert (folder / "comparison.md").read_text(encoding="utf-8").startswith("| what ")
    assert pd.read_csv(folder / "values.csv").shape == (4, 3)
    assert {path.suffix for path in folder.glob("figure.*")} == {".csv", ".svg", ".html"}
    assert result.notes == ()


def test_a_resumed_item_computes_only_what_is_missing(tmp_path):
    cells = [{"row": str(piece), "column": "square", "value": piece**2} for piece in range(3)]
    published(cells=cells, digits=0)
    computed = []

    def square(piece, stop):
        if stop and piece == 2:
            raise KeyboardInterrupt
        computed.append(piece)
        return piece**2

    stop = True

    def squares(run):
        for cell in run.published.cells:
            yield run.row(cell, run.kept(f"piece-{cell.row}", lambda cell=cell: square(int(cell.row), stop)))

    item(PAPER, "table-1")(squares)
    only = chosen_items([PAPER])[0]
    with pytest.raises(KeyboardInterrupt):
        reproduce_item(only, out=tmp_path)
    stop = False
    result = reproduce_item(only, out=tmp_path, resume=True)
    assert computed == [0, 1, 2]
    assert [row.verdict for row in result.rows] == [Verdict.REPRODUCED] * 3
    assert reproduce_item(only, out=tmp_path, resume=True) == result
    assert computed == [0, 1, 2]  # a finished item is read
    reproduce_item(only, out=tmp_path)
    assert computed == [0, 1, 2, 0, 1, 2]  # without resume it begins anew


def test_a_result_that_cannot_be_read_is_named(tmp_path):
    published()
    reproduced(tmp_path, jaccard)
    file = tmp_path / PAPER / "table-1" / "result.json"
    file.write_text('{"rows": [{"what": "x"}]}', encoding="utf-8")
    with pytest.raises(InputError, match=r"result\.json is not a result of this version; remove it"):
        reproduce_item(chosen_items([PAPER])[0], out=tmp_path, resume=True)


def test_another_seed_does_not_continue_what_the_first_began(tmp_path):
    published()
    item(PAPER, "table-1")(lambda run: [run.row(run.published.cells[0], run.kept("seed", lambda: run.seed))])
    only = chosen_items([PAPER])[0]
    ours = [reproduce_item(only, out=tmp_path, seed=seed, resume=True).rows[0].ours for seed in (1, 2)]
    assert ours == ["1.0000", "2.0000"]


def test_a_folder_of_something_else_is_not_emptied(tmp_path):
    published()
    other = tmp_path / PAPER / "table-1" / "thesis.txt"
    other.parent.mkdir(parents=True)
    other.write_text("years of work", encoding="utf-8")
    with pytest.raises(InputError, match="holds other files"):
        reproduced(tmp_path, jaccard)
    assert other.read_text(encoding="utf-8") == "years of work"


def test_an_assessment_in_an_item_has_its_run_folder_and_seed(tmp_path):
    published()
    X, y = np.random.default_rng(0).normal(size=(40, 5)), np.arange(40) % 2

    def assessed(run):
        run.seen = run.assess(["mim:k=2"], X, y, name="noise", resampling=st.Bootstrap(3))
        assert (run.folder / "noise" / "assessment.json").exists()
        yield run.row(run.published.cells[0], 1 / 3)

    assert reproduced(tmp_path, assessed, seed=3).rows[0].verdict is Verdict.REPRODUCED
