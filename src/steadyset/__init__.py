"""steadyset: how steady a feature selection is.

Names are imported when they are first used, so `import steadyset` stays quick; `__init__.pyi` lists them.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from steadyset._version import __version__ as __version__
from steadyset.foundation.display import draw_with, record_with, report_with, show_with


def _listed() -> dict[str, dict[str, tuple[str, str]]]:
    """What `__init__.pyi` lists: by heading, each public name with the module that it is in and its name there."""
    subjects: dict[str, dict[str, tuple[str, str]]] = {}
    for line in (pkgutil.get_data(__name__, "__init__.pyi") or b"").decode().splitlines():
        if line.startswith("# "):
            names = subjects.setdefault(line.removeprefix("# "), {})
        elif line.startswith("from "):
            _, home, _, own, _, name = line.split()
            names[name] = home, own
    return subjects


_SUBJECTS = _listed()
_HOMES = {name: home for names in _SUBJECTS.values() for name, home in names.items()}
__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, own = _HOMES[name]
    if home == __name__:  # a module of this package
        value = importlib.import_module(f"{home}.{own}")
    else:
        value = getattr(__import__(home, fromlist=[own]), own)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


def _draw(result: Any, name: str | None, **options: Any) -> Any:
    """The picture of a result; pictures are imported when the first is drawn."""
    return importlib.import_module("steadyset.plots").picture_of(result, name, **options)


def _show(result: Any) -> Any:
    """What is shown of a result; findings are imported when the first is shown."""
    found = importlib.import_module("steadyset.findings").findings_of(result)
    return importlib.import_module("steadyset.findings.sections").display_of(found, type(result).__name__)


def _report(result: Any, path: Any, **options: Any) -> Any:
    """Where the report of a result is written; reports are imported with the first."""
    return importlib.import_module("steadyset.reports").report(result, path, **options)


def _record(result: Any, folder: Any) -> None:
    """Put what a result says into its folder; findings are imported with the first."""
    importlib.import_module("steadyset.findings.of_shortlist").record_list(result, folder)


draw_with(_draw)
record_with(_record)
report_with(_report)
show_with(_show)
