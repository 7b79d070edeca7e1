"""Runs that are not independent draws: intervals and tests say that they are a rough guide."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, LeaveOneOut, RepeatedStratifiedKFold, ShuffleSplit, TimeSeriesSplit

import steadyset as st
from steadyset.findings import findings_of
from steadyset.inference.table import ROUGH, UNKNOWN, caution
from steadyset.resampling import RESAMPLINGS, Rows, as_resampling

INDEPENDENT = [
    st.Bootstrap(4),
    st.Bootstrap(4, stratified=True),
    st.Subsample(4),
    st.NoiseInjection(4),
    ShuffleSplit(4),
]
BOUND = [
    st.Bootstrap(4, balanced=True),
    st.KFold(4),
    st.KFold(2, repeats=2),
    st.LeaveOut(10),
    st.Chunks(4),
    st.ComplementaryPairs(4),
    st.FixedOverlap(4),
    RepeatedStratifiedKFold(n_splits=2, n_repeats=2),
    GroupKFold(3),
    LeaveOneOut(),
    TimeSeriesSplit(4),
]


class OfSomebody:
    """A splitter that nobody knows."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        yield from ((np.arange(10, 30), np.arange(10)), (np.arange(20), np.arange(20, 30)), (np.arange(5), [6]))

    def get_n_splits(self, *_: Any) -> int:
        return 3


GIVEN = [OfSomebody(), list(OfSomebody().split(None))]


def labels_of(resampling: Any) -> tuple[str, ...]:
    drawn = as_resampling(resampling)
    rows = Rows(40, np.arange(40) % 2, np.arange(40) // 4 if isinstance(resampling, GroupKFold) else None)
    return tuple(drawn.draw(run, rows).label for run in range(drawn.n_runs_for(rows)))


def runs(labels: Any) -> st.Selections:
    sets = [[0, 1, 2], [0, 1, 3], [0, 2, 4], [0, 1, 2], [1, 2, 3], [0, 4, 5]]
    return st.Selections.from_sets(sets[: len(labels)], n_features=12, labels=labels[: len(sets)])


@pytest.mark.parametrize("resampling", INDEPENDENT, ids=repr)
def test_independent_draws_carry_no_caution(resampling: Any) -> None:
    assert caution(labels_of(resampling)) == ""


@pytest.mark.parametrize("resampling", BOUND, ids=repr)
def test_runs_that_are_bound_to_each_other_carry_one(resampling: Any) -> None:
    assert caution(labels_of(resampling)).startswith(f"{ROUGH}, as the runs are not independent draws: ")


@pytest.mark.parametrize("resampling", GIVEN, ids=["splitter", "pairs"])
def test_of_given_training_sets_nobody_knows_how_they_were_drawn(resampling: Any) -> None:
    assert caution(labels_of(resampling)) == UNKNOWN
    assert caution(("fold 1", "fold 2", "fold 3")) == UNKNOWN  # of from_cross_validate


def test_of_runs_without_a_known_resampling_nothing_is_claimed() -> None:
    for labels in (None, ("a", "b"), ("kfold", "kfold-2"), ("kfold-12345678:0:1", "other"), ("run-12345678:0", "b")):
        assert caution(labels) == ""


def test_every_resampling_says_whether_its_runs_are_bound_and_the_documentation_agrees() -> None:
    page = (Path(__file__).parents[2] / "docs" / "uncertainty.md").read_text(encoding="utf-8")
    named = {name: bool(kind.bound) for name, kind in RESAMPLINGS.items() if kind.__module__.startswith("steadyset.")}
    today = {
        "bootstrap": False,
        "subsample": False,
        "complementary_pairs": True,
        "kfold": True,
        "chunks": True,
        "fixed_overlap": True,
        "noise": False,
        "leave_out": True,
    }
    assert today.items() <= named.items()
    assert all(f"`{RESAMPLINGS[name].__name__}`" in page for name, bound in named.items() if bound)
    assert st.list_resamplings().loc["kfold", "bound"]


def test_a_class_of_ones_own_inherits_what_binds_its_runs() -> None:
    class Fivefold(st.KFold):
        """Five folds."""

    assert caution(labels_of(Fivefold(5))).startswith(ROUGH)


def test_the_caution_is_in_intervals_tests_comparisons_findings_and_methods() -> None:
    folds, other = runs(labels_of(st.KFold(6))), runs(labels_of(st.KFold(6))[::-1])
    said = caution(folds.labels)
    for method in ("auto", "normal", "t", "jackknife", "bootstrap", "logit"):
        assert said in st.confidence_interval(folds, method=method).note  # type: ignore[arg-type]
    assert said in st.test_threshold(folds, 0.2).note
    assert said in st.test_threshold(folds, 0.2, method="normal").note
    assert st.test_difference(folds, other).note.count(ROUGH) == 1
    assert set(st.stability_table(folds, ["nogueira", "jaccard"])["note"]) == {said}
    compared = st.compare({"a": folds, "b": other})
    assert str(compared).replace("\n", " ").count(ROUGH) == compared._repr_html_().count(ROUGH) == 1
    for found in (findings_of(folds), findings_of({"a": folds, "b": other}), findings_of(compared)):
        assert [note for note in found.notes if ROUGH in note] == [f"Intervals and tests of stability are {said}."]
        assert found.methods is not None
        assert said in found.methods.written("text")
    alike = st.Selections.from_sets([[0, 1]] * 4, n_features=9, labels=labels_of(st.KFold(4)))
    assert said in st.confidence_interval(alike).note
    assert said in st.test_threshold(alike, 0.5).note


def test_planning_says_it_too() -> None:
    folds = runs(labels_of(st.KFold(6)))
    said = caution(folds.labels)
    with pytest.warns(UserWarning, match="Intervals and tests of stability are a rough guide, as the runs are not"):
        more = st.runs_needed(folds, 0.2)
    assert more > 0
    assert all(said in note for note in st.convergence_table(folds)["note"])
    assert said in st.plot.convergence(folds).note
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert st.runs_needed(runs(labels_of(st.Bootstrap(6))), 0.2) == more
    assert ROUGH not in st.plot.convergence(runs(labels_of(st.Bootstrap(6)))).note


def test_an_assessment_by_folds_says_it_once_and_one_by_bootstrap_not_at_all() -> None:
    random = np.random.default_rng(0)
    X, y = random.standard_normal((40, 6)), np.arange(40) % 2
    for resampling, times in ((st.KFold(5), 1), (st.Bootstrap(5), 0)):
        result = st.assess(
            ["anova:k=2", "variance:k=2"],
            X,
            y,
            resampling=resampling,
            scoring=None,
            execution=st.Execution(progress=False),
        )
        found = findings_of(result)
        assert sum(ROUGH in note for note in found.notes) == times
        assert found.methods is not None
        assert (ROUGH in found.methods.written("text")) == bool(times)
        assert (ROUGH in found.to_json()) == bool(times)


def bernoulli(n_runs: int, seed: int) -> st.Selections:
    return st.Selections.from_matrix(np.random.default_rng(seed).random((n_runs, 30)) < np.linspace(0.9, 0.1, 30))


def test_intervals_that_simulations_found_too_confident_say_so() -> None:
    assert "up to 5% too confident" in st.confidence_interval(bernoulli(49, 0), "lustgarten").note
    assert st.confidence_interval(bernoulli(50, 0), "lustgarten").note == ""
    assert st.confidence_interval(bernoulli(20, 0), "jaccard").note == ""


def test_paired_tests_of_few_runs_that_reject_too_often_say_so() -> None:
    def note(n_runs: int, measure: str, paired: bool = True) -> str:
        return st.test_difference(bernoulli(n_runs, 0), bernoulli(n_runs, 1), measure, paired=paired).note

    for measure in ("hamming", "jaccard", "lustgarten"):
        assert "up to 8% of true hypotheses" in note(7, measure)
        assert "true hypotheses" not in note(10, measure)
    assert note(7, "nogueira") == ""
    assert note(7, "jaccard", paired=False) == ""
