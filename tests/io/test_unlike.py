"""What wide tables hold beside measurements: targets of few whole numbers, clinical columns, rows without a target."""

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.io.data.sources import unlike_columns

ROWS, GENES = 40, 300


def genes(seed=0):
    names = [f"g{i}" for i in range(GENES)]
    return pd.DataFrame(np.random.default_rng(seed).normal(7, 1, (ROWS, GENES)), columns=names)


def test_classes_that_are_numbers_are_found_behind_hundreds_of_columns(tmp_path):
    table = genes().assign(sick=np.arange(ROWS) % 2, grade=1 + np.arange(ROWS) % 4)
    table.to_csv(tmp_path / "x.csv", index=False)
    assert st.inspect(tmp_path / "x.csv").targets == {"sick": 2, "grade": 4}


def test_genotypes_are_no_targets_since_every_column_would_be_one(tmp_path):
    table = pd.DataFrame(np.random.default_rng(0).integers(0, 3, (ROWS, 500)), columns=[f"s{i}" for i in range(500)])
    table.to_csv(tmp_path / "x.csv", index=False)
    assert "s499" not in st.inspect(tmp_path / "x.csv").targets


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("x", np.arange(ROWS) + 20),  # whole numbers among fractions
        ("y", 1000 * np.random.default_rng(1).normal(size=ROWS)),  # another magnitude
        ("age", np.random.default_rng(2).normal(7, 1, ROWS)),  # called like no gene
    ],
)
def test_a_column_of_another_kind_is_pointed_out(name, values):
    table = genes().assign(**{name: values})
    assert unlike_columns(table.to_numpy(float), list(table.columns)) == [GENES]


@pytest.mark.parametrize("scale", [lambda X: X, np.exp, np.round, lambda X: X > 7])
def test_among_columns_of_one_kind_nothing_is_pointed_out(scale):
    table = scale(genes())
    assert unlike_columns(table.to_numpy(float), list(table.columns)) == []


def test_rows_without_a_target_are_left_out_where_that_is_asked(tmp_path):
    table = genes().assign(state=["", "", *["ill", "well"] * (ROWS // 2 - 1)])
    table.to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(InputError, match="is missing in 2 rows; remove them, or leave out with known_only=True"):
        st.load_data(tmp_path / "x.csv", "state")
    data = st.load_data(tmp_path / "x.csv", "state", known_only=True)
    assert (data.X.shape, data.notes) == ((ROWS - 2, GENES), ("left out: 2 samples without 'state'",))
