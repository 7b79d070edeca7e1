"""The properties of a certificate by name; the docstring of each is its definition."""

from __future__ import annotations

import inspect
from collections.abc import Callable

from steadyset.certificates.adjusted import adjusted, adjusted_monotone
from steadyset.certificates.certificate import Verdict
from steadyset.certificates.evidence import Evidence
from steadyset.certificates.extremes import (
    bounded,
    defined_at_limits,
    extremes,
    fully_defined,
    identical_is_maximal,
    maximal_is_identical,
    maximum,
    maximum_for_equal_sizes,
)
from steadyset.certificates.order import monotone, monotone_in_total, symmetric
from steadyset.certificates.random_selection import corrected, corrected_for_equal_sizes

PROPERTIES: dict[str, Callable[[Evidence], Verdict]] = {
    check.__name__: check
    for check in (
        fully_defined,
        defined_at_limits,
        monotone,
        monotone_in_total,
        bounded,
        maximum,
        identical_is_maximal,
        maximal_is_identical,
        maximum_for_equal_sizes,
        extremes,
        corrected,
        corrected_for_equal_sizes,
        adjusted,
        adjusted_monotone,
        symmetric,
    )
}


def definition(name: str) -> str:
    """What a property says, as it is computed."""
    return " ".join((inspect.getdoc(PROPERTIES[name]) or "").split())
