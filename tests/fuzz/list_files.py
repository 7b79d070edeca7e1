"""Recorded lists in every layout in which people keep them, and the universe that they are from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import openpyxl

import steadyset as st
from steadyset.io.lists.selection_files import read_universe

LISTS = {
    "Smith": ["TP53", "BRCA1", "EGFR", "MYC"],
    "Jones": ["BRCA1", "EGFR"],
    "Lee": ["TP53", "KRAS", "MYC"],
    "Ann": ["EGFR", "TP53", "ALK"],
}
GENES = sorted({name for names in LISTS.values() for name in names})
DEPTH = max(map(len, LISTS.values()))


def list_kinds(place: Path, measured: Callable[..., object]) -> Iterator[tuple[str, bytes, Callable[[Path], object]]]:
    """Names, whole contents, and how they are read: as they are recognised, and as somebody says that they are."""
    for name, (text, options) in _texts().items():
        yield name, text.encode(), measured
        yield name, text.encode(), partial(measured, **options)
    yield "utf16.txt", _texts()["columns.csv"][0].encode("utf-16"), measured
    book = openpyxl.Workbook()
    book.remove(book.active)
    for label, names in LISTS.items():
        sheet = book.create_sheet(label)
        for name in names:
            sheet.append([name])
    book.save(place / "sheets.xlsx")
    yield "sheets.xlsx", (place / "sheets.xlsx").read_bytes(), measured
    yield "sheets.xlsx", (place / "sheets.xlsx").read_bytes(), partial(measured, sheet="Lee")
    yield "list.txt", "\r\n".join(["# by hand", *LISTS["Smith"], ""]).encode(), partial(_in_folder, place, measured)
    yield "universe.txt", "\n".join(GENES).encode(), lambda path: read_universe(path, GENES, max_gb=1)
    yield "universe.csv", "\n".join(["gene,n", *(f"{gene},1" for gene in GENES)]).encode(), partial(_universe, GENES)


def _texts() -> dict[str, tuple[str, dict[str, object]]]:
    columns = [",".join(names[i] if i < len(names) else "" for names in LISTS.values()) for i in range(DEPTH)]
    marks = [";".join([gene, *("x" if gene in names else "" for names in LISTS.values())]) for gene in GENES]
    ranks = [",".join(str((i + shift) % 5 + 1) for i in range(5)) for shift in (0, 1, 0, 3)]
    return {
        "columns.csv": ("\n".join([",".join(LISTS), *columns]), {"layout": "columns", "header": True}),
        "rows.csv": ("\n".join(",".join([k, *v]) for k, v in LISTS.items()), {"layout": "rows", "header": True}),
        "sets.gmt": ("\n".join("\t".join([k, "na", *v]) for k, v in LISTS.items()), {"layout": "gmt", "top": 2}),
        "sets.gmx": ("\n".join([",".join(LISTS), "na,na,na,na", *columns]).replace(",", "\t"), {"top": 1}),
        "pairs.csv": ("\n".join(["who;what", *(f"{k};{x}" for k, v in LISTS.items() for x in v)]), {"runs": "who"}),
        "marks.csv": ("\n".join([";".join(["gene", *LISTS]), *marks]), {"layout": "wide", "transpose": True}),
        "ranks.csv": ("\n".join(["a,b,c,d,e", *ranks]), {"layout": "ranks", "top": 2}),
        "weights.csv": ("a,b,c\n0.5,0,-1\n0,0.25,2\n0.5,1,0\n", {"layout": "importances", "top": 1}),
    }


def _in_folder(place: Path, measured: Callable[..., object], file: Path) -> None:
    folder = place / "lists"
    folder.mkdir(exist_ok=True)
    (folder / "whole.txt").write_text("\n".join(LISTS["Jones"]), encoding="utf-8")
    (folder / "damaged.txt").write_bytes(file.read_bytes())
    measured(folder)


def _universe(used: list[str], path: Path) -> None:
    universe = read_universe(path, used, max_gb=1)
    assert set(used) <= set(universe.names)
    st.Selections.from_sets(list(LISTS.values()), universe.names)
