"""What `inspect` says of files: what they hold, how large they are, what may be predicted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.io.formats.record import FORMATS, TABLE, Format

ROOT = Path(__file__).parents[2]


def written(path, content):
    path.write_text(content, encoding="utf-8")
    return path


def test_data_tell_their_columns_and_what_may_be_predicted(tmp_path):
    found = st.inspect(written(tmp_path / "x.csv", "id,a,b,state\n" + "p1,1.5,2,ill\np2,2.5,1,well\np3,0.5,1,ill\n"))
    assert (found.holds, found.format, found.n_rows, found.n_columns) == ("data", "csv", 3, 4)
    assert found.columns == ("id", "a", "b", "state")
    assert dict(found.targets) == {"state": 2}


@pytest.mark.parametrize(
    ("name", "content", "n_runs", "n_features"),
    [
        ("x.csv", "run,feature\n1,a\n1,b\n2,a\n", 2, 2),
        ("x.csv", "a,b,c\n1,0,1\n0,1,1\n", 2, 3),
        ("x.csv", "TP53,MYC\nMYC,EGFR\nTP53\n", 3, 3),
        ("x.gmt", "one\tabout\tTP53\tMYC\ntwo\tabout\tMYC\n", 2, 2),
        ("x.json", '[["TP53"], ["MYC", "EGFR"]]', 2, 3),
    ],
)
def test_recorded_selections_tell_their_runs_and_features(tmp_path, name, content, n_runs, n_features):
    found = st.inspect(written(tmp_path / name, content))
    assert (found.holds, found.n_rows, found.n_columns) == ("recorded selections", n_runs, n_features)
    assert st.Selections.read(found).n_features == n_features


def test_a_folder_of_lists_and_a_parquet_file_are_told(tmp_path):
    for run in ("a", "b"):
        written(tmp_path / f"{run}.txt", "TP53\nMYC\n")
    assert st.inspect(tmp_path).holds == "recorded selections"
    pd.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "y": list("abab")}).to_parquet(tmp_path / "x.parquet")
    found = st.inspect(tmp_path / "x.parquet")
    assert (found.format, found.holds, dict(found.targets)) == ("Parquet", "data", {"y": 2})


def test_values_and_samples_in_two_files_tell_what_may_be_predicted(tmp_path):
    values = written(tmp_path / "x.csv", "gene,s1,s2,s3,s4\nA,1,2,3,4\nB,4,3,2,1\n")
    samples = written(tmp_path / "s.csv", "sample,state\ns1,ill\ns2,well\ns3,ill\ns4,well\n")
    found = st.inspect(values, samples=samples)
    assert (found.holds, dict(found.targets), found.n_rows) == ("data", {"state": 2}, None)
    assert st.load_data(found, "state", samples=samples).X.shape == (4, 2)


def test_it_prints_itself_within_the_width_of_a_terminal(tmp_path):
    names = [f"a rather long name of column number {i}" for i in range(60)]
    rows = "\n".join(",".join(str(value) for value in row) for row in np.arange(240).reshape(4, 60) / 7)
    text = str(st.inspect(written(tmp_path / "x.csv", f"{','.join(names)}\n{rows}\n")))
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith("x.csv: data, csv, 4 rows, 60 columns\n")


def test_what_is_neither_gets_the_sentence_of_the_reader(tmp_path):
    with pytest.raises(InputError, match="unknown ending; expected"):
        st.inspect(written(tmp_path / "x.docx", "?"))
    with pytest.raises(InputError, match="does not exist"):
        st.inspect(tmp_path / "none.csv")


def test_a_format_is_one_record(tmp_path):
    """Read, named in messages and taken as an upload."""
    from steadyset.serve.run_store import harmless_names

    def read(file, max_gb):
        import pyarrow as pa

        table = [line.split("|") for line in file.open().read().decode().splitlines()]
        return pa.table({name: [float(cell) for cell in cells] for name, *cells in table})

    path = written(tmp_path / "x.turned", "a|1|2|3|4\nb|4|2|3|1\ny|0|1|0|1\n")
    with FORMATS.unchanged():
        FORMATS.add(Format("turned", (".turned",), (TABLE,), read=read))
        assert st.load_data(path, "y").X.tolist() == [[1, 4], [2, 2], [3, 3], [4, 1]]
        assert st.inspect(path).format == "turned"
        assert next(harmless_names("x.turned")).endswith(".turned")
        with pytest.raises(InputError, match=r"or \.turned\."):
            st.load_data(written(tmp_path / "x.docx", "?"), "y")
    with pytest.raises(InputError, match="unknown ending"):
        st.load_data(path, "y")
