"""Files of AnnData: what its own versions wrote is read as anndata reads it; what is forged is not."""

import gzip
import json
import sys
import zlib
from pathlib import Path

import h5py
import numpy as np
import pytest

from steadyset.foundation.errors import InputError, MissingExtraError
from steadyset.io import files as limited_process
from steadyset.io.data.data_table import load_data
from steadyset.io.data.sources import Roles
from steadyset.io.files import File
from steadyset.io.formats import h5ad as hdf5_files
from steadyset.io.formats.h5ad import Frame, opened, read_h5ad

HERE = Path(__file__).parent / "h5ad"
TRUTH = json.loads((HERE / "truth.json").read_text(encoding="utf-8"))
FILES = sorted(TRUTH["obs"])


@pytest.fixture
def unpacked(tmp_path):
    def unpack(name):
        path = tmp_path / name
        path.write_bytes(gzip.decompress((HERE / f"{name}.gz").read_bytes()))
        return path

    return unpack


@pytest.mark.parametrize("name", FILES)
def test_values_and_names_are_those_that_anndata_reads(unpacked, name, monkeypatch):
    path = unpacked(name)
    for layer, values, names in ((None, "X", "names"), ("counts", "counts", "names"), ("raw", "raw", "raw_names")):
        if layer is not None:  # a process looks at the file first, for which once is enough
            monkeypatch.setattr(hdf5_files, "refuse_what_does_not_end", lambda *_: None)
        data = load_data(path, "state", groups="donor", layer=layer)
        assert data.X.tolist() == TRUTH[values]
        assert list(data.features) == TRUTH[names]
        assert list(data.rows) == TRUTH["rows"]
        assert data.y.tolist() == TRUTH["obs"][name]["state"]
        assert data.groups.tolist() == TRUTH["obs"][name]["donor"]


@pytest.mark.parametrize("name", FILES)
def test_every_column_of_obs_is_what_anndata_reads(unpacked, name, monkeypatch):
    monkeypatch.setattr(hdf5_files, "refuse_what_does_not_end", lambda *_: None)
    with opened(File(unpacked(name)), ["obs"], 1) as file:
        obs = Frame(file, file.file["obs"], "obs")
        assert {column: list(obs[column]) for column in obs} == TRUTH["obs"][name]


def test_raw_counts_are_named_and_left_alone(unpacked):
    path = unpacked("0.12-csr.h5ad")
    notes = load_data(path, "state", layer="counts").notes
    assert notes[0] == "values from 'layers/counts' in place of 'X'"
    assert "look like raw counts; they are used as they are" in notes[1]
    assert load_data(path, "state").notes == ()


def test_cells_whose_target_is_missing_are_left_out_and_told(unpacked):
    data = load_data(unpacked("0.12-csr.h5ad"), "maybe")
    assert len(data.y) == 18
    assert "left out: 6 samples without 'maybe'" in data.notes


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, r"give target.*'state' \(2 values\), 'donor' \(6 values\), .*'age' \(18 values\)"),
        ({"target": "State"}, "obs of .* has no column 'State'; did you mean 'state'?"),
        ({"target": "nothing"}, r"no column 'nothing'; candidates are 'state' \(2 values\)"),
        ({"target": "state", "layer": "norm"}, "has no layer 'norm'; it has 'counts', 'raw'"),
        ({"target": "state", "max_gb": 1e-6}, "more than 1e-06 GB"),
        ({"target": "state", "samples": "p.csv"}, "is an .h5ad file, for which samples means nothing"),
        ({"target": "state", "drop": ["GENE77"]}, "has no feature 'GENE77'"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(unpacked, options, sentence):
    with pytest.raises(InputError, match=sentence):
        load_data(unpacked("0.7-dense.h5ad"), **options)


def external(file):
    del file["X"]
    file["X"] = h5py.ExternalLink("/etc/hostname", "/")


def soft(file):
    del file["obs/age"]
    file["obs/age"] = h5py.SoftLink("/X/data")


def outside(file):
    del file["X"]
    zeros = Path(file.filename).with_name("zeros")
    zeros.write_bytes(bytes(24 * 10 * 8))
    file.create_dataset("X", (24, 10), "f8", external=[(str(zeros), 0, 24 * 10 * 8)])


def virtual(file):
    del file["X"]
    layout = h5py.VirtualLayout((24, 10), "f8")
    layout[:] = h5py.VirtualSource("elsewhere.h5", "X", (24, 10))
    file.create_virtual_dataset("X", layout)


def huge(file):
    for group, name in (("obs", "_index"), ("var", "_index")):
        del file[group][name]
        file[group].create_dataset(name, (10**9,), h5py.string_dtype(), chunks=(1,))


def plugin(file):
    del file["X"]
    create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    create.set_chunk((24, 10))
    create.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, ())
    space = h5py.h5s.create_simple((24, 10))
    h5py.h5d.create(file.id, b"X", h5py.h5t.IEEE_F64LE, space, create)


def pointing_outside(file):
    file["X/indices"][0] = 10


def falling(file):
    file["X/indptr"][3] = 0
    file["X/indptr"][2] = 9


def other_shape(file):
    del file["var/_index"]
    file["var"].create_dataset("_index", data=["a", "b"], dtype=h5py.string_dtype())


def no_category(file):
    file["obs/state/codes"][0] = 9


@pytest.mark.parametrize(
    ("forge", "sentence"),
    [
        (external, "keeps 'X' as a link, which is not followed"),
        (soft, "keeps 'age' as a link"),
        (outside, "keeps /X in other files, which are not read"),
        (virtual, "keeps /X in other files, which are not read"),
        (huge, "more than 8 GB"),
        (plugin, r"compressed by a plugin \(the HDF5 filter 32015\)"),
        (pointing_outside, "/X/indices points outside of the table"),
        (falling, "/X/indptr does not count 24 rows"),
        (other_shape, "is damaged, or not what its ending says"),
        (no_category, "points outside of its categories"),
    ],
)
def test_forged_files_are_one_sentence(unpacked, forge, sentence):
    path = unpacked("0.12-csr.h5ad")
    with h5py.File(path, "r+") as file:
        forge(file)
    with pytest.raises(InputError, match=sentence):
        load_data(path, "age" if forge is soft else "state")


@pytest.mark.parametrize("name", ["0.7-dense.h5ad", "0.12-csr.h5ad"])
def test_a_text_that_claims_to_be_longer_than_the_file_takes_no_memory(unpacked, name):
    path = unpacked(name)
    with h5py.File(path, "r+") as file:
        dataset = file["obs/_index"]
        if dataset.chunks is None:
            start = dataset.id.get_offset()
        else:
            _, block = dataset.id.read_direct_chunk((0,))
            forged = bytearray(zlib.decompress(block))
            forged[:4] = b"\xff\xff\xff\x7f"
            dataset.id.write_direct_chunk((0,), zlib.compress(bytes(forged)))
            start = None
    if start is not None:
        content = bytearray(path.read_bytes())
        content[start : start + 4] = b"\xff\xff\xff\x7f"
        path.write_bytes(bytes(content))
    with pytest.raises(InputError, match="/obs/_index has a text longer than the file"):
        load_data(path, "age")


def test_one_flipped_bit_over_which_the_library_loops_without_end_is_a_sentence(unpacked, monkeypatch):
    path = unpacked("0.7-dense.h5ad")
    content = bytearray(path.read_bytes())
    content[6169] = 8  # the size of an object in the heap of texts
    path.write_bytes(bytes(content))
    monkeypatch.setattr(limited_process, "SECONDS", 3)
    with pytest.raises(InputError, match="the HDF5 library does not return from it"):
        load_data(path, "state")


def test_many_references_to_one_long_text_are_counted_as_what_they_unfold_to(unpacked):
    path = unpacked("0.7-dense.h5ad")
    with h5py.File(path, "r+") as file:
        del file["obs/free"]
        file["obs"].create_dataset("free", data=["x" * 500_000] * 24, dtype=h5py.string_dtype())
        start = file["obs/free"].id.get_offset()
    content = bytearray(path.read_bytes())
    content[start : start + 16 * 24] = content[start : start + 16] * 24
    path.write_bytes(bytes(content))
    with pytest.raises(InputError, match=r"more than 0\.005 GB"):
        read_h5ad(File(path), Roles(("free",)), max_gb=0.005)


@pytest.mark.parametrize("content", [b"text", b"\x89HDF\r\n\x1a\n" + bytes(600)])
def test_what_is_no_hdf5_file_is_one_sentence(tmp_path, content):
    (tmp_path / "x.h5ad").write_bytes(content)
    with pytest.raises(InputError, match=r"x\.h5ad (is not an HDF5 file|cannot be read; it is damaged)"):
        load_data(tmp_path / "x.h5ad", "state")


def test_a_file_that_is_compressed_as_a_whole_says_so():
    with pytest.raises(InputError, match="compressed as a whole; unpack it first"):
        load_data(HERE / "0.7-csr.h5ad.gz", "state")


def test_a_file_before_version_0_7_says_what_to_do(tmp_path):
    with h5py.File(tmp_path / "x.h5ad", "w") as file:
        file["X"] = np.ones((2, 2))
        for name in ("obs", "var"):
            file[name] = np.zeros(2, dtype=[("index", "S2")])
    with pytest.raises(InputError, match=r"written by anndata before version 0\.7; open it there"):
        load_data(tmp_path / "x.h5ad", "state")


def test_without_h5py_the_sentence_says_what_to_install(unpacked, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(MissingExtraError, match=r'pip install "steadyset\[anndata\]"'):
        load_data(unpacked("0.7-csr.h5ad"), "state")


def test_repeated_names_of_genes_are_numbered_as_r_does_it(unpacked):
    path = unpacked("0.12-dense.h5ad")
    with h5py.File(path, "r+") as file:
        file["var/_index"][:4] = ["TP53", "TP53", "TP53.1", "2-Sep"]
    data = load_data(path, "state")
    assert data.features[:4] == ("TP53", "TP53.2", "TP53.1", "2-Sep")
    assert data.notes[0].startswith("1 name occurs more than once ('TP53'); all are kept, numbered")
    assert data.notes[1].startswith("1 name is a date ('2-Sep' among the features)")
