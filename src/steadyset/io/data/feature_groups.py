"""Groups of features, such as genes of one pathway: read from a table, and matched with the features of the data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.text import counted
from steadyset.io.data.readers import read_phenotypes
from steadyset.io.data.sources import as_written, close_name, is_known
from steadyset.io.disk import file_path
from steadyset.io.files import MAX_GB, File
from steadyset.io.labels import some_names
from steadyset.io.numbers import group_values
from steadyset.kernels.arrays import Ints

NAME, LABEL = "feature", "group"
MAX_COMPARED = 100_000  # names among which a similar name is searched


def read_feature_groups(path: str | Path, *, max_gb: float = MAX_GB) -> dict[str, str]:
    """Return the group of each feature that a table with the columns feature and group lists.

    A table with other headings has to have two columns, in this order.
    """
    file = File(file_path(path))
    table = read_phenotypes(file, sheet=None, max_gb=max_gb).columns
    headings = list(table)
    if not {NAME, LABEL} <= set(headings):
        if len(headings) != 2:
            raise InputError(
                f"{path} has the columns {some_names(headings)}. Expected a table with the columns {NAME} and {LABEL}."
            )
        table = dict(zip((NAME, LABEL), table.values(), strict=True))
    names, labels = (as_written(table[column]) for column in (NAME, LABEL))
    found: dict[str, str] = {}
    for row, (name, label) in enumerate(zip(names, labels, strict=True), 2):
        if not is_known(name) or not is_known(label):
            raise InputError(f"{path} has an empty cell in row {row}. Each row needs a {NAME} and its {LABEL}.")
        if found.get(name, label) != label:
            raise InputError(
                f"{path} has the feature {name!r} in the groups {found[name]!r} and {label!r}. A feature belongs to "
                "one group; leave one of the rows out."
            )
        found[name] = label
    return found


def check_feature_groups(given: Any, features: Sequence[str], left_out: Iterable[str] = ()) -> Ints | None:
    """Return the group of each feature as a number from 0, or None without groups.

    A mapping has to name every feature and no other column than those that were `left_out`.
    """
    if given is None:
        return None
    if not isinstance(given, Mapping):
        return _numbered(given, len(features))
    argument = Argument("feature_groups", of="Data")
    by_name = {str(name): label for name, label in given.items()}
    known = {*features, *left_out}
    unknown = [name for name in by_name if name not in known]
    if unknown:
        near = close_name(unknown[0], list(features)) if len(features) < MAX_COMPARED else None
        mean = f" Did you mean {near!r}?" if near else " Remove them from the groups, or correct their names."
        raise InputError(
            argument, f" has {counted(len(unknown), 'name')} that the data do not have: {some_names(unknown)}.{mean}"
        )
    missing = [name for name in features if name not in by_name]
    if missing:
        raise InputError(
            argument,
            f" has no group for {counted(len(missing), 'feature')}: {some_names(missing)}. Give each of them a group; "
            "a feature alone is a group of its own.",
        )
    return _numbered([by_name[name] for name in features], len(features))


def _numbered(labels: Any, n_features: int) -> Ints:
    checked = group_values(labels, n_features, what="feature_groups", each="feature")
    return np.unique(checked, return_inverse=True)[1].astype(np.int64)
