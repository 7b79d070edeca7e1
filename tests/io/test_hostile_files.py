"""Files that are forged, damaged or far larger unpacked end in a sentence, never in a crash or a full memory."""

import gzip
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from tests.peak import PEAK, needs_peak

from steadyset import Assessment, FeatureSimilarity, InputError, Selections
from steadyset.io.data.data_table import load_data
from steadyset.io.formats.columns import WIDE
from steadyset.io.formats.tables import TableFile

READ_DAMAGED = """
import random, sys
from pathlib import Path
from steadyset import InputError
from steadyset.io.data.data_table import load_data
whole, place = Path(sys.argv[1]).read_bytes(), Path(sys.argv[2])
draw = random.Random(int(sys.argv[3]))
told = 0
for _ in range(150):
    damaged = bytearray(whole)
    for _ in range(draw.choice([1, 1, 4, 32])):
        damaged[draw.randrange(len(damaged))] = draw.choice([0, 1, 127, 128, 255, draw.randrange(256)])
    if draw.random() < 0.2:
        del damaged[draw.randrange(len(damaged)) :]
    place.write_bytes(damaged)
    try:
        load_data(place, "y")
    except InputError:
        told += 1
print(told)
"""


@pytest.mark.slow  # buys: 150 damaged files, each in a process of its own; a forged one is told in make test
@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "stream"])
def test_damaged_feather_files_do_not_end_the_process(tmp_path, compression):
    whole = tmp_path / "whole.feather"
    frame = pd.DataFrame({"a": np.arange(20.0), "text": [f"t{i}" * (i % 5) for i in range(20)], "y": [0, 1] * 10})
    if compression == "stream":
        table = pa.Table.from_pandas(frame)
        with pa.ipc.new_stream(whole, table.schema) as stream:
            stream.write_table(table)
    else:
        feather.write_feather(frame, whole, compression=compression)
    command = [sys.executable, "-c", READ_DAMAGED, str(whole), str(tmp_path / "damaged.feather"), "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-600:]
    assert int(done.stdout) > 10


def test_texts_that_reach_beyond_their_buffer_are_told(tmp_path):
    path = tmp_path / "forged.feather"
    feather.write_feather(pd.DataFrame({"y": ["abc", "def"]}), path, compression="uncompressed")
    kinds = [np.int32, np.int64]  # of offsets, by the library that wrote the texts
    content = path.read_bytes()
    offsets = next(array for array in (np.array([0, 3, 6], dtype=kind) for kind in kinds) if array.tobytes() in content)
    forged = np.array([0, 3, 10_000_000], dtype=offsets.dtype)
    path.write_bytes(content.replace(offsets.tobytes(), forged.tobytes()))
    with pytest.raises(InputError, match=r"forged\.feather is"):
        TableFile(path).arrow()[0]


@pytest.mark.parametrize("reader", [Selections.read, lambda path, **o: load_data(path, "a", **o)])
def test_a_small_file_that_unpacks_to_much_is_refused(tmp_path, reader):
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb") as sink:
        sink.write(b"a,b\n" + b"0,1\n" * 1_000_000)
    said = f"{path} would take more than 0.001 GB of memory; if you trust the file, raise the limit with max_gb."
    with pytest.raises(InputError) as refused:
        reader(path, max_gb=0.001)
    assert str(refused.value) == said


def test_a_header_without_end_is_refused(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("a" * 3_000_000 + ",y\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="raise the limit with max_gb"):
        load_data(path, "y", max_gb=0.1)


def test_repeated_text_in_parquet_is_kept_once(tmp_path):
    path = tmp_path / "repeated.parquet"
    long = pa.array(["x" * 10_000]).dictionary_encode()
    column = pa.DictionaryArray.from_arrays(np.zeros(1_100_000, np.int32), long.dictionary)
    parquet.write_table(pa.table({"text": column, "y": np.arange(1_100_000) % 2}), path)
    assert path.stat().st_size < 1_000_000
    assert TableFile(path).arrow()[0].nbytes < 50_000_000
    with pytest.raises(InputError, match="raise the limit with max_gb"):
        TableFile(path, max_gb=0.001).arrow()[0]


def test_cells_of_one_digit_count_as_the_numbers_that_they_become(tmp_path):
    path = tmp_path / "zeros.csv.gz"
    path.write_bytes(gzip.compress(b"a,b,y\n" + b"0,0,1\n" * 100_000))  # 0.6 MB of text, 2.4 MB of numbers
    with pytest.raises(InputError, match="raise the limit with max_gb"):
        TableFile(path, max_gb=0.001).arrow()[0]
    assert TableFile(path, max_gb=0.003).arrow()[0].num_rows == 100_000


@pytest.mark.parametrize("max_gb", [0, -1, "4", None, True, float("nan")])
def test_a_limit_is_a_positive_number(tmp_path, max_gb):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n0,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="max_gb must be a positive number"):
        Selections.read(path, max_gb=max_gb)


def test_a_json_file_may_not_claim_features_without_end(tmp_path):
    path = tmp_path / "runs.json"
    path.write_text(
        '{"schema": "steadyset.selections", "schema_version": 1, "n_features": 2147483647, "features": null, '
        '"labels": null, "runs": [[0], [1]]}',
        encoding="utf-8",
    )
    said = f"{path}: The file claims 2,147,483,647 features; if that is so, give n_features=2147483647."
    with pytest.raises(InputError) as refused:
        Selections.read(path)
    assert str(refused.value) == said
    path.write_text('[["a"], ["b"]]', encoding="utf-8")
    with pytest.raises(InputError, match="only 2 features have names"):
        Selections.read(path, n_features=2**31 - 1)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a,a\n1,0\n0,1\n", "two columns called 'a'"),
        (",a,a\na,1,0\na,0,1\n", "two columns called 'a'"),
        ("a\n", "has no rows"),
        ("a,b\n", "has no rows"),
        (",\n,\n,1", "has no rows"),
    ],
)
def test_tables_that_are_no_similarity_get_a_sentence(tmp_path, content, sentence):
    path = tmp_path / "similarity.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=sentence):
        FeatureSimilarity.read(path)


@pytest.mark.parametrize(
    "content",
    [
        "[[" + "1" * 5000 + "]]",
        '{"schema": "steadyset.selections", "schema_version": 1, "n_features": 3, "features": null, "labels": null, '
        '"runs": [[0]], "weights": [[1' + "0" * 400 + "]]}",
    ],
)
def test_numbers_beyond_all_bounds_get_a_sentence(tmp_path, content):
    path = tmp_path / "runs.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"thousands of digits|double precision"):
        Selections.read(path)


def wide_frame(n_rows: int = 7, d: int = WIDE + 50) -> pd.DataFrame:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        rng.normal(size=(n_rows, d)) * 10.0 ** rng.integers(-9, 9, d), columns=[f"g{i}" for i in range(d)]
    )
    frame["g3"] = [1, 2, 3, 4, 5, 6, 7]
    frame.loc[2, "g5"] = np.nan
    frame["class"] = ["a, b", 'c "d"', "é", "a, b", "x", "y", "z"]
    frame["y"] = [0, 1, 0, 1, 0, 1, 1]
    return frame


@pytest.mark.parametrize("options", [{}, {"quoting": 2}, {"lineterminator": "\r\n"}, {"na_rep": "NA"}])
@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.tsv"])
def test_a_wide_file_is_read_as_pandas_reads_it(tmp_path, name, options):
    frame, path = wide_frame(), tmp_path / name
    separator = "\t" if name.endswith("tsv") else ","
    frame.to_csv(path, index=False, sep=separator, **options)
    read = TableFile(path).columns(apart=["y"])
    exact = {} if int(pd.__version__.split(".")[0]) > 2 else {"float_precision": "round_trip"}  # the default since 3
    known = pd.read_csv(path, sep=separator, **exact)
    assert [read.names[f] for f in read.numeric] == [name for name in known if name not in ("class", "y")]
    np.testing.assert_array_equal(read.X, known.drop(columns=["class", "y"]).to_numpy(dtype=float))
    assert read.others[read.names.index("class")].to_pylist() == frame["class"].tolist()
    assert read.others[read.names.index("y")].to_pylist() == frame["y"].astype(str).tolist()


@pytest.mark.parametrize("others", [(), ("g0",), ("g7", "g8"), ("g0", "g7")])
def test_a_wide_file_may_end_with_a_missing_value(tmp_path, others):
    path, d = tmp_path / "x.csv", WIDE + 5
    frame = pd.DataFrame(np.arange(2.0 * d).reshape(2, d), columns=[f"g{f}" for f in range(d)])
    frame.iloc[-1, -1] = np.nan
    frame.to_csv(path, index=False)
    read = TableFile(path).columns(apart=others)
    np.testing.assert_array_equal(read.X, frame.drop(columns=list(others)).to_numpy())


@pytest.mark.slow  # buys: the memory of a process of its own
@needs_peak
def test_a_csv_file_of_very_many_columns_takes_little_more_than_its_names(tmp_path):
    """A name of 7 letters is 64 bytes in Python, and the file has 18 bytes per column, 2 MB pages are little of it."""

    def written(name, d):
        rows = [",".join(f"0.{10 + (7 * f + r) % 90}" for f in range(d)) + f",{label}" for r, label in enumerate("ab")]
        (tmp_path / name).write_text(
            "\n".join([",".join(f"g{f}" for f in range(d)) + ",y", *rows]) + "\n", encoding="utf-8"
        )
        return tmp_path / name

    script = f"{PEAK}\nimport sys\nfrom steadyset.io.data.data_table import load_data\nload_data(sys.argv[1], 'y')\n"
    script += "before = peak()\ndata = load_data(sys.argv[2], 'y')\nprint(peak() - before)\n"
    small, large = written("small.csv", 2 * WIDE), written("large.csv", 1_000_000)
    call = [sys.executable, "-c", script, str(small), str(large)]
    told = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert float(told) * 2**30 < 9.5 * large.stat().st_size


def test_a_wide_file_with_decimal_commas(tmp_path):
    frame, path = wide_frame().drop(columns="class"), tmp_path / "x.csv"
    frame.to_csv(path, index=False, sep=";", decimal=",")
    read = TableFile(path, ";").columns(apart=["y"])
    np.testing.assert_array_equal(read.X, frame.drop(columns="y").to_numpy())


def test_text_far_down_a_wide_file_is_still_told(tmp_path):
    frame, path = wide_frame().fillna(0), tmp_path / "x.csv"
    frame["g9"] = frame["g9"].astype(object)
    frame.loc[6, "g9"] = "12 kg"
    frame.drop(columns="class").to_csv(path, index=False)
    with pytest.raises(InputError, match="'g9' holds '12 kg'"):
        load_data(path, "y")


def test_wide_selections_are_read_as_narrow_ones_are(tmp_path):
    Z = np.random.default_rng(6).integers(0, 2, size=(4, WIDE + 5))
    frame = pd.DataFrame(Z, columns=[f"g{i}" for i in range(Z.shape[1])])
    path = tmp_path / "z.csv"
    frame.to_csv(path, index=False)
    assert Selections.read(path) == Selections.from_matrix(frame)
    frame.set_axis([f"run {i}" for i in range(4)]).to_csv(path)
    assert Selections.read(path) == Selections.from_matrix(frame, labels=[f"run {i}" for i in range(4)])
    np.savetxt(path, Z, fmt="%d", delimiter=",")
    assert Selections.read(path) == Selections.from_matrix(Z)


def test_columns_of_one_name_are_counted_and_dropped_together(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b,a,y,a\n1,2,3,0,5\n2,1,3,1,5\n3,2,1,1,4\n", encoding="utf-8")
    with pytest.raises(InputError, match="3 columns called 'a'"):
        load_data(path, "y")
    assert load_data(path, "y", drop=["a"]).features == ("b",)


def test_wide_parquet_is_read_as_arrow_reads_each_column(tmp_path):
    rng = np.random.default_rng(4)
    columns = {
        f"g.{f}": rng.normal(size=40).astype(rng.choice(["f4", "f8", "i2", "i8", "u8", "?"])) for f in range(WIDE)
    }
    columns |= {"g": np.arange(40.0), "gaps": [None, *range(39)], "nan": [None, *np.arange(39.0)], "y": ["a", "b"] * 20}
    table = pa.table(columns)
    parquet.write_table(table, tmp_path / "wide.parquet", row_group_size=15)
    read = TableFile(tmp_path / "wide.parquet").columns(apart=["g.7"])
    assert read.names == table.column_names
    assert sorted(read.others) == [7, WIDE + 3]
    assert read.others[WIDE + 3].to_pylist() == columns["y"]
    for place, f in enumerate(read.numeric):
        np.testing.assert_array_equal(read.X[:, place], table.column(int(f)).cast("float64", safe=False).to_numpy())
        kind = table.schema.field(int(f)).type
        assert read.whole[place] == (pa.types.is_integer(kind) and table.column_names[f] != "gaps")


READ_WIDE = (
    PEAK
    + """
import sys
from steadyset.io.data.data_table import load_data
load_data(sys.argv[1], "y")
before = peak()
load_data(sys.argv[2], "y")
print(peak() - before)
"""
)


@pytest.mark.slow  # buys: the memory of a process of its own
@needs_peak
def test_wide_parquet_takes_at_most_six_times_its_size(tmp_path):
    rng = np.random.default_rng(4)
    for name, d in (("small", 5), ("wide", 10_000)):
        frame = pd.DataFrame(rng.normal(size=(100, d))).set_axis([f"g{f}" for f in range(d)], axis=1)
        frame.assign(y=["a", "b"] * 50).to_parquet(tmp_path / f"{name}.parquet")
    wide = tmp_path / "wide.parquet"
    command = [sys.executable, "-c", READ_WIDE, str(tmp_path / "small.parquet"), str(wide)]
    gigabytes = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert gigabytes * 2**30 < 6 * wide.stat().st_size


def test_a_wide_similarity_is_read_like_a_narrow_one_within_the_limit(tmp_path):
    names = [f"g{f}" for f in range(WIDE + 1)]
    frame = pd.DataFrame(np.eye(len(names)), index=names, columns=names)
    frame.loc["g0", "g5"] = frame.loc["g5", "g0"] = 0.95
    frame.to_csv(tmp_path / "wide.csv")
    read = FeatureSimilarity.read(tmp_path / "wide.csv")
    assert read.features == tuple(names)
    assert read.neighbours.indices.tolist() == [5, 0]
    with pytest.raises(InputError, match=r"more than 0\.001 GB"):
        FeatureSimilarity.read(tmp_path / "wide.csv", max_gb=0.001)
    frame.iloc[::-1].to_csv(tmp_path / "turned.csv")
    with pytest.raises(InputError, match="Row 1 of C is called 'g1000' and its column 'g0'"):
        FeatureSimilarity.read(tmp_path / "turned.csv")


@pytest.mark.parametrize("open_", [Selections.read, Assessment.open], ids=["selections", "run folder"])
def test_a_name_that_no_disk_can_hold_is_refused(open_):
    with pytest.raises(InputError, match="path cannot be the name of a file"):
        open_("runs-\ud800")
