"""Every picture of steadyset shows what it showed when somebody last looked at it."""

import json

import altair
import pytest
from tests.plots import goldens


@pytest.mark.parametrize("name", goldens.KEPT)
def test_a_picture_shows_what_it_showed(name):
    kept = json.loads(goldens.path(name).read_text(encoding="utf-8"))
    differs = goldens.difference(goldens.content(goldens.small(name)), kept)
    assert not differs, f"{differs}; if that is meant, look at the picture and run: python -m tests.plots {name}"


@pytest.mark.slow  # buys: the schema; that pictures are the kept ones is in make test
@pytest.mark.parametrize("name", goldens.KEPT)
def test_a_picture_is_valid_vega_lite(name):
    specification = json.loads(goldens.path(name).read_text(encoding="utf-8"))["specification"]
    altair.Root.from_dict(specification, validate=True)


def test_every_kept_picture_is_one_of_steadyset():
    assert len(goldens.KEPT) > 15
    assert set(goldens.KEPT) <= set(goldens.NAMES)


@pytest.mark.parametrize(
    ("found", "kept", "differs"),
    [
        ({"a": [1, 0.1 + 0.2]}, {"a": [1, 0.3]}, ""),
        ({"a": [1, 0.31]}, {"a": [1, 0.3]}, "/a/1: 0.31 instead of 0.3"),
        ({"a": True}, {"a": 1}, "/a: True instead of 1"),
        ({"a": []}, {"b": []}, ": ['a', 'b']"),
        ([1], [1, 2], ": 1 instead of 2"),
    ],
)
def test_contents_are_compared_with_a_tolerance_for_numbers(found, kept, differs):
    assert goldens.difference(found, kept) == differs
