"""Elastic-net paths of many weight vectors at once: moments, screening, the factor, the active set, the levels."""
