"""The table of features: which features can be trusted, how sure that is, and what can stand in for them.

`features_table` gives a frame. Its columns, in this order, are the fields of `Feature`, which docs/features-table.md
explains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.arguments import check_flag, is_collection, wrong_argument
from steadyset.conventions import CORE, LEVEL, check_core, check_level
from steadyset.errors import InputError
from steadyset.inference.core import steady_core
from steadyset.inference.pooling import common_features, pooled, total_counts
from steadyset.inference.proportions import jeffreys, wilson
from steadyset.inference.stand_ins import AlikeGraph, StandIn, namer, numbered_groups, stand_ins_words
from steadyset.io.labels import name_positions, text_frame
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.options import check_similarity
from steadyset.selections import Selections, as_selections
from steadyset.similarity.alike import Alike, alike_by

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

WHOLE = ("sign", "group", "n_stand_ins")  # whole numbers, where they are known


def features_table(
    selections: Any,
    *,
    similarity: FeatureSimilarity | None = None,
    all_rows: Any = None,
    core: float = CORE,
    level: float = LEVEL,
    all: bool = False,
) -> pd.DataFrame:
    """One row per feature, the most often selected first: how often, how surely, how important, what stands in for it.

    Parameters
    ----------
    selections : Selections, array-like or Mapping
        The runs of one procedure, or of several by name; several also get rows over all of them, which come first.
    similarity : FeatureSimilarity or None, default=None
        How similar the features are; without it there are no groups and no stand-ins.
    all_rows : sequence of str, Mapping or None, default=None
        The features selected on all rows, by name of the procedure where there are several.
    core : float, default=0.9
        The share of the runs from which a feature belongs to the steady core.
    level : float, default=0.95
        The confidence of the intervals.
    all : bool, default=False
        Whether the features that were never selected are kept.

    Returns
    -------
    pandas.DataFrame
        The columns selector, feature, rank, runs, selected, frequency, wilson_low, wilson_high, beta_low, beta_high,
        importance, sign, sign_consistency, core, all_rows, selectors, group, with_stand_ins, n_stand_ins and stand_ins
        (the best 5).

    References
    ----------
    Brown, Cai and DasGupta (2001), Interval estimation for a binomial proportion, Statistical Science 16.

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([["a", "b"], ["a", "b"], ["a", "c"], ["a", "c"]], features=list("abcd"))
    >>> alike = st.FeatureSimilarity.from_groups({"a": 1, "b": 2, "c": 2, "d": 3}, features=list("abcd"))
    >>> table = st.features_table(sel, similarity=alike)
    >>> table[["feature", "frequency", "core", "with_stand_ins", "stand_ins"]].to_dict("records")[1]
    {'feature': 'b', 'frequency': 0.5, 'core': False, 'with_stand_ins': 1.0, 'stand_ins': 'c (1)'}
    """
    several = isinstance(selections, Mapping)
    procedures = selections if several else {"": selections}
    runs = common_features({str(name): as_selections(one) for name, one in procedures.items()})
    alike = None if similarity is None else alike_features(similarity, runs)
    on_all = _on_all_rows(all_rows, runs, several)
    blocks = feature_blocks(runs, alike=alike, on_all_rows=on_all, core=core, level=level, all=all)
    return table_frame(blocks)


def alike_features(similarity: Any, runs: Mapping[str, Selections]) -> Alike:
    """Which of the features that the runs select are alike."""
    check_similarity(similarity)
    for sel in runs.values():
        similarity.check(sel)
    return alike_by(similarity, total_counts(runs))


@dataclass(frozen=True)
class Feature:
    """One feature in the runs of one procedure, or of all: one row of the table. What is not known is nan or None."""

    feature: str
    rank: int
    runs: int
    selected: int
    frequency: float
    wilson_low: float
    wilson_high: float
    beta_low: float
    beta_high: float
    importance: float
    sign: int | None
    sign_consistency: float
    core: bool
    all_rows: float
    selectors: int
    group: int | None
    with_stand_ins: float
    n_stand_ins: int | None
    stand_ins: tuple[StandIn, ...]


COLUMNS = ("selector", *(part.name for part in fields(Feature)))


@dataclass(frozen=True, eq=False)
class FeatureBlock:
    """The rows of one procedure, as columns; `order` are the features that the table shows, the best first."""

    name: str
    features: Sequence[str]
    order: Ints
    columns: Mapping[str, Any]
    named: Callable[[int], tuple[StandIn, ...]]

    def rows(self, most: int | None = None) -> Iterator[Feature]:
        """The first rows."""
        for place, f in enumerate(self.order[:most]):
            values = {name: column[place].item() for name, column in self.columns.items()}
            values |= {name: None if isnan(values[name]) else int(values[name]) for name in WHOLE}
            yield Feature(self.features[f], **values, stand_ins=self.named(int(f)))


@dataclass(frozen=True, eq=False)
class _Counted:
    """What is counted in the runs of one procedure; those of several are added up."""

    runs: int
    counts: Ints
    signs: Ints | None = None  # features x (positive, negative)
    together: Ints | None = None  # runs with both, by pair of places in the graph of alike features
    covered: Ints | None = None

    def __add__(self, other: _Counted) -> _Counted:
        return _Counted(
            self.runs + other.runs,
            self.counts + other.counts,
            _added(self.signs, other.signs),
            _added(self.together, other.together),
            _added(self.covered, other.covered),
        )


def feature_blocks(
    runs: Mapping[str, Selections],
    *,
    alike: Alike | None = None,
    on_all_rows: Mapping[str, Ints | None] | None = None,
    signs: Mapping[str, Ints | None] | None = None,
    core: float = CORE,
    level: float = LEVEL,
    all: bool = False,
) -> list[FeatureBlock]:
    """The table as blocks: over all procedures where there are several, then each; they have the same features.

    on_all_rows : the features that each selects on all rows; None: not known
    signs : +1 or -1 for each entry of the Selections; without them those of the weights, if one is negative
    """
    check_core(core)
    check_level(level)
    check_flag("all", all)
    if not runs:
        return []
    known = dict.fromkeys(runs) if on_all_rows is None else on_all_rows
    graph = None if alike is None else AlikeGraph.of(alike)
    counted = {
        name: _counted(sel, _signs(sel) if signs is None else signs.get(name), graph) for name, sel in runs.items()
    }
    parts = [
        _Part(name, sel, counted[name], _importances(sel), _share([known.get(name)], sel), sel.n_runs, sel.counts > 0)
        for name, sel in runs.items()
    ]
    if len(runs) > 1:
        parts.insert(0, _over_all(runs, counted, known))
    rank = np.argsort(-parts[0].counted.counts, kind="stable")
    groups = None if alike is None else numbered_groups(alike, rank)
    return [_block(part, graph, groups, core, level, all) for part in parts]


def table_frame(blocks: Iterable[FeatureBlock]) -> pd.DataFrame:
    """Blocks one below the other, as a frame."""
    import pandas as pd

    frames = [pd.DataFrame({name: [] for name in COLUMNS})]
    for block in blocks:
        names = [block.features[f] for f in block.order]
        columns = {"selector": [block.name] * len(names), "feature": names, **block.columns}
        columns["stand_ins"] = [stand_ins_words(block.named(int(f))) for f in block.order]
        frames.append(text_frame(columns).astype(dict.fromkeys(WHOLE, "Int64")))
    return frames[0] if len(frames) == 1 else pd.concat(frames[1:], ignore_index=True)


def table_csv(blocks: Iterable[FeatureBlock], *, safe: bool = False) -> str:
    """The table as csv, with six digits; truth values are 1 and 0. `safe` is that of `csv_text`."""
    from steadyset.io.spreadsheet import csv_text

    rows = [
        {"selector": block.name, **{name: _cell(getattr(row, name)) for name in COLUMNS[1:]}}
        for block in blocks
        for row in block.rows()
    ]
    return csv_text(rows, safe=safe) if rows else ",".join(COLUMNS) + "\n"


def _cell(value: Any) -> Any:
    if isinstance(value, tuple):
        return stand_ins_words(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else float(f"{value:.6g}")
    return int(value) if isinstance(value, bool) else value


@dataclass(frozen=True, eq=False)
class _Part:
    name: str
    selections: Selections
    counted: _Counted
    importance: Floats
    on_all_rows: Floats
    independent: float  # how many runs the intervals may count on
    backed: Any  # by how many procedures each feature is selected at all


def _over_all(
    runs: Mapping[str, Selections], counted: Mapping[str, _Counted], known: Mapping[str, Ints | None]
) -> _Part:
    """Procedures that run on the same resamples are no further evidence: intervals count the runs of one."""
    first, *others = counted.values()
    total = sum(others, first)
    together = pooled(runs)
    return _Part(
        _name_of_all(runs),
        together,
        total,
        np.full(together.n_features, nan),  # importances of different procedures have no common scale
        _share([known.get(name) for name in runs], together),
        total.runs / len(runs),
        sum((sel.counts > 0).astype(np.int64) for sel in runs.values()),
    )


def _name_of_all(runs: Mapping[str, Selections]) -> str:
    """What the rows over all procedures are called: like none of them."""
    name = f"all {len(runs)} selectors"
    while name in runs:
        name += " together"
    return name


def _block(
    part: _Part, graph: AlikeGraph | None, groups: Ints | None, core: float, level: float, everything: bool
) -> FeatureBlock:
    sel, counted = part.selections, part.counted
    M, counts = counted.runs, counted.counts
    shown = np.flatnonzero(np.ones(len(counts), bool) if everything else (counts > 0) | (part.on_all_rows > 0))
    order = shown[np.lexsort((shown, -np.nan_to_num(part.importance[shown]), -counts[shown]))]
    in_core = np.isin(np.arange(len(counts)), _places(steady_core(sel, core), sel))
    successes = counts[order] / M * part.independent
    low, high = wilson(successes, part.independent, level)
    beta_low, beta_high = jeffreys(successes, part.independent, level)
    sign, consistency = _agreement(counted.signs, counts)
    covered, several = np.full(len(counts), nan), np.full(len(counts), nan)
    if graph is not None:
        assert counted.together is not None
        several = graph.n_stand_ins(M, counts, counted.together).astype(np.float64)
        covered = counts / M
        assert counted.covered is not None
        covered[graph.features] = counted.covered / M
    columns = {
        "rank": 1 + np.searchsorted(np.sort(-counts[order]), -counts[order]),
        "runs": np.full(len(order), M),
        "selected": counts[order],
        "frequency": counts[order] / M,
        "wilson_low": low,
        "wilson_high": high,
        "beta_low": beta_low,
        "beta_high": beta_high,
        "importance": part.importance[order],
        "sign": sign[order],
        "sign_consistency": consistency[order],
        "core": in_core[order],
        "all_rows": part.on_all_rows[order],
        "selectors": np.asarray(part.backed, dtype=np.int64)[order],
        "group": np.full(len(order), nan) if groups is None else groups.astype(np.float64)[order],
        "with_stand_ins": covered[order],
        "n_stand_ins": several[order],
    }
    if groups is not None:
        columns["group"][columns["group"] == 0] = nan
    return FeatureBlock(
        part.name, sel.features, order, columns, namer(graph, M, counts, counted.together, sel.features)
    )


# ---- what runs say ------------------------------------------------------------------------------------------------


def _counted(sel: Selections, signs: Ints | None, graph: AlikeGraph | None) -> _Counted:
    found = _Counted(sel.n_runs, sel.counts, None if signs is None else _signs_by_feature(sel, signs))
    return found if graph is None else replace(found, together=graph.together(sel), covered=graph.covered(sel))


def _importances(sel: Selections) -> Floats:
    """The mean |weight| over the runs that selected a feature."""
    if sel.weights is None:
        return np.full(sel.n_features, nan)
    total = np.bincount(sel.indices, np.abs(sel.weights), sel.n_features)
    return np.where(sel.counts > 0, total / np.maximum(sel.counts, 1), nan)


def _signs(sel: Selections) -> Ints | None:
    """Those of the weights; weights of which none is negative are sizes, which have no sign."""
    if sel.weights is None or not (sel.weights < 0).any():
        return None
    return np.sign(sel.weights).astype(np.int64)


def _signs_by_feature(sel: Selections, signs: Ints) -> Ints:
    return np.column_stack([np.bincount(sel.indices[signs == s], minlength=sel.n_features) for s in (1, -1)])


def _agreement(signs: Ints | None, counts: Ints) -> tuple[Floats, Floats]:
    """The sign of the majority (0: there is none), and its share of the runs that selected a feature with a sign."""
    if signs is None:
        return np.full(len(counts), nan), np.full(len(counts), nan)
    known = signs.sum(axis=1)
    share = np.where(known > 0, signs.max(axis=1) / np.maximum(known, 1), nan)
    return np.where(known > 0, np.sign(signs[:, 0] - signs[:, 1]), nan), share


def _share(on_all_rows: Sequence[Ints | None], sel: Selections) -> Floats:
    """The share of the procedures that select each feature on all rows, of those of which it is known."""
    known = [one for one in on_all_rows if one is not None]
    if not known:
        return np.full(sel.n_features, nan)
    return np.bincount(np.concatenate(known).astype(np.int64), minlength=sel.n_features) / len(known)


# ---- arguments ----------------------------------------------------------------------------------------------------


def _on_all_rows(given: Any, runs: Mapping[str, Selections], several: bool) -> dict[str, Ints | None]:
    """What is selected on all rows as indices, by procedure."""
    if given is None:
        return dict.fromkeys(runs)
    if not several:
        given = {"": given}
    if not isinstance(given, Mapping):
        raise wrong_argument("all_rows", "the features of each procedure, by its name", given)
    unknown = [name for name in given if name not in runs]
    if unknown:
        raise InputError(f"all_rows names {unknown[0]!r}, which is not among the procedures.")
    return {name: None if given.get(name) is None else _indices(given[name], sel) for name, sel in runs.items()}


def _indices(features: Any, sel: Selections) -> Ints:
    if not is_collection(features) or not _all_text(features):
        raise wrong_argument("all_rows", "names of features", features)
    return _places(list(dict.fromkeys(features)), sel)


def _all_text(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _places(names: Sequence[str], sel: Selections) -> Ints:
    positions = name_positions(sel.features, sel.n_features)
    unknown = [name for name in names if name not in positions]
    if unknown:
        raise InputError(f"all_rows holds {unknown[0]!r}, which is not among the features.")
    return np.array([positions[name] for name in names], dtype=np.int64)


def _added(one: Any, other: Any) -> Any:
    if one is None or other is None:
        return other if one is None else one
    return one + other
