"""Several answers: lists that groups of runs select instead of each other, and what they share up to similarity."""

from math import isnan, nan

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.inference.instability import alternatives_of, side_by_side
from steadyset.similarity.alike import Alike

NAMES = [f"f{i}" for i in range(40)]
NOTHING_ALIKE = Alike(np.arange(40), np.empty((0, 2), np.int64))
A, B, COMMON = [0, 1, 2, 3], [4, 5, 6, 7], [8, 9]
COPIES = Alike(np.arange(8), np.array([A, B]).T, values=np.array([0.99, 0.95, 0.97, 0.96]))


def two_kinds(n_first, n_second, seed=0):
    """Runs that select A or B, what is common to all, and two features of their own."""
    random = np.random.default_rng(seed)
    kinds = [A] * n_first + [B] * n_second
    runs = [[*COMMON, *kind, *random.choice(np.arange(10, 40), 2, replace=False)] for kind in kinds]
    return st.Selections.from_sets([runs[i] for i in random.permutation(len(runs))], features=NAMES)


def one_kind(n_runs, random):
    """Best 8 of 40 by scores that vary from run to run."""
    scores = np.linspace(2, 0, 40) + random.normal(size=(n_runs, 40))
    return st.Selections.from_sets(np.argsort(-scores, axis=1)[:, :8].tolist(), features=NAMES)


def test_planted_answers_are_found_with_their_lists():
    (found,) = alternatives_of({"s": two_kinds(30, 20)}, NOTHING_ALIKE)
    assert [one.runs for one in found.lists] == [30, 20]
    assert [set(one.features) for one in found.lists] == [
        {f"f{i}" for i in (*COMMON, *A)},
        {f"f{i}" for i in (*COMMON, *B)},
    ]
    assert found.n_shared == 2
    assert found.n_exchanged == 0
    assert found.p_value == pytest.approx(0.01)
    assert found.within > found.between


def test_copies_stand_for_each_other():
    (found,) = alternatives_of({"s": two_kinds(30, 20)}, COPIES)
    assert (found.n_shared, found.n_exchanged) == (2, 4)
    rows = {row.features: row.similarity for row in found.rows}
    assert rows == {
        **{(f"f{i}", f"f{i}"): 1.0 for i in COMMON},
        **{("f0", "f4"): 0.99, ("f1", "f5"): 0.95, ("f2", "f6"): 0.97, ("f3", "f7"): 0.96},
    }


def test_rows_side_by_side_by_hand():
    alike = Alike(np.arange(6), np.array([[1, 3], [2, 3], [2, 4]]), values=np.array([0.9, 0.95, 0.92]))
    # 3 goes to 1, which comes first; 4 remains for 2; 5 has nothing that is alike.
    rows = side_by_side([[0, 1, 2], [0, 3, 4, 5]], alike)
    assert rows[:3] == [((0, 0), 1.0), ((1, 3), 0.9), ((2, 4), 0.92)]
    assert rows[3][0] == (None, 5)
    assert isnan(rows[3][1])


def test_a_feature_of_two_of_three_lists_stands_in_one_row():
    rows = side_by_side([[0, 1], [0, 1], [0, 2]], NOTHING_ALIKE)
    assert [row for row, _ in rows] == [(0, 0, 0), (1, 1, None), (None, None, 2)]


def test_one_kind_of_runs_has_one_answer():
    random = np.random.default_rng(3)
    told = sum(bool(alternatives_of({"s": one_kind(30, random)}, NOTHING_ALIKE)) for _ in range(40))
    assert told <= 2  # 5% of 40, of which the test keeps well below


def test_copies_that_replace_each_other_one_by_one_are_no_groups():
    random = np.random.default_rng(1)
    told = 0
    for _ in range(20):
        runs = [[a if random.random() < 0.5 else b for a, b in zip(A, B, strict=True)] + COMMON for _ in range(40)]
        told += bool(alternatives_of({"s": st.Selections.from_sets(runs, features=NAMES)}, COPIES))
    assert told <= 2


def test_a_few_runs_that_differ_are_no_answer_of_their_own():
    assert alternatives_of({"s": two_kinds(57, 3)}, NOTHING_ALIKE) == ()


def test_few_runs_and_many_are_not_grouped():
    assert alternatives_of({"s": two_kinds(5, 4)}, NOTHING_ALIKE) == ()


def test_scores_are_those_of_the_runs_of_each_list():
    sel = two_kinds(12, 8)
    first = np.array([0 in sel.selected(run) for run in range(20)])
    (found,) = alternatives_of({"s": sel}, NOTHING_ALIKE, scores={"s": np.where(first, 0.8, 0.7)})
    assert [one.score for one in found.lists] == pytest.approx([0.8, 0.7])
    (found,) = alternatives_of({"s": sel}, NOTHING_ALIKE, scores={"s": np.where(first, 0.8, nan)})
    assert isnan(found.lists[1].score)


def test_an_assessment_tells_of_its_answers_in_every_format(tmp_path):
    random = np.random.default_rng(0)
    y = np.arange(80) % 2
    signal = random.normal(size=(80, 3)) + np.outer(y, np.ones(3))
    copies = signal + 0.1 * random.normal(size=signal.shape)
    X = pd.DataFrame(np.hstack([signal, copies, random.normal(size=(80, 10))]))
    X.columns = ["a0", "a1", "a2", "b0", "b1", "b2", *(f"n{i}" for i in range(10))]
    middle = X["n0"].mean()

    def either(X, y):
        return [0, 1, 2] if np.asarray(X)[:, 6].mean() > middle else [3, 4, 5]

    result = st.assess({"either": either}, X, y, resampling=st.Bootstrap(30), execution={"progress": False})
    found = st.findings_of(result)
    (one,) = found.alternatives
    assert {row.features for row in one.rows} in (
        {(f"a{i}", f"b{i}") for i in range(3)},
        {(f"b{i}", f"a{i}") for i in range(3)},
    )
    assert "fall into 2 groups that agree among themselves" in str(found)
    assert "Both lists share 0 features, and have 3 more up to features that are alike" in " ".join(str(found).split())
    text = st.report(result, tmp_path / "r.md")
    assert "## Several answers" in text.read_text(encoding="utf-8")
    assert found.to_dict()["alternatives"][0]["lists"][0]["features"]
