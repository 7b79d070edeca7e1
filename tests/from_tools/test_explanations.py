"""Explanations over retrainings: known truths over all rows and row by row."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

import steadyset as st
from steadyset.foundation.errors import InputError

RUN = np.array([[3.0, -2.0, 0.1, 0.0], [0.0, 0.5, -4.0, 1.0]])


def test_equal_runs_are_steady_in_every_row():
    found = st.explanation_stability([RUN] * 4, k=2)
    assert found.stability.estimate == 1
    assert found.ranks == pytest.approx(1)
    assert found.rows["stability"].tolist() == [1, 1]
    assert found.rows["ranks"].tolist() == pytest.approx([1, 1])


def test_two_runs_by_hand():
    other = np.array([[3.0, 0.1, -2.0, 0.0], [0.0, 0.5, 4.0, 1.0]])
    found = st.explanation_stability([RUN, other], k=2)
    # Row 1 has {0, 1} and {0, 2} of 4 features: one in common, as chance gives. Row 2 has the same, signs aside.
    assert found.rows["stability"].tolist() == pytest.approx([0, 1])
    # Over all rows: means 1.5, 1.25, 2.05, 0.5 and 1.5, 0.3, 3, 0.5: {2, 0} in both.
    assert [set(found.overall.selected(run)) for run in (0, 1)] == [{0, 2}] * 2
    assert found.stability.estimate == 1


def test_ranks_are_the_mean_correlation_of_scipy():
    values = np.random.default_rng(2).normal(size=(5, 3, 8))
    found = st.explanation_stability(values, k=3)
    for row in range(3):
        table = spearmanr(np.abs(values[:, row]), axis=1).statistic
        assert found.rows["ranks"][row] == pytest.approx(table[np.triu_indices(5, 1)].mean())


def test_random_explanations_are_at_chance():
    values = np.random.default_rng(0).normal(size=(10, 200, 20))
    rows = st.explanation_stability(values, k=4).rows
    for name in ("stability", "ranks"):
        assert abs(rows[name].mean()) < 4 * rows[name].std() / np.sqrt(200)


def test_rows_can_be_unsteady_where_the_whole_is_steady():
    random = np.random.default_rng(0)
    values = random.normal(size=(12, 300, 20)) * np.linspace(3, 1, 20)
    found = st.explanation_stability(values, k=5)
    assert found.stability.estimate > 0.7 > 0.3 > found.rows["stability"].median()
    assert "where what explains the prediction depends on the run" in " ".join(str(found).split())


def test_importances_of_zero_never_count():
    values = np.zeros((3, 2, 6))
    values[:, 0, 1] = 1.0
    found = st.explanation_stability(values, k=3)
    assert found.rows["stability"][0] == 1  # {1} in every run, not {1} and the first zeros
    assert np.isnan(found.rows["stability"][1])
    assert found.rows["runs"].tolist() == [3, 0]
    assert "1 row without a stability" in str(found)


def test_frames_and_explanations_bring_their_names():
    class Explanation:
        values, base_values, feature_names = RUN, 0.0, list("abcd")

    frames = [pd.DataFrame(RUN, columns=list("abcd"))] * 2
    for given in (frames, [Explanation(), Explanation()]):
        assert st.explanation_stability(given, k=1).overall.sets() == [{"c"}] * 2
    named = st.explanation_stability([RUN, RUN], k=1, features=list("wxyz"), rows=["first", "second"])
    assert named.overall.sets() == [{"y"}] * 2
    assert named.rows["row"].tolist() == ["first", "second"]


def test_the_whole_goes_into_a_report(tmp_path):
    values = np.random.default_rng(0).normal(size=(10, 20, 12)) * np.linspace(3, 1, 12)
    found = st.explanation_stability(values, k=3)
    assert "x0" in st.report(found.overall, tmp_path / "r.md").read_text(encoding="utf-8")
    assert "The least steady rows" in found._repr_html_()


@pytest.mark.parametrize(
    ("values", "options", "sentence"),
    [
        ([RUN], {}, "at least 2"),
        (3, {}, "values must be"),
        ([RUN, RUN[:1]], {}, "explain the same rows"),
        ([RUN, RUN[:, :3]], {}, "explain the same rows"),
        (np.zeros((2, 3, 4, 2)), {}, "several outputs per row"),
        ([[1.0, 2.0], [1.0, 2.0]], {}, "expected rows x features"),
        ([RUN, np.where(RUN > 2, np.nan, RUN)], {}, "missing or infinite"),
        ([RUN, RUN], {"k": 4}, "k must be"),
        ([RUN, RUN], {"rows": ["one"]}, "rows has 1 names"),
        ([RUN, RUN], {"measure": "nonsense"}, "nonsense"),
        ([pd.DataFrame(RUN, columns=list("abcd")), pd.DataFrame(RUN, columns=list("abdc"))], {}, "name their features"),
    ],
)
def test_what_makes_no_sense_is_refused(values, options, sentence):
    with pytest.raises(InputError, match=sentence):
        st.explanation_stability(values, **{"k": 2, **options})
