"""The array types that kernels take and return."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Int = int | np.signedinteger[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Numbers = NDArray[np.uint32]  # places in other arrays: unsigned, so that numba does not look for negative ones
