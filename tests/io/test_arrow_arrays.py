"""Arrow tables out of rows are those that pyarrow makes, and need no pandas."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from steadyset.io.formats.columns import arrow_array, arrow_table

SCHEMA = pa.schema(
    [
        ("count", pa.int32()),
        ("known", pa.bool_()),
        ("sign", pa.int8()),
        ("value", pa.float64()),
        ("text", pa.string()),
        ("numbers", pa.list_(pa.int64())),
        ("texts", pa.list_(pa.string())),
        ("scores", pa.map_(pa.string(), pa.float64())),
    ],
    metadata={"kind": "example"},
)
FULL = {
    "count": -3,
    "known": True,
    "sign": -1,
    "value": 0.1,
    "text": "Müller 基因",
    "numbers": [1, 2**40],
    "texts": ["", "b"],
    "scores": [("auc", 0.5), ("r2", -1.0)],
}
EMPTY = {
    "count": 0,
    "known": False,
    "sign": 0,
    "value": float("inf"),
    "text": "",
    "numbers": [],
    "texts": [],
    "scores": [],
}
MISSING = dict.fromkeys(FULL)


@pytest.mark.parametrize("rows", [[], [FULL], [EMPTY, FULL], [MISSING], [FULL, MISSING, EMPTY] * 7])
def test_rows_become_the_table_that_pyarrow_makes_of_them(rows):
    table = arrow_table(rows, SCHEMA)
    table.validate(full=True)
    assert table.equals(pa.Table.from_pylist(rows, schema=SCHEMA), check_metadata=True)


def test_a_number_that_is_not_one_is_not_missing():
    table = arrow_table([{"value": float("nan")}, {"value": None}], pa.schema([("value", pa.float64())]))
    assert table["value"].null_count == 1
    assert str(table["value"][0]) == "nan"


@pytest.mark.parametrize("row", [{"count": 2**31}, {"count": "many"}, {"text": "\ud800"}, {"numbers": [2**63]}])
def test_what_a_column_cannot_hold_is_refused(row):
    with pytest.raises((OverflowError, ValueError)):
        arrow_table([FULL | row], SCHEMA)


def test_writing_cells_does_not_import_pandas():
    code = "\n".join(
        [
            "import sys",
            "from steadyset.cli.lean_start import import_scikit_learn",
            "import_scikit_learn()",
            "from steadyset.assessment.written import cells_parquet",
            "from steadyset.runner.run import Cell",
            "assert cells_parquet([Cell(0, 0, 'bootstrap:1', (0, 2), (0.5, 1.0), {'auc': 0.5})])[:4] == b'PAR1'",
            "assert 'pandas' not in sys.modules",
        ]
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_column_of_a_matrix_is_the_array_of_its_numbers():
    pairs = np.array([[0, 3], [1, 4], [2, 5]])
    assert arrow_array(pairs[:, 1], pa.int32()) == pa.array([3, 4, 5], pa.int32())
