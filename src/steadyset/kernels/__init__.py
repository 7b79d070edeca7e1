"""Compiled functions on plain arrays: no classes, no names, no files."""
