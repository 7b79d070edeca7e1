"""What holds for every picture of steadyset."""

from pathlib import Path

import pytest
from tests.plots import goldens

import steadyset as st
from steadyset import plots


@pytest.mark.parametrize("name", goldens.NAMES)
def test_a_sentence_says_what_is_seen(name):
    picture = goldens.small(name)
    said = picture.description
    assert picture.specification()["description"] == said
    assert said[0].isupper() or said[0].isdigit()
    assert said.endswith(".")
    assert "nan" not in said
    assert said != picture.note


def test_no_module_hides_a_picture_of_its_name():
    modules = {path.stem for path in Path(plots.__file__).parent.glob("*.py")}
    assert not modules & set(goldens.NAMES)
    for name in goldens.NAMES:
        assert callable(getattr(st.plot, name))


def test_a_figure_keeps_its_size_in_a_notebook():
    picture = goldens.small("core_overlap")
    assert "image/svg+xml" not in picture._repr_mimebundle_()
    assert 'width="85mm"' in picture.sized("single")._repr_mimebundle_()["image/svg+xml"]
