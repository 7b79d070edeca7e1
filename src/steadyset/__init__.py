"""steadyset: how far a feature selection can be trusted.

Names are imported when they are first used, so `import steadyset` stays quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from steadyset._version import __version__

if TYPE_CHECKING:
    from steadyset import importances
    from steadyset.certificates import Certificate, certificate_table, certify
    from steadyset.errors import InputError, MissingExtraError, SteadysetError, UndefinedError
    from steadyset.measures import (
        Measure,
        NullExpectation,
        get_measure,
        list_measures,
        null_expectation,
        register_measure,
        shared_importance,
        stability,
        stability_table,
        unregister_measure,
    )
    from steadyset.selections import Selections
    from steadyset.similarity import FeatureSimilarity

_HOMES = {
    "Certificate": "certificates",
    "FeatureSimilarity": "similarity",
    "InputError": "errors",
    "Measure": "measures",
    "MissingExtraError": "errors",
    "NullExpectation": "measures",
    "Selections": "selections",
    "SteadysetError": "errors",
    "UndefinedError": "errors",
    "certificate_table": "certificates",
    "certify": "certificates",
    "get_measure": "measures",
    "importances": "importances",
    "list_measures": "measures",
    "null_expectation": "measures",
    "register_measure": "measures",
    "shared_importance": "measures",
    "stability": "measures",
    "stability_table": "measures",
    "unregister_measure": "measures",
}

__all__ = [
    "Certificate",
    "FeatureSimilarity",
    "InputError",
    "Measure",
    "MissingExtraError",
    "NullExpectation",
    "Selections",
    "SteadysetError",
    "UndefinedError",
    "__version__",
    "certificate_table",
    "certify",
    "get_measure",
    "importances",
    "list_measures",
    "null_expectation",
    "register_measure",
    "shared_importance",
    "stability",
    "stability_table",
    "unregister_measure",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'steadyset' has no attribute {name!r}")
    home = importlib.import_module(f"steadyset.{_HOMES[name]}")
    value = home if name == _HOMES[name] else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
