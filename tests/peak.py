"""The peak memory of a test's own process. (ru_maxrss would start at the memory of the process that started it.)"""

import os

import pytest

PEAK = """
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024**2
"""

needs_peak = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="peak memory is read from /proc")
