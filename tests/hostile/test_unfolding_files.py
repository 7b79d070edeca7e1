"""Small files that claim or unfold to much: refused, with memory and time that follow the size of the file."""

import resource
import time

import pytest
from tests.hostile import made

import steadyset as st
from steadyset.cli import run
from steadyset.foundation.errors import InputError

pytestmark = pytest.mark.posix
FILES = {
    "feather": (made.unfolding_feather, {"max_gb": 0.05}),
    "parquet": (made.unfolding_parquet, {"max_gb": 0.05}),
    "xls": (made.sparse_workbook, {}),
    "h5ad": (made.looping_h5ad, {}),
}


@pytest.mark.parametrize("ending", FILES)
def test_a_small_file_that_unfolds_is_refused_before_it_is_read(tmp_path, ending):
    make, options = FILES[ending]
    path = make(tmp_path / f"gift.{ending}")
    before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    with pytest.raises(InputError, match=r"GB of memory|than its size allows|does not return from it"):
        st.load_data(path, "y", **options)
    assert time.monotonic() - begin < 30
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 << 10  # kilobytes
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 2 << 20


def test_the_command_and_the_page_refuse_it_too(tmp_path, client, folder, capsys):
    path = made.sparse_workbook(folder / "gift.xls")
    assert run(["assess", str(path), "--target", "y", "--out", str(tmp_path / "runs")]) == 2
    assert "than its size allows" in capsys.readouterr().err
    page = client.get("/data", params={"file": "gift.xls"})
    assert (page.status_code, "than its size allows" in page.text) == (200, True)


def test_an_honest_file_of_each_kind_is_read(tmp_path):
    data = st.load_data(made.feather_of(tmp_path / "x.feather"), "y")
    assert data.X.shape == (4, 1)
