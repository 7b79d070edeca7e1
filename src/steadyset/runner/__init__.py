"""One estimator on one resample: seed, prepare, fit, what it selected, its scores, warnings, what went wrong.

assess and tune both call `compute_cells`, for the fits on all rows too (`all_rows`);
nothing else fits an estimator to a resample.
"""
