"""Make a counter-example small: leave out runs, features and members as long as it stays one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from steadyset.kernels.arrays import Ints

Case = tuple[Ints, ...]


def shrink(case: Case, breaks: Callable[[Case], bool]) -> Case:
    """The case (0/1 tables of one shape) after every step that leaves something out and still breaks the property."""
    smaller: Case | None = case
    while smaller is not None:
        case = smaller
        smaller = next((step for step in _steps(case) if _is_proper(step) and breaks(step)), None)
    return tuple(_tidy(table) for table in case)


def _steps(case: Case) -> Iterator[Case]:
    """Without one run; without one feature; without one member. Tables may differ in which feature they lose."""
    M, d = case[0].shape
    if M > 2:
        for i in range(M):
            yield tuple(np.delete(table, i, axis=0) for table in case)
    for features in product(range(d), repeat=len(case)):
        yield tuple(np.delete(table, f, axis=1) for table, f in zip(case, features, strict=True))
    for i in range(M):
        for features in product(*(np.flatnonzero(table[i]).tolist() for table in case)):
            yield tuple(_without(table, i, f) for table, f in zip(case, features, strict=True))


def _without(table: Ints, i: int, f: int) -> Ints:
    changed = table.copy()
    changed[i, f] = 0
    return changed


def _is_proper(case: Case) -> bool:
    return all(0 < k < table.shape[1] for table in case for k in table.sum(axis=1))


def _tidy(table: Ints) -> Ints:
    """Features in the order of who selects them, so that the sets read from the left."""
    return table[:, np.lexsort(1 - table[::-1])]
