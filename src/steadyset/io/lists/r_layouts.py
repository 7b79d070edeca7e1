"""Tables that R packages write, by the names that they give to columns: caret, glmnet, mlr3fselect, Boruta, stabs.

caret        rfe()$variables: columns var, Variables (the size of a subset), Resample and Overall; also varImp()
glmnet       coefficients, one column (or row) per resample, with the row (or column) "(Intercept)", which is left out
mlr3fselect  ensemble_fselect()$result and extract_inner_fselect_results(): features ("a|b|c") and n_features, or a
             TRUE/FALSE column per feature beside learner_id or resampling_id. An archive (batch_nr) is refused: its
             rows are the feature sets that one search tried.
boruta       attStats() (decision), or decisions (Confirmed, Tentative, Rejected) with one column per run
stabs        max and phat are refused: they hold frequencies, which do not tell what a subsample selected
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from steadyset.foundation.errors import Argument, InputError
from steadyset.io.formats.columns import NULLS
from steadyset.io.formats.headings import (
    UNADJUSTED,
    TextRows,
    is_feature_word,
    is_number,
    is_p_value,
    is_run_word,
    number_of,
)
from steadyset.io.labels import AppearanceOrder, Names, feature_names, several, some_names
from steadyset.io.lists import BORUTA, CARET, GLMNET, MLR3FSELECT, R_LAYOUTS
from steadyset.io.lists.entries import Entries, ReadOptions, entries_over, universe_in_words, universe_of
from steadyset.kernels.arrays import Floats

INTERCEPT = "(Intercept)"
SIZE, RESAMPLE, NAME, OVERALL = "Variables", "Resample", "var", "Overall"
FEATURES, COUNT, BATCH = "features", "n_features", "batch_nr"
LEARNER = "learner_id"
WHOSE = (LEARNER, "resampling_id", "task_id")
ITERATION = ("iteration", "resampling_iteration")
DECISION = "decision"
DECISIONS = frozenset(["Confirmed", "Tentative", "Rejected"])
LOGICAL = frozenset(["TRUE", "FALSE"])
PERFORMANCE = frozenset(["Accuracy", "Kappa", "ROC", "RMSE", "Rsquared", "MAE", "logLoss"])
TESTED = (  # effect and p value of each gene, as limma, edgeR, DESeq2 and Seurat call them
    ("logFC", "P.Value"),
    ("logFC", "PValue"),
    ("log2FoldChange", "pvalue"),
    ("avg_log2FC", "p_val"),
)
NO_NAME = ("", "run")  # a first column without a name, as it stands in a file and as readers may call it
BETWEEN = "|"  # what data.table's fwrite puts between the parts of a list
MADE_UP = re.compile(r"V[0-9]+|X[0-9]+|[0-9]+")  # what R calls columns and rows without names
PENALTY = re.compile(r"s([0-9]+)")  # what glmnet calls the columns of a path of penalties
STEP = re.compile(r"s?[0-9]+")  # what stabs calls those of a path
FEW_STEPS = 3


class RTable(NamedTuple):
    """The names of the columns, and the cells below them, as many in each row; a first name "" stands for row names."""

    names: list[str]
    rows: list[list[str]]

    def column(self, name: str) -> list[str]:
        place = self.names.index(name)
        return [row[place] for row in self.rows]

    def has(self, *names: str) -> bool:
        return all(name in self.names for name in names)


@dataclass(frozen=True)
class Runs:
    """What the runs of a table selected, with weights, labels and the universe where the table has them."""

    lists: list[list[str]]
    line: str  # what was understood
    labels: list[str] | None = None
    universe: Names = None
    weights: list[list[float]] | None = None


def entries_of_r(cells: TextRows, reading: ReadOptions) -> Entries | None:
    """The runs of a table that an R package wrote; None where it is none, or where another layout is asked for."""
    if reading.layout not in (None, *R_LAYOUTS) or reading.runs is not None:
        return None
    if len(cells) < 2:
        return None  # a heading alone tells nothing
    table = _table(cells)
    layout = reading.layout
    if layout is None:
        _refuse_what_is_no_selection(table)
        layout = next((name for name, kind in _KINDS.items() if kind.fits(table)), None)
        if layout is None:
            return None
    kind = _KINDS[layout]
    # Names in the first column: coefficients without an intercept, which only its name could tell from others.
    named = len(table.names) > 1 and bool(table.rows) and not any(is_number(row[0]) for row in table.rows)
    if not kind.fits(table) and not (layout == GLMNET and named):
        raise InputError(
            f"The table is not in the layout {layout}, which has {kind.wanted}; its columns: {some_names(table.names)}."
        )
    if reading.top is not None and layout in (MLR3FSELECT, BORUTA):
        raise InputError(Argument("top", reading.top), f" needs ranks or importances; {layout} has none.")
    return _entries(kind.read(table, reading), reading)


def may_be_of_r(names: Sequence[str], first: Sequence[str], reading: ReadOptions) -> bool:
    """Whether a table may be one of these, by the names of its columns and the cells of its first one."""
    if reading.layout is not None:
        return reading.layout in R_LAYOUTS
    table = RTable(list(names), [])
    unnamed = (PENALTY.fullmatch(name) or name in ("i", "j", "x", OVERALL) for name in names[1:])
    told = any(map(table.has, (BATCH, FEATURES, DECISION, SIZE, *WHOSE))) or _tested(table) is not None
    p_values = sum(map(is_p_value, names[1:]))
    told = told or 0 < p_values < len(names) - 1
    return INTERCEPT in names or INTERCEPT in first or told or (bool(names) and names[0] in NO_NAME and all(unnamed))


def _table(cells: TextRows) -> RTable:
    """With a name for every column: R's write.table leaves out that of the row names."""
    width = max(len(row) for row in cells)
    names = [*[""] * (len(cells[0]) == width - 1 and len(cells) > 1), *cells[0]]
    square = [[*row, *[""] * (width - len(row))] for row in cells[1:]]
    return RTable([*names, *[""] * (width - len(names))], square)


# ---- caret -------------------------------------------------------------------------------------------------------


def _is_caret(table: RTable) -> bool:
    return table.has(NAME, SIZE, RESAMPLE) or table.names == ["", OVERALL]


def _from_caret(table: RTable, reading: ReadOptions) -> Runs:
    if table.names == ["", OVERALL]:  # the importances of one model; scaled to 0 to 100 as they are, a 0 says nothing
        if reading.top is None:
            raise InputError("caret varImp has an importance for every feature; give ", Argument("top", 10), ".")
        importances = _numbers(table.column(OVERALL), OVERALL)
        return _largest(importances[None, :], table.column(""), None, "caret varImp", "importances", reading)
    numbers = _numbers(table.column(SIZE), SIZE)
    if np.any((numbers < 1) | (numbers > len(numbers)) | (numbers != np.rint(numbers))):
        told = f"The column {SIZE} holds the sizes of subsets; expected whole numbers from 1 to {len(numbers)}."
        raise InputError(told)
    sizes = [int(size) for size in numbers]  # of the subset that each row belongs to
    size = _chosen_size(sorted(set(sizes)), reading)
    resamples = list(dict.fromkeys(table.column(RESAMPLE)))
    overall = _numbers(table.column(OVERALL), OVERALL) if table.has(OVERALL) else None
    lists: dict[str, list[str]] = {label: [] for label in resamples}
    weights: dict[str, list[float]] = {label: [] for label in resamples}
    for i, (label, name) in enumerate(zip(table.column(RESAMPLE), table.column(NAME), strict=True)):
        if sizes[i] == size:
            lists[label].append(name)
            if overall is not None:
                weights[label].append(float(overall[i]))
    empty = [label for label in resamples if not lists[label]]
    if empty:
        raise InputError(f"The resample {empty[0]!r} has no variables of the size {size}; choose another size.")
    largest = [name for name, k in zip(table.column(NAME), sizes, strict=True) if k == max(sizes)]
    everything = AppearanceOrder(dict.fromkeys(largest))
    line = (
        f"caret rfe: {several(len(resamples), 'run')} from the column {RESAMPLE}, {several(size, 'variable')} in each"
    )
    universe = everything if len(everything) == max(sizes) else None
    return Runs(list(lists.values()), line, resamples, universe, None if overall is None else list(weights.values()))


def _chosen_size(sizes: list[int], reading: ReadOptions) -> int:
    """The size of the subsets that are compared: the one that is asked for, or the only one that leaves some out."""
    smaller = sizes[:-1] or sizes
    if reading.top is None and len(smaller) == 1:
        return smaller[0]
    if reading.top not in sizes:
        told = ", ".join(map(str, sizes))
        own = " (caret's own choice is its bestSubset)."
        told = f"rfe recorded subsets of the sizes {told}; say which to compare, such as "
        raise InputError(told, Argument("top", smaller[-1]), own)
    return reading.top


# ---- glmnet ------------------------------------------------------------------------------------------------------


def _is_glmnet(table: RTable) -> bool:
    return INTERCEPT in table.names or INTERCEPT in (row[0] for row in table.rows)


def _from_glmnet(table: RTable, reading: ReadOptions) -> Runs:
    turned = INTERCEPT in table.names
    if turned:
        table = _turned(table)
    names, labels = [row[0] for row in table.rows], table.names[1:]
    steps = [PENALTY.fullmatch(label) for label in labels]
    numbers = [int(step[1]) for step in steps if step is not None]
    in_order = any(numbers == list(range(start, start + len(labels))) for start in (0, 1))
    if len(labels) > 1 and in_order and not reading.layout:
        told = f"The columns {labels[0]} to {labels[-1]} are a path of penalties of one glmnet fit, not runs; "
        way = "bind the coefficients of each resample at one penalty, or give "
        raise InputError(told, way, Argument("layout", GLMNET), " if the columns are runs.")
    kept = [i for i, name in enumerate(names) if name != INTERCEPT]
    cells = [cell for i in kept for cell in table.rows[i][1:]]
    columns = _numbers(cells, "coefficients").reshape(len(kept), len(labels)).T
    whose = f"glmnet, coefficients in {'rows' if turned else 'columns'}"
    found = _largest(columns, [names[i] for i in kept], _given(labels), whose, "coefficients", reading)
    return found if len(kept) == len(names) else replace(found, line=f"{found.line}; the intercept is left out")


def _turned(table: RTable) -> RTable:
    """Runs in rows become columns; without row names they are numbered."""
    named = table.names[0] != INTERCEPT and not all(is_number(row[0]) for row in table.rows)
    first = int(named or table.names[0] == "")
    labels = [row[0] if first else f"V{i + 1}" for i, row in enumerate(table.rows)]
    cells = [[name, *(row[f] for row in table.rows)] for f, name in enumerate(table.names) if f >= first]
    return RTable(["", *labels], cells)


# ---- mlr3fselect -------------------------------------------------------------------------------------------------


def _is_mlr3(table: RTable) -> bool:
    listed, told = table.has(FEATURES, COUNT), any(map(table.has, (BATCH, *WHOSE)))
    return (listed and told) or ((listed or told) and bool(_logical(table)))


def _from_mlr3(table: RTable, reading: ReadOptions) -> Runs:
    if table.has(BATCH):
        raise InputError(
            f"The rows of an mlr3fselect archive ({BATCH}) are the feature sets that a search tried, not runs; write "
            "what each resample selected: extract_inner_fselect_results(), or ensemble_fselect()$result."
        )
    logical = _logical(table)
    marked = [[name for name, f in logical.items() if row[f].upper() == "TRUE"] for row in table.rows]
    lists = _listed(table) if table.has(FEATURES) else marked
    if logical and [set(names) for names in lists] != [set(names) for names in marked]:
        raise InputError(f"The column {FEATURES} and the TRUE/FALSE columns do not name the same features.")
    learners = list(dict.fromkeys(table.column(LEARNER))) if table.has(LEARNER) else []
    line = f"mlr3fselect: {several(len(lists), 'run')} from {several(len(lists), 'row')}"
    line += f" of {len(learners)} learners ({some_names(learners)}), taken together" if len(learners) > 1 else ""
    parts = [LEARNER] * (len(learners) > 1) + [name for name in ITERATION if table.has(name)]
    labels = [" ".join(cells) for cells in zip(*map(table.column, parts), strict=True)]
    return Runs(lists, line, labels if labels and len(set(labels)) == len(labels) else None, list(logical) or None)


def _logical(table: RTable) -> dict[str, int]:
    """The columns of TRUE and FALSE, one per feature, and where they stand."""
    columns = {name: f for f, name in enumerate(table.names) if name}
    return {name: f for name, f in columns.items() if {row[f].upper() for row in table.rows} <= LOGICAL}


def _listed(table: RTable) -> list[list[str]]:
    """The features of each row, as many as the row says."""
    lists = [[name for name in cell.split(BETWEEN) if name] for cell in table.column(FEATURES)]
    counts = _numbers(table.column(COUNT), COUNT) if table.has(COUNT) else map(len, lists)
    for i, (names, count) in enumerate(zip(lists, counts, strict=True)):
        if count != len(names):
            raise InputError(
                f"Row {i + 2} names {several(len(names), 'feature')} ({some_names(names)}), but {COUNT} is {count:g}; "
                f"write the table with data.table's fwrite, which puts {BETWEEN!r} between them."
            )
    return lists


# ---- Boruta ------------------------------------------------------------------------------------------------------


def _is_boruta(table: RTable) -> bool:
    column = set(table.column(DECISION)) if table.has(DECISION) else set()
    cells = column or {cell for row in table.rows for cell in row[1:]}
    return bool(cells) and cells <= DECISIONS


def _from_boruta(table: RTable, reading: ReadOptions) -> Runs:
    names, labels = [row[0] for row in table.rows], table.names[1:]
    columns = [[row[f + 1] for row in table.rows] for f in range(len(labels))]
    if table.has(DECISION):
        labels, columns = [], [table.column(DECISION)]
    elif reading.transpose is False or (reading.transpose is None and _are_runs(names) and not _are_runs(labels)):
        names, labels, columns = labels, names, [row[1:] for row in table.rows]
    lists = [[name for name, cell in zip(names, column, strict=True) if cell == "Confirmed"] for column in columns]
    open_ = sum(cell == "Tentative" for column in columns for cell in column)
    line = f"Boruta: {several(len(lists), 'run')}, the confirmed features of each"
    return Runs(lists, line + (f"; {open_} tentative left out" if open_ else ""), _given(labels), names)


def _are_runs(names: Sequence[str]) -> bool:
    """Names that R makes up, or that end in a number after the same word."""
    return all(MADE_UP.fullmatch(name) for name in names) or len({name.rstrip("0123456789") for name in names}) == 1


# ---- stabs -------------------------------------------------------------------------------------------------------


def _refuse_what_is_no_selection(table: RTable) -> None:
    """Tables that R writes beside those of selections, which would read as importances."""
    if table.has(SIZE) and not table.has(NAME) and PERFORMANCE & set(table.names):
        raise InputError("The table holds how well caret's subsets predict, not what they are; write rfe()$variables.")
    if table.names == ["", "i", "j", "x"]:
        raise InputError("The table holds the places of a sparse matrix without names; write as.matrix(coef(...)).")
    tested = _tested(table) or _tested_otherwise(table)
    if tested is not None and not any(map(is_run_word, table.names)):
        raise InputError(
            f"The table holds the tests of one analysis ({', '.join(tested)}), not what several runs selected; give ",
            Argument("top", 20),
            " for the features with the smallest p-values, and such a table for each run.",
        )
    _refuse_frequencies(table)


def _tested(table: RTable) -> tuple[str, str] | None:
    return next((names for names in TESTED if table.has(*names)), None)


def _tested_otherwise(table: RTable) -> list[str] | None:
    """The headings of p-values beside other numbers and a column of names; None for any other table."""
    named = bool(table.names) and (table.names[0] == "" or is_feature_word(table.names[0]))
    numeric = [name for f, name in enumerate(table.names) if f and _are_numbers(row[f] for row in table.rows)]
    found = [name for name in numeric if is_p_value(name)]
    return found if named and found and len(found) < len(numeric) else None


class TestedFeatures(NamedTuple):
    """Features of a table of tests with the smallest p-values first, all its features, and the headings of both."""

    names: list[str]
    features: list[str]
    p_heading: str
    name_heading: str


def ranked_by_p(cells: TextRows, top: int) -> TestedFeatures | None:
    """Return the features of a table of tests, ranked by their p-values; a row without a p-value has no rank.

    Return None if the table has no column of p-values next to a column of distinct names.
    """
    if len(cells) < 2:
        return None
    table = _table(cells)
    columns = [[row[f] for row in table.rows] for f in range(len(table.names))]
    numeric = [f for f, column in enumerate(columns) if _are_numbers(column)]
    p_values = [f for f in numeric if is_p_value(table.names[f])]
    unadjusted = [f for f in p_values if UNADJUSTED.fullmatch(table.names[f].strip())]
    chosen = unadjusted if unadjusted else p_values
    texts = [f for f, column in enumerate(columns) if f not in numeric and len(set(column)) == len(column) > 1]
    if len(chosen) != 1 or not texts or any(map(is_run_word, table.names)):
        return None
    words = [f for f in texts if is_feature_word(table.names[f])]
    named = (words or texts)[0]
    names = columns[named]
    tested = [(number_of(p), name) for p, name in zip(columns[chosen[0]], names, strict=True) if is_number(p)]
    largest = 100 if "%" in table.names[chosen[0]] else 1  # SAM gives q-values in percent
    if any(not 0 <= p <= largest for p, _ in tested):
        return None
    tested.sort(key=lambda pair: pair[0])
    if top < len(tested) and tested[top - 1][0] == tested[top][0]:
        told = f"The column {table.names[chosen[0]]!r} has several p-values of {tested[top][0]:g} at the border of "
        raise InputError(f"{told}the {top} smallest; give another ", Argument("top"), ".")
    ranked = [name for _, name in tested]
    return TestedFeatures(ranked, names, table.names[chosen[0]], table.names[named])


def _are_numbers(cells: Iterable[str]) -> bool:
    """Whether cells are numbers, but for those without a value."""
    known = [cell for cell in cells if cell not in NULLS]
    return bool(known) and all(map(is_number, known))


def _refuse_frequencies(table: RTable) -> None:
    """Shares of the subsamples: one column (max), or a path of them that only grows (phat)."""
    names = table.names[1:]
    if table.names[0] or not names or not all(name == "x" or STEP.fullmatch(name) for name in names):
        return
    cells = [cell for row in table.rows for cell in row[1:]]
    if not all(map(is_number, cells)):
        return
    shares = _numbers(cells, "shares").reshape(len(table.rows), len(names))
    if shares.min() < 0 or shares.max() > 1 or np.all((shares == 0) | (shares == 1)):
        return
    one = table.names == ["", "x"]
    if one or (shares.shape[1] >= FEW_STEPS and len(shares) >= FEW_STEPS and np.all(np.diff(shares, axis=1) >= 0)):
        what = "max" if one else "phat"
        told = f"The table holds shares of subsamples, as {what} of stabs does, which do not tell what each subsample "
        way = "selected; write one row of TRUE and FALSE per subsample, or give "
        raise InputError(told, way, Argument("layout", "importances"), " if these are importances.")


# ---- for all -----------------------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """How the tables of a package are recognised and read, and what one has to have."""

    fits: Callable[[RTable], bool]
    read: Callable[[RTable, ReadOptions], Runs]
    wanted: str


_KINDS = {
    CARET: Kind(_is_caret, _from_caret, f"the columns {NAME}, {SIZE} and {RESAMPLE} of rfe()$variables"),
    MLR3FSELECT: Kind(_is_mlr3, _from_mlr3, f"the columns {FEATURES} and {COUNT}, or TRUE and FALSE per feature"),
    GLMNET: Kind(_is_glmnet, _from_glmnet, "names of features in the first column, and coefficients"),
    BORUTA: Kind(_is_boruta, _from_boruta, "names of features, and Confirmed, Tentative or Rejected"),
}


def _largest(
    runs: Floats, names: list[str], labels: list[str] | None, whose: str, what: str, reading: ReadOptions
) -> Runs:
    """The features whose numbers are not 0, or the `top` largest; where none is 0 somebody has to say how many."""
    if reading.top is None and np.all(runs):
        told = f"{whose}: none of the {what} is 0, so no feature is left out; give "
        raise InputError(told, Argument("top", 10), ".")
    lists, weights = [], []
    for row in runs:
        chosen = np.flatnonzero(row)
        if reading.top is not None:
            chosen = np.sort(chosen[np.argsort(-np.abs(row[chosen]), kind="stable")[: reading.top]])
        lists.append([names[f] for f in chosen])
        weights.append(row[chosen].tolist())
    line = f"{whose}: {several(len(runs), 'run')}"
    line += "" if reading.top is None else f", the {reading.top} largest {what} of each"
    return Runs(lists, line, labels, names, weights)


def _given(labels: Sequence[str]) -> list[str] | None:
    """Labels that somebody gave, each once."""
    made_up = all(MADE_UP.fullmatch(label) or PENALTY.fullmatch(label) for label in labels)
    return None if made_up or len(set(labels)) < len(labels) or "" in labels else list(labels)


def _entries(runs: Runs, reading: ReadOptions) -> Entries:
    """The runs over the universe that is given, else over the table's own, else over the names that are used."""
    if reading.features is not None or runs.universe is None:
        used = dict.fromkeys(name for names in runs.lists for name in names)
        universe = universe_of(used, reading.features, reading.n_features, what="The runs")
    elif reading.n_features is not None and reading.n_features > len(runs.universe):
        universe = universe_of(runs.universe, None, reading.n_features, what="The table")
    else:
        checked, _ = feature_names(runs.universe, reading.n_features, what="The table")
        universe = runs.universe if isinstance(runs.universe, AppearanceOrder) else checked or ()
    unknown = sorted({name for names in runs.lists for name in names}.difference(universe))
    if unknown:
        raise InputError(
            f"The runs select {some_names(unknown)}, which the universe of {len(universe):,} features does not have."
        )
    entries = entries_over(universe, runs.lists, runs.labels, runs.weights)
    return entries._replace(notes=(f"{runs.line}; {universe_in_words(universe)}",))


def _numbers(cells: Sequence[str], what: str) -> Floats:
    """Cells as finite numbers; a dot is how R prints the zeros of a sparse matrix."""
    try:
        values = np.array(list(map(float, cells)), dtype=np.float64)
    except ValueError:
        known = (0.0 if cell == "." else number_of(cell) if is_number(cell) else np.nan for cell in cells)
        values = np.array(list(known), dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise InputError(f"A cell of {what} holds {cells[bad[0]]!r}; expected a number.")
    return values
