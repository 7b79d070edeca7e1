"""The report as one HTML page, with everything in it: it opens offline and makes no network requests."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup, escape

from steadyset._version import __version__
from steadyset.findings import Findings
from steadyset.findings.box import question
from steadyset.findings.of_results import MOST_ROWS
from steadyset.findings.parts import plain
from steadyset.findings.sections import Live
from steadyset.findings.tables import ReportTable, bar_scale
from steadyset.foundation import text as wording
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import SHOWN_NAMES, shown_name
from steadyset.inference.features import wilson
from steadyset.io.formats.spreadsheet import csv_text, xlsx_bytes
from steadyset.io.labels import UnionOfNames
from steadyset.kernels.arrays import Ints
from steadyset.plots import Picture
from steadyset.plots.catalogue import RegisteredPicture
from steadyset.plots.drawing import converter, drawing_library, script_json, slim_svg
from steadyset.reports import Drawings, Part, document_of, tables_in
from steadyset.selections import Selections
from steadyset.selectors.ensembles.rules import error_control

LISTS = ("shortlist", "list", "consensus", "kept")  # the tables that are the answer, the first that a result has
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
BAR = (3.0, 107.0)  # where the bar of an interval begins and ends
# The blocks of Hebrew, Arabic, Syriac, Thaana, N'Ko and others, with the forms of presentation.
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")
MOST_ISOLATED = 2_000  # names that are looked for


@dataclass(frozen=True)
class Drawing:
    """One figure: of a procedure or, without its name, of all; the note stands below it as text."""

    key: str
    procedure: str
    note: str
    svg: Markup


def page_of(found: Findings) -> str:
    """The page."""
    return str(_template(isolating(_names(found))).render(**_content(found)))


def _names(found: Findings) -> Iterator[str]:
    """What sentences and lists of the page name: procedures, and the features of cores and tables."""
    yield from (row.name for row in found.summary)
    yield from (name for core in found.cores for name in core.features)
    for row in (row for block in found.features for row in block.rows):
        yield row.feature
        yield from (one.feature for one in row.stand_ins)
    yield from (row.feature for row in found.ranking)


def _content(found: Findings) -> dict[str, Any]:
    document = document_of(found)
    figures, packed_drawings = _figures_of(document, found)
    return {
        "title": question(found),
        "version": __version__,
        "today": datetime.now(UTC).strftime("%Y-%m-%d"),
        "found": found,
        "document": document,
        "figures": figures,
        "files": _files_of(document),
        "several": len(found.summary) > 1,
        "places": {name: place for place, name in enumerate(found.selections)},
        "scale_of_bars": bar_scale(found.summary),
        "data": Markup(script_json(plain(page_data(found, tables_in(document))))),
        "style": Markup(_shipped("page.css")),
        "drawings": Markup(packed_drawings),
        "library": Markup(drawing_library()) if figures else "",
        "script": Markup(_shipped("live.js") + _shipped("page.js")),
    }


def _files_of(document: Sequence[Part]) -> dict[str, Any]:
    """The list as files that the page brings along; nothing where there is no list."""
    table = next((one for name, one in tables_in(document).items() if name in LISTS), None)
    if table is None or not table.rows:
        return {}
    rows = table.records()
    names = "".join(f"{shown_name(str(row['feature']))}\n" for row in rows)
    contents = {
        "xlsx": (SHEET, xlsx_bytes(rows)),
        "csv": ("text/csv;charset=utf-8", csv_text(rows, safe=True).encode("utf-8", "backslashreplace")),
        "txt": ("text/plain;charset=utf-8", names.encode("utf-8", "backslashreplace")),
    }
    return {name: f"data:{kind};base64,{base64.b64encode(each).decode()}" for name, (kind, each) in contents.items()}


def _shipped(name: str) -> str:
    return files("steadyset.reports").joinpath(name).read_text(encoding="utf-8")


def content_digest(text: str) -> str:
    """What a content security policy calls a script or a style that stands in the page."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _place(value: float, low: float, high: float) -> str:
    """Where a value is on the bar of an interval."""
    return f"{BAR[0] + (BAR[1] - BAR[0]) * (value - low) / (high - low):.1f}"


def _template(isolated: Callable[[str], Markup]) -> Any:
    environment = Environment(
        loader=PackageLoader("steadyset.reports", "."),
        autoescape=select_autoescape(["html.j2"], default=True),
        trim_blocks=True,
        lstrip_blocks=True,
        # Names come from strangers: control characters and halves of characters are written out.
        finalize=lambda value: shown_name(value) if type(value) is str else value,
    )
    environment.filters |= {"percent": wording.percent, "digest": content_digest, "place": _place, "isolated": isolated}
    environment.tests |= {
        "of_kind": lambda block, kind: type(block).__name__ == kind,
        "live": lambda piece: isinstance(piece, Live),
    }
    return environment.get_template("page.html.j2")


# ---- figures: drawn for readers without JavaScript, and packed for the script that draws them live -----------------


def _figures_of(document: Sequence[Part], found: Findings) -> tuple[dict[str, list[Drawing]], str]:
    """The figures by the name of their picture, and what the script unpacks: their specifications of Vega-Lite."""
    specifications: dict[str, Any] = {}
    waiting = []
    # To draw takes as long as to specify, and another thread does it.
    with ThreadPoolExecutor(1) as thread:
        for record in (block.record for part in document for block in part.blocks if isinstance(block, Drawings)):
            for place, (name, picture) in enumerate(record.of(found).items()):
                key = f"{record.name}-{place}"
                specifications[key] = _specification(record, name, picture)
                drawn = thread.submit(converter().vegalite_to_svg, json.dumps(specifications[key]))
                waiting.append((record.name, key, name, picture.note, drawn))
        figures: dict[str, list[Drawing]] = {}
        for kind, key, name, note, svg in waiting:
            still = Markup(slim_svg(svg.result(), key, specifications[key]["description"], fonts=False))
            figures.setdefault(kind, []).append(Drawing(key, name, note, still))
    return figures, packed(specifications)


def packed(content: Any) -> str:
    """JSON, compressed and written in letters that end no element of a page."""
    return base64.b64encode(gzip.compress(json.dumps(content, allow_nan=False).encode(), mtime=0)).decode()


def _specification(record: RegisteredPicture, name: str, picture: Picture) -> dict[str, Any]:
    """Without the note, which stands in the page, and on the ground of the page."""
    specification = replace(picture, note="").specification()
    specification.pop("$schema", None)
    of = f": {shown_name(name)}" if name else ""
    words = [f"{record.title}{of}.", picture.description, record.caption, shown_name(picture.note)]
    return specification | {"background": None, "description": " ".join(filter(None, words))}


# ---- names that are written from right to left, set apart from the sentence around them ----------------------------


def isolating(names: Iterable[str]) -> Callable[[str], Markup]:
    """A function that escapes a text and puts each such name in it into a <bdi> element.

    Without that, a comma or a number between two of them belongs to the name before, and a list reads backwards.
    """
    written = dict.fromkeys(shown_name(name) for name in names if RIGHT_TO_LEFT.search(name))
    longest_first = sorted([*written][:MOST_ISOLATED], key=len, reverse=True)
    if not longest_first:
        return lambda text: escape(shown_name(text))
    pattern = re.compile(f"({'|'.join(map(re.escape, longest_first))})")

    def isolated(text: str) -> Markup:
        pieces = pattern.split(shown_name(text))
        marked = (Markup("<bdi>{}</bdi>").format(one) if place % 2 else escape(one) for place, one in enumerate(pieces))
        return Markup("").join(marked)

    return isolated


MOST_LISTED = 2_000  # features of each procedure that can be searched; how many more there are is told
MOST_BITS = 200_000  # of each procedure: runs times features whose runs are known
STEPS = 200  # positions of the slider: halves of a percent
HALVES = ("Subsample(fraction=0.5, stratified=False)", "ComplementaryPairs(stratified=False)")
IF_HALVES = "the bound of stability selection needs runs on random halves of the rows"


def page_data(found: Findings, tables: Mapping[str, ReportTable]) -> dict[str, Any]:
    """Lists, mappings, text and numbers. Names are as they are shown."""
    names: dict[str, int] = {}
    places = {name: place for place, name in enumerate(found.selections)}
    procedures = [_procedure(found, name, sel, names) for name, sel in found.selections.items()]
    return {
        "core": found.core,
        "named": SHOWN_NAMES,
        "features": [shown_name(name) for name in names],
        "procedures": procedures,
        "tables": {name: _table(table, places) for name, table in tables.items()},
    }


def _procedure(found: Findings, name: str, sel: Selections, names: dict[str, int]) -> dict[str, Any]:
    order = np.argsort(-sel.counts, kind="stable")[: int((sel.counts > 0).sum())]
    listed = order[:MOST_LISTED]
    counts, n_features = np.unique(sel.counts[order], return_counts=True)
    low, high = wilson(counts, sel.n_runs, found.level) if sel.n_runs else (counts, counts)
    bounds, why_none = _bounds(found, sel)
    return {
        "name": shown_name(name),
        "runs": sel.n_runs,
        "features": sel.n_features,
        "listed": [names.setdefault(sel.features[f], len(names)) for f in listed],
        "counts": sel.counts[listed].tolist(),
        "taken": _taken(sel, listed),
        # What depends on the count alone: how many features have it, and the interval of their frequency.
        "levels": [
            [int(count), int(n), round(float(a), 4), round(float(b), 4)]
            for count, n, a, b in zip(counts[::-1], n_features[::-1], low[::-1], high[::-1], strict=True)
        ],
        "left_out": len(order) - len(listed),
        "note": next((core.note for core in found.cores if core.name == name), ""),
        "bounds": bounds,
        "why_none": why_none,
    }


def _taken(sel: Selections, listed: Ints) -> list[str]:
    """Which runs select the most frequent features: a bit for each run, four of them in a letter."""
    first = listed[: min(MOST_ROWS, MOST_BITS // max(1, sel.n_runs))]
    chosen = np.asarray(sel.to_matrix()[:, first].toarray(), dtype=bool)
    return [column.tobytes().hex() for column in np.packbits(chosen, axis=0).T]


def _bounds(found: Findings, sel: Selections) -> tuple[list[float | None], str]:
    """The bound on false selections at each position of the slider, or why there is none."""
    details = found.settings.get("details", {})
    if found.kind == "tuning":
        return [], "the configuration was chosen by these runs"
    if found.kind != "assessment":
        return [], "how the runs were drawn is not known"
    if found.settings.get("resampling") not in HALVES:
        return [], IF_HALVES
    if details.get("n_groups"):
        return [], f"{IF_HALVES}, and these draw whole groups"
    if isinstance(sel.features, UnionOfNames) or not sel.sizes.any():
        return [], "the features that could have been selected are not known"
    q = int(sel.sizes.max())
    shares = np.ceil(np.arange(STEPS + 1) / STEPS * sel.n_runs - 1e-9) / sel.n_runs
    return [_bound(sel.n_features, q, float(share)) for share in shares], ""


def _bound(n_features: int, q: int, threshold: float) -> float | None:
    try:
        return float(f"{error_control(n_features, q=q, threshold=threshold).pfer:.3g}")
    except InputError:  # such as a threshold of half of the runs or less
        return None


def _table(table: ReportTable, places: Mapping[str, int]) -> dict[str, Any]:
    return {
        "keys": [list(column.keys) for column in table.columns],
        "text": [column.is_text for column in table.columns],
        "core": table.core_column,
        "left_out": table.left_out,
        "runs": table.runs,
        "selected": list(table.selected),
        "values": [[_short(cell.values) for cell in row.cells] for row in table.rows],
        "cells": table.texts(),
        "procedures": [None if row.procedure is None else places.get(row.procedure) for row in table.rows],
    }


def _short(values: tuple[Any, ...]) -> list[Any]:
    """Names as they are shown, numbers with six digits."""
    return [
        shown_name(value) if isinstance(value, str) else float(f"{value:.6g}") if isinstance(value, float) else value
        for value in values
    ]
