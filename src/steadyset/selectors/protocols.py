"""What a selector can tell beyond one selection; ensembles ask for these methods and never for classes.

`has_size()` is false where another option than the size (a penalty, a threshold) decides how many are selected.
`path_is_costly` is true where each further feature of a path costs a search of its own. Both may be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

from steadyset.kernels.arrays import Floats, Ints


@runtime_checkable
class PathBySize(Protocol):
    """A selector that tells by one fit what it selects at every size."""

    def path_by_size(self, X: Floats, y: Any, reach: int) -> list[Ints]:
        """The features at the sizes 1, 2, ..., reach; the list may end earlier, and then its last selection stays."""
        ...


@runtime_checkable
class PathsBySize(Protocol):
    """A selector that does so for many resamples at once."""

    def paths_by_size(
        self, X: Floats, y: Any, weights: Floats, reach: int, *, random_state: int, n_jobs: int | None
    ) -> Sequence[list[Ints]]:
        """The path of each row of the M x n weights, which count how often a resample holds a row."""
        ...


@runtime_checkable
class PathByPenalty(Protocol):
    """A selector whose selections grow as a penalty falls; all runs of an ensemble go down the same penalties."""

    def largest_penalty(self, X: Floats, y: Any) -> float:
        """The least penalty that leaves out every feature."""
        ...

    def path_by_penalty(self, X: Floats, y: Any, penalties: Floats, reach: int) -> tuple[list[Ints], Ints]:
        """The features at each penalty, down to the first with reach of them, and all in the order of their entry."""
        ...


@runtime_checkable
class PathsByPenalty(Protocol):
    """A selector that goes down its penalties for many resamples at once."""

    def largest_penalties(self, X: Floats, y: Any, weights: Floats, *, n_jobs: int | None) -> Floats:
        """The least penalty that leaves out every feature, for each row of the M x n weights."""
        ...

    def paths_by_penalty(
        self, X: Floats, y: Any, weights: Floats, penalties: Floats, reach: int, *, n_jobs: int | None
    ) -> list[tuple[list[Ints], Ints]]:
        """What `path_by_penalty` gives, for each row of the weights."""
        ...


@runtime_checkable
class FitsMany(Protocol):
    """A selector that may be fitted to many weight vectors together, faster than one by one and to the same bits."""

    def can_fit_many(self) -> bool:
        """Whether it does so with the options that it has."""
        ...

    def fit_many(self, X: Any, y: Any, weights: Floats) -> Iterator[Callable[[], Any]]:
        """For each row of the M x n weights a call that gives a copy of the selector, fitted with it.

        The call warns and raises what fit(X, y, sample_weight=row) would; what is common to all is done before.
        """
        ...


@runtime_checkable
class SharesPaths(Protocol):
    """A selector whose fits to the same weight vectors share work where only `path_parameters` differ."""

    path_parameters: tuple[str, ...]

    def share_paths(self, X: Any, y: Any, weights: Floats) -> Callable[[Any], Sequence[Callable[[], Any]]] | None:
        """A function that gives what `fit_many` of another such selector gives; None where there is no room."""
        ...


def fits_many(selector: Any) -> bool:
    """Whether a selector may be fitted to many weight vectors together."""
    return isinstance(selector, FitsMany) and selector.can_fit_many()
