"""What can be said: one paragraph that joins what was asked, and says of the rest that it was not."""

from dataclasses import replace

import numpy as np
import pytest

import steadyset as st
from steadyset.cli import run
from steadyset.findings.box import box_of
from steadyset.findings.holds import what_can_be_said
from steadyset.foundation.errors import InputError
from steadyset.inference.runs import halves_of
from steadyset.replications.curve import interval_at
from steadyset.replications.result import QUANTILE

QUIET = {"progress": False}
BOOTSTRAPS, PAIRS = st.Bootstrap(12), st.ComplementaryPairs(12)
ESTIMATES = "`steadyset replicate` estimates"


def data(shift=1.2, n=60, seed=0):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(n, 30)), np.array(["well", "ill"])[np.arange(n) % 2]
    X[y == "ill", :4] += shift
    return X, y


def assessed(resampling, selectors="anova:k=4", **options):
    X, y = data(**options)
    return st.assess(selectors, X, y, resampling=resampling, execution=QUIET)


def said(result, **options):
    return what_can_be_said(st.findings_of(result, **options))


@pytest.fixture(scope="module")
def replicated():
    return st.replication("anova:k=4", *data(), pairs=12, execution=QUIET)


def test_halves_by_hand():
    # {0, 1} and {0, 2} share one, {0, 1, 2} and {3} none; the half without its other is left out.
    found = halves_of("x", {0: (0, 1), 1: (0, 2), 2: (0, 1, 2), 3: (3,), 4: (5,)}, 10)
    assert (found.pairs, found.size, found.common) == (2, 2.0, 0.5)
    assert found.expected == pytest.approx((4 / 10 + 3 / 10) / 2)
    assert halves_of("x", {0: (1,), 3: (1,)}, 10) is None


def test_runs_on_halves_tell_what_two_studies_of_half_the_size_share():
    result = assessed(PAIRS, ["anova:k=4", "lasso"])
    assert [one.name for one in result.halves] == ["anova:k=4", "lasso"]
    sets = [set(cell.selected) for cell in result.cells_of("anova:k=4")]
    seen = np.mean([len(sets[i] & sets[i + 1]) for i in range(0, 12, 2)])
    assert result.halves[0].common == pytest.approx(seen)
    text = said(assessed(PAIRS))
    assert f"have {round(seen, 1):g} of 4 features in common on average (6 pairs); random choices have 0.5." in text
    assert f"How sure that is, and what studies of other sizes would select again, {ESTIMATES}" in text


def test_enough_halves_have_the_interval_of_replications_with_the_usual_noise():
    result = assessed(st.ComplementaryPairs(80))
    (one,) = st.findings_of(result).halves
    low, high = interval_at(0.5, (one.common - one.expected) / (4 - one.expected), 0.25, QUANTILE)
    assert (one.low, one.high) == pytest.approx([one.expected + (4 - one.expected) * end for end in (low, high)])
    assert one.low < one.common < one.high
    text = said(result)
    assert f"(95% interval {round(one.low, 1):g} to {round(one.high, 1):g}; 40 pairs)" in text
    assert "no better than random" not in text
    assert f". What studies of other sizes would select again, {ESTIMATES}" in text
    noise = said(assessed(st.ComplementaryPairs(80), shift=0.0))
    assert "They may agree no better than random choices." in noise


def test_what_is_no_replication_is_not_joined():
    result = assessed(BOOTSTRAPS)
    with pytest.raises(InputError, match=r"replication must be a Replication, or the folder of one \(got 5\)"):
        st.findings_of(result, replication=5)


def test_other_runs_share_rows_and_say_who_tells():
    result = assessed(BOOTSTRAPS)
    assert result.halves == []
    assert f"What a new study would select again, {ESTIMATES}" in said(result)
    assert "in common" not in said(result)


def test_a_replication_is_joined_with_its_interval_and_its_scope(replicated):
    result = assessed(BOOTSTRAPS)
    text = said(result, replication=replicated)
    assert "in two independent studies of 30 rows each" in text
    assert "a new study of 60 rows selects about" in text
    assert "studies of the same population" in text
    assert ESTIMATES not in text
    found = st.findings_of(result, replication=replicated)
    assert st.findings_of(st.findings_of(result), replication=replicated).replication == found.replication
    titles = [section["title"] for section in found.to_dict()["sections"]]
    assert titles.index("The next study") < titles.index("What can be said")


def test_a_folder_of_a_replication_is_joined_by_the_command(tmp_path, monkeypatch, capsys):
    X, y = data()
    monkeypatch.chdir(tmp_path)
    table = "\n".join(
        [
            ",".join([*(f"g{j}" for j in range(30)), "status"]),
            *(",".join([*map(str, row), status]) for row, status in zip(X.tolist(), y, strict=True)),
        ]
    )
    (tmp_path / "study.csv").write_text(table, encoding="utf-8")
    asked = ["study.csv", "--target", "status", "--selector", "anova:k=4"]
    assert run(["replicate", *asked, "--pairs", "10", "--out", "again"]) == 0
    assert run(["assess", *asked, "--runs", "6", "--out", "runs"]) == 0
    assert run(["report", "runs", "--replication", "again", "--out", "joined.md"]) == 0
    text = (tmp_path / "joined.md").read_text(encoding="utf-8")
    assert "in two independent studies of 30 rows each" in text.split("## What can be said")[1]
    assert "## The next study" in text
    assert run(["report", "again", "--replication", "again", "--out", "no.md"]) != 0
    assert "joined with what an assessment says" in capsys.readouterr().err


def test_a_replication_of_other_data_or_another_selector_is_refused(replicated):
    for result, sentence in (
        (assessed(BOOTSTRAPS, seed=1), "of other data"),
        (assessed(BOOTSTRAPS, "anova:k=5"), "is of anova:k=4; the assessment has anova:k=5"),
    ):
        with pytest.raises(InputError, match=sentence):
            st.findings_of(result, replication=replicated)
    for other in (result, st.Selections.from_sets([["a"], ["b"]], features=["a", "b", "c"])):
        with pytest.raises(InputError, match="replication must be a Replication, or the folder of one"):
            st.findings_of(result, replication=other)
    with pytest.raises(InputError, match="joined with what an assessment says"):
        st.findings_of(replicated, replication=replicated)


@pytest.mark.parametrize("resampling", [BOOTSTRAPS, PAIRS])
def test_noise_supports_nothing_with_a_replication_either(resampling):
    X, y = data(shift=0.0)
    result = st.assess("anova:k=4", X, y, resampling=resampling, execution=QUIET)
    again = st.replication("anova:k=4", X, y, pairs=20, execution=QUIET)
    text = said(result, replication=again)
    assert "the choice of these features is not supported" in text
    assert "may agree no better than random choices" in text


def test_replications_end_with_what_was_not_asked(replicated):
    text = said(replicated)
    assert text.startswith("Two studies of 30 rows agree beyond chance")
    assert "an assessment tells" in text
    noise = st.replication("anova:k=4", *data(shift=0.0), pairs=20, execution=QUIET)
    assert said(noise).startswith(
        "That any of these features would come out again is not shown: two studies of 30 rows"
    )
    for found in map(st.findings_of, (replicated, noise)):
        assert not [sentence for sentence in found.answer if sentence in what_can_be_said(found)]


def test_a_replication_leads_to_more_pairs_and_to_an_assessment_of_its_method(replicated):
    found = st.findings_of(replicated)
    pairs = 2 * found.replication.measured[-1].pairs
    assert [step.how for step in box_of(found).steps] == [
        f"st.replication(selector, X, y, pairs={pairs})",
        "st.assess(selector, X, y)",
    ]
    options = {"files": ["a.csv"], "target": "y", "selector": "anova:k=4", "out": "next"}
    details = {**found.settings["details"], "job": {"command": "replicate", "options": options}}
    more, steady = box_of(replace(found, settings={**found.settings, "details": details})).steps
    typed = "a.csv --target y --selector anova:k=4"
    assert more.how == f"steadyset replicate {typed} --pairs {pairs} --out next-{pairs}-pairs"
    assert steady.how == f"steadyset assess {typed} --out next-assess"


def test_shortlists_end_with_what_their_evidence_shows():
    options = {"permutations": 20, "splits": 10, "bases": ["filter"], "execution": QUIET}
    whole = said(st.shortlist(*data(), outer=5, **options))
    assert "at most 1 false feature on average" in whole
    assert "better than no features and than as many random features" in whole
    assert "these share rows, so that a new study may list fewer" in whole
    for repeats in (0, 2):  # too few for a test
        asked_less = said(st.shortlist(*data(), outer=repeats, **options))
        assert "predicts better than random features and than none was not tested" in asked_less
        assert ("came back" in asked_less) == bool(repeats)
    for seed in (3, 4):  # noise, of which an allowance of one false feature lists about one
        noise = said(st.shortlist(*data(shift=0.0, seed=seed), outer=0, **options))
        assert "permuted targets list as many features or more" in noise
        assert "predicts rows" not in noise
    nothing = said(st.shortlist(*data(shift=0.0), fdr=0.1, outer=0, **options | {"permutations": 50}))
    assert nothing.startswith("No feature passes yet.")
    assert "predict" not in nothing
