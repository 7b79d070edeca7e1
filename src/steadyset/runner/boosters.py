"""LightGBM and XGBoost models: the importances of their columns. Known by their methods, never imported."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats

# What an importance is called by each: the total gain of all splits, and their number.
LIGHTGBM = {"gain": "gain", "split": "split"}
XGBOOST = {"gain": "total_gain", "split": "weight"}
IMPORTANCES = tuple(LIGHTGBM)
DEFAULT_NAME = re.compile(r"(?:Column_|f)([0-9]+)")  # what both call columns without names


@dataclass(frozen=True)
class Boosted:
    """One model: the names of its columns (None: it has none), and their importances: 0 where no tree splits."""

    names: list[str] | None
    importances: Floats


def is_boosted(model: Any) -> bool:
    """Whether something is a tree model of LightGBM or XGBoost, a booster or a wrapper of it."""
    return _reader(model) is not None


def boosters_of(fitted: Any) -> list[Any] | None:
    """The models of lightgbm.cv(return_cvbooster=True), given as its result or as the CVBooster; else None."""
    if isinstance(fitted, dict) and "cvbooster" in fitted:
        fitted = fitted["cvbooster"]
    return list(fitted.boosters) if _module(fitted) == "lightgbm" and hasattr(fitted, "boosters") else None


def boosted(model: Any, importance: str) -> Boosted:
    """Read one of them."""
    read = _reader(model)
    assert read is not None
    found = read(model, importance)
    if found.names is not None and _are_default(found.names):
        return Boosted(None, found.importances)
    return found


def _reader(model: Any) -> Callable[[Any, str], Boosted] | None:
    module = _module(model)
    if module == "lightgbm" and (hasattr(model, "feature_importance") or hasattr(model, "_Booster")):
        return _lightgbm
    if module == "xgboost" and (hasattr(model, "get_score") or hasattr(model, "get_booster")):
        return None if hasattr(model, "coef_") else _xgboost  # a linear booster has coefficients, and no splits
    return None


def _module(model: Any) -> str:
    """The package of the class or of one that it is derived from."""
    packages = [kind.__module__.split(".")[0] for kind in type(model).__mro__]
    return next((package for package in packages if package in ("lightgbm", "xgboost")), packages[0])


def _lightgbm(model: Any, importance: str) -> Boosted:
    booster = model if hasattr(model, "feature_importance") else model.booster_
    return Boosted(list(booster.feature_name()), _floats(booster.feature_importance(LIGHTGBM[importance])))


def _xgboost(model: Any, importance: str) -> Boosted:
    booster = model if hasattr(model, "get_score") else model.get_booster()
    kind = json.loads(booster.save_config())["learner"]["gradient_booster"]["name"]
    if kind == "gblinear":
        raise InputError("A linear XGBoost booster has no splits; give the coef_ of each fold to st.from_importances.")
    n_features = int(booster.num_features())
    names = booster.feature_names or [f"f{f}" for f in range(n_features)]
    return Boosted(list(names), _in_order(booster.get_score(importance_type=XGBOOST[importance]), names))


def _in_order(scores: dict[str, Any], names: Sequence[str]) -> Floats:
    """The scores of all columns; those without a split are left out of what XGBoost tells."""
    return _floats([scores.get(name, 0.0) for name in names])


def _floats(values: Any) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _are_default(names: Sequence[str]) -> bool:
    numbers = [DEFAULT_NAME.fullmatch(name) for name in names]
    return all(found is not None and int(found[1]) == f for f, found in enumerate(numbers))
