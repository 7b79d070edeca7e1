"""Resamplings by name, as the command takes them: "bootstrap", "subsample:fraction=0.8"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.docstrings import defaults, first_paragraph, meanings, reference
from steadyset.foundation.errors import InputError
from steadyset.foundation.registry import Registry
from steadyset.io.labels import name_and_params
from steadyset.resampling.base import Resampling

if TYPE_CHECKING:
    import pandas as pd


def _check(resampling: Any) -> None:
    if not (isinstance(resampling, type) and issubclass(resampling, Resampling)):
        raise wrong_argument("resampling", "a subclass of Resampling", resampling)


RESAMPLINGS: Registry[type[Resampling]] = Registry("resampling", check=_check)


def register_resampling(name: str, resampling: type[Resampling], *, replace: bool = False) -> type[Resampling]:
    """Make a resampling known by a name, to the command, to `assess` and to the catalogue.

    Parameters
    ----------
    name : str
        The name, such as "odd_rows".
    resampling : subclass of Resampling
        The class; it can be made without arguments. A subclass draws one run in its method `_draw`.
    replace : bool, default=False
        Whether a resampling of this name may be replaced; otherwise a taken name is refused.

    Returns
    -------
    type
        The class, so that the function can decorate it.

    Raises
    ------
    InputError
        Where the name is taken, or the class is no subclass of Resampling.

    Examples
    --------
    Other defaults under another name:

    >>> import steadyset as st
    >>> class MostRows(st.Subsample):
    ...     "Nine tenths of the rows, drawn without replacement."
    ...
    ...     def __init__(self, n_runs=100, *, fraction=0.9, stratified=False, random_state=None):
    ...         super().__init__(n_runs, fraction=fraction, stratified=stratified, random_state=random_state)
    >>> st.register_resampling("most_rows", MostRows)().fraction
    0.9
    """
    return RESAMPLINGS.add(resampling, name, replace=replace)


def resampling_by_name(text: str) -> Resampling:
    """The resampling that a text describes: name[:param=value[,param=value]...], such as "subsample:fraction=0.8"."""
    name, params = name_and_params(text)
    resampling = RESAMPLINGS.find(name)()
    unknown = sorted(set(params) - set(resampling.get_params()))
    if unknown:
        takes = ", ".join(sorted(resampling.get_params()))
        raise InputError(f"The resampling {name!r} has no parameter {unknown[0]!r}; it takes {takes}.")
    resampling.set_params(**params)
    return resampling


def why_bound(name: str) -> str | None:
    """Why runs are not independent draws whose labels start with a name: empty where they are, None: nobody knows."""
    RESAMPLINGS.search()
    found = [why for kind in _kinds(Resampling) if (why := kind.bound_as(name)) is not None]
    return found[0] if found else None


def _kinds(kind: Any) -> Iterator[type[Resampling]]:
    """All classes below a class, also those that have no name here."""
    for one in kind.__subclasses__():
        yield one
        yield from _kinds(one)


def resampling_entry(name: str) -> dict[str, Any]:
    """What the catalogue tells of a resampling."""
    kind = RESAMPLINGS.find(name)
    return {
        "name": name,
        "summary": first_paragraph(kind),
        "parameters": defaults(kind),
        "meanings": meanings(kind),
        "groups": kind.takes_groups,
        "bound": kind.bound,
        "reference": reference(kind),
    }


def list_resamplings() -> pd.DataFrame:
    """The catalogue of resamplings.

    Returns
    -------
    pandas.DataFrame
        One row per resampling: what it does, its parameters with their defaults and meanings, whether it keeps
        groups together, why its runs are not independent draws (empty where they are), and where it comes from.

    Examples
    --------
    >>> import steadyset as st
    >>> st.list_resamplings().loc["subsample", "parameters"]["fraction"]
    0.5
    """
    import pandas as pd

    return pd.DataFrame([resampling_entry(name) for name in RESAMPLINGS.names()]).set_index("name")
