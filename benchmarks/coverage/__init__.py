"""Do the intervals hold? Coverage, width, size and power, by simulation: `python -m benchmarks.coverage`."""
