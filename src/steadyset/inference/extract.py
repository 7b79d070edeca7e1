"""A small extract of the data that a result keeps, as plain data: what findings and pictures read of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Extract:
    """The values of a few features, with the target of the same rows; no names of rows.

    Attributes
    ----------
    features : the names
    values : one tuple per feature, in the order of the rows; nan where a value is missing
    labels : the class of each row; empty where the target has no classes
    numbers : the target of each row where it has none
    n_rows : how many rows the data has, of which these may be a random part
    """

    features: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    labels: tuple[str, ...]
    numbers: tuple[float, ...]
    n_rows: int

    def __post_init__(self) -> None:
        rows = {len(self.labels) or len(self.numbers), *map(len, self.values)}
        if len(self.values) != len(self.features) or len(rows) > 1 or not self.n_rows >= max(rows):
            raise ValueError("its features, values and rows do not fit each other")
