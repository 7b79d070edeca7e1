"""One estimator on one resample: seed, prepare, fit, what it selected, its scores, warnings, what went wrong.

assess and tune both call `run.compute`, for the fits on all rows too;
nothing else fits an estimator to a resample.
"""
