"""Every public name: tables by subject, and one page per name from its docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import steadyset as st
from reference_pages.markdown import plain, toctree
from steadyset.foundation.docstrings import first_paragraph
from steadyset.plots import list_pictures

PACKAGE = "steadyset"
INTRODUCTION = """# API

`import steadyset as st` gives every name of the first tables; `st.selectors`, `st.approaches`, `st.importances`,
`st.datasets` and `st.plot` are modules of it.
"""
SUBJECTS = {
    "Selections": ("Selections", "from_cross_validate", "from_fitted", "from_importances", "from_rfecv"),
    "Measures": (
        "stability",
        "stability_table",
        "which_measure",
        "list_measures",
        "get_measure",
        "null_expectation",
        "shared_importance",
        "FeatureSimilarity",
        "Measure",
        "Advice",
        "NullExpectation",
    ),
    "Properties of measures": ("certify", "certificate_table", "Certificate"),
    "Uncertainty, tests and comparisons": (
        "confidence_interval",
        "test_threshold",
        "test_difference",
        "compare",
        "runs_needed",
        "convergence",
        "Interval",
        "TestResult",
        "Comparison",
    ),
    "Features": ("features_table", "consensus", "Consensus", "instability_by_feature", "swap_map"),
    "Assessment": ("assess", "Assessment", "load_data", "Data"),
    "Resampling": (
        "Bootstrap",
        "Subsample",
        "ComplementaryPairs",
        "KFold",
        "LeaveOut",
        "Chunks",
        "FixedOverlap",
        "NoiseInjection",
        "list_resamplings",
    ),
    "Stability selection and ensembles": ("StabilitySelection", "error_control", "aggregate", "BoundRule"),
    "Filters": ("FilterSelector", "list_selectors", "Filter"),
    "Tuning and choice": (
        "tune",
        "Tuning",
        "pareto_front",
        "front_probability",
        "epsilon_constraint",
        "one_standard_error",
        "knee",
        "harmonic_mean",
        "weighted_sum",
        "pa_best",
    ),
    "Results in words and as documents": ("report", "findings_of", "Findings", "methods_text"),
    "Your own parts": (
        "register_measure",
        "unregister_measure",
        "register_filter",
        "register_selector",
        "register_resampling",
        "register_rule",
    ),
    "Errors": ("SteadysetError", "InputError", "UndefinedError", "MissingExtraError"),
}


def pages() -> Iterator[tuple[str, str]]:
    tables = {heading: _table(names) for heading, names in _tables()}
    sections = "".join(f"\n## {heading}\n\n{table}" for heading, table in tables.items())
    yield "api/index.md", INTRODUCTION + sections + toctree(map(_file_name, tables))
    for heading, names in _tables():
        yield f"api/{_file_name(heading)}.md", f"# {heading}\n\n{tables[heading]}{toctree(names)}"
        yield from ((f"api/{name}.rst", _page(name)) for name in names)


def _tables() -> Iterator[tuple[str, list[str]]]:
    """The names of each table, with the package; every public name has its place."""
    for heading, names in SUBJECTS.items():
        yield heading, [f"{PACKAGE}.{name}" for name in names]
    missing = sorted({*_functions_and_classes(st)} - {name for names in SUBJECTS.values() for name in names})
    if missing:
        raise LookupError(f"{', '.join(missing)}: add to SUBJECTS in {__file__}, where readers will look for it.")
    for heading, module in {
        "Selectors: st.selectors": st.selectors,
        "Approaches to tuning: st.approaches": st.approaches,
        "Importances: st.importances": st.importances,
        "Simulated data: st.datasets": st.datasets,
    }.items():
        new = [name for name in _functions_and_classes(module) if not hasattr(st, name) or name not in st.__all__]
        yield heading, [f"{_shown(module)}.{name}" for name in new]
    yield "Pictures: st.plot", [f"{PACKAGE}.plot.{name}" for name in (*list_pictures().index, *st.plot.__all__)]


def _functions_and_classes(module: ModuleType) -> list[str]:
    """What a module offers, without modules and without what it imports."""
    own = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__
    ]
    return [name for name in own if not name.startswith("_") and callable(getattr(module, name))]


def _shown(module: ModuleType) -> str:
    return f"{PACKAGE}.{module.__name__.rpartition('.')[2]}"


def _file_name(heading: str) -> str:
    return "-".join(re.findall(r"\w+", heading.lower()))


def _table(names: Iterable[str]) -> str:
    rows = [f"| [`{_short(name)}`]({name}.rst) | {plain(first_paragraph(_found(name)))} |" for name in names]
    return "\n".join(["| name | what it is |", "|---|---|", *rows, ""])


def _page(name: str) -> str:
    title = _short(name)
    module, _, own = name.rpartition(".")
    lines = [title, "=" * len(title), "", f".. currentmodule:: {module}", ""]
    if inspect.isclass(_found(name)):
        return "\n".join([*lines, f".. autoclass:: {own}", "   :members:", ""])
    return "\n".join([*lines, f".. autofunction:: {own}", ""])


def _short(name: str) -> str:
    return name.removeprefix(f"{PACKAGE}.")


def _found(name: str) -> Any:
    thing: Any = st
    for part in _short(name).split("."):
        thing = getattr(thing, part)
    return thing
