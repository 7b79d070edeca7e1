"""Tuning: configurations that are accurate, steady and small, and the choice of one of them."""

from steadyset.tuning.choice import (
    best_accuracy,
    epsilon_constraint,
    front_probability,
    harmonic_mean,
    knee,
    one_standard_error,
    pa_best,
    pareto_front,
    weighted_sum,
)
from steadyset.tuning.filtered import FilteredModel
from steadyset.tuning.outcome import Tuning
from steadyset.tuning.space import Space
from steadyset.tuning.trials import Trials, check_rule
from steadyset.tuning.tuner import tune

__all__ = [
    "FilteredModel",
    "Space",
    "Trials",
    "Tuning",
    "best_accuracy",
    "check_rule",
    "epsilon_constraint",
    "front_probability",
    "harmonic_mean",
    "knee",
    "one_standard_error",
    "pa_best",
    "pareto_front",
    "tune",
    "weighted_sum",
]
