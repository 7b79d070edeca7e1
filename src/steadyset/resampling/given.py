"""What is taken as a resampling besides steadyset's own: names, scikit-learn's splitters, and pairs of rows."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from steadyset.foundation.arguments import is_collection, shown
from steadyset.foundation.errors import InputError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.resampling.base import Resampling, Rows
from steadyset.resampling.by_name import resampling_by_name

BOUND = "the training sets of a cross-validation are bound to each other"


class SplitterLike(Protocol):
    """A splitter of scikit-learn."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        """Pairs of training and test rows."""

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many."""


Pairs = Iterable[tuple[npt.ArrayLike, npt.ArrayLike]]
ResamplingLike = Resampling | str | SplitterLike | Pairs | None


def as_resampling(given: Any) -> Resampling:
    """A resampling, its name with parameters, a splitter of scikit-learn, or pairs of (train, test) rows."""
    if isinstance(given, Resampling) and not isinstance(given, type):
        return given
    if isinstance(given, str):
        return resampling_by_name(given)
    if hasattr(given, "split") and hasattr(given, "get_n_splits") and not isinstance(given, type):
        return Splitter(given)
    if is_collection(given) and not isinstance(given, Mapping):
        return Splits(tuple(given))
    raise InputError(
        f"resampling is {shown(given)}; expected a resampling such as Bootstrap(100), its name, a splitter of "
        "scikit-learn, or pairs of (train, test) rows."
    )


class Splitter(Resampling):
    """A splitter of scikit-learn. Where its random_state is open, the seed decides; a number that it has stays.

    It sees X, the target and the groups.
    """

    takes_groups = True

    def __init__(self, splitter: Any) -> None:
        self.splitter = splitter

    @property
    def name(self) -> str:
        return type(self.splitter).__name__.lower()

    @classmethod
    def bound_as(cls, name: str) -> str | None:
        """Those of scikit-learn that draw at random each time are independent; of other splitters nothing is known."""
        from sklearn import model_selection

        kind = next((kind for key, kind in vars(model_selection).items() if key.lower() == name), None)
        if kind is None or not hasattr(kind, "get_n_splits"):
            return None
        return "" if issubclass(kind, model_selection.BaseShuffleSplit) else BOUND

    @property
    def extendable(self) -> bool:
        return False

    def identity(self) -> str:
        shown = (f"{key}={value!r}" for key, value in sorted(vars(self.splitter).items()))
        return re.sub(r" at 0x[0-9a-f]+", "", f"{type(self.splitter).__name__}({', '.join(shown)})")

    def in_words(self) -> str:
        return re.sub(r" at 0x[0-9a-f]+", "", f"training sets drawn by {' '.join(repr(self.splitter).split())}")

    def n_runs_for(self, rows: Rows) -> int:
        return len(self._splits(rows, 0))

    def check(self, rows: Rows) -> None:
        state = getattr(self.splitter, "random_state", None)
        if state is not None and not isinstance(state, (int, np.integer)):
            raise InputError(
                f"The random_state of {type(self.splitter).__name__} must be a whole number or None (got {state!r})."
            )
        _check_splits(self._splits(rows, 0), rows, type(self.splitter).__name__)

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        return self._splits(rows, seed)[run]

    def _splits(self, rows: Rows, seed: int) -> tuple[tuple[Ints, Ints], ...]:
        known = self.__dict__.get("_known")
        seen = (rows.X, rows.y, rows.groups)
        if known is not None and known[0] == seed and all(a is b for a, b in zip(known[1], seen, strict=True)):
            return known[2]  # type: ignore[no-any-return]
        splitter = copy(self.splitter)
        if getattr(splitter, "random_state", 0) is None:
            splitter.random_state = seed
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # groups that it ignores are seen in what it draws
                drawn = list(splitter.split(self._seen(rows), rows.y, rows.groups))
        except (ValueError, TypeError) as error:
            raise InputError(f"{type(splitter).__name__} cannot split the data: {error}") from None
        splits = _as_splits(drawn, rows.n)
        self._known = (seed, seen, splits)
        return splits

    @staticmethod
    def _seen(rows: Rows) -> Floats:
        """X, which the splitter cannot write into."""
        if rows.X is None:
            return np.zeros((rows.n, 1))
        seen = rows.X.view()
        seen.flags.writeable = False
        return seen

    def __getstate__(self) -> dict[str, Any]:
        return {"splitter": self.splitter}  # drawing again is cheaper than carrying the rows of every run around


class Splits(Resampling):
    """Training and test rows of every run, given as numbers or masks. The seed plays no part in them."""

    takes_groups = True

    @classmethod
    def bound_as(cls, name: str) -> str | None:
        return None  # however they were drawn

    def __init__(self, splits: Any) -> None:
        self.splits = splits

    @property
    def extendable(self) -> bool:
        return False

    def identity(self) -> str:
        digest = hashlib.sha256()
        for part in self.splits:
            for rows in part:
                digest.update(repr((np.asarray(rows).dtype.kind, np.shape(rows))).encode())
                digest.update(np.asarray(rows).tobytes())
        return f"Splits({digest.hexdigest()[:16]})"

    def in_words(self) -> str:
        return "given training sets"

    def n_runs_for(self, rows: Rows) -> int:
        return len(self.splits)

    def check(self, rows: Rows) -> None:
        _check_splits(_as_splits(self.splits, rows.n), rows, "resampling")

    def _draw(self, run: int, rows: Rows, seed: int) -> tuple[Ints, Ints]:
        return _as_splits(self.splits[run : run + 1], rows.n)[0]


def _as_splits(given: Sequence[Any], n: int) -> tuple[tuple[Ints, Ints], ...]:
    """Row numbers, from numbers or masks."""
    splits = []
    for i, pair in enumerate(given):
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputError(f"resampling has {pair!r} for run {i + 1}; expected a pair of (train, test) rows.")
        splits.append((_row_numbers(pair[0], n, i), _row_numbers(pair[1], n, i)))
    return tuple(splits)


def _row_numbers(given: Any, n: int, run: int) -> Ints:
    rows = np.asarray(given)
    if rows.ndim == 1 and rows.dtype.kind == "b" and len(rows) == n:
        return np.flatnonzero(rows)
    if rows.shape == (0,):
        return np.empty(0, np.int64)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n:
        raise InputError(f"The rows of run {run + 1} must be numbers from 0 to {n - 1}, or a mask of {n} rows.")
    return rows.astype(np.int64)


def _check_splits(splits: Sequence[tuple[Ints, Ints]], rows: Rows, who: str) -> None:
    if rows.n < 2 or not splits:
        raise InputError(f"{who} has no runs." if rows.n >= 2 else f"The data has {rows.n} rows; 2 are needed.")
    for i, (train, test) in enumerate(splits):
        if not len(train):
            raise InputError(f"Run {i + 1} of {who} has no training rows.")
        if np.isin(test, train).any():
            raise InputError(f"Run {i + 1} of {who} tests rows that it was trained on; give rows that were left out.")
        if rows.groups is not None and np.isin(rows.groups[test], rows.groups[train]).any():
            raise InputError(
                f"{who} does not keep groups together: run {i + 1} has rows of one group on "
                "both sides; GroupKFold does."
            )
