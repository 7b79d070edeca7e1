"""Sums that filters make their scores of, under many resamples at once."""
