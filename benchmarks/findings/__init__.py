"""What tuning for stability too is good for, at the sizes of the papers: `python -m benchmarks.findings`."""
