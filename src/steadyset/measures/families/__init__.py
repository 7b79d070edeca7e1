"""The families that steadyset brings, one object each; the order here is the order of the catalogue."""

from steadyset.measures.adjusted.adjusted_family import Adjusted
from steadyset.measures.families.effective_family import Effective
from steadyset.measures.families.frequency_family import Frequency
from steadyset.measures.families.pairwise_family import Pairwise
from steadyset.measures.families.patterns_family import Patterns
from steadyset.measures.families.rows_family import Rankings, Weights
from steadyset.measures.record import register_family

for _family in (Frequency(), Patterns(), Pairwise(), Adjusted(), Effective(), Weights(), Rankings()):
    register_family(_family)
