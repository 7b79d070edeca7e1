"""Side-by-side timings: each module has `rows()`, and `python -m benchmarks` writes docs/performance.md."""
