"""How benchmarks take time and memory: processor time, medians, samples of what would take hours, and the peak."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from typing import Any

# The peak memory in GB of the process that runs this text. (ru_maxrss would start at that of the process before it.)
PEAK = """
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024**2
"""


def median_seconds(call: Callable[[], Any], repeats: int = 5) -> float:
    """The median processor time of some calls, after one that is not counted."""
    call()
    return statistics.median(seconds(call) for _ in range(repeats))


def medians_in_turns(*calls: Callable[[], Any], repeats: int) -> list[float]:
    """The median processor time of each call; they take turns, so that a machine that slows down slows all of them."""
    for call in calls:
        call()
    taken = [[seconds(call) for call in calls] for _ in range(repeats)]
    return [statistics.median(times) for times in zip(*taken, strict=True)]


def seconds(call: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    """The processor time of one call; on a machine with other work it is the better guide than the wall clock."""
    start = clock()
    call()
    return clock() - start


def scaled_seconds(step: Callable[[Any], Any], items: Iterable[Any], total: int, box: float = 2.0) -> tuple[float, int]:
    """The time of `total` steps, from as many as fit into `box` seconds: (scaled seconds, how many were run)."""
    n = 0
    start = time.process_time()
    for item in items:
        step(item)
        n += 1
        if n % 64 == 0 and time.process_time() - start > box:
            break
    return (time.process_time() - start) * total / n, n
