"""Many measures of the same runs in one table (`stability_table`), its notes, and tables as Markdown and LaTeX text.

Intervals and tests take runs as independent draws. Labels such as kfold-1a2b3c4d:0:1 name the resampling, also in files
that were written long ago; the resampling knows whether its runs are bound to each other (`caution`). Of runs with
other labels, or without, nothing is known and nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from steadyset.foundation.arguments import LEVEL, check_level, is_collection, wrong_argument
from steadyset.foundation.errors import Argument, InputError
from steadyset.io.labels import text_frame, text_index
from steadyset.measures import evaluate
from steadyset.measures.evaluate import Expectation, Options, Undefined
from steadyset.measures.record import Measure
from steadyset.selections import RunsLike, Selections, as_selections, runs_by_procedure

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

INTERVAL = ("se", "low", "high")
THRESHOLDS = tuple(round(0.5 + 0.05 * step, 2) for step in range(11))  # of similarity, for curves
COLUMNS = ("estimate", "steadier", *INTERVAL, "mc_error", "note")


def stability_table(
    selections: RunsLike,
    measures: str | Sequence[str | Measure] = "all",
    *,
    level: float | None = LEVEL,
    similarity: FeatureSimilarity | None = None,
    undefined: Undefined = "nan",
    expectation: Expectation = "auto",
    n_draws: int = 10_000,
    mc_error: float | None = None,
    random_state: int | None = None,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    thresholds: Sequence[float] | None = None,
) -> pd.DataFrame:
    """Many measures at once, sharing their work.

    Parameters
    ----------
    selections : Selections or array-like
        The runs, or anything that `Selections.from_matrix` takes: a 0/1 table with one row per run.
    measures : str or sequence of str or Measure, default="all"
        Which measures. "all" are those that have what they need: some take a similarity, some Selections with weights
        or rankings. A name may carry parameters, such as "davis:alpha=1".
    level : float or None, default=0.95
        The confidence of the intervals; None leaves them out, which is faster.
    similarity : FeatureSimilarity or None, default=None
        Which features can stand in for each other, for the measures that need it.
    undefined : {"nan", "raise", "paper"} or float, default="nan"
        How undefined pairs of runs are treated: "nan" makes the value undefined, "raise" raises an error, a number
        stands for each of them, and "paper" takes the value that the source of the measure states, such as 0 for
        kuncheva of empty sets; it is the same as "nan" for measures whose source states none.
    expectation : {"auto", "exact", "monte_carlo", "none"}, default="auto"
        What is subtracted for chance, as in `stability`, on the measures that can be corrected.
    n_draws : int, default=10000
        How many draws a simulated expectation takes, for each pair of sizes.
    mc_error : float or None, default=None
        Where a measure can, draw until the Monte Carlo error of its value is below this, instead of `n_draws` times.
    random_state : int or None, default=None
        Seed of what is simulated. None is a fixed seed: the same call gives the same number.
    params : Mapping or None, default=None
        Parameters by measure, such as ``{"davis": {"alpha": 1}}``; the same as "davis:alpha=1" among `measures`.
    thresholds : sequence of float or None, default=None
        Thresholds of the similarity, for measures that need one: each gets a row per threshold. None takes that of
        `similarity` alone.

    Returns
    -------
    pandas.DataFrame
        One row per measure (and threshold), of an Assessment one per selector and measure: estimate, steadier ("higher"
        or "lower": which values are those of steadier runs), se, low, high, mc_error and note. se, low and high are
        those of `confidence_interval` with its method "auto".

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([[0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 2, 4]], n_features=10)
    >>> table = st.stability_table(sel, ["nogueira", "jaccard", "lustgarten"])
    >>> table[["estimate", "low", "high"]].round(3).reset_index()
          measure  estimate    low   high
    0    nogueira     0.524  0.000  0.945
    1     jaccard     0.533  0.000  0.925
    2  lustgarten     0.367 -0.388  0.798
    """
    options = Options(undefined, expectation, n_draws, random_state, similarity, mc_error)
    assessed = runs_by_procedure(selections)
    if thresholds is not None:
        return _by_threshold(selections, assessed, measures, options, level, params, thresholds)
    if assessed is None:
        return _frame(table_rows(as_selections(selections), measures, options, level, params), level)
    several = {name: sel for name, sel in assessed.items() if sel.n_runs > 1}
    if not several:
        raise InputError("No selector has two runs or more with a selection; there is nothing to measure.")
    import pandas as pd

    tables = {name: _frame(table_rows(sel, measures, options, level, params), level) for name, sel in several.items()}
    whole: pd.DataFrame = pd.concat(tables, names=["selector"])
    return whole


def _by_threshold(
    selections: RunsLike,
    assessed: Mapping[str, Selections] | None,
    measures: str | Sequence[str | Measure],
    options: Options,
    level: float | None,
    params: Mapping[str, Mapping[str, Any]] | None,
    thresholds: Sequence[float],
) -> pd.DataFrame:
    """Return the table of measures that need a similarity, for each threshold."""
    import pandas as pd

    several = {"": as_selections(selections)} if assessed is None else assessed
    tables = {}
    for name, runs in several.items():
        if runs.n_runs < 2:
            continue
        rows = threshold_rows(runs, measures, options, level, thresholds, params)
        frames = {threshold: _frame(rows[threshold], level) for threshold in rows}
        whole = pd.concat(frames, names=["threshold"]).swaplevel()
        order = whole.index.get_level_values(0).unique()
        tables[name] = whole.loc[order]
    if not tables:
        raise InputError("No selector has two runs or more with a selection; there is nothing to measure.")
    joined_tables: pd.DataFrame = tables[""] if assessed is None else pd.concat(tables, names=["selector"])
    return joined_tables


def threshold_rows(
    selections: Selections,
    measures: str | Sequence[str | Measure],
    options: Options,
    level: float | None,
    thresholds: Sequence[float],
    params: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[float, list[dict[str, Any]]]:
    """Return the rows of `stability_table` for each threshold of the similarity."""
    if options.similarity is None:
        raise InputError(
            Argument("thresholds"),
            " are those of a similarity of the features, which is not given. Give ",
            Argument("similarity", ...),
            ".",
        )
    if not is_collection(thresholds) or not len(thresholds):
        raise wrong_argument("thresholds", "one or more numbers from 0 to 1", thresholds)
    records = evaluate.chosen_measures(measures, params)
    if isinstance(measures, str) and measures == "all":
        records = [one for one in records if "similarity" in one.needs]
        records = [one for one in records if evaluate.has_needs(one, selections, options)]
    unlike = [one.name for one in records if "similarity" not in one.needs]
    if unlike:
        raise InputError(f"The measure {unlike[0]} has no threshold of similarity; choose one that needs a similarity.")
    alike = options.similarity
    found = {}
    for threshold in sorted(set(thresholds)):
        one = replace(options, similarity=alike.with_threshold(threshold))
        found[float(threshold)] = table_rows(selections, records, one, level)
    return found


def _frame(rows: Sequence[Mapping[str, Any]], level: float | None) -> pd.DataFrame:
    columns = [name for name in COLUMNS if level is not None or name not in INTERVAL]
    names = text_index([row["measure"] for row in rows], "measure")
    return text_frame({column: [row[column] for row in rows] for column in columns}, names)


def table_rows(
    selections: Selections,
    measures: str | Sequence[str | Measure],
    options: Options,
    level: float | None,
    params: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """The rows of `stability_table` as plain values, for those who need no frame."""
    if level is not None:
        check_level(level)
    records, rows = evaluate.chosen_measures(measures, params), []
    if isinstance(measures, str) and measures == "all":  # those that need what is not there are left out
        records = [record for record in records if evaluate.has_needs(record, selections, options)]
    if level is None:
        found = evaluate.estimates(selections, records, options)
        rows = [{"estimate": one.value, "mc_error": one.mc_error, "note": one.note} for one in found]
    else:
        from steadyset.inference.interval import interval_of, jackknives  # a table without intervals needs no scipy

        for one in jackknives(selections, records, options):
            interval = interval_of(one, options, level)
            known = {name: getattr(interval, name) for name in ("estimate", *INTERVAL, "note")}
            rows.append({**known, "mc_error": one.estimate.mc_error})
    return [
        {"measure": record.specification, "steadier": "higher" if record.higher_is_steadier else "lower", **row}
        for record, row in zip(records, rows, strict=True)
    ]


# What people call their procedures is escaped.
LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
}
MARKDOWN = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>#|"} | {"\n": " ", "\r": " "})


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A pipe table with aligned columns; numbers to the right."""
    cells = [[text.translate(MARKDOWN) for text in row] for row in rows]
    titles = [text.translate(MARKDOWN) for text in header]
    widths = [max(len(row[c]) for row in [titles, *cells]) for c in range(len(titles))]
    right = [all(_is_number(row[c]) for row in cells) for c in range(len(titles))]
    lines = ["| " + " | ".join(text.ljust(width) for text, width in zip(titles, widths, strict=True)) + " |"]
    lines.append(
        "|" + "|".join("-" * (width + 1) + (":" if r else "-") for width, r in zip(widths, right, strict=True)) + "|"
    )
    lines += [
        "| " + " | ".join(x.rjust(w) if r else x.ljust(w) for x, w, r in zip(row, widths, right, strict=True)) + " |"
        for row in cells
    ]
    return "\n".join(lines)


def latex_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A tabular with the rules of booktabs."""
    right = [all(_is_number(row[c]) for row in rows) for c in range(len(header))]
    lines = [f"\\begin{{tabular}}{{{''.join('r' if r else 'l' for r in right)}}}", "\\toprule"]
    lines += [_latex_row(header), "\\midrule", *(_latex_row(row) for row in rows), "\\bottomrule", "\\end{tabular}"]
    return "\n".join(lines)


def latex_escaped(text: str) -> str:
    return "".join(LATEX.get(character, character) for character in text.replace("\n", " ").replace("\r", " "))


def _latex_row(row: Sequence[str]) -> str:
    return " & ".join(latex_escaped(text) for text in row) + r" \\"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


LABEL = re.compile(r"(?P<name>\w+)-[0-9a-f]{8}:\d+:\d+")
FOLD = re.compile(r"fold \d+")  # of what cross_validate returns, which does not tell how it split
ROUGH = "a rough guide"
UNKNOWN = f"{ROUGH} unless each of the training sets was drawn at random by itself"


@lru_cache(maxsize=64)  # the same runs are asked about for every measure and pair
def caution(labels: tuple[str, ...] | None) -> str:
    """What the note of an interval or a test has to say; nothing where runs are independent, or nobody knows."""
    if not labels:
        return ""
    if all(FOLD.fullmatch(label) for label in labels):
        return UNKNOWN
    found = [LABEL.fullmatch(label) for label in labels]
    names = {match["name"] for match in found if match is not None}
    if not names or None in found:
        return ""
    from steadyset.resampling import why_bound  # takes long to import

    reasons = [why_bound(name) for name in sorted(names)]
    why = next((reason for reason in reasons if reason), "")
    if why:
        return f"{ROUGH}, as the runs are not independent draws: {why}"
    return UNKNOWN if None in reasons else ""


def joined(*notes: str) -> str:
    """Notes as one, each part of them once."""
    return "; ".join(dict.fromkeys(part for note in notes if note for part in note.split("; ")))


def cautions(notes: Iterable[str]) -> list[str]:
    """The cautions that are part of notes, each once, as sentences."""
    parts = joined(*notes).split("; ")
    return [f"Intervals and tests of stability are {part}." for part in parts if part.startswith(ROUGH)]


def without_cautions(note: str) -> str:
    """A note without them, where they are said once for all."""
    return "; ".join(part for part in note.split("; ") if not part.startswith(ROUGH))
