"""Arrow arrays out of Python values; the way of pyarrow itself imports pandas, which takes longer than all the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

NUMPY_NAMES = {"double": "float64", "float": "float32"}  # asking pyarrow imports pandas in many of its versions


def arrow_table(rows: Sequence[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as a table; a value that is None is missing."""
    import pyarrow as pa

    columns = [arrow_array([row[field.name] for row in rows], field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def arrow_array(values: Sequence[Any] | NDArray[Any], kind: pa.DataType) -> pa.Array:
    """Numbers, texts, lists, or maps given as pairs; a value that is None is missing."""
    import pyarrow as pa

    if isinstance(values, np.ndarray):
        numbers = np.ascontiguousarray(values, dtype=_numpy_name(kind))
        return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(numbers)])
    known = np.array([value is not None for value in values], dtype=np.bool_)
    present = None if known.all() else pa.py_buffer(np.packbits(known, bitorder="little"))
    if pa.types.is_string(kind):
        texts = [b"" if value is None else value.encode() for value in values]
        buffers = [present, _ends(map(len, texts)), pa.py_buffer(b"".join(texts))]
        return pa.Array.from_buffers(kind, len(values), buffers)
    if pa.types.is_list(kind) or pa.types.is_map(kind):
        lists = [() if value is None else value for value in values]
        parts = [part for one in lists for part in one]
        inner = _pairs(parts, kind) if pa.types.is_map(kind) else arrow_array(parts, kind.value_type)
        return pa.Array.from_buffers(kind, len(values), [present, _ends(map(len, lists))], children=[inner])
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return pa.array(values, kind)
    numbers = np.array([0 if value is None else value for value in values], dtype=_numpy_name(kind))
    return pa.Array.from_buffers(kind, len(values), [present, pa.py_buffer(numbers)])


def _numpy_name(kind: pa.DataType) -> str:
    return NUMPY_NAMES.get(str(kind), str(kind))


def _pairs(pairs: Sequence[tuple[Any, Any]], kind: pa.MapType) -> pa.Array:
    import pyarrow as pa

    keys = arrow_array([key for key, _ in pairs], kind.key_type)
    items = arrow_array([item for _, item in pairs], kind.item_type)
    fields = pa.struct([kind.key_field, kind.item_field])
    return pa.Array.from_buffers(fields, len(pairs), [None], children=[keys, items])


def _ends(lengths: Iterable[int]) -> pa.Buffer:
    """Where each of the parts ends that lie one after the other."""
    import pyarrow as pa

    ends = np.cumsum([0, *lengths], dtype=np.int64)
    if ends[-1] > np.iinfo(np.int32).max:
        raise OverflowError(f"{ends[-1]} values are more than one column of lists or texts can hold")
    return pa.py_buffer(ends.astype(np.int32))
