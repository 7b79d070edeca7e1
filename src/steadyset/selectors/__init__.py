"""Selectors: scikit-learn estimators that choose features and take weights instead of copied rows."""

from steadyset.selectors.filters import FilterSelector

__all__ = ["FilterSelector"]
