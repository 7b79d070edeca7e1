"""The families that steadyset brings, one object each; the order here is the order of the catalogue."""

from steadyset.measures.adjusted.family import Adjusted
from steadyset.measures.families.effective import Effective
from steadyset.measures.families.frequency import Frequency
from steadyset.measures.families.pairwise import Pairwise
from steadyset.measures.families.patterns import Patterns
from steadyset.measures.families.rows import Rankings, Weights
from steadyset.measures.record import register_family

for _family in (Frequency(), Patterns(), Pairwise(), Adjusted(), Effective(), Weights(), Rankings()):
    register_family(_family)
