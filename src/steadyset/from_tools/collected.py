"""What one run chose, among which columns, and how the runs become Selections of one universe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.labels import feature_names, run_labels, some_names
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selections import Selections


@dataclass(frozen=True)
class Universe:
    """The columns that there were to choose from; `names` is None where the tool only knows how many."""

    n_features: int
    names: tuple[str, ...] | None


@dataclass(frozen=True)
class Outcome:
    """What one run chose: columns of its universe, ascending, with a weight for each and the ranks of all columns
    (1 = best) where they are known."""

    universe: Universe
    chosen: Ints
    weights: Floats | None = None
    ranks: Floats | None = None


def checked_features(features: Any) -> tuple[str, ...] | None:
    """The names of features that a caller gives."""
    return None if features is None else feature_names(features, None, what="features")[0]


def runs_called(labels: Any, n_runs: int) -> list[str]:
    """What sentences call the runs: their labels, else their numbers."""
    checked = run_labels(labels, n_runs)
    return [f"run {i + 1}" for i in range(n_runs)] if checked is None else list(checked)


def folds_called(n_runs: int) -> list[str]:
    """The labels of the folds of a cross-validation."""
    return [f"fold {i + 1}" for i in range(n_runs)]


def collected(
    outcomes: Sequence[Outcome],
    labels: Sequence[str] | None,
    features: tuple[str, ...] | None,
    notes: Sequence[str] = (),
) -> Selections:
    """The Selections of all runs; `features` are all names that there were to choose from, or new names by position."""
    called = runs_called(labels, len(outcomes))
    shared = _shared_universe(outcomes, called, features)
    places = [_places(outcome.universe, shared, label) for outcome, label in zip(outcomes, called, strict=True)]
    rows = [place[outcome.chosen] for place, outcome in zip(places, outcomes, strict=True)]
    if shared.names is None:
        selections = Selections.from_sets(rows, n_features=shared.n_features, labels=labels)
    else:
        selections = Selections.from_sets(rows, features=shared.names, labels=labels)
    weights = [outcome.weights for outcome in outcomes]
    if all(weight is not None for weight in weights):
        ascending = [np.argsort(row, kind="stable") for row in rows]
        by_run = [np.asarray(weight)[order].tolist() for weight, order in zip(weights, ascending, strict=True)]
        selections = selections.with_weights(by_run)
    ranks = _ranks(outcomes, places, shared.n_features)
    whole = selections if ranks is None else selections.with_rankings(ranks)
    return Selections._of(whole._entries._replace(notes=tuple(notes)))


def _shared_universe(outcomes: Sequence[Outcome], labels: Sequence[str], features: tuple[str, ...] | None) -> Universe:
    """The one universe of all runs: what is given, else the first one, from which no other may differ."""
    if features is not None:
        return Universe(len(features), features)
    first = outcomes[0].universe
    for outcome, label in zip(outcomes, labels, strict=True):
        difference = _difference(first, outcome.universe, labels[0], label)
        if difference:
            raise InputError(
                f"{difference}; give all names that there were to choose from as ",
                Argument("features"),
                ".",
            )
    return first


def _difference(first: Universe, other: Universe, label: str, other_label: str) -> str:
    """How the universes of two runs differ, in words; their names may stand in any order."""
    if (first.names is None) != (other.names is None):
        named, unnamed = (label, other_label) if other.names is None else (other_label, label)
        return f"The features of {named} have names and those of {unnamed} have none"
    if first.names is None or other.names is None:
        if first.n_features == other.n_features:
            return ""
        return f"{label} chose from {first.n_features} features and {other_label} from {other.n_features}"
    for mine, theirs, who in ((first, other, label), (other, first, other_label)):
        alone = sorted(set(mine.names or ()) - set(theirs.names or ()))
        if alone:
            return f"{label} and {other_label} chose from different features: only {who} has {some_names(alone)}"
    return ""


def _places(own: Universe, shared: Universe, label: str) -> Ints:
    """Where each column of a run stands in the shared universe."""
    if own.names is None or shared.names is None or own.names == shared.names:
        if own.n_features != shared.n_features:
            raise InputError(
                f"{label} chose from {own.n_features} features, but {shared.n_features} names are given; expected one "
                "name per feature."
            )
        return np.arange(own.n_features)
    place = {name: f for f, name in enumerate(shared.names)}
    unknown = [name for name in own.names if name not in place]
    if not unknown:
        return np.array([place[name] for name in own.names], dtype=np.int64)
    if len(unknown) == len(own.names) == shared.n_features:  # none is known: new names, by position
        return np.arange(own.n_features)
    raise InputError(
        f"{label} chose from {some_names(unknown)}, not among the {shared.n_features} names that are given; ",
        Argument("features"),
        " takes all names that there were to choose from.",
    )


def _ranks(outcomes: Sequence[Outcome], places: Sequence[Ints], n_features: int) -> Floats | None:
    """The ranks of all features in all runs, ties averaged; None where a run does not rank them all."""
    table = np.empty((len(outcomes), n_features))
    for run, (outcome, place) in enumerate(zip(outcomes, places, strict=True)):
        if outcome.ranks is None or len(place) < n_features:
            return None
        table[run, place] = rankdata(outcome.ranks)
    return table
