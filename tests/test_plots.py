"""Pictures: the data behind them, and that they are drawn."""

import pytest

import steadyset as st

SELECTIONS = st.Selections.from_sets([["a", "b"], ["a", "c"], ["a", "b"], []], features=["a", "b", "c", "d"])


def test_frequencies_are_sorted_and_never_selected_features_are_left_out():
    data = st.plot.selection_frequencies(SELECTIONS).data
    assert data[["feature", "frequency"]].values.tolist() == [["a", 0.75], ["b", 0.5], ["c", 0.25]]


def test_runs_by_features_holds_a_row_for_each_selected_feature():
    data = st.plot.runs_by_features(SELECTIONS).data
    assert sorted(zip(data["run"], data["feature"], strict=True)) == [
        (1, "a"),
        (1, "b"),
        (2, "a"),
        (2, "c"),
        (3, "a"),
        (3, "b"),
    ]


@pytest.mark.parametrize("picture", [st.plot.selection_frequencies, st.plot.runs_by_features])
def test_pictures_are_saved_as_svg_and_png(picture, tmp_path):
    drawn = picture(SELECTIONS)
    drawn.save(tmp_path / "picture.svg")
    drawn.save(tmp_path / "picture.png")
    assert (tmp_path / "picture.svg").read_text().startswith("<svg")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(st.InputError, match="unknown ending"):
        drawn.save(tmp_path / "picture.bmp")
