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
ITERATIVE = ("selectors/", "stability selection/", "assessments/", "tunings/", "approaches/", "features/shared")
QUANTILES = ("comparisons/", "planning/", "tables/", "tests/")
PARTS = sorted({name.split("/")[0] for name, _ in entries()})


def differences(before: Any, now: Any, tolerance: float, where: str = "") -> Iterator[str]:
    """Where two values differ, and by what; a column that was not there before is no difference."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key, value in before.items():
            yield from differences(value, now.get(key, "nothing"), tolerance, f"{where}[{key}]")
    elif isinstance(before, list) and isinstance(now, list):
        for i, (a, b) in enumerate(zip_longest(before, now, fillvalue="nothing")):
            yield from differences(a, b, tolerance, f"{where}[{i}]")
    elif type(before) is not type(now) or not _equal(before, now, tolerance):
        yield f"{where}: {before!r} is now {now!r}"


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
        if name.split("/")[0] != part:
            continue
        elsewhere = SOLVED if name.startswith(ITERATIVE) else QUANTILE if name.startswith(QUANTILES) else ROUNDING
        tolerance = 0.0 if here else elsewhere
        before = recorded["numbers"].get(name, "nothing")
        changed += [f"{name}{d}" for d in differences(before, computed(compute), tolerance)]
    again = f"python -m tests.golden.record --only '{part}/'"
    assert not changed, "\n".join(changed[:40]) + f"\n{len(changed)} numbers differ; if that is right: {again}"


def test_every_recorded_entry_is_still_computed() -> None:
    assert set(read()["numbers"]) == {name for name, _ in entries()}


def test_a_last_bit_counts_as_a_difference() -> None:
    assert list(differences({"a": [1.0]}, {"a": [1.0000000000000002]}, 0.0)) == [
        "[a][0]: 1.0 is now 1.0000000000000002"
    ]
    assert not list(differences({"a": [1.0]}, {"a": [1.0000000000000002]}, ROUNDING))
    assert list(differences([1, 2], [1], ROUNDING))
