"""Ensembles of selections: stability selection with its error bounds, and the aggregation of many runs into one set."""

from steadyset.selectors.ensembles.rules import RULES
from steadyset.selectors.ensembles.rules import Reading as Reading
from steadyset.selectors.ensembles.stability_selection import StabilitySelection as StabilitySelection

RULES.import_own(__name__, __path__)
