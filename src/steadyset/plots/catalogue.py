"""The registry of pictures: which findings each can show. Reports go through it, and results that draw themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar, cast

from steadyset.findings import Findings, findings_of
from steadyset.foundation.arguments import check_choice, check_flag, check_integer, shown, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.registry import Registry
from steadyset.plots.picture import Picture
from steadyset.selections import Selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.findings.parts import ResultLike

FINDINGS, SELECTIONS = "findings", "selections"
PLACE = 50  # in a report, unless a picture says
Build = TypeVar("Build", bound=Callable[..., Picture])
PARTS = tuple(part.name for part in fields(Findings))


@dataclass(frozen=True)
class RegisteredPicture:
    """One kind of picture: what `register_picture` keeps.

    Attributes
    ----------
    name : str
        What it is called in `st.plot`.
    title : str
        Its heading in a report.
    build : Callable
        Makes the Picture; `takes` says of what.
    takes : str
        "findings", then it shows all of them in one picture, or "selections", then there is one picture for the
        Selections of each procedure.
    needs : tuple of str
        The parts of the findings that it shows; it applies where none of them is empty.
    applies : Callable
        What else has to hold for the findings.
    caption : str
        What the reader of a report has to know.
    report : bool
        Whether it stands in reports; others are drawn when they are asked for.
    draws : Callable
        Says of a result whether its `plot()` is this picture; `build` then takes the result itself.
    place : int
        Where it stands in a report, the smaller the earlier.

    Examples
    --------
    >>> import steadyset as st
    >>> kind = st.plot.get_picture("selection_frequencies")
    >>> kind.takes, kind.report
    ('findings', True)
    """

    name: str
    title: str
    build: Callable[..., Picture]
    takes: str = FINDINGS
    needs: tuple[str, ...] = ()
    applies: Callable[[Findings], bool] = lambda findings: True
    caption: str = ""
    report: bool = True
    draws: Callable[[Any], bool] = lambda result: False
    place: int = PLACE

    def can_show(self, findings: Findings) -> bool:
        """Whether the findings hold what the picture shows.

        Parameters
        ----------
        findings : Findings
            The findings.

        Returns
        -------
        bool
            True where it can be drawn.
        """
        there = all(getattr(findings, part) for part in self.needs)
        # Where the picture shows selections, something was selected: no heading stands above nothing.
        selected = SELECTIONS not in self.needs or any(sel.sizes.any() for sel in findings.selections.values())
        return there and selected and self.applies(findings)

    def of(self, findings: Findings) -> dict[str, Picture]:
        """The pictures of findings.

        Parameters
        ----------
        findings : Findings
            The findings.

        Returns
        -------
        dict
            Pictures by the name of the procedure; one that shows all of them has no name.
        """
        if self.takes == FINDINGS:
            return {"": self.build(findings)}
        return {name: self.build(sel) for name, sel in findings.selections.items() if sel.sizes.any()}


PICTURES = Registry("picture", RegisteredPicture)


def register_picture(
    name: str,
    build: Callable[..., Picture],
    *,
    title: str,
    takes: str = FINDINGS,
    needs: tuple[str, ...] = (),
    applies: Callable[[Findings], bool] | None = None,
    caption: str = "",
    report: bool = True,
    draws: Callable[[Any], bool] | None = None,
    place: int = PLACE,
    replace: bool = False,
) -> RegisteredPicture:
    """Add a picture: `st.plot.NAME`, and, unless report=False, a section in every report of findings that it can show.

    Parameters
    ----------
    name : str
        What it is called in `st.plot`.
    build : Callable
        Makes the `Picture` of what `takes` says.
    title : str
        Its heading in a report.
    takes : str, default="findings"
        "findings", then it shows all of them in one picture, or "selections", then there is one picture for the
        Selections of each procedure.
    needs : tuple of str, default=()
        The parts of the findings that it shows; it applies where none of them is empty.
    applies : Callable or None, default=None
        What else has to hold for the findings; None is nothing.
    caption : str, default=""
        What the reader of a report has to know.
    report : bool, default=True
        Whether it stands in reports.
    draws : Callable or None, default=None
        Says of a result whether its `plot()` is this picture; `build` then takes the result itself.
    place : int, default=50
        Where it stands in a report, the smaller the earlier.
    replace : bool, default=False
        Whether another one of this name gives way; otherwise a taken name is refused.

    Returns
    -------
    RegisteredPicture
        What was registered.

    Raises
    ------
    InputError
        Where the name is taken or makes no sense.

    Examples
    --------
    >>> import pandas as pd
    >>> import steadyset as st
    >>> def sizes(selections):
    ...     frame = pd.DataFrame({"run": range(selections.n_runs), "size": selections.sizes})
    ...     return st.plot.Picture(frame, lambda alt, data: alt.Chart(data).mark_bar().encode(x="run", y="size"),
    ...                            columns=("run", "size"))
    >>> _ = st.plot.register_picture("sizes", sizes, title="Sizes of the runs", takes="selections")
    >>> st.plot.sizes(st.Selections.from_sets([["a"], ["a", "b"]], features=["a", "b", "c"])).data["size"].tolist()
    [1, 2]
    >>> st.plot.unregister_picture("sizes")
    """
    if not (isinstance(name, str) and name.isidentifier()):
        raise InputError(f"The name {shown(name)} of a picture is not a Python name; choose another one.")
    if not callable(build):
        raise wrong_argument("build", "a function that makes a Picture", build)
    if not (isinstance(takes, str) and takes in (FINDINGS, SELECTIONS)):
        raise wrong_argument("takes", f'"{FINDINGS}" or "{SELECTIONS}"', takes)
    if not isinstance(needs, list | tuple):
        raise wrong_argument("needs", "a list of parts of findings", needs)
    unknown = [part for part in needs if part not in PARTS]
    if unknown:
        raise InputError(f"Findings have no part {unknown[0]!r}; needs takes some of {', '.join(PARTS)}.")
    check_flag("report", report)
    check_integer("place", place, least=0)
    needed = tuple(dict.fromkeys((*needs, *([SELECTIONS] if takes == SELECTIONS else []))))
    asked: dict[str, Any] = {"applies": applies, "draws": draws}
    asked = {part: given for part, given in asked.items() if given is not None}
    record = RegisteredPicture(name, title, build, takes, needed, caption=caption, report=report, place=place, **asked)
    return PICTURES.add(record, replace=replace)


def picture(**facts: Any) -> Callable[[Build], Build]:
    """Register the function below as the picture of its name; `facts` are those of `register_picture`."""

    def registered(build: Build) -> Build:
        register_picture(build.__name__, build, **facts)
        return build

    return registered


def unregister_picture(name: str) -> None:
    """Forget a picture.

    Parameters
    ----------
    name : str
        The name under which it was registered.

    Raises
    ------
    InputError
        Where no picture has this name.

    Examples
    --------
    >>> import steadyset as st
    >>> _ = st.plot.register_picture("mine", st.plot.runs_by_features, title="Mine", takes="selections", report=False)
    >>> st.plot.unregister_picture("mine")
    >>> hasattr(st.plot, "mine")
    False
    """
    PICTURES.remove(name)


def get_picture(name: str) -> RegisteredPicture:
    """A registered picture by its name.

    Parameters
    ----------
    name : str
        The name of the picture.

    Returns
    -------
    RegisteredPicture
        What is known of it.

    Raises
    ------
    InputError
        Where no picture has this name.

    Examples
    --------
    >>> import steadyset as st
    >>> st.plot.get_picture("swap_map").needs
    ('features',)
    """
    return PICTURES.find(name)


def pictures_for(findings: Findings) -> list[RegisteredPicture]:
    """The pictures of a report of these findings, in its order.

    Parameters
    ----------
    findings : Findings
        What the report is about.

    Returns
    -------
    list of RegisteredPicture
        The pictures that the findings can show.

    Examples
    --------
    >>> import steadyset as st
    >>> runs = st.Selections.from_sets([["a", "b"], ["a", "b"], ["a", "c"]] * 4, features=list("abcdef"))
    >>> names = [kind.name for kind in st.plot.pictures_for(st.findings_of(runs))]
    >>> "runs_by_features" in names, "trade_off" in names
    (True, False)
    """
    shown = [record for record in PICTURES.every() if record.report and record.can_show(findings)]
    return sorted(shown, key=lambda record: record.place)


def list_pictures() -> pd.DataFrame:
    """The catalogue of pictures.

    Returns
    -------
    pandas.DataFrame
        One row per picture: name, title, what it takes, what it needs, caption, whether it stands in reports.

    Examples
    --------
    >>> import steadyset as st
    >>> st.plot.list_pictures().loc["convergence", "takes"]
    'findings'
    """
    import pandas as pd

    columns = ["name", "title", "takes", "needs", "caption", "report"]
    rows = [[getattr(one, column) for column in columns] for one in PICTURES.every()]
    found = pd.DataFrame(rows, columns=columns).set_index("name")
    return found.assign(needs=[", ".join(needs) for needs in found["needs"]])


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
    made_for = (record for record in PICTURES.every() if record.draws(result))  # the first one is that of plot()
    record = next(made_for, None) if name is None else get_picture(name)
    if record is None:
        kind = type(result).__name__
        raise InputError(f"There is no picture made for {kind}; name one of those that st.plot.list_pictures() lists.")
    if record.draws(result) or (record.takes == SELECTIONS and isinstance(result, Selections)):
        return record.build(result, **options)
    found = findings_of(cast("ResultLike", result))  # from here on as a report would draw it
    if record.takes == SELECTIONS:
        return record.build(found.selections[_selector(found.selections, options)], **options)
    if not record.can_show(found):
        lacks = f"it needs {', '.join(record.needs)}" if record.needs else "it does not apply"
        raise InputError(f"The picture {record.name} cannot show this {type(result).__name__}: {lacks}.")
    return record.build(found, **options)


def _selector(selections: Any, options: dict[str, Any]) -> str:
    """Whose runs are shown: the only one's, or those of the one that is named."""
    known = tuple(selections)
    if not known:
        raise InputError("The result holds no selections to show.")
    chosen = options.pop("selector", known[0] if len(known) == 1 else None)
    check_choice("selector", chosen, known)
    return str(chosen)
