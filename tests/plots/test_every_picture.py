"""What holds for every picture of steadyset."""

import json
import pickle
import sys
from pathlib import Path
from xml.etree import ElementTree

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


@pytest.mark.parametrize("name", goldens.NAMES)
def test_it_can_be_pickled_and_drawn_again(name):
    picture = goldens.small(name)
    again = pickle.loads(pickle.dumps(picture))
    assert again.description == picture.description
    assert again.specification() == picture.specification()
    assert again.sized("single").figure == "single"


def test_no_module_hides_a_picture_of_its_name():
    modules = {path.stem for path in Path(plots.__file__).parent.glob("*.py")}
    assert not modules & set(goldens.NAMES)
    for name in goldens.NAMES:
        assert callable(getattr(st.plot, name))


def test_a_saved_notebook_holds_the_picture_and_asks_the_network_for_nothing():
    picture = goldens.small("core_overlap")
    bundle = picture._repr_mimebundle_(include=None, exclude=None)
    saved = json.dumps({"output_type": "display_data", "data": bundle, "metadata": {}})
    kept = json.loads(saved)["data"]
    drawing = ElementTree.fromstring(kept["image/svg+xml"])
    assert kept["text/plain"] == picture.description
    assert set(kept) == {"image/svg+xml", "text/plain"}
    assert not [one for one in drawing.iter() if one.tag.rpartition("}")[2] in ("script", "image", "foreignObject")]
    assert not [text for one in drawing.iter() for text in one.attrib.values() if "://" in text]


def test_a_notebook_without_what_draws_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    bundle = goldens.small("core_overlap")._repr_mimebundle_()
    assert "steadyset[report]" in bundle["text/plain"]
    assert "image/svg+xml" not in bundle


def test_a_figure_keeps_its_size_in_a_notebook():
    picture = goldens.small("core_overlap")
    assert 'width="85mm"' in picture.sized("single")._repr_mimebundle_()["image/svg+xml"]
