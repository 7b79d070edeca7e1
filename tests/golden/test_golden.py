"""Every recorded number again: to the last bit where the machine is the one of the record, else to what it can promise.

On another processor or with other libraries LLVM, BLAS and libm may round otherwise (fused multiplications, the order
of sums), so floats are then compared by a relative tolerance, a wider one where a solver stops by a tolerance of its
own. Sets, ranks, rows and counts are equal everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import pytest
from tests.golden.entries import computed, entries
from tests.golden.record import machine, read

ROUNDING = 1e-12
QUANTILE = 1e-9  # where scipy gives a quantile: its versions agree to about 1e-10
SOLVED = 1e-6  # where iterations stop when they change less than a tolerance
ITERATIVE = ("selectors/", "stability selection/", "assessments/", "tunings/", "features/shared")
QUANTILES = ("comparisons/", "planning/", "tables/", "tests/")
LONG = ("approaches", "certificates")  # parts that take seconds, and whose pieces other tests hold
PARTS = [
    pytest.param(part, marks=[pytest.mark.slow] if part in LONG else [])
    for part in sorted({name.split("/")[0] for name, _ in entries()})
]


def differences(before: Any, now: Any, tolerance: float, where: str = "") -> Iterator[str]:
    """Where two values differ, and by what; a column or a named row that was not there before is none."""
    if _has_named_rows(before) and _has_named_rows(now):
        before, now = _by_row(before), _by_row(now)
    if isinstance(before, dict) and isinstance(now, dict):
        for key, value in before.items():
            yield from differences(value, now.get(key, "nothing"), tolerance, f"{where}[{key}]")
    elif isinstance(before, list) and isinstance(now, list):
        for i, (a, b) in enumerate(zip_longest(before, now, fillvalue="nothing")):
            yield from differences(a, b, tolerance, f"{where}[{i}]")
    elif type(before) is not type(now) or not _equal(before, now, tolerance):
        yield f"{where}: {before!r} is now {now!r}"


def _has_named_rows(value: Any) -> bool:
    """Whether it is a table whose rows have names, such as one of measures, which a new measure adds a row to."""
    index = value.get("index") if isinstance(value, dict) else None
    return bool(index) and all(isinstance(name, str) for name in index) and len(set(index)) == len(index)


def _by_row(table: dict[str, Any]) -> dict[str, Any]:
    columns = [name for name in table if name != "index"]
    return {row: {name: table[name][i] for name in columns} for i, row in enumerate(table["index"])}


def _equal(before: Any, now: Any, tolerance: float) -> bool:
    if isinstance(before, float) and tolerance:
        return abs(before - now) <= tolerance * max(abs(before), abs(now), 1.0)
    return bool(before == now)


@pytest.mark.parametrize("part", PARTS)
def test_numbers_are_those_recorded(part: str) -> None:
    recorded = read()
    here = machine() == recorded["machine"]
    changed = []
    for name, compute in entries():
        if name.split("/")[0] != part or name not in recorded["numbers"]:  # new, so there is nothing to compare with
            continue
        elsewhere = SOLVED if name.startswith(ITERATIVE) else QUANTILE if name.startswith(QUANTILES) else ROUNDING
        tolerance = 0.0 if here else elsewhere
        before = recorded["numbers"][name]
        changed += [f"{name}{d}" for d in differences(before, computed(compute), tolerance)]
    again = f"python -m tests.golden.record --only '{part}/'"
    assert not changed, "\n".join(changed[:40]) + f"\n{len(changed)} numbers differ; if that is right: {again}"


def test_every_recorded_entry_is_still_computed() -> None:
    assert set(read()["numbers"]) <= {name for name, _ in entries()}


def test_a_last_bit_counts_as_a_difference() -> None:
    assert list(differences({"a": [1.0]}, {"a": [1.0000000000000002]}, 0.0)) == [
        "[a][0]: 1.0 is now 1.0000000000000002"
    ]
    assert not list(differences({"a": [1.0]}, {"a": [1.0000000000000002]}, ROUNDING))
    assert list(differences([1, 2], [1], ROUNDING))


def test_a_new_row_of_a_table_is_no_difference_and_a_missing_one_is() -> None:
    before, now = {"index": ["a", "c"], "value": [1.0, 3.0]}, {"index": ["a", "b", "c"], "value": [1.0, 2.0, 3.0]}
    assert not list(differences(before, now, 0.0))
    assert list(differences(now, before, 0.0)) == ["[b]: {'value': 2.0} is now 'nothing'"]
    assert list(differences(before, now | {"value": [1.0, 2.0, 4.0]}, 0.0)) == ["[c][value]: 3.0 is now 4.0"]
