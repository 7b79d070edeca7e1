"""Resamplings by name, as the command takes them: "bootstrap", "subsample:fraction=0.8"."""

from __future__ import annotations

from typing import Any

from steadyset.arguments import wrong_argument
from steadyset.errors import InputError
from steadyset.io.labels import name_and_params
from steadyset.plugins import PlugIns, check_new_name
from steadyset.resampling.drawn import (
    Bootstrap,
    Chunks,
    ComplementaryPairs,
    FixedOverlap,
    KFold,
    LeaveOut,
    NoiseInjection,
    Resampling,
    Subsample,
)

RESAMPLINGS: dict[str, type[Resampling]] = {
    "bootstrap": Bootstrap,
    "subsample": Subsample,
    "complementary_pairs": ComplementaryPairs,
    "kfold": KFold,
    "chunks": Chunks,
    "fixed_overlap": FixedOverlap,
    "noise": NoiseInjection,
    "leave_out": LeaveOut,
}


def register_resampling(name: str, resampling: type[Resampling], *, replace: bool = False) -> type[Resampling]:
    """Make a resampling known by a name, to the command and to `resampling_by_name`; it is made without arguments."""
    check_new_name("resampling", name, RESAMPLINGS, replace=replace)
    if not (isinstance(resampling, type) and issubclass(resampling, Resampling)):
        raise wrong_argument("resampling", "a subclass of Resampling", resampling)
    RESAMPLINGS[name] = resampling
    return resampling


def _adopt(name: str, resampling: Any) -> None:
    """Register what an entry point stands for, unless its module has done that."""
    if RESAMPLINGS.get(name) is not resampling:
        register_resampling(name, resampling)


_plugins = PlugIns("resampling", _adopt)


def resampling_by_name(text: str) -> Resampling:
    """The resampling that a text describes: name[:param=value[,param=value]...], such as "subsample:fraction=0.8"."""
    name, params = name_and_params(text)
    if name not in RESAMPLINGS:
        _plugins.load()
    if name not in RESAMPLINGS:
        raise _plugins.unknown(name, RESAMPLINGS)
    resampling = RESAMPLINGS[name]()
    unknown = sorted(set(params) - set(resampling.get_params()))
    if unknown:
        takes = ", ".join(sorted(resampling.get_params()))
        raise InputError(f"The resampling {name!r} has no parameter {unknown[0]!r}; it takes {takes}.")
    resampling.set_params(**params)
    return resampling
