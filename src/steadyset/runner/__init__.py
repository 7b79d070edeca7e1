"""One estimator on one resample: seed, prepare, fit, what it selected, its scores, warnings, what went wrong."""
