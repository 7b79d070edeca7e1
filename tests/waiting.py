"""Waiting for what another thread or process does, without a guess of how long that takes."""

import time


def until(holds, works=lambda: True, seconds=600, pause=0.01):
    """Wait until something holds; fail as soon as who works on it has ended without, or the time is over."""
    end = time.monotonic() + seconds
    while True:
        working = works()  # before the look: what it did last counts
        if holds():
            return
        assert working, "who was waited for has ended"
        assert time.monotonic() < end, f"waited for {seconds} seconds"
        time.sleep(pause)
