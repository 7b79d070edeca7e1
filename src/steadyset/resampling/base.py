"""What all resamplings share, what else is taken as one (scikit-learn's splitters, pairs of rows), and their names.

They are scikit-learn splitters whose every run can be drawn by itself. Run i depends on the seed and on i only, never
on the runs before it: so runs can be computed anywhere, in any order, added later or repeated after an interruption,
and stay the same.
"""

from __future__ import annotations

import hashlib
import warnings
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from steadyset.foundation import arguments
from steadyset.foundation.errors import InputError
from steadyset.foundation.registry import Registry
from steadyset.foundation.text import defaults, first_paragraph, meanings, reference, without_addresses
from steadyset.io.labels import name_and_params
from steadyset.io.numbers import group_values
from steadyset.kernels.arrays import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Noise:
    """Perturb the training rows: Gaussian noise of `level` standard deviations, or `level` of the labels changed."""

    target: Literal["values", "labels"]
    level: float
    seed: tuple[int, ...]

    def values(self, X: Floats) -> Floats:
        """X with noise, in proportion to the standard deviation of each column."""
        if self.target != "values":
            return X
        return np.asarray(X + self._random().standard_normal(X.shape) * (self.level * X.std(axis=0)))

    def labels(self, y: npt.NDArray[Any], *, continuous: bool = False) -> npt.NDArray[Any]:
        """y with a share of its labels replaced by other ones; a continuous target has noise added instead."""
        if self.target != "labels":
            return y
        random = self._random()
        if continuous:
            return np.asarray(y + random.standard_normal(len(y)) * (self.level * y.std()))
        classes, code = np.unique(y, return_inverse=True)
        changed = random.random(len(y)) < self.level
        shift = random.integers(1, max(2, len(classes)), size=len(y))
        return np.asarray(classes[np.where(changed, (code + shift) % len(classes), code)])

    def _random(self) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.seed))


@dataclass(frozen=True)
class Resample:
    """The rows of one run. Runs with equal labels saw the same resample, so they can be compared as pairs."""

    label: str
    train: Ints
    test: Ints
    noise: Noise | None = None

    @property
    def digest(self) -> str:
        """Eight digits that differ where the rows or the noise differ."""
        noise = "" if self.noise is None else repr(self.noise)
        return hashlib.sha256(b"|".join((self.train.tobytes(), self.test.tobytes(), noise.encode()))).hexdigest()[:8]

    def weights(self, n_rows: int) -> Floats:
        """How often each row occurs in the training set."""
        return np.bincount(self.train, minlength=n_rows).astype(np.float64)


@dataclass(frozen=True)
class Rows:
    """What a resampling may look at: the number of rows, the target for stratifying, and groups that stay together.

    steadyset's own never look at X; splitters of others may. strata are labels to stratify by; None: those of y.
    """

    n: int
    y: npt.NDArray[Any] | None = None
    groups: npt.NDArray[Any] | None = None
    X: Floats | None = None
    strata: npt.NDArray[Any] | None = None

    @property
    def labels(self) -> Any:
        """What stratified resamplings keep in proportion."""
        return self.y if self.strata is None else self.strata

    @cached_property
    def by_class(self) -> list[Ints]:
        """The rows of each class, or of what else a task keeps in proportion, found once for all runs."""
        return _rows_of_each(self.labels)

    @cached_property
    def by_group(self) -> list[Ints]:
        """The rows of each group, found once for all runs."""
        return _rows_of_each(self.groups)


def _rows_of_each(values: Any) -> list[Ints]:
    _, code = np.unique(np.asarray(values), return_inverse=True)
    return np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code))[:-1])


MOST_RUNS = 1_000_000
WHOLE, NUMBERS, FLAGS = ("n_splits", "repeats", "size"), ("fraction", "overlap", "level"), ("stratified", "balanced")


class Resampling(BaseEstimator):  # type: ignore[misc]
    """Base of the splitters: a subclass says how many runs there are and draws one of them."""

    random_state: int | None = None
    takes_groups = False
    bound: str = ""  # why the runs are not independent draws from the rows; empty where they are

    @property
    def name(self) -> str:
        """What the labels of the runs start with."""
        return type(self).__name__.lower()

    @classmethod
    def bound_as(cls, name: str) -> str | None:
        """Why the runs whose labels start with a name are not independent draws.

        Parameters
        ----------
        name : str
            What the labels start with.

        Returns
        -------
        str or None
            The reason, empty where they are independent; None where the name is not one of this class.
        """
        return cls.bound if name == cls.__name__.lower() else None

    def n_runs_for(self, rows: Rows) -> int:
        """How many runs there are on this data.

        Parameters
        ----------
        rows : Rows
            How many rows the data has, with their classes and groups where these are known.

        Returns
        -------
        int
            The number of runs.
        """
        return int(getattr(self, "n_runs"))  # noqa: B009 - a parameter of most subclasses

    @property
    def extendable(self) -> bool:
        """Whether a run stays the same when more runs are asked for."""
        return "n_runs" in self.get_params()

    def identity(self) -> str:
        """What decides the rows of a run, besides its number and the seed.

        Returns
        -------
        str
            The class with the parameters that matter; two resamplings of equal identity draw the same rows.
        """
        left_out = {"random_state"} | ({"n_runs"} if self.extendable else set())
        shown = (f"{key}={value!r}" for key, value in sorted(self.get_params().items()) if key not in left_out)
        return without_addresses(f"{type(self).__name__}({', '.join(shown)})")

    def in_words(self) -> str:
        """What the runs are drawn as, as it follows their number in a sentence: "100 ...".

        Returns
        -------
        str
            Words such as "bootstrap samples of the rows".
        """
        return f"resamples of the rows by {self.identity()}"

    @abstractmethod
    def _draw(self, run: int, rows: Rows, seed: int) -> Resample | tuple[Ints, Ints]:
        """The training and the test rows of one run."""

    def draw(self, run: int, rows: Rows, seed: int = 0) -> Resample:
        """Draw one run by itself.

        Parameters
        ----------
        run : int
            The number of the run, from 0.
        rows : Rows
            How many rows the data has, with their classes and groups where these are known.
        seed : int, default=0
            The seed of all runs.

        Returns
        -------
        Resample
            The rows to train on, the rows left out, where there are any, and the label of the run.
        """
        drawn = self._draw(run, rows, seed)
        resample = drawn if isinstance(drawn, Resample) else Resample("", *drawn)
        # Parameters, the number of rows, classes and groups decide the rows: a digest of these tells all apart.
        label = resample.label or f"{self.name}-{resample.digest}:{seed}:{run + 1}"
        return replace(resample, label=label)

    def test_ratio(self, rows: Rows, seed: int = 0) -> float:
        """Test rows for each distinct training row, in the first run: how much the scores of the runs overlap.

        Parameters
        ----------
        rows : Rows
            How many rows the data has, with their classes and groups where these are known.
        seed : int, default=0
            The seed of all runs.

        Returns
        -------
        float
            The ratio; 0 where no rows are left out.
        """
        first = self.draw(0, rows, seed)
        return len(first.test) / len(np.unique(first.train))

    def check(self, rows: Rows) -> None:
        """Refuse data that this resampling cannot draw from.

        Parameters
        ----------
        rows : Rows
            How many rows the data has, with their classes and groups where these are known.

        Raises
        ------
        InputError
            Where a parameter has no sensible value for this data; the message says which would.
        """
        self._check_kinds()
        if rows.n < 2:
            raise InputError(f"The data has {rows.n} rows; resampling needs at least 2.")
        arguments.check_integer("n_runs", self.get_params().get("n_runs", 1), least=1, most=MOST_RUNS)
        arguments.check_integer("n_runs", self.n_runs_for(rows), least=1)
        if getattr(self, "stratified", False) and rows.y is None:
            raise InputError("stratified=True needs y; none was given.")
        if rows.groups is None:
            return
        if not self.takes_groups:
            raise InputError(f"{type(self).__name__} cannot keep groups together; Bootstrap, Subsample and KFold can.")
        if getattr(self, "stratified", False) or getattr(self, "balanced", False):
            raise InputError(f"{type(self).__name__} of groups is neither stratified nor balanced.")
        if len(np.unique(rows.groups)) < 2:
            raise InputError("groups holds one group only; at least 2 are needed.")

    def _check_kinds(self) -> None:
        """Refuse parameters of a wrong type; a class of somebody else may mean other things by the same words."""
        if not type(self).__module__.startswith("steadyset."):
            return
        for name, value in self.get_params().items():
            if name in WHOLE and not arguments.is_whole(value):
                raise arguments.wrong_argument(name, "a whole number", value)
            if name in NUMBERS:
                arguments.check_finite(name, value)
            if name in FLAGS:
                arguments.check_flag(name, value)

    def split(
        self, X: arguments.TableLike, y: arguments.Column = None, groups: arguments.Column = None
    ) -> Iterator[tuple[Ints, Ints]]:
        """Training and test rows of every run, as scikit-learn's splitters give them.

        Parameters
        ----------
        X : array-like or frame
            The data; only its number of rows is read.
        y : array-like or None, default=None
            The classes, which stratified resamplings need.
        groups : array-like or None, default=None
            The group of each row; rows of one group stay together.

        Yields
        ------
        train : array of int
            The rows to fit on, with repeats where a row is drawn more than once.
        test : array of int
            The rows left out.

        Raises
        ------
        InputError
            Where the data cannot be drawn from in this way; the message says why.
        """
        arguments.check_seed("random_state", self.random_state)
        rows = self._rows(X, y, groups)
        self.check(rows)
        for run in range(self.n_runs_for(rows)):
            resample = self.draw(run, rows, self.random_state or 0)
            yield resample.train, resample.test

    def get_n_splits(
        self, X: arguments.TableLike | None = None, y: arguments.Column = None, groups: arguments.Column = None
    ) -> int:
        """The number of runs, as scikit-learn's splitters give it.

        Parameters
        ----------
        X : array-like, frame or None, default=None
            The data, where the number of runs depends on its number of rows.
        y : array-like or None, default=None
            The classes; they are not needed.
        groups : array-like or None, default=None
            The group of each row.

        Returns
        -------
        int
            The number of runs.
        """
        return self.n_runs_for(self._rows(X, y, groups))

    def _rows(self, X: Any, y: Any, groups: Any) -> Rows:
        if X is None:
            return Rows(0)
        try:
            n = X.shape[0] if hasattr(X, "shape") else len(X)
        except (TypeError, IndexError):
            raise InputError(f"X must have rows (got {arguments.shown(X)}).") from None
        if y is not None and getattr(self, "stratified", False) is True:
            y = group_values(y, n, what="y")
        try:
            y = None if y is None else np.asarray(y)
        except ValueError:
            raise InputError(f"y must hold one value for each row (got {arguments.shown(y)}).") from None
        return Rows(n, y, None if groups is None else group_values(groups, n))


def _check(resampling: Any) -> None:
    if not (isinstance(resampling, type) and issubclass(resampling, Resampling)):
        raise arguments.wrong_argument("resampling", "a subclass of Resampling", resampling)


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
    return next((why for kind in _kinds(Resampling) if (why := kind.bound_as(name)) is not None), None)


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
    if arguments.is_collection(given) and not isinstance(given, Mapping):
        return Splits(tuple(given))
    raise InputError(
        f"resampling is {arguments.shown(given)}; expected a resampling such as Bootstrap(100), its name, a splitter "
        "of scikit-learn, or pairs of (train, test) rows."
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
        return without_addresses(f"{type(self.splitter).__name__}({', '.join(shown)})")

    def in_words(self) -> str:
        return without_addresses(f"training sets drawn by {' '.join(repr(self.splitter).split())}")

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
        X = np.zeros((rows.n, 1)) if rows.X is None else rows.X.view()
        X.flags.writeable = False
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # groups that it ignores are seen in what it draws
                drawn = list(splitter.split(X, rows.y, rows.groups))
        except (ValueError, TypeError) as error:
            raise InputError(f"{type(splitter).__name__} cannot split the data: {error}") from None
        splits = _as_splits(drawn, rows.n)
        self._known = (seed, seen, splits)
        return splits

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
            told = f"run {i + 1} has rows of one group on both sides"
            raise InputError(f"{who} does not keep groups together: {told}; GroupKFold does.")
