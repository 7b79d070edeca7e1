"""What arguments may be: one check per kind, each with one sentence that names the argument and what was given.

Here are also the numbers behind every answer that a person may choose, each with the value that it has otherwise.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from steadyset.foundation.errors import Argument, InputError

SHOWN = 60


class Sparse(Protocol):
    """A sparse matrix or array of scipy."""

    def tocsr(self) -> Any:
        """By rows."""


class Frame(Protocol):
    """A table with named columns, of pandas, polars or another library, or an AnnData."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""


class Estimator(Protocol):
    """An estimator of scikit-learn, or of its kind."""

    def fit(self, X: Any, y: Any, /) -> Any:
        """Learn from data."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""


TableLike = npt.ArrayLike | Sparse | Frame  # one row per observation, one column per feature
Column = npt.ArrayLike | None  # one value per row
Labels = npt.ArrayLike | str | None  # one per row, or the name of the column that holds them
Seed = int | np.random.RandomState | np.random.Generator | np.random.SeedSequence | None


def is_number(value: Any) -> bool:
    """A finite number that is no truth value; text that reads as a number is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:  # a whole number beyond what a float holds
        return False


def is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_collection(value: Any) -> bool:
    """Something to go through, which text is not; an array without a dimension only claims that it is."""
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes)) and getattr(value, "ndim", 1) > 0


def check_integer(name: str, value: Any, *, least: int, most: int | None = None) -> None:
    """An option that is a whole number."""
    if not is_whole(value) or value < least or (most is not None and value > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most:,}"
        raise wrong_argument(name, f"a whole number {bounds}", value)


def seed_of(random_state: Any) -> int:
    """The seed, a new one for None; results record it, so that they can be had again."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    check_integer("random_state", random_state, least=0)
    return int(random_state)


def check_number(name: str, value: Any, *, above: float = 0.0, most: float = np.inf, or_equal: bool = False) -> None:
    """An option that is a finite number within bounds."""
    if not is_number(value) or value < above or value > most or (value == above and not or_equal):
        bound = f"of at least {above:g}" if or_equal else f"above {above:g}"
        limit = "" if most == np.inf else f" and at most {most:g}"
        raise wrong_argument(name, f"a number {bound}{limit}", value)


def check_finite(name: str, value: Any) -> None:
    """An option that is any finite number."""
    if not is_number(value):
        raise wrong_argument(name, "a finite number", value)


def check_choice(name: str, value: Any, choices: Sequence[str], *, or_none: bool = False) -> None:
    """An option that is one of a few words."""
    if value is None and or_none:
        return
    if not (isinstance(value, str) and value in choices):
        words = ", ".join((*choices, "None") if or_none else choices)
        raise wrong_argument(name, f"one of {words}", value)


def check_flag(name: str, value: Any, *, or_none: bool = False) -> None:
    """An option that is True or False."""
    if not (isinstance(value, bool | np.bool_) or (or_none and value is None)):
        raise wrong_argument(name, "True, False or None" if or_none else "True or False", value)


def wrong_argument(name: str, expected: str, value: Any) -> InputError:
    """The error of an argument that is not what it has to be."""
    return InputError(Argument(name), f" must be {expected} (got {shown(value)}).")


def check_each(name: str, values: Any, fits: Callable[[Any], bool], expected: str) -> list[Any]:
    """An option that is a collection, every part of which fits; `expected` says what that is."""
    parts = list(values) if is_collection(values) else None
    if parts is None or not all(map(fits, parts)):
        raise wrong_argument(name, expected, values if parts is None else parts)
    return parts


def check_function(name: str, value: Any, *parameters: str, or_flag: bool = False) -> None:
    """An option that is None, or a function of these parameters; `or_flag`: or True or False."""
    if value is None or (or_flag and isinstance(value, bool | np.bool_)):
        return
    try:
        inspect.signature(value).bind(*parameters)
    except TypeError:
        instead = "True, False, None" if or_flag else "None"
        raise wrong_argument(name, f"{instead} or a function of ({', '.join(parameters)})", value) from None
    except ValueError:  # compiled code that does not tell what it takes
        return


def check_seed(name: str, value: Any) -> None:
    """A seed of random numbers, or None for one that the system draws."""
    if isinstance(value, np.random.SeedSequence | np.random.Generator) or value is None:
        return
    if not is_whole(value) or value < 0:
        raise InputError(f"{name} must be None or a whole number of at least 0 (got {shown(value)}).")


def job_count(n_jobs: Any) -> int:
    """joblib's reading of n_jobs: None is one job, -1 as many as there are cores, -2 one less."""
    from joblib import effective_n_jobs

    if n_jobs is None:
        return 1
    if not is_whole(n_jobs) or n_jobs == 0:
        raise wrong_argument("n_jobs", "a number of jobs, or -1 for all cores", n_jobs)
    return int(effective_n_jobs(int(n_jobs)))


def shown(value: Any) -> str:
    """What was given, short and in one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an object whose repr fails, or a number too long to print
        text = f"a {type(value).__name__}"
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


Record = TypeVar("Record")


def as_record(name: str, kind: type[Record], given: Record | Mapping[str, Any] | None) -> Record:
    """A record that a function takes: itself, its fields as a mapping, or None for the defaults."""
    if given is None:
        return kind()
    if isinstance(given, kind):
        return given
    fields = list(inspect.signature(kind).parameters)
    if not isinstance(given, Mapping):
        raise wrong_argument(name, f"st.{kind.__name__}(...) or a mapping", given)
    unknown = sorted(str(key) for key in given if key not in fields)
    if unknown:
        raise InputError(f"{name} has {unknown[0]!r}; it takes {', '.join(fields)}.")
    return kind(**given)


LEVEL = 0.95  # the confidence of intervals and tests
CORE = 0.9  # the share of the runs from which a feature belongs to the steady core
MARGIN = 0.02  # the loss in the score that a steadier selector may cost
ALIKE = 0.9  # the similarity from which two features count as alike
ALIKE_BY: Final = "pearson"  # what that similarity is: the absolute correlation
# What the ending of a file says that a report is; a folder holds a report for a paper.
REPORT_ENDINGS = {".html": "html", ".htm": "html", ".pdf": "pdf", ".docx": "docx", ".md": "md", ".json": "json"}
REPORT_FORMATS = (*dict.fromkeys(REPORT_ENDINGS.values()), "folder")
FIRST_RUNS, MAX_RUNS = 30, 1000  # of an assessment that goes on until its intervals are narrow


def check_level(level: float) -> None:
    """Refuse what is no confidence level."""
    if not (is_number(level) and 0 < level < 1):
        raise wrong_argument("level", f"a number between 0 and 1, such as {LEVEL}", level)


def check_core(core: float) -> None:
    """Refuse what is no share of the runs."""
    if not (is_number(core) and 0 < core <= 1):
        raise wrong_argument("core", f"a share of the runs above 0 and at most 1, such as {CORE}", core)


def check_margin(margin: float) -> None:
    """Refuse what is no loss in a score."""
    check_number("margin", margin, or_equal=True)
