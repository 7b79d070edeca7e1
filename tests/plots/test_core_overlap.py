"""The overlap of steady cores as an UpSet plot."""

import numpy as np
import pytest

import steadyset as st
from steadyset.inference.runs import steady_core


def runs(core, others):
    return st.Selections.from_sets([[*core, others[run % 2]] for run in range(10)], features=list("abcdefghij"))


PROCEDURES = {
    "lasso": runs("abcd", "ij"),
    "forest": runs("abc", "ij"),
    "jmi": runs("ae", "ij"),
    "relief": runs("", "ij"),
}


def small():
    return st.plot.core_overlap(PROCEDURES)


def sets(picture):
    """The features of each shown set, by its selectors."""
    found = {}
    for _, column in picture.data.groupby("intersection"):
        found[tuple(column.loc[column["inside"], "selector"])] = int(column["features"].iloc[0])
    return found


def test_each_feature_is_counted_with_exactly_the_selectors_that_have_it():
    assert sets(small()) == {("lasso", "forest"): 2, ("lasso", "forest", "jmi"): 1, ("lasso",): 1, ("jmi",): 1}


def test_numbers_are_those_of_the_cores():
    rng = np.random.default_rng(0)
    given = {f"s{k}": st.Selections.from_matrix(rng.random((20, 50)) < rng.choice([0.1, 0.99], 50)) for k in range(5)}
    cores = {name: set(steady_core(sel)) for name, sel in given.items()}
    found = sets(st.plot.core_overlap(given))
    for who, size in found.items():
        others = [cores[name] for name in given if name not in who]
        assert size == len(set.intersection(*(cores[name] for name in who)).difference(*others)) > 0
    assert sum(found.values()) == len(set.union(*cores.values()))
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_sets_left_out_are_counted():
    picture = st.plot.core_overlap(PROCEDURES, top=1)
    assert sets(picture) == {("lasso", "forest"): 2}
    assert picture.note.endswith("Left out: 3 smaller sets with 3 features in all.")


def test_never_more_than_40_sets_of_30_selectors():
    rng = np.random.default_rng(0)
    given = {f"s{k}": st.Selections.from_matrix(np.tile(rng.random(400) < 0.5, (2, 1))) for k in range(35)}
    picture = st.plot.core_overlap(given)
    assert picture.data["intersection"].nunique() == 40
    assert picture.data["selector"].nunique() == 30
    assert "The 30 largest cores of 35 selectors." in picture.note
    with pytest.raises(st.InputError, match="top must be a whole number from 1 to 40"):
        st.plot.core_overlap(given, top=41)


def test_findings_bring_their_share_and_another_one_may_be_asked_for():
    found = st.findings_of(PROCEDURES, core=0.5)
    assert "at least 50% of the runs" in st.plot.core_overlap(found).note
    assert sets(st.plot.core_overlap(found))[("lasso", "forest", "jmi", "relief")] == 2  # i and j, in half of the runs
    assert sets(st.plot.core_overlap(found, core=0.9)) == sets(small())


def test_a_report_shows_it_for_two_cores_at_least():
    shows = st.plot.get_picture("core_overlap").can_show
    assert shows(st.findings_of(PROCEDURES))
    assert not shows(st.findings_of({"lasso": PROCEDURES["lasso"], "relief": PROCEDURES["relief"]}))
    assert not shows(st.findings_of(PROCEDURES["lasso"]))


def test_empty_cores_and_one_selector_are_drawn():
    none = st.plot.core_overlap({"relief": PROCEDURES["relief"]})
    assert none.note == "No selector has a feature in at least 90% of its runs."
    assert none.svg().startswith("<svg")
    assert sets(st.plot.core_overlap({"lasso": PROCEDURES["lasso"]})) == {("lasso",): 4}
    with pytest.raises(st.InputError, match="selections must be Selections by the name"):
        st.plot.core_overlap(PROCEDURES["lasso"])
