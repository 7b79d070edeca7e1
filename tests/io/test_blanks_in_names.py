"""Blanks at the ends of headings are no part of a name, whichever program wrote the file and however wide it is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.foundation.errors import InputError

N_ROWS = 12
WRITTEN = {"\ufeff dose ": "dose", "marker\u00a0": "marker", " Sex ": "Sex", "status\u2009": "status"}
WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "quoted.csv": lambda frame, path: frame.to_csv(path, index=False, quoting=1),
    "named.csv": lambda frame, path: frame.to_csv(path),
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "feather": lambda frame, path: frame.to_feather(path),
}


@pytest.fixture
def frame():
    random = np.random.default_rng(3)
    columns = [random.normal(size=N_ROWS), random.normal(size=N_ROWS), ["f", "m"] * 6, ["ill", "well", "well"] * 4]
    return pd.DataFrame(dict(zip(WRITTEN, columns, strict=True)))


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("blanks", ["", " ", "\u00a0"])
def test_names_with_and_without_blanks_mean_the_same_column(tmp_path, frame, ending, blanks):
    path = tmp_path / f"patients.{ending}"
    WRITERS[ending](frame, path)
    data = st.load_data(path, f"status{blanks}", drop=[f"{blanks}Sex"])
    assert data.features == ("dose", "marker")
    assert data.target == "status"
    np.testing.assert_allclose(data.X, frame.iloc[:, :2])
    assert any("blanks at the ends of 4 names" in note for note in data.notes)


def test_every_argument_that_names_a_column_may_have_blanks(tmp_path, frame):
    path = tmp_path / "patients.csv"
    frame["id "] = np.arange(N_ROWS) // 2
    frame.to_csv(path, index=False)
    roles = {"groups": " id", "strata": "id ", "force": "Sex , marker"}
    data = st.load_data(path, ["status "], **roles)
    assert data.features == ("dose",)
    assert list(data.force) == ["Sex", "marker"]


def test_times_and_events_may_have_blanks(tmp_path, frame):
    path = tmp_path / "patients.csv"
    frame.assign(**{"days ": np.arange(1.0, N_ROWS + 1)}).to_csv(path, index=False)
    data = st.load_data(path, time=" days", event="status = ill", drop=["Sex"])
    assert data.y[:, 1].tolist() == [1.0, 0.0, 0.0] * 4


def test_a_wide_table_is_read_alike(tmp_path):
    values = np.random.default_rng(0).normal(size=(6, 1_200))
    frame = pd.DataFrame(values, columns=[f"g{f} " for f in range(1_200)]).assign(**{"y ": ["a", "b"] * 3})
    frame.to_csv(tmp_path / "wide.csv", index=False)
    data = st.load_data(tmp_path / "wide.csv", "y")
    assert data.features[:2] == ("g0", "g1")
    np.testing.assert_allclose(data.X, values)


def test_a_file_of_samples_may_have_blanks(tmp_path, frame):
    frame.insert(0, "sample ", [f"s{i}" for i in range(N_ROWS)])
    frame.iloc[:, :3].to_csv(tmp_path / "values.csv", index=False)
    for ending in ("csv", "parquet"):
        known = tmp_path / f"samples.{ending}"
        WRITERS[ending](frame.iloc[:, [0, 4]], known)
        assert st.load_data(tmp_path / "values.csv", "status", samples=known).features == ("dose", "marker")


@pytest.mark.parametrize("ending", WRITERS)
def test_names_that_differ_by_blanks_alone_are_refused(tmp_path, frame, ending):
    path = tmp_path / f"patients.{ending}"
    WRITERS[ending](frame.assign(Sex=1.5), path)
    with pytest.raises(InputError, match=r"columns called 'Sex' once blanks at the ends of names are removed"):
        st.load_data(path, "status")


def test_a_name_between_blanks_is_no_name(tmp_path):
    (tmp_path / "x.csv").write_text("a,  ,y\n1.5,2.5,p\n2.5,1.5,q\n", encoding="utf-8")
    with pytest.raises(InputError, match="no name for column 2"):
        st.load_data(tmp_path / "x.csv", "y")
