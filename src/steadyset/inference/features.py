"""The table of features: how often each is selected, how sure that is, which way it goes, what can stand in for it.

`features_table` gives a frame. Its columns, in this order, are the fields of `Feature`, which docs/features-table.md
explains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steadyset.foundation import arguments
from steadyset.foundation.display import Record
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import shown_name
from steadyset.inference.runs import common_features, in_core, pooled, runs_with_both, total_counts
from steadyset.io.labels import name_positions, text_frame
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.evaluate import check_similarity
from steadyset.selections import RunsLike, Selections, as_selections
from steadyset.similarity.alike import MOST_OTHERS, Alike, alike_by, graph_of
from steadyset.tasks import NUMBER, TASKS

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity


WHOLE = ("group", "group_size", "n_stand_ins")  # whole numbers, where they are known
NOTHING_ALIKE = Alike(np.empty(0, np.int64), np.empty((0, 2), np.int64))
BOTH = "both ways"  # of coefficients that are positive in as many runs as negative


def features_table(
    selections: RunsLike | Mapping[str, RunsLike],
    *,
    similarity: FeatureSimilarity | None = None,
    all_rows: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    core: float = arguments.CORE,
    level: float = arguments.LEVEL,
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
# The columns of features.csv: those that matter, called as in shortlist.csv; behind them those for a closer look.
AHEAD = {name: name for name in ("feature", "direction", "frequency")} | {"low": "wilson_low", "high": "wilson_high"}
AHEAD |= {name: name for name in ("core", "selectors")}
BEHIND = (
    *("selected", "runs", "importance", "model_direction", "model_agreement", "all_rows"),
    *("group", "group_size", "group_share", "with_stand_ins", "stand_ins"),
)


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


def feature_blocks(
    runs: Mapping[str, Selections],
    *,
    alike: Alike | None = None,
    on_all_rows: Mapping[str, Ints | None] | None = None,
    signs: Mapping[str, Ints | None] | None = None,
    directions: Directions | None = None,
    core: float = arguments.CORE,
    level: float = arguments.LEVEL,
    all: bool = False,
) -> list[FeatureBlock]:
    """The table as blocks: over all procedures where there are several, then each; they have the same features.

    on_all_rows : the features that each selects on all rows; None: not known
    signs : +1 or -1 for each entry of the Selections; without them those of the weights, if one is negative
    directions : how each feature goes with the target, which the data tells
    """
    arguments.check_core(core)
    arguments.check_level(level)
    arguments.check_flag("all", all)
    if not runs:
        return []
    on_all = {name: (on_all_rows or {}).get(name) for name in runs}
    similar = NOTHING_ALIKE if alike is None else alike
    graph, groups = AlikeGraph.of(similar), numbered_groups(similar, np.argsort(-total_counts(runs), kind="stable"))
    parts = []
    for name, sel in runs.items():
        signed = _signs(sel) if signs is None else signs.get(name)
        both, either = graph.together(sel), graph.covered(sel)
        counted = {"together": both, "covered": either, "grouped": runs_with_group(sel, groups)}
        if signed is not None:
            by_sign = [np.bincount(sel.indices[signed == sign], minlength=sel.n_features) for sign in (1, -1)]
            counted["signs"] = np.column_stack(by_sign)
        parts.append(
            _Part(name, sel, _importances(sel), _share([on_all[name]], sel), sel.n_runs, sel.counts > 0, counted)
        )
    if len(runs) > 1:
        parts.insert(0, _over_all(parts, list(on_all.values())))
    return [_block(part, alike, graph, groups, directions, core, level, all) for part in parts]


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


def table_csv(blocks: Sequence[FeatureBlock], *, safe: bool = False) -> str:
    """The table as csv, with six digits: one row per feature, what matters first; of several procedures over all.

    The share of the runs of each then follows. Truth values are 1 and 0. `safe` is that of `csv_text`.
    """
    from steadyset.io.formats.spreadsheet import csv_text

    if not blocks:
        return ",".join((*AHEAD, *BEHIND)) + "\n"
    first, *each = blocks
    shares = {f"frequency of {one.name}": dict(zip(one.order, one.columns["frequency"], strict=True)) for one in each}
    rows = [
        {
            **{title: _cell(getattr(row, name)) for title, name in AHEAD.items()},
            **{title: _cell(_plain(share[f])) if f in share else 0 for title, share in shares.items()},
            **{name: _cell(getattr(row, name)) for name in BEHIND},
        }
        for f, row in zip(first.order, first.rows(), strict=True)
    ]
    return csv_text(rows, safe=safe)


def _cell(value: Any) -> Any:
    if isinstance(value, tuple):
        return stand_ins_words(value)
    if isinstance(value, float):
        return int(value) if value.is_integer() else float(f"{value:.6g}")
    return int(value) if isinstance(value, bool) else value


@dataclass(frozen=True, eq=False)
class _Part:
    """The runs of one procedure, or of all, and what is counted in them, where it is known.

    counted : signs (features x (positive, negative)), together (runs with both, by pair of places in the graph of alike
        features), covered (runs with a feature or one that is alike), grouped (runs with a feature of each group)
    """

    name: str
    selections: Selections
    importance: Floats
    on_all_rows: Floats
    independent: float  # how many runs the intervals may count on
    backed: Any  # by how many procedures each feature is selected at all
    counted: Mapping[str, Ints]


def _over_all(parts: Sequence[_Part], on_all_rows: Sequence[Ints | None]) -> _Part:
    """Procedures that run on the same resamples are no further evidence: intervals count the runs of one."""
    name = f"all {len(parts)} selectors"
    while name in [part.name for part in parts]:
        name += " together"
    together = pooled([part.selections for part in parts])
    counted = {
        key: np.sum([part.counted[key] for part in parts if key in part.counted], axis=0)
        for key in dict.fromkeys(key for part in parts for key in part.counted)
    }
    unscaled = np.full(together.n_features, nan)  # importances of different procedures have no common scale
    backed = np.sum([part.backed for part in parts], axis=0, dtype=np.int64)
    on_all = _share(on_all_rows, together)
    return _Part(name, together, unscaled, on_all, together.n_runs / len(parts), backed, counted)


def _block(
    part: _Part,
    alike: Alike | None,
    graph: AlikeGraph,
    groups: Ints,
    directions: Directions | None,
    core: float,
    level: float,
    everything: bool,
) -> FeatureBlock:
    sel, counted = part.selections, part.counted
    M, counts = sel.n_runs, sel.counts
    shown = np.flatnonzero(np.ones(len(counts), bool) if everything else (counts > 0) | (part.on_all_rows > 0))
    order = shown[np.lexsort((shown, -np.nan_to_num(part.importance[shown]), -counts[shown]))]
    successes = counts[order] / M * part.independent
    low, high = wilson(successes, part.independent, level)
    beta_low, beta_high = jeffreys(successes, part.independent, level)
    sign, agreement = _agreement(counted.get("signs"), counts)
    no_words = np.full(len(order), "", dtype=object)
    # How often a feature or one that is alike is selected, and how many are, where something says what is alike.
    covered, several = np.full(len(counts), nan), np.full(len(counts), nan)
    if alike is not None:
        covered = counts / M
        covered[graph.features] = counted["covered"] / M
        several[alike.compared] = alike.counts
    own = groups[order]
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
        "direction": no_words if directions is None else np.array(directions.words(order), dtype=object),
        "model_direction": np.array([_sign_words(s, directions) for s in sign[order]], dtype=object),
        "model_agreement": agreement[order],
        "core": in_core(sel, core)[order],
        "all_rows": part.on_all_rows[order],
        "selectors": np.asarray(part.backed, dtype=np.int64)[order],
        "group": np.where(own > 0, own, nan),
        "group_size": np.where(own > 0, np.bincount(groups)[own], nan),
        "group_share": np.where(own > 0, counted["grouped"][own] / M, nan),
        "with_stand_ins": covered[order],
        "n_stand_ins": several[order],
    }
    named = namer(graph, M, counts, counted["together"], sel.features)
    return FeatureBlock(part.name, sel.features, order, columns, named)


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
        raise arguments.wrong_argument("all_rows", "the features of each procedure, by its name", given)
    unknown = [name for name in given if name not in runs]
    if unknown:
        raise InputError(f"all_rows names {unknown[0]!r}, which is not among the procedures.")
    return {name: None if given.get(name) is None else _places(given[name], sel) for name, sel in runs.items()}


def _places(features: Any, sel: Selections) -> Ints:
    if not arguments.is_collection(features) or not all(isinstance(name, str) for name in features):
        raise arguments.wrong_argument("all_rows", "names of features", features)
    names, positions = list(dict.fromkeys(features)), name_positions(sel.features, sel.n_features)
    unknown = [name for name in names if name not in positions]
    if unknown:
        raise InputError(f"all_rows holds {unknown[0]!r}, which is not among the features.")
    return np.array([positions[name] for name in names], dtype=np.int64)


def wilson(counts: Any, n: float, level: float) -> tuple[Floats, Floats]:
    """The shares that a score test of `counts` successes in n trials does not refuse (Wilson 1927)."""
    from scipy.special import ndtri

    share, z = np.asarray(counts, dtype=np.float64) / n, float(ndtri((1 + level) / 2))
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.where(share == 0, 0.0, centre - half), np.where(share == 1, 1.0, centre + half)


def jeffreys(counts: Any, n: float, level: float) -> tuple[Floats, Floats]:
    """The middle part of Beta(x + 1/2, n - x + 1/2); it reaches to 0 for x = 0 and to 1 for x = n.

    Reference: Brown, Cai and DasGupta (2001), Interval estimation for a binomial proportion, Statistical Science 16.
    """
    from scipy.special import betaincinv

    x, tail = np.asarray(counts, dtype=np.float64), (1 - level) / 2
    low, high = (betaincinv(x + 0.5, n - x + 0.5, q) for q in (tail, 1 - tail))
    return np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)


CELLS_A_BLOCK = 1 << 19  # 4 MB, of which several copies are made, little beside data that processes share
EQUAL = 1e-12  # of the largest value of a feature: means that differ by less are equal


@dataclass(frozen=True, repr=False)
class Extract(Record):
    """The values of a few features, with the target of the same rows; no names of rows.

    Attributes
    ----------
    features : the names
    values : one tuple per feature, in the order of the rows; nan where a value is missing
    labels : the class of each row; empty where the target has no classes
    numbers : the target of each row where it has none
    n_rows : how many rows the data has, of which these may be a random part
    """

    features: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    labels: tuple[str, ...]
    numbers: tuple[float, ...]
    n_rows: int

    def __post_init__(self) -> None:
        rows = {len(self.labels) or len(self.numbers), *map(len, self.values)}
        if len(self.values) != len(self.features) or len(rows) > 1 or not self.n_rows >= max(rows):
            raise ValueError("its features, values and rows do not fit each other")


@dataclass(frozen=True, eq=False)
class Directions:
    """For each feature c + 1 where it is highest in class c, -(c + 1) where it is lowest there, 0 where neither.

    For a number, which has no classes, 1 where a feature rises with it and -1 where it falls.
    """

    codes: Ints
    classes: tuple[str, ...] = ()
    target: str = ""
    task: str = NUMBER  # of what has no classes

    @classmethod
    def of(cls, X: Floats, y: npt.NDArray[Any], task: str) -> Directions:
        """Those that data tell."""
        return cls(data_directions(X, y, task), class_names(y, task), task=task)

    @classmethod
    def recorded(cls, details: Mapping[str, Any], task: str = NUMBER) -> Directions | None:
        """Those of the details of an assessment; None where they do not say."""
        codes = details.get("directions")
        if codes is None:
            return None
        classes = tuple(details.get("classes", ()))
        return cls(np.array(codes, dtype=np.int64), classes, details.get("target", ""), task)

    def words(self, features: Ints) -> list[str]:
        """Of some features, "" where one has no direction."""
        return [self._word(int(code)) for code in self.codes[features]]

    def of_sign(self, sign: int) -> str:
        """What the coefficient of a model says: of two classes a positive one speaks for the second."""
        if len(self.classes) == 2:
            return self._word(2 if sign > 0 else 1)
        return self._word(-sign if TASKS.find(self.task).opposed else sign)

    def _word(self, code: int) -> str:
        if code == 0:
            return ""
        if not self.classes:
            return TASKS.find(self.task).directions[code > 0].format(target=shown_name(self.target) or "y")
        name = shown_name(self.classes[abs(code) - 1])
        if len(self.classes) == 2:
            return f"higher in {name}"
        return f"{'highest' if code > 0 else 'lowest'} in {name}"


def class_names(y: npt.NDArray[Any], task: str) -> tuple[str, ...]:
    """The classes in their order; none of a number."""
    return tuple(map(str, TASKS[task].counts(y)))


def data_directions(X: Floats, y: npt.NDArray[Any], task: str) -> Ints:
    """The codes of all features; missing values are left out, and a feature that does not vary has no direction."""
    width = max(1, CELLS_A_BLOCK // max(1, len(X)))
    blocks = (_scaled(X[:, start : start + width]) for start in range(0, X.shape[1], width))
    if not TASKS[task].has_classes:
        target = TASKS[task].amounts(y)
        return np.concatenate([_with_number(*block, target) for block in blocks])
    labels, where = np.unique(y, return_inverse=True)
    member = np.zeros((len(y), len(labels)))
    member[np.arange(len(y)), where] = 1.0
    return np.concatenate([_with_classes(*block, member) for block in blocks])


def _scaled(X: Floats) -> tuple[Floats, Floats]:
    """Columns without their means, of size 1 whatever their scale, 0 for what is missing; and 1 where nothing is."""
    values = np.array(X, dtype=np.float64)
    known = np.isfinite(values)
    values[~known] = 0.0
    for _ in range(2):  # twice, so that a large mean costs no digits
        size = np.abs(values).max(axis=0, initial=0.0)
        values /= np.where(size > 0, size, 1.0)
        mean = values.sum(axis=0) / np.maximum(1, known.sum(axis=0))
        values = np.where(known, values - mean, 0.0)
        values[:, np.abs(values).max(axis=0, initial=0.0) < EQUAL] = 0.0  # a constant, but for rounding
    return values, known.astype(np.float64)


def _with_classes(values: Floats, known: Floats, member: Floats) -> Ints:
    counts = known.T @ member
    means = np.where(counts > 0, (values.T @ member) / np.maximum(counts, 1), np.nan)
    seen = (counts > 0).sum(axis=1)
    middle = np.nansum(means, axis=1) / np.maximum(1, seen)
    away = np.where(np.isnan(means), 0.0, means - middle[:, None])
    highest, lowest = away.argmax(axis=1), away.argmin(axis=1)
    up, down = away.max(axis=1), -away.min(axis=1)
    two = member.shape[1] == 2
    codes = np.where(two | (up >= down - EQUAL), highest + 1, -(lowest + 1))
    return np.where((seen > 1) & (up + down > EQUAL), codes, 0).astype(np.int64)


def _with_number(values: Floats, known: Floats, target: Floats) -> Ints:
    rise = target - target.mean()
    largest = np.abs(rise).max(initial=0.0)
    if largest == 0:
        return np.zeros(values.shape[1], dtype=np.int64)
    rise /= largest
    counts = np.maximum(1, known.sum(axis=0))
    centred = rise[:, None] * known - known * ((rise @ known) / counts)
    products = np.einsum("ij,ij->j", values, centred)
    lengths = np.sqrt(np.einsum("ij,ij->j", values, values) * np.einsum("ij,ij->j", centred, centred))
    return np.where(np.abs(products) > EQUAL * lengths, np.sign(products), 0).astype(np.int64)


MOST_STAND_INS = MOST_OTHERS  # that are named
SAME = 9  # decimals to which similarities are the same


@dataclass(frozen=True)
class StandIn:
    """A feature that is alike, how similar it is, and its share of the runs that did not select the other one.

    The share is undefined where every run selected the other one.
    """

    feature: str
    similarity: float
    share: float


def stand_ins_words(stand_ins: Sequence[StandIn]) -> str:
    """Stand-ins in one line, with their similarity and how often they are selected instead: b (1; 80%); c (0.95)."""
    told = []
    for one in stand_ins:
        # Two decimals, of which none is rounded up to the similarity of a copy.
        similarity = "1" if round(one.similarity, SAME) >= 1 else f"{min(one.similarity, 0.99):.2f}"
        instead = "" if isnan(one.share) or one.share == 0 else f"; {one.share:.0%}"
        told.append(f"{one.feature} ({similarity}{instead})")
    return "; ".join(told)


@dataclass(frozen=True, eq=False)
class AlikeGraph:
    """The features that have an alike one, ascending, and their neighbours by place among them."""

    features: Ints
    indptr: Ints
    indices: Ints
    values: Floats

    @classmethod
    def of(cls, alike: Alike) -> AlikeGraph:
        features = np.unique(alike.pairs)
        return cls(features, *graph_of(features, alike.pairs, alike.values))

    def neighbours(self, feature: int) -> tuple[Ints, slice]:
        """The neighbours of a feature by place, and where their pairs are; none where nothing is alike."""
        place = int(np.searchsorted(self.features, feature))
        if place == len(self.features) or self.features[place] != feature:
            return np.empty(0, np.int64), slice(0, 0)
        at = slice(int(self.indptr[place]), int(self.indptr[place + 1]))
        return self.indices[at], at

    def together(self, sel: Selections) -> Ints:
        """How many runs select both features of each pair, in the order of `indices`."""
        first = np.repeat(self.features, np.diff(self.indptr))
        return runs_with_both(sel, first, self.features[self.indices])

    def covered(self, sel: Selections) -> Ints:
        """How many runs select a feature or one that is alike."""
        from scipy import sparse

        shape = (len(self.features), len(self.features))
        links = sparse.csr_array((np.ones(len(self.indices), np.int64), self.indices, self.indptr), shape=shape)
        runs_of = sel.to_matrix().T.tocsr()[self.features].astype(np.int64)
        return np.asarray(np.diff((runs_of + links @ runs_of).indptr), dtype=np.int64)


def namer(
    graph: AlikeGraph, n_runs: int, counts: Ints, together: Ints, names: Sequence[str]
) -> Callable[[int], tuple[StandIn, ...]]:
    """What names the best stand-ins: copies, then what is selected most often instead, then the most similar."""

    def named(feature: int) -> tuple[StandIn, ...]:
        places, at = graph.neighbours(feature)
        others, similar = graph.features[places], graph.values[at]
        instead, without = counts[others] - together[at], n_runs - int(counts[feature])
        rounded = np.round(similar, SAME)
        order = np.lexsort((others, -rounded, -instead, rounded < 1))[:MOST_STAND_INS]
        shares = instead / without if without else np.full(len(others), nan)
        return tuple(StandIn(names[others[i]], float(similar[i]), float(shares[i])) for i in order)

    return named


def numbered_groups(alike: Alike, best_first: Ints) -> Ints:
    """The group of each feature, from 1 in the order of the best feature of each; 0 for what has no alike one."""
    features, labels = alike.groups()
    groups = np.zeros(len(best_first), dtype=np.int64)
    if not len(features):
        return groups
    label_of = np.full(len(best_first), -1)
    label_of[features] = labels
    in_order = label_of[best_first]
    found, first = np.unique(in_order[in_order >= 0], return_index=True)
    number = np.zeros(int(labels.max()) + 1, dtype=np.int64)
    number[found[np.argsort(first)]] = np.arange(1, len(found) + 1)
    groups[features] = number[labels]
    return groups


def runs_with_group(sel: Selections, groups: Ints) -> Ints:
    """How many runs select a feature of each group, by its number; that of 0 means nothing."""
    runs = np.repeat(np.arange(sel.n_runs), sel.sizes)
    n_groups = int(groups.max(initial=0)) + 1
    seen = np.unique(runs * n_groups + groups[sel.indices])
    return np.bincount(seen % n_groups, minlength=n_groups)
