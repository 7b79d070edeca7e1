"""A target of several columns, such as a time and an event: read from every kind of file that data come in."""

import pytest

import steadyset as st
from steadyset.foundation.errors import InputError

Y = [[5.5, 1.0], [2.0, 0.0], [7.0, 1.0], [3.5, 0.0]]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b,time,event\n1,2,5.5,1\n2,1,2,0\n3,1,7,1\n4,2,3.5,0\n", encoding="utf-8")
    return path


def test_two_columns_of_a_table_are_the_target_and_no_features(table):
    data = st.load_data(table, ["time", "event"])
    assert data.y.tolist() == Y
    assert (data.features, data.target) == (("a", "b"), "time and event")
    assert str(data).startswith("4 rows, 2 features, target 'time' and 'event'")
    assert st.load_data(table, ["event"]).y.tolist() == st.load_data(table, "event").y.tolist()


def test_two_columns_of_the_file_of_samples(tmp_path):
    values, samples = tmp_path / "v.csv", tmp_path / "s.csv"
    values.write_text("gene,s1,s2,s3,s4\nA,1,2,3,4\nB,4,3,2,1\n", encoding="utf-8")
    samples.write_text("sample,time,event\ns4,3.5,0\ns1,5.5,1\ns2,2,0\ns3,7,1\n", encoding="utf-8")
    data = st.load_data(values, ["time", "event"], samples=samples)
    assert (data.y.tolist(), data.features) == (Y, ("A", "B"))


def test_two_rows_of_a_table_with_samples_in_columns(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("name,s1,s2,s3,s4\ntime,5.5,2,7,3.5\nevent,1,0,1,0\nA,1,2,3,4\n", encoding="utf-8")
    assert st.load_data(path, ["time", "event"], transpose=True).y.tolist() == Y


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ([], "target must be the name of a column, or several names that differ"),
        (["time", "time"], "several names that differ"),
        (["time", 3], "several names that differ"),
        (["time", "evnt"], "has no column 'evnt'; did you mean 'event'"),
    ],
)
def test_what_cannot_be_a_target_of_several_columns_is_refused(table, target, sentence):
    with pytest.raises(InputError, match=sentence):
        st.load_data(table, target)


def test_several_columns_hold_numbers_and_no_groups(tmp_path, table):
    path = tmp_path / "t.csv"
    path.write_text("a,b,time,state\n1,4,2,ill\n2,5,1,well\n3,4,1,ill\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"the event 'state' holds ill, well; expected 1 \(or True\) where it took"):
        st.load_data(path, ["time", "state"])
    with pytest.raises(InputError, match="the time 'state' holds 'ill'; expected positive numbers"):
        st.load_data(path, ["state", "time"])
    with pytest.raises(InputError, match="the target 'state' holds 'ill'; a target of several columns has numbers"):
        st.load_data(path, ["time", "state", "a"])
    with pytest.raises(InputError, match="'event' is the target and cannot name the groups too"):
        st.load_data(table, ["time", "event"], groups="event")
