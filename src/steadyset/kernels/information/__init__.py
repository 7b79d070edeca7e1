"""Bins of features, and tables of what they tell about each other."""
