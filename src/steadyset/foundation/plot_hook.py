"""Results draw and show themselves, without knowing pictures or findings: they hand themselves to whoever does.

Pictures and findings are made of results, so results are further down and import none. `steadyset/__init__.py`, which
knows where everything lives and is imported before anything else, says here who draws and who shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_drawer: list[Callable[..., Any]] = []
_shower: list[Callable[[Any], Any]] = []


def draw_with(drawer: Callable[..., Any]) -> None:
    """Let `drawer(result, name, **options)` make the pictures of results."""
    _drawer[:] = [drawer]


def show_with(shower: Callable[[Any], Any]) -> None:
    """Let `shower(result)` say what is shown of results that have findings."""
    _shower[:] = [shower]


def shown(result: Any) -> Any:
    """The Display of a result that has findings."""
    return _shower[0](result)


def drawn(result: Any, name: str | None = None, **options: Any) -> Any:
    """The picture of a result; `name` is one of `st.plot`, None the picture that is made for results of its kind."""
    return _drawer[0](result, name, **options)


class Drawable:
    """A result with a picture."""

    def plot(self, name: str | None = None, **options: Any) -> Any:
        """The picture of this result.

        Parameters
        ----------
        name : str or None, default=None
            A picture of `st.plot`; `st.plot.list_pictures()` shows them. None is the one that is made for such results.
        **options : Any
            Options of the picture. Where it shows the runs of one selector, `selector` names it.

        Returns
        -------
        Picture
            The frame that it shows (`data`) and its drawing, which `save` writes.

        Raises
        ------
        InputError
            Where no picture has this name, or it cannot show such a result.
        """
        return drawn(self, name, **options)
