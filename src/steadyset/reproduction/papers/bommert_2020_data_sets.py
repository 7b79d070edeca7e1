"""Bommert (2020), chapter 4: the data sets and how many similar features they have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from steadyset.kernels.arrays import Floats
from steadyset.reproduction import DataSet, Row, Run, item
from steadyset.similarity import FeatureSimilarity

PAPER = "bommert-2020"
DATA_SETS = (
    *("sonar", "kc1-binary", "tecator", "har", "gina_agnostic", "dilbert"),
    *("lsvt", "christensen", "gravier", "eating", "arcene", "chiaretti"),
)
THRESHOLD = 0.9


def values_of(data: DataSet) -> tuple[Floats, Any]:
    """The features as numbers, and the classes."""
    return data.X.to_numpy(dtype=np.float64), data.y.to_numpy()


def chosen_sets(run: Run, small: Sequence[str]) -> list[str]:
    """The data sets at hand, in the fast version the small ones; where there is none, its absence ends the item."""
    names = [name for name in run.at_hand() if run.full or name in small]
    if not names:
        run.data(small[0])
    return names


@item(PAPER, "table-4.1", data=DATA_SETS, core=True, seconds=5)
def table_4_1(run: Run) -> Iterator[Row]:
    """Size, share of the larger class, and similar features of each data set at hand."""
    for name in run.at_hand():
        data = run.data(name)
        similarity = FeatureSimilarity.from_data(data.X, threshold=THRESHOLD)
        ours = {
            "p": float(data.X.shape[1]),
            "n": float(len(data.X)),
            "PP": float(data.y.value_counts(normalize=True).iloc[0]),
            "MHCF": len(similarity.neighbours.indices) / data.X.shape[1],
        }
        for column, value in ours.items():
            yield run.row(run.published.cell(name, column), value)
