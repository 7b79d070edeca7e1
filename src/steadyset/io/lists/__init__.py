"""Layouts of recorded selections: from tables and lists to entries, and back to files."""
