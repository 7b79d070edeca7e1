"""The peak memory of a test's own process."""

import os

import pytest
from benchmarks.timing import PEAK

__all__ = ["PEAK", "needs_peak"]

needs_peak = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="peak memory is read from /proc")
