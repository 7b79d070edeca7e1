"""Results draw themselves: `assessment.plot()` and its like end here."""

from __future__ import annotations

from typing import Any

from steadyset.findings import findings_of
from steadyset.foundation.arguments import check_choice
from steadyset.foundation.errors import InputError
from steadyset.plots.catalogue import SELECTIONS, RegisteredPicture, get_picture, picture_made_for
from steadyset.plots.picture import Picture
from steadyset.selections import Selections


def picture_of(result: object, name: str | None = None, **options: Any) -> Picture:
    """A picture of a result: the named one, or the one that is made for results of its kind.

    Parameters
    ----------
    result : Assessment, Comparison, Consensus, Tuning, Selections, StabilitySelection or Findings
        What to show.
    name : str or None, default=None
        A picture of `list_pictures`; None is the one that is made for such results.
    **options : Any
        Options of the picture. Where it shows the runs of one selector, `selector` names it.

    Returns
    -------
    Picture
        The frame that is shown (`data`) and its drawing, which `save` writes.

    Raises
    ------
    InputError
        Where no picture has this name, or it cannot show such a result.

    Examples
    --------
    >>> import steadyset as st
    >>> runs = st.Selections.from_sets([["a", "b"], ["a", "c"]], features=["a", "b", "c", "d"])
    >>> st.plot.picture_of(runs, "runs_by_features", clustered=False).data.shape
    (4, 7)
    """
    record = picture_made_for(result) if name is None else get_picture(name)
    if record is None:
        kind = type(result).__name__
        raise InputError(f"There is no picture made for {kind}; name one of those that st.plot.list_pictures() lists.")
    if record.draws(result):
        return record.build(result, **options)
    return _of_findings(result, record, options)


def _of_findings(result: Any, record: RegisteredPicture, options: dict[str, Any]) -> Picture:
    """The picture as a report would draw it."""
    if record.takes == SELECTIONS and isinstance(result, Selections):
        return record.build(result, **options)
    found = findings_of(result)
    if record.takes == SELECTIONS:
        return record.build(found.selections[_selector(found.selections, options)], **options)
    if not record.can_show(found):
        raise InputError(f"The picture {record.name} cannot show this {type(result).__name__}: {_lacks(record)}.")
    return record.build(found, **options)


def _selector(selections: Any, options: dict[str, Any]) -> str:
    """Whose runs are shown: the only one's, or those of the one that is named."""
    known = tuple(selections)
    if not known:
        raise InputError("The result holds no selections to show.")
    chosen = options.pop("selector", known[0] if len(known) == 1 else None)
    check_choice("selector", chosen, known)
    return str(chosen)


def _lacks(record: RegisteredPicture) -> str:
    needs = ", ".join(record.needs)
    return f"it needs {needs}" if needs else "it does not apply"
