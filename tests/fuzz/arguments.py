"""Hostile arguments for every public function: a sound call with one or two of its arguments spoilt."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Iterator
from functools import partial
from typing import Any

from tests.fuzz.contract import Example
from tests.fuzz.hostile import short, values
from tests.fuzz.materials import Recipe
from tests.fuzz.recipes import recipes

from steadyset.foundation.errors import SteadysetError

# What would use a resource as large as it is asked to: any number of runs is a sound wish.
LARGE = {"n_jobs", "out", "storage"}


def examples(seed: int, count: int) -> Iterator[Example]:
    """Functions in turn, each with other arguments spoilt; a first round makes every sound call."""
    os.chdir(tempfile.gettempdir())
    known = recipes()
    for recipe in known:
        if _sound(recipe):
            yield Example(f"{recipe.name} as it is meant", partial(_answered, recipe))
    for number in range(count):
        recipe = known[number % len(known)]
        if recipe.sound.keys() - LARGE:  # an addition leaves the arguments of the others as they were
            yield _spoilt(recipe, random.Random(f"{seed} {recipe.name} {number // len(known)}"))


def _sound(recipe: Recipe) -> bool:
    """Whether the call without spoilt arguments is one that works."""
    refused = ("register_", "read", "open", "load_data", "inspect")
    return not any(word in recipe.name for word in refused)


def _answered(recipe: Recipe) -> None:
    """A sound call that is refused keeps the contract, but nothing behind the refusal would ever be tried."""
    try:
        recipe.call(**recipe.sound)
    except SteadysetError as refusal:
        raise AssertionError(f"refused: {refusal}") from refusal


def _spoilt(recipe: Recipe, random_: random.Random) -> Example:
    places = [name for name in recipe.sound if name not in LARGE]
    chosen = random_.sample(places, min(len(places), random_.choice((1, 1, 1, 2))))
    given: dict[str, Any] = dict(recipe.sound)
    for name in chosen:
        given[name] = random_.choice(values())
    told = ", ".join(f"{name}={short(given[name])}" for name in chosen)
    return Example(f"{recipe.name}({told})", partial(recipe.call, **given))
