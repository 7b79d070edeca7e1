"""Pictures: the data behind them, that they are drawn only when asked, and what the registry says of them."""

import subprocess
import sys

import numpy as np
import pytest

import steadyset as st
from steadyset.inference.runs import steady_core

SELECTIONS = st.Selections.from_sets([["a", "b"], ["a", "c"], ["a", "b"], []], features=["a", "b", "c", "d"])
HOSTILE = ["\x00", "\x1b[31m", "a\nb", "\x85", "\ud800", "\u202eabc", "\x7f", "</svg><script>", "\ufffe", "😀"]


def test_frequencies_are_sorted_and_never_selected_features_are_left_out():
    data = st.plot.selection_frequencies(SELECTIONS).data
    assert data[["feature", "frequency"]].values.tolist() == [["a", 0.75], ["b", 0.5], ["c", 0.25]]


@pytest.mark.parametrize(("n_runs", "core"), [(10, 0.9), (100, 0.29), (3, 2 / 3), (49, 1 / 49)])
def test_dark_bars_are_those_of_the_steady_core(n_runs, core):
    sel = st.Selections.from_sets([[f for f in range(n_runs + 1) if run < f] for run in range(n_runs)], n_features=101)
    data = st.plot.selection_frequencies(sel, core=core, top=101).data
    assert data.loc[data["steady"], "feature"].tolist() == steady_core(sel, core)


def test_runs_by_features_holds_a_row_for_each_selected_feature():
    data = st.plot.runs_by_features(SELECTIONS).data
    assert sorted(zip(data["run"], data["feature"], strict=True)) == [
        ("1", "a"),
        ("1", "b"),
        ("2", "a"),
        ("2", "c"),
        ("3", "a"),
        ("3", "b"),
    ]


@pytest.mark.parametrize("name", ["selection_frequencies", "runs_by_features"])
def test_pictures_are_saved_as_svg_and_png(name, tmp_path):
    drawn = getattr(st.plot, name)(SELECTIONS)
    drawn.save(tmp_path / "picture.svg")
    drawn.save(tmp_path / "picture.png")
    assert (tmp_path / "picture.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(st.InputError, match="unknown ending"):
        drawn.save(tmp_path / "picture.bmp")


def test_a_picture_is_built_without_a_drawing_library():
    lines = [
        "import sys",
        "sys.modules['altair'] = None",
        "import steadyset as st, steadyset.plot",
        "sel = st.Selections.from_sets([['a'], ['a', 'b']], features=['a', 'b'])",
        "picture = steadyset.plot.runs_by_features(sel)",
        "assert len(picture.data) == 3",
        "try:",
        "    picture.svg()",
        "except st.MissingExtraError as error:",
        "    print(error)",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert done.stdout == 'Pictures need altair: pip install "steadyset[report]".\n'


def test_columns_are_checked_when_a_picture_is_built():
    data = st.plot.runs_by_features(SELECTIONS).data
    with pytest.raises(st.InputError, match="no column size; it has row, run, runs, group, feature, place, share"):
        st.plot.Picture(data, lambda alt, data: alt.Chart(data), ("run", "size"))


@pytest.mark.parametrize(("n_runs", "n_features"), [(200, 30), (5000, 3), (3, 400)])
def test_many_marks_are_put_together_and_the_picture_says_so(n_runs, n_features):
    sel = st.Selections.from_matrix(np.ones((n_runs, n_features), dtype=bool))
    picture = st.plot.runs_by_features(sel, top=n_features)
    assert len(picture.data) <= 5000
    assert picture.data["share"].eq(1).all()
    assert picture.data.groupby("feature")["runs"].sum().eq(n_runs).all()
    together = picture.data["runs"].max()
    said = f"Each row is up to {together} runs: the darker, the more of them select the feature."
    assert picture.note == (said if together > 1 else "")
    assert (together > 1) == (n_runs > 3)
    assert picture.svg().startswith("<svg")


def test_what_is_left_out_is_told():
    sel = st.Selections.from_matrix(np.ones((4, 70), dtype=bool))
    assert st.plot.runs_by_features(sel).note == "The 60 most frequent of 70 selected features."
    assert "The 25 most frequent of 70 selected features" in st.plot.selection_frequencies(sel).svg()


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_shown_written_out_and_kept_in_the_data(name):
    sel = st.Selections.from_sets([[0, 1], [0]], features=[name, "b"])
    for picture in (st.plot.selection_frequencies({name: sel}), st.plot.runs_by_features(sel)):
        assert picture.data["feature"].iloc[0] == name
        drawn = picture.svg()
        assert drawn.startswith("<svg")
        assert "<script>" not in drawn


def test_runs_that_select_nothing_have_their_row():
    scale = st.plot.runs_by_features(SELECTIONS).chart.to_dict()["encoding"]["y"]["scale"]
    assert scale["domain"] == [1, 2, 3, 4]


def test_the_core_of_the_findings_is_that_of_the_picture():
    found = st.findings_of(SELECTIONS, core=0.7)
    assert "at least 70% of the runs" in st.plot.selection_frequencies(found).note


def test_the_registry_says_what_each_picture_shows():
    shown = [record.name for record in st.plot.pictures_for(st.findings_of(SELECTIONS))]
    assert {"selection_frequencies", "runs_by_features"} <= set(shown)
    assert "accuracy_against_stability" not in shown  # there are no scores
    a, b = SELECTIONS, st.Selections.from_sets([["d"], ["c"]] * 2, features=list("abcd"))
    compared = st.plot.pictures_for(st.findings_of(st.compare({"a": a, "b": b})))
    assert [record.name for record in compared] == ["selectors_compared"]
    assert set(shown) <= set(st.plot.list_pictures().index)


def test_a_report_begins_with_what_answers():
    several = {"a": SELECTIONS, "b": st.Selections.from_sets([["d"], ["c"]] * 2, features=list("abcd"))}
    first, last = (
        st.plot.register_picture(name, sizes, title="", needs=("summary",), place=place)
        for name, place in (("first", 1), ("last", 99))
    )
    shown = st.plot.pictures_for(st.findings_of(several))
    assert (shown[0], shown[-1]) == (first, last)
    names = [record.name for record in shown]
    assert names.index("selectors_compared") < names.index("selection_frequencies") < names.index("runs_by_features")


def sizes(found):
    import pandas as pd

    data = pd.DataFrame({"name": [row.name for row in found.summary], "size": [row.size for row in found.summary]})
    return st.plot.Picture(
        data, lambda alt, data: alt.Chart(data).mark_bar().encode(x="size", y="name"), ("name", "size")
    )


def test_a_picture_of_a_users_own_is_in_the_report(tmp_path):
    st.plot.register_picture("sizes", sizes, title="How many are selected", needs=("summary",))
    assert st.plot.sizes is sizes
    page = st.report(SELECTIONS, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "How many are selected" in page
    st.plot.unregister_picture("sizes")
    assert "How many are selected" not in st.report(SELECTIONS, tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_picture_of_selections_needs_something_selected():
    mine = st.plot.register_picture("mine", st.plot.runs_by_features, title="Mine", takes="selections")
    nothing = st.Selections.from_sets([[], [], []], features=list("abc"))
    assert mine.can_show(st.findings_of(SELECTIONS))
    assert not mine.can_show(st.findings_of(nothing))
    st.plot.unregister_picture("mine")


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("runs_by_features", {}, "exists already"),
        ("no name", {}, "is not a Python name"),
        ("mine", {"takes": "everything"}, 'takes must be "findings" or "selections"'),
        ("mine", {"needs": ("sizes",)}, "Findings have no part 'sizes'"),
    ],
)
def test_registering_wrongly_is_one_sentence(name, options, sentence):
    with pytest.raises(st.InputError, match=sentence):
        st.plot.register_picture(name, sizes, title="", **options)


def test_import_steadyset_plot_works():
    import steadyset.plot
    from steadyset.plot import runs_by_features

    assert steadyset.plot is st.plot
    assert runs_by_features is st.plot.runs_by_features


def test_names_that_look_alike_once_written_out_stay_two():
    twins = ["a\x07", "a\\x07"]
    sel = st.Selections.from_sets([[0, 1], [0]], features=twins)
    picture = st.plot.selection_frequencies(dict.fromkeys(twins, sel))
    panels = picture.chart.to_dict()
    rows = [row for part in panels["datasets"].values() for row in part]
    assert len({row["feature"] for row in rows if "feature" in row}) == 2
    assert len({row["selector"] for row in rows if "selector" in row}) == len(panels["concat"]) == 2
    runs = st.plot.runs_by_features(sel).chart.to_dict()
    assert len({row["feature"] for part in runs["datasets"].values() for row in part}) == 2
