"""Examples in docstrings leave the catalogues as they found them."""

from collections.abc import Iterator
from typing import Any

import pytest

from steadyset.resampling.by_name import RESAMPLINGS
from steadyset.selectors.ensembles.rules import RULES
from steadyset.selectors.filters.registry import _filters
from steadyset.selectors.known import MODELS

collect_ignore = ["conftest.py"]  # it has no examples, and another one has its name
CATALOGUES: tuple[dict[str, Any], ...] = (RESAMPLINGS, RULES, _filters, MODELS)


@pytest.fixture(autouse=True)
def catalogues_as_before() -> Iterator[None]:
    before = [dict(catalogue) for catalogue in CATALOGUES]
    yield
    for catalogue, entries in zip(CATALOGUES, before, strict=True):
        catalogue.clear()
        catalogue.update(entries)
