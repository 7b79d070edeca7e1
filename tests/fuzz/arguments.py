"""Hostile arguments for every public function: a sound call with one or two of its arguments spoilt."""

from __future__ import annotations

import itertools
import os
import random
import tempfile
from collections.abc import Iterator
from functools import partial
from typing import Any

from tests.fuzz.contract import Example
from tests.fuzz.hostile import short, values
from tests.fuzz.recipes import Recipe, recipes

ALL = "STEADYSET_FUZZ_SECONDS" in os.environ
# What would use a resource as large as it is asked to: any number of runs is a sound wish.
LARGE = {"n_jobs", "out", "storage"}
# Found, and not mended yet: objects that compare element by element, or are no iterables, in these places. `make fuzz`
# tries them too; what is mended is taken out here.
OPEN = {
    "Assessment.open": {"path"},
    "BoostedLinear": {"n_steps"},
    "BoostedLogistic": {"n_steps"},
    "Bootstrap": {"y", "groups"},
    "ComplementaryPairs": {"y"},
    "FeatureSimilarity.from_data": {"method"},
    "FeatureSimilarity.from_groups": {"groups"},
    "FeatureSimilarity.from_matrix": {"diagonal"},
    "ForestClassification": {"max_features"},
    "ForestRegression": {"max_features"},
    "GroupLinear": {"groups", "y"},
    "GroupLogistic": {"groups", "y"},
    "KFold": {"y", "groups"},
    "Selections.from_matrix": {"transpose"},
    "Selections.from_sets": {"sets"},
    "Selections.take": {"runs"},
    "Selections.with_weights": {"rows"},
    "Selections.write": {"layout"},
    "SparseLinear": {"standardise", "n_lambdas", "y"},
    "SparseLogistic": {"standardise", "n_lambdas", "y"},
    "StabilitySelection": {"base", "threshold", "rule", "random_state", "n_lambdas"},
    "Subsample": {"y", "groups"},
    "aggregate": {"method"},
    "approaches.acc": {"sizes", "resampling"},
    "approaches.adj": {"sizes", "similarity", "resampling"},
    "approaches.stabs": {"n_trials", "n_halves", "max_q", "resampling"},
    "approaches.unadj": {"sizes", "resampling"},
    "assess": {"progress", "runs", "on_warning", "impute"},
    "elastic_net_path": {"lambdas", "penalty_factors", "standardise", "n_lambdas"},
    "plot.selection_frequencies": {"selections"},
    "tune": {"progress", "objectives", "sampler", "on_warning", "impute", "similarity"},
    "unregister_measure": {"name"},
}


def examples(seed: int, count: int) -> Iterator[Example]:
    """Functions in turn, each with other arguments spoilt; a first round makes every sound call."""
    random_ = random.Random(seed)
    os.chdir(tempfile.gettempdir())
    known = recipes()
    for recipe in known:
        if _sound(recipe):
            yield Example(f"{recipe.name} as it is meant", partial(recipe.call, **recipe.sound))
    for recipe, _ in zip(itertools.cycle(known), range(count), strict=False):
        if recipe.sound.keys() - OPEN.get(recipe.name, set()):
            yield _spoilt(recipe, random_)


def _sound(recipe: Recipe) -> bool:
    """Whether the call without spoilt arguments is one that works."""
    refused = ("register_", "read", "open")
    return not any(word in recipe.name for word in refused)


def _spoilt(recipe: Recipe, random_: random.Random) -> Example:
    left_out = LARGE if ALL else LARGE | OPEN.get(recipe.name, set())
    places = [name for name in recipe.sound if name not in left_out]
    chosen = random_.sample(places, min(len(places), random_.choice((1, 1, 1, 2))))
    given: dict[str, Any] = dict(recipe.sound)
    for name in chosen:
        given[name] = random_.choice(values())
    told = ", ".join(f"{name}={short(given[name])}" for name in chosen)
    return Example(f"{recipe.name}({told})", partial(recipe.call, **given))
