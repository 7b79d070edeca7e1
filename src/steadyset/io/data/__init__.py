"""From a table to X, y and groups."""
