"""steadyset: how steady a feature selection is.

Names are imported when they are first used, so `import steadyset` stays quick; `__init__.pyi` lists them.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from steadyset._version import __version__ as __version__


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
