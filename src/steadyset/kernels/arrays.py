"""The types of arrays, under one name each; the whole package takes them from here."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Int = int | np.signedinteger[Any]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]  # levels of a feature, where they are few
Singles = NDArray[np.float32]  # where half the digits do, and twice the speed counts
Codes = NDArray[np.int32]  # levels of a feature, nodes of a tree
Places = NDArray[np.int32]  # features, where many pairs of them are kept
Numbers = NDArray[np.uint32]  # places in other arrays: unsigned, so that numba does not look for negative ones
Words = NDArray[np.uint64]  # 64 bits each
