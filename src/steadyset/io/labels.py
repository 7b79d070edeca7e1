"""Names: of features, of runs, and of things with parameters; checked once, at the door."""

from __future__ import annotations

import ast
import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.arguments import is_collection, wrong_argument
from steadyset.foundation.errors import Argument, InputError, UndeclaredFeaturesError

if TYPE_CHECKING:
    import pandas as pd

Names = Sequence[str] | None
SHOWN = 3
MOST_FEATURES = 2**31 - 1  # so that products of two sizes stay whole numbers of 64 bits
MOST_PLACEHOLDERS = 10_000_000  # a name takes some 60 bytes
FEW_HEADINGS = 50
# What nobody sees at the ends of a name: all kinds of spaces, and marks of no width, such as that of a byte order.
BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "\u200b\u2060\ufeff"
SPACES = "".join(one for one in BLANKS if one in "\t\n\r\v\f" or unicodedata.category(one) != "Cc")


class AppearanceOrder(tuple[str, ...]):
    """Names in the order in which they were first met. No data has that order: only names can be matched to it."""

    __slots__ = ()


class UnionOfNames(AppearanceOrder):
    """The names that the runs selected, taken for all there were to choose from because nothing says otherwise."""

    __slots__ = ()


def trimmed_name(name: str) -> str:
    """Return a name without blanks at its ends; a name of blanks alone, as it is, unless it is of spaces."""
    # A control character such as U+0085 counts as a space, and may be all that a name consists of.
    return name.strip(BLANKS) or name.strip(SPACES)


def told_of_blanks(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a note on the names that have blanks at their ends, and the names that are equal without them."""
    changed = [name for name in names if trimmed_name(name) != name]
    if not changed:
        return (), ()
    counts = Counter(map(trimmed_name, names))
    alike = tuple(dict.fromkeys(name for name in map(trimmed_name, changed) if name and counts[name] > 1))
    shown = [name for name in changed if trimmed_name(name)]
    note = f"blanks at the ends of {several(len(shown), 'name')} removed ({some_names(shown)})"
    return ((note,) if shown else ()), alike


def feature_names(features: Names, n_features: int | None, *, what: str) -> tuple[tuple[str, ...] | None, int]:
    """The names (None: x0, x1, ...) and their number, from either or both."""
    if features is None and n_features is None:
        raise UndeclaredFeaturesError(
            f"{what} does not say how many features there were to choose from; ",
            f"give {Argument('features', ...)} or {Argument('n_features', ...)}.",
        )
    count = None if n_features is None else _whole_number(n_features)
    if features is None:
        assert count is not None
        return None, count
    names = _as_texts("features", features, "a list of names")
    if not names:
        raise InputError("features is empty; at least one is needed.")
    if "" in names:
        raise InputError(f"The name of feature {names.index('')} is empty; every feature needs a name.")
    if len(set(names)) < len(names):
        raise InputError(f"The feature name {_first_repeated(names)!r} occurs twice; names must be distinct.")
    if count is not None and count != len(names):
        raise InputError(f"{len(names)} feature names are given for {count} features; expected one name per feature.")
    return names, len(names)


def check_same_order(
    first: tuple[str, ...] | None, second: tuple[str, ...] | None, what_first: str, what_second: str
) -> None:
    """Refuse to match features of two things by position unless both have them in the same order.

    Names that are None stand for the order of some data; `what_first` and `what_second` say whose names they are.
    """
    one, another = (first, second, what_first, what_second), (second, first, what_second, what_first)
    for names, other, what, what_other in (one, another):
        if isinstance(names, AppearanceOrder) and other is None:
            raise InputError(
                f"The features of {what} are numbered as their names appear ({some_names(names)}), and {what_other} "
                "has no names to match; give the names of all features in their order (features=)."
            )
    if first is None or second is None:
        return
    found = unlike_names(first, second, what_first, what_second)
    if found is not None:
        order = "the same names in the same order" if set(first) == set(second) else "the same names"
        raise InputError(f"{found}; expected {order} (features=).")


def unlike_names(first: Sequence[str], second: Sequence[str], what_first: str, what_second: str) -> str | None:
    """The first difference between two lists of names, in words; None where there is none."""
    if len(first) != len(second):
        return f"There are {len(first)} features in {what_first} and {len(second)} in {what_second}"
    if first == second:
        return None
    place = next(f for f, (a, b) in enumerate(zip(first, second, strict=True)) if a != b)
    return f"Feature {place} is {first[place]!r} in {what_first} and {second[place]!r} in {what_second}"


def places_of(own: Sequence[str], features: Sequence[str], what: str) -> list[int] | None:
    """Where each of `features` stands among the names that `what` has; None where they are new names, by position."""
    place = {str(name): f for f, name in enumerate(own)}
    known = [name for name in map(str, features) if name in place]
    if not known or len(features) != len(place):
        return None
    if len(set(known)) < len(place):
        unknown = next(name for name in map(str, features) if name not in place)
        raise InputError(
            f"{what} has the feature {known[0]!r} but not {unknown!r}; features= takes its names in any "
            "order, or new names for all of them."
        )
    return [place[str(name)] for name in features]


def run_labels(labels: Names, n_runs: int) -> tuple[str, ...] | None:
    """Distinct labels, one a run, or None, also for the stand-ins that the long layout has for runs without labels."""
    if labels is None:
        return None
    checked = _as_texts("labels", labels, "a list with one label per run")
    if len(checked) != n_runs:
        raise InputError(f"{len(checked)} labels are given for {n_runs} runs; expected one label per run.")
    if len(set(checked)) < len(checked):
        raise InputError(f"The run label {_first_repeated(checked)!r} occurs twice; labels must be distinct.")
    if "" in checked:
        raise InputError(f"The label of run {checked.index('') + 1} is empty; every run needs a label.")
    return None if checked == stand_ins(n_runs) else checked


def _as_texts(argument: str, given: Any, expected: str) -> tuple[str, ...]:
    if not is_collection(given):
        raise wrong_argument(argument, expected, given)
    return tuple(str(one) for one in given)


def stand_ins(n_runs: int) -> tuple[str, ...]:
    """What the long layout calls runs that have no labels."""
    return tuple(f"unlabelled {i}" for i in range(1, n_runs + 1))


def name_positions(names: tuple[str, ...] | None, n_features: int) -> Mapping[str, int]:
    """Where each name stands; features without given names are called x0, x1, ..."""
    known = names if names is not None else (f"x{f}" for f in range(n_features))
    return {name: f for f, name in enumerate(known)}


def is_default_name(name: str, n_features: int) -> bool:
    """Whether a name is one of x0, x1, ..., what features without given names are called."""
    return re.fullmatch(r"x(0|[1-9][0-9]{0,9})", name) is not None and int(name[1:]) < n_features


def given_names(names: Sequence[str]) -> tuple[str, ...] | None:
    """Names that somebody gave; None where they are x0, x1, ... for want of others."""
    return None if all(is_default_name(name, len(names)) for name in names) else tuple(names)


def placeholders(taken: Collection[str], count: int) -> list[str]:
    """Names for features that exist but that no run selected and nobody named."""
    if count > MOST_PLACEHOLDERS:
        raise InputError(
            f"n_features is {count + len(taken)} and only {len(taken)} features have names; "
            "give the names of all features (features=), or select by index."
        )
    names = (f"unnamed {i}" for i in range(1, count + len(taken) + 1))
    return [name for name in names if name not in taken][:count]


def describe_feature(index: int, names: tuple[str, ...] | None) -> str:
    """How an error sentence calls one feature."""
    return f"feature {names[index]!r}" if names is not None else f"feature {index}"


def some_names(names: Sequence[str]) -> str:
    """The first few of many names, for a sentence."""
    shown = ", ".join(repr(name) for name in names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"


def several(count: int, noun: str) -> str:
    """A number with its noun, for a sentence: 1 run, 3,214 runs."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def text_index(texts: Collection[str], name: str | None = None) -> pd.Index[Any]:
    """Texts as pandas holds them; its own type for text refuses halves of a character, which then stay objects."""
    import pandas as pd

    try:
        return pd.Index(texts, name=name)
    except UnicodeEncodeError:
        return pd.Index(texts, dtype=object, name=name)


def text_frame(columns: Mapping[str, Any], index: pd.Index[Any] | None = None) -> pd.DataFrame:
    """A pandas frame whose names and texts may be any."""
    import pandas as pd

    arrays = [np.asarray(column) for column in columns.values()]
    parts = [
        text_index(column) if array.dtype.kind in "OU" else array if isinstance(column, list) else column
        for column, array in zip(columns.values(), arrays, strict=True)
    ]
    table = pd.DataFrame(dict(enumerate(parts)), index=index)
    table.columns = text_index(list(columns)) if len(columns) > FEW_HEADINGS else _headings(*columns).view()
    return table


@lru_cache(maxsize=64)
def _headings(*names: str) -> pd.Index[Any]:
    """The headings of a frame of a few columns: many frames have the same."""
    return text_index(names)


def name_and_params(text: str) -> tuple[str, dict[str, Any]]:
    """Split "name:param=value,param=value"; values are numbers, True, False, None, or else text."""
    name, _, rest = text.partition(":")
    params: dict[str, Any] = {}
    for part in rest.split(","):
        key, equals, value = part.partition("=")
        if equals and key.strip():
            if key.strip() in params:
                raise InputError(f"{text!r} gives {key.strip()!r} twice; give it once.")
            params[key.strip()] = _value(value.strip())
        elif part.strip():
            raise InputError(f"{text!r} is not understood at {part!r}; expected name:param=value,param=value.")
    return name.strip(), params


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _whole_number(n_features: int) -> int:
    try:
        count = operator.index(n_features)
    except TypeError:
        raise wrong_argument("n_features", "a whole number", n_features) from None
    if not 1 <= count <= MOST_FEATURES:
        raise wrong_argument("n_features", "at least 1" if count < 1 else f"at most {MOST_FEATURES}", count)
    return count


def _first_repeated(names: Sequence[str]) -> str:
    seen: set[str] = set()
    return next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
