"""Findings in a file, for folders that do not hold all that findings are made of, such as that of a tuning."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from steadyset.assessment.written import DamagedError, read_json, write_json
from steadyset.findings import parts
from steadyset.findings.cited_text import Methods, methods_from, recorded_form
from steadyset.findings.parts import Findings, plain
from steadyset.foundation.errors import InputError
from steadyset.io import beneath
from steadyset.io.disk import write_durably
from steadyset.io.run_files import RECORDED_FINDINGS
from steadyset.selections import Selections

if TYPE_CHECKING:
    from steadyset.tuning import Trials

RECORDED, SCHEMA = RECORDED_FINDINGS, "steadyset.findings"
APART = ("selections", "methods", "trials")  # parts that are more than data


def record_findings(found: Findings, folder: Path) -> None:
    """Put the findings into a folder."""
    content = {part.name: plain(getattr(found, part.name)) for part in fields(found) if part.name not in APART}
    content["selections"] = {name: _runs(sel) for name, sel in found.selections.items()}
    content["methods"] = None if found.methods is None else recorded_form(found.methods)
    content["trials"] = None if found.trials is None else plain(found.trials.to_dict())
    write_durably(folder / RECORDED, write_json({"schema": SCHEMA, "schema_version": 1, **content}))


def recorded_findings(folder: Path) -> Findings | None:
    """What `record_findings` put down; None where nothing was."""
    path = folder / RECORDED
    if not path.exists():
        return None
    try:
        return _read(read_json(beneath.read(folder, RECORDED)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, InputError) as error:
        raise InputError(f"{path} is damaged: {error}; make it again by the command that wrote it.") from None


def _read(content: dict[str, Any]) -> Findings:
    if content.pop("schema") != SCHEMA or content.pop("schema_version") != 1:
        raise DamagedError(f"it does not follow version 1 of the schema {SCHEMA}")
    apart: dict[str, Any] = {
        "selections": {name: _selections(runs) for name, runs in content.pop("selections").items()},
        "methods": _methods(content.pop("methods")),
        "trials": _trials(content.pop("trials")),
    }
    hints = get_type_hints(Findings, vars(parts) | {"Trials": object})
    known = {name: _made(hints[name], value) for name, value in content.items() if name in hints}
    return Findings(**known, **apart)


def _methods(content: Any) -> Methods | None:
    return None if content is None else methods_from(content)


def _trials(content: Any) -> Trials | None:
    from steadyset.tuning import Trials

    return None if content is None else Trials.from_dict(content)


def _runs(sel: Selections) -> dict[str, Any]:
    weights, split = sel.weights, sel.indptr
    return {
        "features": list(sel.features),
        "labels": None if sel.labels is None else list(sel.labels),
        "runs": [sel.selected(run).tolist() for run in range(sel.n_runs)],
        "weights": None
        if weights is None
        else [weights[split[run] : split[run + 1]].tolist() for run in range(sel.n_runs)],
        "tied": None if sel.tied is None else sel.tied.tolist(),
    }


def _selections(content: Mapping[str, Any]) -> Selections:
    sel = Selections.from_sets(content["runs"], content["features"], labels=content["labels"])
    sel = sel if content["weights"] is None else sel.with_weights(content["weights"])
    return sel if content.get("tied") is None else sel.with_ties(content["tied"])


def _made(kind: Any, value: Any) -> Any:
    """A value of JSON as what it was: `kind` is the annotation of its place."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is types.UnionType or type(None) in inner:
        return None if value is None else _made(next(one for one in inner if one is not type(None)), value)
    if origin is tuple:
        return tuple(_made(inner[0], one) for one in value)
    if origin is not None and inner:  # a mapping by name
        return {name: _made(inner[1], one) for name, one in value.items()}
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        made: Any = kind
        return made(**{name: _made(hints[name], one) for name, one in value.items()})
    if kind is float:
        return nan if value is None else float(value)
    return value
