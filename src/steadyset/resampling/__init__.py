"""How the training sets of the runs are drawn."""

from steadyset.resampling.base import RESAMPLINGS as RESAMPLINGS
from steadyset.resampling.base import Resample as Resample
from steadyset.resampling.base import Resampling as Resampling
from steadyset.resampling.base import Rows as Rows
from steadyset.resampling.base import Splits as Splits
from steadyset.resampling.base import as_resampling as as_resampling
from steadyset.resampling.base import list_resamplings as list_resamplings
from steadyset.resampling.base import register_resampling as register_resampling
from steadyset.resampling.base import resampling_by_name as resampling_by_name
from steadyset.resampling.base import resampling_entry as resampling_entry
from steadyset.resampling.base import why_bound as why_bound
from steadyset.resampling.drawn import Bootstrap as Bootstrap
from steadyset.resampling.drawn import Chunks as Chunks
from steadyset.resampling.drawn import ComplementaryPairs as ComplementaryPairs
from steadyset.resampling.drawn import FixedOverlap as FixedOverlap
from steadyset.resampling.drawn import KFold as KFold
from steadyset.resampling.drawn import LeaveOut as LeaveOut
from steadyset.resampling.drawn import NoiseInjection as NoiseInjection
from steadyset.resampling.drawn import Subsample as Subsample

RESAMPLINGS.import_own(__name__, __path__)
