"""Every measure: what it says, its formula, properties, an example and references, from its record and docstring."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import make_which_measure

import steadyset as st
from reference_pages.markdown import code, formula, plain, references, table, toctree
from steadyset.certificates.properties import AGAINST, PROPERTIES
from steadyset.foundation.text import first_paragraph
from steadyset.measures import all_measures

DOCS = Path(__file__).parents[1]
INTRODUCTION = """# Measures

A measure says how steady the selections of several runs are. [Which measure?](../../which-measure.md) helps to choose,
[the properties](../../properties.md) of all of them are decided by computation, and
[a measure of your own](../../extending.md) is one function. Each measure is known by its name to
`st.stability`, to the intervals and tests, and to the command: `steadyset measure FILE --measure jaccard`.

## Notation

| sign | meaning |
|---|---|
| $M$, $d$ | number of runs, number of features to choose from |
| $s_i$, $k_i$, $\\bar{k}$ | the set of features that run i selects, its size, the mean size |
| $r$, $e$ | how many features two sets share, and how many they share by chance on average |
| $h_f$, $p_f$, $q$ | how many runs select feature f, the share of the runs, the sum of all $h_f$ |
| $c(f,g)$ | how similar two features are, from 0 to 1; from the threshold on they count as similar |
| $A_{ij}$ | how many features of $s_i \\backslash s_j$ have a similar one in $s_j \\backslash s_i$ |
| $B_{ij}$ | the sum over these features of their mean similarity to such ones |
| $O_{ij}$ | how many features of $s_i \\backslash s_j$ have a similar one in $s_j$ |
| $w_{if}$ | the absolute weight of feature f in run i |
| $\\mathrm{E}[\\cdot]$ | the mean under random selection of as many features |

A measure with indices i and j is the mean over all pairs of runs.
"""
FAMILIES = {
    "pairwise": "Pairs of sets",
    "frequency": "Frequencies of the features",
    "patterns": "Distinct sets",
    "adjusted": "Pairs of sets, with similar features",
    "effective": "Frequencies, with similar features",
    "weights": "Importances",
    "rankings": "Rankings",
}
SETS = """import steadyset as st

lists = [["a", "b", "c"], ["a", "b", "d"], ["a", "c", "d"]]
runs = st.Selections.from_sets(lists, features=list("abcdef"))
"""
WEIGHTS = """import steadyset as st

weights = [[4, 3, 2, 0, 0, 0], [4, 3, 0, 2, 0, 0], [4, 0, 3, 2, 0, 0]]
runs = st.Selections.from_weights(weights, features=list("abcdef"))
"""
SIMILAR = """
similarity = np.eye(6)
similarity[2, 3] = similarity[3, 2] = 0.95  # c and d are nearly the same
similar = st.FeatureSimilarity.from_matrix(similarity, threshold=0.9)
"""


def pages() -> Iterator[tuple[str, str]]:
    measures = all_measures()
    sections = [_family(name, list(group)) for name, group in groupby(measures, key=lambda one: one.family)]
    yield "measures/index.md", "\n".join([INTRODUCTION, *sections, toctree(one.name for one in measures)])
    advice = _advice()
    for measure in measures:
        yield f"measures/{measure.name}.md", "\n".join(_page(measure, advice.get(measure.name, [])))


def _family(name: str, measures: list[st.Measure]) -> str:
    rows = [
        [f"[`{one.name}`]({one.name}.md)", plain(first_paragraph(one.score)), _range(one), one.correction]
        for one in measures
    ]
    head = ["measure", "what it is", "range", "corrected for chance"]
    return f"\n## {FAMILIES.get(name, name)}\n\n{table(head, rows)}\n"


def _page(measure: st.Measure, advised: list[str]) -> Iterator[str]:
    summary, *more = _paragraphs(measure)
    yield from (f"# {measure.name}", "", plain(summary), "")
    if advised:
        yield from ("**Recommended** ([why](../../which-measure.md)) where", "", *(f"- {case}" for case in advised), "")
    yield from (formula(measure.formula), "", "{.facts}", table(["", ""], _facts(measure)), "")
    for paragraph in more:
        yield from (plain(paragraph), "")
    yield from ("## Example", "", *_example(measure), "")
    if measure.name in _properties():
        yield from ("## Properties", "", _property_table(measure.name), "")
        yield from ("Decided by computation: [how, and the counter-examples](../../properties.md).", "")
    yield from ("## References", "", references(measure.reference), "")


def _paragraphs(measure: st.Measure) -> list[str]:
    """What the docstring says besides the lines that the record holds."""
    text = inspect.getdoc(getattr(measure.score, "func", measure.score)) or measure.name
    told = [" ".join(part.split()) for part in text.split("\n\n")]
    return [part for part in told if not part.startswith(("Formula:", "Undefined:", "Reference:"))]


def _facts(measure: st.Measure) -> Iterator[list[str]]:
    yield ["also known as", ", ".join(f"`{one}`" for one in measure.aliases) or "–"]
    yield ["range", _range(measure) + ("" if measure.higher_is_steadier else "; lower is steadier")]
    yield ["corrected for chance", measure.correction]
    yield ["similar features count as alike", "yes" if measure.adjusted else "no"]
    yield ["needs", ", ".join(measure.needs) or "the selected features only"]
    yield ["undefined where", plain(measure.undefined) or "–"]
    if measure.params:
        yield ["parameters", ", ".join(f"`{name}={value!r}`" for name, value in measure.params.items())]


def _range(measure: st.Measure) -> str:
    return " to ".join(f"{end:g}".replace("inf", "∞").replace("-", "−") for end in measure.bounds)


def _example(measure: st.Measure) -> Iterator[str]:
    """Code that a reader can run, and what it gives, computed now."""
    with_similarity = "similarity" in measure.needs
    lines = WEIGHTS if {"weights", "rankings"} & {*measure.needs} else SETS
    lines = f"import numpy as np\n{lines}{SIMILAR}" if with_similarity else lines
    call = f'st.stability(runs, "{measure.name}"{", similarity=similar" if with_similarity else ""})'
    names: dict[str, Any] = {}
    exec(lines, names)
    yield code(f"{lines}{call}")
    yield ""
    yield f"gives {eval(call, names):.4g}."


def _advice() -> dict[str, list[str]]:
    """Where a measure is the answer of `st.which_measure`."""
    found: dict[str, list[str]] = {}
    for advice, cases in make_which_measure.advised():
        found.setdefault(advice.measure, []).extend(cases)
    return found


def _properties() -> dict[str, list[str]]:
    """The rows of the table of properties.md, which a test holds to what certificates decide."""
    lines = (DOCS / "properties.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return {row[0]: row[1:] for row in rows if len(row) == len(PROPERTIES) + 1}


def _property_table(name: str) -> str:
    verdicts = zip(PROPERTIES, _properties()[name], strict=True)
    return table(["property", "holds"], [[key.replace("_", " "), _verdict(holds)] for key, holds in verdicts])


def _verdict(cell: str) -> str:
    return cell.replace(AGAINST, " (a paper says otherwise)")
