"""The runs of several procedures over the same features, one after the other."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.io.labels import AppearanceOrder, UnionOfNames, check_same_order, placeholders
from steadyset.io.lists.entries import row_pointers
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selections import Selections


def pooled(procedures: Mapping[str, Selections]) -> Selections:
    """All runs as those of one procedure; weights of different procedures have no common scale and are left out."""
    every = list(procedures.values())
    sizes = np.concatenate([sel.sizes for sel in every])
    indices = np.concatenate([sel.indices for sel in every])
    start = row_pointers(sizes)
    sets = [indices[start[i] : start[i + 1]] for i in range(len(sizes))]
    return Selections.from_sets(sets, every[0].features)


def one_after_the_other(first: Selections, second: Selections) -> Selections:
    """The runs of two procedures over the same features as those of one, with weights and rankings that both have."""
    sides = [side._entries for side in (first, second)]
    return Selections._of(
        sides[0]._replace(
            indptr=row_pointers(np.concatenate([first.sizes, second.sizes])),
            indices=np.concatenate([side.indices for side in sides]),
            weights=_both([side.weights for side in sides]),
            rankings=_both([side.rankings for side in sides]),
            labels=None,
            notes=(),
        )
    )


def _both(parts: Sequence[Floats | None]) -> Floats | None:
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if len(known) == len(parts) else None


def common_features(procedures: Mapping[str, Selections]) -> dict[str, Selections]:
    """The procedures, once it is clear that they choose from the same features in the same order."""
    if not procedures:
        raise InputError("There are no selections; at least one procedure is needed.")
    (first, start), *others = procedures.items()
    for name, sel in others:
        if sel.n_features != start.n_features:
            raise InputError(
                f"There are {start.n_features} features in {first} and {sel.n_features} in {name}; expected the same."
            )
        check_same_order(start._names, sel._names, first, name)
    return dict(procedures)


def total_counts(procedures: Mapping[str, Selections]) -> Ints:
    """How many of all runs selected each feature."""
    counts: Ints = np.sum([sel.counts for sel in procedures.values()], axis=0)
    return counts


def over_all_features(procedures: Mapping[str, Selections]) -> tuple[dict[str, Selections], tuple[str, ...]]:
    """The procedures over the features of all of them, and what to say of those that choose from different ones."""
    every = list(procedures.values())
    if all(sel.features == every[0].features for sel in every):
        return dict(procedures), ()
    numbered = [name for name, sel in procedures.items() if sel._names is None]
    if numbered:
        named = next((name for name, sel in procedures.items() if sel._names is not None), None)
        if named is not None:
            raise InputError(f"{named} names its features and {numbered[0]} does not; give the names of all of them.")
    names = _all_names(every)
    known = [set(sel.features) for sel in every]
    notes = []
    if any(own != known[0] for own in known):
        fewest, most = min(map(len, known)), max(map(len, known))
        each = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
        notes.append(
            f"The methods choose from different features ({each} each, {len(names):,} together); a feature that a "
            "method does not have counts as not selected by it."
        )
    used = [{sel.features[f] for f in np.unique(sel.indices)} for sel in every]
    for (one, mine), (other, theirs) in itertools.combinations(zip(procedures, used, strict=True), 2):
        if mine and theirs and not mine & theirs:
            notes.append(f"{one} and {other} select no feature of the same name; see whether both use the same names.")
    return {name: _over(sel, names) for name, sel in procedures.items()}, tuple(notes)


def _all_names(every: Sequence[Selections]) -> list[str]:
    """The names of all features; places without a name are as many as the procedure with the most of them has."""
    names = list(
        dict.fromkeys(
            name
            for sel in every
            for f, name in enumerate(sel.features)
            if not isinstance(sel.features, AppearanceOrder) or sel.counts[f] > 0
        )
    )
    missing = max(sel.n_features for sel in every) - len(names)
    return names + placeholders(names, missing) if missing > 0 else names


def _over(sel: Selections, names: Sequence[str]) -> Selections:
    place = {name: f for f, name in enumerate(names)}
    sets = [[place[sel.features[f]] for f in sel.selected(run)] for run in range(sel.n_runs)]
    found = Selections.from_sets([np.array(one, dtype=np.int64) for one in sets], names, labels=sel.labels)
    found = found if sel.tied is None else found.with_ties(sel.tied)
    if sel.weights is None:
        return found
    weights = [
        {sel.features[f]: float(w) for f, w in zip(sel.selected(run), _row(sel, run), strict=True)}
        for run in range(sel.n_runs)
    ]
    return found.with_weights(weights)


def _row(sel: Selections, run: int) -> Floats:
    assert sel.weights is not None
    return sel.weights[sel.indptr[run] : sel.indptr[run + 1]]


def over_the_same(recorded: Sequence[Selections], n_features: int | None) -> list[Selections]:
    """The same features in the same order, where files name them in the order in which they meet them."""
    every = [sel.features for sel in recorded]
    if all(names == every[0] for names in every):
        return list(recorded)
    declared = [names for names in every if not isinstance(names, UnionOfNames)]
    if len(declared) < len(every):
        names = declared[0] if declared else UnionOfNames(dict.fromkeys(name for some in every for name in some))
        return [sel.reordered(names) if isinstance(sel.features, UnionOfNames) else sel for sel in recorded]
    used = list(dict.fromkeys(name for some in every for name in some if not name.startswith("unnamed ")))
    if n_features is not None and len(used) <= n_features:
        used += placeholders(used, n_features - len(used))
    if any(sel.n_features != len(used) for sel in recorded):
        return list(recorded)  # features that only some of the files have are refused with a sentence
    return [sel.reordered(AppearanceOrder(used)) for sel in recorded]
