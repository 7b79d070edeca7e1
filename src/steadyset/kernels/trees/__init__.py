"""Trees of random forests."""
