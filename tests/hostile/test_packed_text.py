"""Packed text that unfolds to far more than its size: refused before, or as soon as it is seen."""

import gzip

import pytest

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.io.formats import csv_files

BOMBS = {
    "a line without an end": ("x.csv.gz", b"x,y\n" + b"1" * 5_000_000),
    "lists of one name": ("x.txt.gz", b"gene1\n" * 1_000_000),
    "a series matrix of remarks": (
        "x_series_matrix.txt.gz",
        b'!Series_title\t"x"\n!Sample_geo_accession\t"a"\t"b"\n' + b'!Sample_x\t"a"\t"b"\n' * 300_000,
    ),
}


@pytest.mark.parametrize("what", BOMBS)
@pytest.mark.parametrize("lying", [False, True])
@pytest.mark.parametrize("read", [lambda path: st.load_data(path, "y"), st.Selections.read, st.inspect])
def test_packed_text_is_refused_by_what_comes_out_of_it(tmp_path, monkeypatch, what, lying, read):
    """Also where its last bytes tell a length that is not true."""
    monkeypatch.setattr(csv_files, "UNPACKED", 1 << 20)
    name, content = BOMBS[what]
    packed = gzip.compress(content, mtime=0)
    (tmp_path / name).write_bytes(packed[:-4] + b"\x09\0\0\0" if lying else packed)
    with pytest.raises(InputError, match=r"damaged or forged\. If you trust it, unpack it"):
        read(tmp_path / name)


def test_honest_packed_text_is_read(tmp_path):
    rows = "\n".join(f"{i % 2},{i},{i * 7 % 11}" for i in range(200))
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(f"y,a,b\n{rows}\n".encode()))
    assert st.load_data(tmp_path / "x.csv.gz", "y").X.shape == (200, 2)


def test_a_long_line_below_the_first_is_refused_before_it_is_read_to_its_end(tmp_path):
    file = tmp_path / "x.csv"
    file.write_bytes(b"x,y\n" + b"1" * 40_000_000)
    with pytest.raises(InputError, match=r"would take more than 0\.05 GB"):
        st.load_data(file, "y", max_gb=0.05)
