"""The measures of stability: one object per family, one record per measure."""

from steadyset.measures.adjusted import Adjusted, Effective
from steadyset.measures.advice import which_measure as which_measure
from steadyset.measures.evaluate import Family as Family
from steadyset.measures.evaluate import stability as stability
from steadyset.measures.frequency import Frequency, Patterns
from steadyset.measures.pairwise import Pairwise
from steadyset.measures.record import Measure as Measure
from steadyset.measures.record import all_measures as all_measures
from steadyset.measures.record import get_measure as get_measure
from steadyset.measures.record import register_family as register_family
from steadyset.measures.weights import Rankings, Weights

# The order here is the order of the catalogue.
for _family in (Frequency(), Patterns(), Pairwise(), Adjusted(), Effective(), Weights(), Rankings()):
    register_family(_family)
