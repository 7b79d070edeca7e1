"""The table of features: how often each is selected, how sure that is, which way it goes, what can stand in for it.

`features_table` gives a frame. Its columns, in this order, are the fields of `Feature`, which docs/features-table.md
explains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.arguments import check_flag, is_collection, wrong_argument
from steadyset.foundation.conventions import CORE, LEVEL, check_core, check_level
from steadyset.foundation.errors import InputError
from steadyset.inference.feature_details import (
    AlikeGraph,
    Directions,
    StandIn,
    jeffreys,
    namer,
    numbered_groups,
    runs_with_group,
    stand_ins_words,
    wilson,
)
from steadyset.inference.runs import common_features, pooled, steady_core, total_counts
from steadyset.io.labels import name_positions, text_frame
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.options import check_similarity
from steadyset.selections import RunsLike, Selections, as_selections
from steadyset.similarity.alike import Alike, alike_by

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

WHOLE = ("group", "group_size", "n_stand_ins")  # whole numbers, where they are known
BOTH = "both ways"  # of coefficients that are positive in as many runs as negative


def features_table(
    selections: RunsLike | Mapping[str, RunsLike],
    *,
    similarity: FeatureSimilarity | None = None,
    all_rows: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    core: float = CORE,
    level: float = LEVEL,
    all: bool = False,
) -> pd.DataFrame:
    """One row per feature, the most often selected first: how often, how surely, how important, what stands in for it.

    Parameters
    ----------
    selections : Selections, array-like, Mapping or Assessment
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
        importance, direction (which only data tells), model_direction, model_agreement, core, all_rows, selectors,
        group, group_size, group_share, with_stand_ins, n_stand_ins and stand_ins (the best 5).

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
    {'feature': 'b', 'frequency': 0.5, 'core': False, 'with_stand_ins': 1.0, 'stand_ins': 'c (1; 100%)'}
    """
    if all_rows is None and hasattr(selections, "feature_blocks"):  # an Assessment, which knows more of its features
        blocks = selections.feature_blocks(similarity=similarity, core=core, level=level, all=all)
        return table_frame(blocks)
    several = isinstance(selections, Mapping)
    procedures: Mapping[str, Any] = selections if isinstance(selections, Mapping) else {"": selections}
    runs = common_features({str(name): as_selections(one) for name, one in procedures.items()})
    alike = None if similarity is None else alike_features(similarity, runs)
    on_all = _on_all_rows(all_rows, runs, several)
    blocks = feature_blocks(runs, alike=alike, on_all_rows=on_all, core=core, level=level, all=all)
    return table_frame(blocks)


def alike_features(similarity: Any, runs: Mapping[str, Selections]) -> Alike:
    """Which features are alike to those that the runs select."""
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
    direction: str
    model_direction: str
    model_agreement: float
    core: bool
    all_rows: float
    selectors: int
    group: int | None
    group_size: int | None
    group_share: float
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
            values = {name: _plain(column[place]) for name, column in self.columns.items()}
            values |= {name: None if isnan(values[name]) else int(values[name]) for name in WHOLE}
            yield Feature(self.features[f], **values, stand_ins=self.named(int(f)))


def _plain(value: Any) -> Any:
    """A number of Python; text as it is."""
    return value if isinstance(value, str) else value.item()


@dataclass(frozen=True, eq=False)
class _Counted:
    """What is counted in the runs of one procedure; those of several are added up."""

    runs: int
    counts: Ints
    signs: Ints | None = None  # features x (positive, negative)
    together: Ints | None = None  # runs with both, by pair of places in the graph of alike features
    covered: Ints | None = None
    grouped: Ints | None = None  # runs with a feature of each group

    def __add__(self, other: _Counted) -> _Counted:
        return _Counted(
            self.runs + other.runs,
            self.counts + other.counts,
            _added(self.signs, other.signs),
            _added(self.together, other.together),
            _added(self.covered, other.covered),
            _added(self.grouped, other.grouped),
        )


def feature_blocks(
    runs: Mapping[str, Selections],
    *,
    alike: Alike | None = None,
    on_all_rows: Mapping[str, Ints | None] | None = None,
    signs: Mapping[str, Ints | None] | None = None,
    directions: Directions | None = None,
    core: float = CORE,
    level: float = LEVEL,
    all: bool = False,
) -> list[FeatureBlock]:
    """The table as blocks: over all procedures where there are several, then each; they have the same features.

    on_all_rows : the features that each selects on all rows; None: not known
    signs : +1 or -1 for each entry of the Selections; without them those of the weights, if one is negative
    directions : how each feature goes with the target, which the data tells
    """
    check_core(core)
    check_level(level)
    check_flag("all", all)
    if not runs:
        return []
    known = dict.fromkeys(runs) if on_all_rows is None else on_all_rows
    alike_all = None if alike is None else _AlikeAll(alike, AlikeGraph.of(alike), _groups(alike, runs))
    counted = {
        name: _counted(sel, _signs(sel) if signs is None else signs.get(name), alike_all) for name, sel in runs.items()
    }
    parts = [
        _Part(name, sel, counted[name], _importances(sel), _share([known.get(name)], sel), sel.n_runs, sel.counts > 0)
        for name, sel in runs.items()
    ]
    if len(runs) > 1:
        parts.insert(0, _over_all(runs, counted, known))
    return [_block(part, alike_all, directions, core, level, all) for part in parts]


@dataclass(frozen=True, eq=False)
class _AlikeAll:
    """What is alike, as a graph, and the number of the group of each feature, 0 where it has none."""

    alike: Alike
    graph: AlikeGraph
    groups: Ints


def _groups(alike: Alike, runs: Mapping[str, Selections]) -> Ints:
    """Numbered from the group of the most often selected feature on."""
    return numbered_groups(alike, np.argsort(-total_counts(runs), kind="stable"))


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
    from steadyset.io.formats.spreadsheet import csv_text

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
    part: _Part, known: _AlikeAll | None, directions: Directions | None, core: float, level: float, everything: bool
) -> FeatureBlock:
    sel, counted = part.selections, part.counted
    M, counts = counted.runs, counted.counts
    shown = np.flatnonzero(np.ones(len(counts), bool) if everything else (counts > 0) | (part.on_all_rows > 0))
    order = shown[np.lexsort((shown, -np.nan_to_num(part.importance[shown]), -counts[shown]))]
    in_core = np.isin(np.arange(len(counts)), _places(steady_core(sel, core), sel))
    successes = counts[order] / M * part.independent
    low, high = wilson(successes, part.independent, level)
    beta_low, beta_high = jeffreys(successes, part.independent, level)
    sign, agreement = _agreement(counted.signs, counts)
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
        "direction": _directions(directions, order),
        "model_direction": np.array([_sign_words(s, directions) for s in sign[order]], dtype=object),
        "model_agreement": agreement[order],
        "core": in_core[order],
        "all_rows": part.on_all_rows[order],
        "selectors": np.asarray(part.backed, dtype=np.int64)[order],
        **_alike_columns(known, counted, order),
    }
    graph = None if known is None else known.graph
    return FeatureBlock(
        part.name, sel.features, order, columns, namer(graph, M, counts, counted.together, sel.features)
    )


def _alike_columns(known: _AlikeAll | None, counted: _Counted, order: Ints) -> dict[str, Floats]:
    """Groups, and how often a feature or one that is alike is selected; undefined where nothing says what is alike."""
    names = ("group", "group_size", "group_share", "with_stand_ins", "n_stand_ins")
    if known is None:
        return {name: np.full(len(order), nan) for name in names}
    assert counted.covered is not None
    assert counted.grouped is not None
    groups, d = known.groups, len(counted.counts)
    covered = counted.counts / counted.runs
    covered[known.graph.features] = counted.covered / counted.runs
    several = np.full(d, nan)
    several[known.alike.compared] = known.alike.counts
    grouped = groups > 0
    columns = (
        np.where(grouped, groups, nan),
        np.where(grouped, np.bincount(groups)[groups], nan),
        np.where(grouped, counted.grouped[groups] / counted.runs, nan),
        covered,
        several,
    )
    return {name: column[order] for name, column in zip(names, columns, strict=True)}


def _directions(directions: Directions | None, order: Ints) -> Any:
    if directions is None:
        return np.full(len(order), "", dtype=object)
    return np.array(directions.words(order), dtype=object)


def _sign_words(sign: float, directions: Directions | None) -> str:
    """What the coefficients of most runs say; without a target only their sign is known."""
    if isnan(sign):
        return ""
    if sign == 0:
        return BOTH
    if directions is None or len(directions.classes) > 2:
        return "positive" if sign > 0 else "negative"
    return directions.of_sign(int(sign))


# ---- what runs say ------------------------------------------------------------------------------------------------


def _counted(sel: Selections, signs: Ints | None, known: _AlikeAll | None) -> _Counted:
    found = _Counted(sel.n_runs, sel.counts, None if signs is None else _signs_by_feature(sel, signs))
    if known is None:
        return found
    graph, grouped = known.graph, runs_with_group(sel, known.groups)
    return replace(found, together=graph.together(sel), covered=graph.covered(sel), grouped=grouped)


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
