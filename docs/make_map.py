"""Draws the map of the house, docs/images/map.svg, from the import contract in pyproject.toml: make map.

It also prints how big the house is, and how many files one walks through.
"""

from __future__ import annotations

import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "map.svg"
WORDS = {
    "__main__": "python -m steadyset",
    "cli": "the command: translates, computes nothing",
    "serve": "the page on this machine; computes nothing",
    "options": "one record per option: what command, page, jobs and reference say of it",
    "reports": "documents made of findings and pictures",
    "plot": "the public name of plots",
    "plots": "pictures by kind: data first, then drawing",
    "findings": "what a result says, as plain data",
    "warming": "compiles kernels ahead",
    "tuning": "search, Pareto front, choice of one configuration",
    "replications": "whether the next study would select the same",
    "shortlists": "from data to a list of features with a stated error",
    "assessment": "selectors × resamples × data, in run folders",
    "from_tools": "results of other tools as Selections",
    "runner": "one estimator on one resample",
    "inference": "intervals, tests, comparisons, planning",
    "certificates": "properties of measures, by computation",
    "selectors": "filters, linear models, forests, ensembles",
    "resampling": "how the training sets are drawn",
    "measures": "one record per measure, one object per family",
    "similarity": "how alike the features are",
    "selections": "what the runs selected: the one structure",
    "io": "every file format, in and out",
    "kernels": "compiled functions on plain arrays",
    "datasets": "the generated data of the papers",
    "tasks": "what a target asks for: a file per task",
    "foundation": "errors, checks, text, plug-ins: for everybody",
    "_version": "the version",
}
# The way that data take: what they are when they leave each stop.
WAY = [
    ("io", "table"),
    ("resampling", "resamples"),
    ("runner", "fits"),
    ("selections", "Selections"),
    ("measures", "stability"),
    ("inference", "interval"),
    ("findings", "findings"),
    ("plots", "pictures"),
    ("reports", "report"),
    ("cli", "answer"),
]
LINE, GAP, TOP, LEFT, BOX, STEP = 19, 7, 76, 20, 470, 62
STYLE = """
  svg { --paper: #ffffff; --box: #f3f5f8; --edge: #c3cad5; --ink: #1c2430; --quiet: #55606f; --way: #b3431d; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #14181f; --box: #1f2630; --edge: #3d4857; --ink: #e8ecf2; --quiet: #aab4c2; --way: #ff9166; }
  }
  .paper { fill: var(--paper); } .box { fill: var(--box); stroke: var(--edge); } text { fill: var(--ink); }
  .title { font: 600 17px system-ui, sans-serif; } .words, .label { font: 12.5px system-ui, sans-serif; }
  .name { font: 600 12.5px ui-monospace, monospace; } .words { fill: var(--quiet); }
  .label { font-weight: 600; fill: var(--way); }
  .way { fill: none; stroke: var(--way); stroke-width: 2.5; stroke-linejoin: round; } .stop { fill: var(--way); }
  .number { font: 700 11px system-ui, sans-serif; fill: var(--paper); text-anchor: middle; }
  .lead { stroke: var(--edge); stroke-dasharray: 2 4; }
"""


def layers() -> list[list[str]]:
    """The layers of the contract from the top down, each with its modules."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    rows = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[name.strip() for name in row.split(":")] for row in rows]


def drawn() -> str:
    """The picture: boxes are layers, which import only from boxes below; the line is the way that data take."""
    parts, heights, y = [], {}, TOP
    for names in layers():
        parts.append(f'<rect class="box" x="{LEFT}" y="{y}" width="{BOX}" height="{LINE * len(names) + 6}" rx="5"/>')
        for name in names:
            heights[name] = y + 10
            parts.append(f'<text class="name" x="{LEFT + 12}" y="{y + 16}">{escape(name)}</text>')
            parts.append(f'<text class="words" x="{LEFT + 128}" y="{y + 16}">{escape(words_of(name))}</text>')
            y += LINE
        y += 6 + GAP
    width, height = LEFT + BOX + 70 + STEP * len(WAY), y + 12
    head = [
        f'<rect class="paper" width="{width}" height="{height}" rx="10"/>',
        f'<text class="title" x="{LEFT}" y="34">Layers: a box imports only from boxes below</text>',
        f'<text class="words" x="{LEFT}" y="56">src/steadyset, from the import contract in pyproject.toml</text>',
        f'<text class="title" x="{LEFT + BOX + 40}" y="34">The way of data, from a file to an answer</text>',
    ]
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    told = "The layers of steadyset from top to bottom, and the stops that data take: " + ", ".join(n for n, _ in WAY)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{told}">'
    return "\n".join([svg, f"<style>{STYLE}</style>", *head, *parts, *way(heights), "</svg>", ""])


def words_of(name: str) -> str:
    if name not in WORDS:
        raise SystemExit(f"{name} is new in the import contract: give it a few words in docs/make_map.py.")
    return WORDS[name]


def way(heights: dict[str, int]) -> list[str]:
    """The stops as numbered circles at the height of their modules, joined by a line."""
    stops = [(LEFT + BOX + 50 + STEP * step, heights[name], label) for step, (name, label) in enumerate(WAY)]
    leads = [f'<line class="lead" x1="{LEFT + BOX}" y1="{y}" x2="{x - 9}" y2="{y}"/>' for x, y, _ in stops]
    line = '<polyline class="way" points="' + " ".join(f"{x},{y}" for x, y, _ in stops) + '"/>'
    circles = []
    for number, (x, y, label) in enumerate(stops, start=1):
        falls = number < len(stops) and stops[number][1] > y
        right, down = (-14, -15) if falls else (13, 17)  # beside the line, which otherwise rises
        circles += [
            f'<circle class="stop" cx="{x}" cy="{y}" r="9"/><text class="number" x="{x}" y="{y + 4}">{number}</text>',
            f'<text class="label" x="{x + right}" y="{y + down}">{label}</text>',
        ]
    return [*leads, line, *circles]


if __name__ == "__main__":
    import house_counts

    PICTURE.write_text(drawn(), encoding="utf-8")
    print(f"{PICTURE.relative_to(ROOT)} is drawn.")
    house_counts.tell()
