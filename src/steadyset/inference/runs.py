"""Runs taken together: what nearly all select, runs paired or pooled between procedures, features counted jointly."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from steadyset.foundation.arguments import CORE, check_core
from steadyset.foundation.errors import Argument, InputError
from steadyset.io.labels import AppearanceOrder, UnionOfNames, check_same_order, placeholders, unlike_names
from steadyset.io.lists.entries import row_pointers
from steadyset.kernels.arrays import Bools, Ints
from steadyset.measures.record import Measure
from steadyset.selections import Selections, as_selections


def steady_core(selections: Any, core: float = CORE) -> list[str]:
    """The features in at least this share of the runs, most frequent first."""
    sel = as_selections(selections)
    inside = in_core(sel, core)
    return [sel.features[f] for f in np.argsort(-sel.counts, kind="stable") if inside[f]]


def in_core(selections: Selections, core: float = CORE) -> Bools:
    """Whether each feature is in at least this share of the runs."""
    check_core(core)
    # Counts, not shares: 0.9 of 10 runs are 9 runs, whatever the last bit of a quotient is.
    return np.asarray(selections.counts >= np.ceil(core * selections.n_runs - 1e-9))


@dataclass(frozen=True)
class Halves:
    """What runs on the two halves of splits select alike, on average over `pairs` of them.

    `size` features are selected, `common` by both halves, and `expected` by both of two random choices. `low` and
    `high` are the 95% interval of `common` over data sets, nan where there is none.
    """

    name: str
    pairs: int
    size: float
    common: float
    expected: float
    low: float = nan
    high: float = nan


def halves_of(name: str, sets: Mapping[int, Sequence[int]], n_features: int) -> Halves | None:
    """The runs 2p and 2p + 1 are the halves of a split; None where no split has both."""
    both = [(set(sets[run]), set(sets[run + 1])) for run in sets if run % 2 == 0 and run + 1 in sets]
    if not both:
        return None
    sizes = np.array([(len(one), len(other)) for one, other in both])
    common = np.mean([len(one & other) for one, other in both])
    expected = (sizes.prod(axis=1) / n_features).mean()
    return Halves(name, len(both), float(sizes.mean()), float(common), float(expected))


FEWEST = 3  # runs from which a variance can be told
_PAIRED = Argument("paired", True)


@dataclass(frozen=True)
class Pairing:
    """The runs of two procedures that are on the same resamples: first[i] and second[i] belong together."""

    first: Ints
    second: Ints
    note: str = ""


def matched_runs(a: Selections, b: Selections, paired: bool | None) -> Pairing | None:
    """Runs with the same label belong together; None when the runs are independent.

    Labels that only one side has (a run that failed there) are left out, and the note tells how many. Unless asked to
    pair, it takes shared labels for at least half of the runs of both sides. Runs without labels are paired by their
    order, when asked to.
    """
    if paired is False:
        return None
    if a.labels is None and b.labels is None:
        if not paired:
            return None
        if a.n_runs != b.n_runs:
            raise InputError(
                f"There are {a.n_runs} and {b.n_runs} runs; ", _PAIRED, " needs the same resamples on both sides."
            )
        return Pairing(np.arange(a.n_runs), np.arange(a.n_runs))
    if a.labels is None or b.labels is None:
        if paired:
            raise InputError("One of the Selections has run labels and the other has none; ", _PAIRED, " needs both.")
        return None
    place = {label: i for i, label in enumerate(b.labels)}
    first = np.array([i for i, label in enumerate(a.labels) if label in place], dtype=np.int64)
    second = np.array([place[a.labels[i]] for i in first], dtype=np.int64)
    most = max(a.n_runs, b.n_runs)
    if len(first) == most:
        return Pairing(first, second)
    if len(first) < FEWEST or (paired is None and 2 * len(first) < most):
        if paired:
            raise InputError(f"The Selections share {len(first)} run labels; ", _PAIRED, f" needs at least {FEWEST}.")
        return None
    left_out = a.n_runs + b.n_runs - 2 * len(first)
    runs = "1 run that only one side has is" if left_out == 1 else f"{left_out} runs that only one side has are"
    return Pairing(first, second, f"paired over {len(first)} shared runs; {runs} left out")


def check_features(a: Selections, b: Selections, measure: Measure, paired: bool | None) -> None:
    """Only independent procedures may choose from different features, and only where none count as similar."""
    found = unlike_names(a.features, b.features, "one", "the other Selections")
    if found is None:
        return
    if "similarity" in measure.needs:
        raise InputError(f"{found}; {measure.name} needs the same features in the same order on both sides.")
    if paired is not False:
        raise InputError(
            f"{found}; give the same features in the same order on both sides, or ",
            Argument("paired", False),
            " for procedures that choose from different features.",
        )


def features_note(a: Selections, b: Selections) -> str:
    """What a test of procedures that choose from different features says of it."""
    if a.n_features == b.n_features:
        return "" if a.features == b.features else "the procedures choose from different features"
    return f"the procedures choose from {a.n_features} and {b.n_features} features"


def pooled(procedures: Sequence[Selections]) -> Selections:
    """The runs of procedures over the same features as those of one, with weights and rankings that all have."""

    def every(name: str) -> Any:
        parts = [getattr(sel._entries, name) for sel in procedures]
        return None if any(part is None for part in parts) else np.concatenate(parts)

    return Selections._of(
        procedures[0]._entries._replace(
            indptr=row_pointers(np.concatenate([sel.sizes for sel in procedures])),
            **{name: every(name) for name in ("indices", "weights", "rankings")},
            labels=None,
            notes=(),
            tied=None,
        )
    )


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
        check_same_order(start._entries.names, sel._entries.names, first, name)
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
    numbered = [name for name, sel in procedures.items() if sel._entries.names is None]
    if numbered:
        named = next((name for name, sel in procedures.items() if sel._entries.names is not None), None)
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
    over = {name: sel._of(sel._entries._replace(rankings=None)).reordered(names) for name, sel in procedures.items()}
    return over, tuple(notes)


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


ENTRIES_A_BLOCK = 1 << 22


def runs_with_both(selections: Selections, first: Ints, second: Ints) -> Ints:
    """How many runs select both features of each pair (first[i], second[i])."""
    runs_of = selections.to_matrix().T.tocsr()
    found = np.zeros(len(first), dtype=np.int64)
    step = max(1, ENTRIES_A_BLOCK // selections.n_runs)
    for start in range(0, len(first), step):
        at = slice(start, start + step)
        found[at] = runs_of[first[at]].multiply(runs_of[second[at]]).sum(axis=1)
    return found
