"""Tuning: configurations that are accurate, steady and small, and the choice of one of them."""

from steadyset.tuning.choose import front_probability, pareto_front
from steadyset.tuning.models import FilteredModel
from steadyset.tuning.result import Trials, Tuning
from steadyset.tuning.space import Space
from steadyset.tuning.tuner import SearchOptions, tune

__all__ = ["FilteredModel", "SearchOptions", "Space", "Trials", "Tuning", "front_probability", "pareto_front", "tune"]
