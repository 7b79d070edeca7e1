"""Pictures in print and on a page: sizes, letters, files."""

import re

import numpy as np
import pytest

import steadyset as st
from steadyset.plots import drawing
from steadyset.plots.picture import told_apart

RUNS = st.Selections.from_matrix(np.random.default_rng(0).random((12, 30)) < 0.4)
SEVERAL = {"lasso": RUNS, "a long name of a selector": RUNS}
PICTURES = {
    "panels": lambda: st.plot.selection_frequencies(SEVERAL, top=5),
    "map": lambda: st.plot.runs_by_features(RUNS),
}


@pytest.mark.parametrize("picture", PICTURES)
@pytest.mark.parametrize(("figure", "millimetres"), [("single", 85), ("double", 180)])
def test_a_figure_has_the_width_of_its_columns_and_letters_of_seven_points(picture, figure, millimetres):
    drawn = PICTURES[picture]().sized(figure).svg()
    assert f'width="{millimetres}mm"' in drawn
    pixels = float(re.search(r'viewBox="0 0 ([\d.]+) ', drawn)[1])
    points = 11 * millimetres * 72 / 25.4 / pixels
    assert 6.5 < points < 7.5
    assert re.search(r'font-size="11px"', drawn)


def test_a_figure_of_one_column_has_its_plots_below_each_other():
    panels = PICTURES["panels"]().specification()
    assert panels["columns"] == 2
    assert drawing.fitted(panels, "single", lambda spec: 400)["columns"] == 1
    assert drawing.fitted(panels, "double", lambda spec: 800)["columns"] == 2


def test_pdf_and_png_have_the_size_in_print(tmp_path):
    picture = PICTURES["map"]().sized("single")
    picture.save(tmp_path / "picture.pdf")
    box = re.search(rb"MediaBox ?\[0 0 ([\d.]+) ", (tmp_path / "picture.pdf").read_bytes())
    assert float(box[1]) == pytest.approx(85 / 25.4 * 72, abs=0.01)
    picture.save(tmp_path / "picture.png")
    width = int.from_bytes((tmp_path / "picture.png").read_bytes()[16:20], "big")
    assert width == pytest.approx(85 / 25.4 * 600, abs=2)


def test_saving_as_a_figure_leaves_the_picture_as_it_is(tmp_path):
    picture = PICTURES["map"]()
    picture.save(tmp_path / "picture.svg", figure="double")
    assert 'width="180mm"' in (tmp_path / "picture.svg").read_text(encoding="utf-8")
    assert "mm" not in picture.svg()[:200]


@pytest.mark.parametrize("figure", ["triple", 85, ["single"]])
def test_an_unknown_figure_is_one_sentence(figure):
    with pytest.raises(st.InputError, match='figure must be "single", "double" or None'):
        PICTURES["map"]().sized(figure)


def test_a_page_is_one_file_in_which_names_stay_text(tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "drawing_library", lambda: "/* Vega */")
    hostile = "</script><script>alert(1)</script>"
    sel = st.Selections.from_sets([[hostile], [hostile]], features=[hostile, "b"])
    st.plot.runs_by_features(sel).save(tmp_path / "picture.html")
    page = (tmp_path / "picture.html").read_text(encoding="utf-8")
    assert page.count("</script>") == 2
    assert hostile not in page
    assert "\\u003c/script\\u003e\\u003cscript\\u003ealert(1)" in page
    assert not re.search(r'(src|href)="', page)


def test_the_library_of_a_page_ends_no_script_and_loads_nothing():
    library = drawing.drawing_library()
    assert "window.vegaEmbed=" in library
    assert "</script" not in library
    assert "cdn.jsdelivr" not in library


def test_colours_and_shapes_together_tell_fourteen_apart():
    import altair as alt

    categories = [str(i) for i in range(14)]
    colour, shape = told_apart(alt, "name", categories)
    looks = {*zip(colour.to_dict()["scale"]["range"], shape.to_dict()["scale"]["range"], strict=True)}
    assert len(looks) == 14


def test_widths_are_found_where_axes_and_names_take_their_part():
    def measured(spec):
        return 100 + spec["width"] + 2 * spec["layer"][0]["width"]["step"]

    spec = {"width": 600, "layer": [{"width": {"step": 50}}]}
    found = drawing.fitted(spec, "single", measured)
    assert measured(found) == pytest.approx(drawing.pixels("single"), abs=0.5)
    assert spec == {"width": 600, "layer": [{"width": {"step": 50}}]}
