"""The exceptions that steadyset raises on purpose. Each carries one sentence for the person who called."""

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import EllipsisType, MappingProxyType
from typing import Any, Self

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
LONG_WORD, LONG_SENTENCE = 300, 2_500  # characters, above which the middle is left out


@dataclass(frozen=True)
class Argument:
    """An argument that a sentence mentions: by its name, with a value as it is given, or with `...` for any value.

    Kept apart from the text of an error because not everybody calls from Python: the command names its options. `of` is
    the record that holds it, where the function takes a record.
    """

    name: str
    value: str | bool | float | tuple[str, ...] | EllipsisType | None = None
    of: str = ""

    def __str__(self) -> str:
        text = self.name if self.value is None or self.value is ... else f"{self.name}={_literal(self.value)}"
        return f"st.{self.of}(..., {text})" if self.of == "Data" else f"st.{self.of}({text})" if self.of else text


def either(name: str, *values: str | bool | EllipsisType) -> list[str | Argument]:
    """The parts of a sentence that offer an argument with one of some values: header=True or header=False."""
    parts: list[str | Argument] = []
    for place, value in enumerate(values):
        parts += ["" if place == 0 else " or " if place == len(values) - 1 else ", ", Argument(name, value)]
    return parts


def _literal(value: object) -> str:
    """The value as one would type it; names in double quotes, as in the documentation."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(_literal, value))}]"
    text = repr(value)
    return f'"{text[1:-1]}"' if text.startswith("'") and '"' not in text else text


class SteadysetError(Exception):
    """Base of everything that steadyset raises on purpose.

    Parameters
    ----------
    *sentence : str or Argument
        The parts of the sentence: texts, and arguments, which the command names as its options.

    Examples
    --------
    >>> import steadyset as st
    >>> try:
    ...     st.stability([[0, 1], [1, 1]], "jacard")
    ... except st.SteadysetError as error:
    ...     print(str(error).split(".")[0])
    There is no measure called 'jacard'; did you mean 'jaccard'?
    """

    def __init__(self, *sentence: str | Argument) -> None:
        super().__init__(*sentence)

    def __str__(self) -> str:
        return self.told(str)

    def told(self, name: Callable[[Argument], str]) -> str:
        """The sentence with its arguments named in another way.

        Parameters
        ----------
        name : Callable
            What an Argument is called, such as the option of a command.

        Returns
        -------
        str
            The sentence.
        """
        return _readable("".join(name(part) if isinstance(part, Argument) else str(part) for part in self.args))

    def after(self, text: str) -> Self:
        """The same error with a text before its sentence.

        Parameters
        ----------
        text : str
            What comes first, such as the file that it is about.

        Returns
        -------
        Self
            An error of the same kind.
        """
        return type(self)(text, *self.args)


class InputError(SteadysetError, ValueError):
    """An argument or a file is not what it has to be; the sentence names it, what was found and what is expected.

    Parameters
    ----------
    *sentence : str or Argument
        The parts of the sentence: texts, and arguments, which the command names as its options.

    Examples
    --------
    >>> import steadyset as st
    >>> st.Selections.from_sets([["a"]], features=["b"])
    Traceback (most recent call last):
        ...
    steadyset.foundation.errors.InputError: Run 1 selects 'a', which is not among the features.
    """


class WrongTypeError(InputError, TypeError):
    """Something that holds no numbers at all where numbers are expected; scikit-learn expects a TypeError there."""


class UndeclaredFeaturesError(InputError):
    """Runs name what they selected, and nothing says what there was to choose from; the last part says what to give."""


class MissingTargetError(InputError):
    """Nothing says what to predict; `candidates` may be: the number of distinct values of each, likely ones first.

    `follow_ups` are the times to events that were recognized.
    """

    candidates: Mapping[str, int] = MappingProxyType({})
    follow_ups: Sequence[Any] = ()


class AlwaysFailsError(InputError):
    """A selector would fail in every run; nothing of the assessment is worth keeping."""


class UndefinedError(SteadysetError, ArithmeticError):
    """A measure has no value for these Selections and the caller asked for undefined="raise".

    Parameters
    ----------
    *sentence : str or Argument
        The parts of the sentence: texts, and arguments, which the command names as its options.

    Examples
    --------
    Two empty sets have no Jaccard index:

    >>> import steadyset as st
    >>> empty = st.Selections.from_sets([[], []], n_features=5)
    >>> st.stability(empty, "jaccard", undefined="raise")
    Traceback (most recent call last):
        ...
    steadyset.foundation.errors.UndefinedError: jaccard is undefined for 1 of 1 pairs (both sets are empty).
    """


class InterruptedRunError(SteadysetError):
    """A signal stopped a run; the sentence says what is kept and how to go on."""

    def __init__(self, sentence: str, signal_number: int) -> None:
        super().__init__(sentence)
        self.signal_number = signal_number


class MissingExtraError(SteadysetError, ImportError):
    """An optional dependency is not installed; the sentence says what to install.

    Parameters
    ----------
    *sentence : str or Argument
        The parts of the sentence: texts, and arguments, which the command names as its options.

    Examples
    --------
    It is an ImportError too, so that code which tries what is installed can go on.

    >>> import steadyset as st
    >>> issubclass(st.MissingExtraError, ImportError)
    True
    """


class UninformativeWarning(UserWarning):
    """A selector found nothing to tell the features apart, so that the order of the columns decided."""


def warn_caller(sentence: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called this package, however many functions and decorators are in between."""
    level = 1
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(sentence, category, stacklevel=level)


def _readable(sentence: str) -> str:
    """A sentence that quotes a value of any length, without the middle of it."""
    text = re.sub(rf"\S{{{LONG_WORD},}}", lambda word: f"{word[0][:100]} ... {word[0][-50:]}", sentence)
    return text if len(text) <= LONG_SENTENCE else f"{text[:1_500]} ... {text[-500:]}"


@contextmanager
def about(what: str) -> Iterator[None]:
    """Tell what is wrong with an object that was given; its parameters are its own, not arguments of the call."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{what}: {error}") from None


@contextmanager
def after(text: str) -> Iterator[None]:
    """Put a text, such as the file that it is about, before the sentence of an error."""
    try:
        yield
    except InputError as error:
        raise error.after(text) from None


class Complaints:
    """Several things that are wrong at once, told together: a line each below `heading`, or one sentence."""

    def __init__(self, heading: str) -> None:
        self.heading = heading
        self.errors: list[InputError] = []

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep the InputError of a check, so that the next check is made too."""
        try:
            yield
        except InputError as error:
            self.errors.append(error)

    def add(self, *sentence: str | Argument) -> None:
        """Something that is wrong, found without a check of its own."""
        self.errors.append(InputError(*sentence))

    def tell(self, before: str = "") -> None:
        """Raise what was collected; `before` stands before a single sentence."""
        if len(self.errors) == 1:
            raise self.errors[0].after(before) if before else self.errors[0]
        if self.errors:
            lines = [part for error in self.errors for part in ("\n- ", *error.args)]
            raise InputError(f"{self.heading}:", *lines)
