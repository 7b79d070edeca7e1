"""The universe, all features that could have been selected: from a file, or for want of one the names that runs use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.io.entries import Entries, checked_entries, row_pointers
from steadyset.io.labels import (
    AppearanceOrder,
    UnionOfNames,
    feature_names,
    name_positions,
    placeholders,
    some_names,
)

THOSE_NAMES = "universe: those names"
NO_VERDICT = "no verdict: the universe is unknown"
UNKNOWN_UNIVERSE = (
    "The universe is not known, so that the names that were selected count as all features there were. Chance "
    "agreement is then overstated: measures that correct for it, such as nogueira, come out too low (goh too high)"
)


def entries_among(
    lists: Sequence[Sequence[str]],
    labels: Sequence[str] | None,
    features: Sequence[str] | None,
    n_features: int | None,
) -> Entries:
    """Lists of distinct names over the universe that is given, or over their union."""
    names = universe_of(dict.fromkeys(name for names in lists for name in names), features, n_features)
    place = name_positions(names, len(names))
    for i, chosen in enumerate(lists):
        unknown = [name for name in chosen if name not in place]
        if unknown:
            which = f"run {i + 1}" if labels is None else f"the run {labels[i]!r}"
            raise InputError(
                f"{which[0].upper()}{which[1:]} names {some_names(unknown)}, which the universe of {len(names):,} "
                "features does not have."
            )
    indices = np.array([place[name] for chosen in lists for name in chosen], dtype=np.int64)
    return checked_entries(row_pointers([len(chosen) for chosen in lists]), indices, None, len(names), names, labels)


def universe_of(
    used: Iterable[str], features: Sequence[str] | None, n_features: int | None, *, what: str = "The lists"
) -> tuple[str, ...]:
    """The names of all features: those that are given, else those that are used and unnamed ones up to `n_features`."""
    if features is not None:
        names, _ = feature_names(features, n_features, what=what)
        assert names is not None
        return names
    union = list(used)
    if not union:
        raise InputError(f"{what} hold no names at all; at least one run has to select something.")
    if n_features is None:
        feature_names(union, None, what=what)
        return UnionOfNames(union)
    feature_names(None, n_features, what=what)
    if len(union) > n_features:
        raise InputError(
            f"{what} hold {len(union):,} distinct names, more than the {n_features:,} that n_features allows."
        )
    return AppearanceOrder([*union, *placeholders(set(union), n_features - len(union))])


def universe_in_words(names: Sequence[str]) -> str:
    """How a line says what there was to choose from."""
    return THOSE_NAMES if isinstance(names, UnionOfNames) else f"universe: {len(names):,} features"
