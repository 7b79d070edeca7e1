"""Which names are in which of a few lists."""

import json

import pytest

import steadyset as st

LISTS = st.Selections.from_sets(
    [["BIRC5", "RRM2", "MYC"], ["BIRC5", "RRM2"], ["BIRC5", "TP53"]],
    features=["BIRC5", "RRM2", "MYC", "TP53", "KRAS"],
    labels=["one", "two", "three"],
)


def small():
    return st.plot.shared_names(LISTS)


def test_names_in_most_lists_come_first_and_single_ones_are_counted():
    shown = small().data
    inside = shown[shown["inside"]].groupby("feature", sort=False)["list"].apply(list).to_dict()
    assert inside == {"BIRC5": ["one", "two", "three"], "RRM2": ["one", "two"]}
    assert small().note == "2 names in two lists or more; 2 names in one list only."
    assert small().description == "BIRC5 is in 3 of 3 lists."


def test_more_lists_than_columns_are_refused_and_left_out_of_reports():
    many = st.Selections.from_sets([["BIRC5", "RRM2"]] * 9, features=["BIRC5", "RRM2", "MYC"])
    with pytest.raises(st.InputError, match="2 to 8 lists"):
        st.plot.shared_names(many)
    assert "shared_names" not in [kind.name for kind in st.plot.pictures_for(st.findings_of(many))]


@pytest.mark.parametrize(
    ("labels", "angle"), [(list("abcd"), 0), ([f"the list of laboratory {i}" for i in range(4)], -30)]
)
def test_names_of_lists_that_would_run_into_each_other_are_turned(labels, angle):
    lists = st.Selections.from_sets([["a", "b"]] * 4, n_features=9, labels=labels)
    assert f'"labelAngle": {angle}' in json.dumps(st.plot.shared_names(lists).chart.to_dict())
