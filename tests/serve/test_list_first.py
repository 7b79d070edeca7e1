"""The page: the list as soon as it is certain, and one estimate of time before and during the work."""

import os

import numpy as np
import pytest

import steadyset as st
from steadyset.io.disk import TARGETS
from steadyset.options import arguments_of
from steadyset.serve import progress
from steadyset.serve.progress import Progress, Step
from steadyset.serve.sandboxed import estimated_shortlist, provisional


@pytest.fixture
def made(tmp_path):
    """A shortlist that goes on: its list is certain."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, 30))
    y = np.arange(60) % 2
    X[y == 1, :3] += 1.6
    names = ",".join(["y", *(f"x{f}" for f in range(30))])
    np.savetxt(tmp_path / "x.csv", np.column_stack([y, X]), delimiter=",", header=names, comments="", fmt="%.5g")
    seen = []

    def stop(found):
        seen.append(found)
        raise KeyboardInterrupt

    data = st.load_data(tmp_path / "x.csv", "y")
    with pytest.raises(KeyboardInterrupt):
        st.shortlist(data, bases=["filter"], permutations=20, splits=10, out=tmp_path / "list", on_list=stop)
    return tmp_path, seen[0]


def test_the_page_shows_the_list_that_is_certain(made):
    folder, found = made
    shown = provisional(str(folder / "list"), None)
    assert shown["certain"]
    assert [row["name"] for row in shown["rows"]] == found.selected
    assert shown["answer"]


def test_the_estimate_grows_with_what_is_asked_for(made):
    folder, _ = made
    reading = arguments_of("shortlist", {"target": "y"}, "data")
    known = {"false": 1.0, "base": ["filter"]}
    whole, _ = estimated_shortlist([str(folder / "x.csv")], reading, {**known, "outer": 10}, 1)
    quick, _ = estimated_shortlist([str(folder / "x.csv")], reading, {**known, "outer": 0}, 1)
    assert "The list itself" in whole
    assert "The list itself" not in quick
    assert "about 0" not in (whole + quick).lower()


class Run:
    def __init__(self, path):
        self.path = path


def test_the_time_left_does_not_count_the_start_and_foresees_the_repeats(made):
    folder, _ = made
    names = sorted((folder / "list" / TARGETS).iterdir())
    for place, path in enumerate(names):
        os.utime(path, ns=(10**18 + 2 * 10**9 * place,) * 2)
    last = 10**9 + 2.0 * (len(names) - 1)
    steps = (Step("", len(names), len(names)), Step("", 0, 10))
    left = progress._left_of_shortlist(Run(folder / "list"), Progress("running", 0, 10, steps=steps), last)
    expected = 2.0 * (progress.SMALLER_SAMPLES + 10 * progress.REPEAT)
    assert left == pytest.approx(expected)
