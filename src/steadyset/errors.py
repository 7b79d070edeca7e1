"""The exceptions that steadyset raises on purpose. Each carries one sentence for the person who called."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

LONG_WORD, LONG_SENTENCE = 300, 2_500  # characters, above which the middle is left out


class SteadysetError(Exception):
    """Base of everything that steadyset raises on purpose."""

    def __init__(self, sentence: object = "") -> None:
        super().__init__(_readable(str(sentence)))


class InputError(SteadysetError, ValueError):
    """An argument or a file is not what it has to be; the sentence names it, what was found and what is wanted."""


class UndeclaredFeaturesError(InputError):
    """Runs name what they selected, and nothing says what there was to choose from."""


class UndefinedError(SteadysetError, ArithmeticError):
    """A measure has no value for these Selections and the caller asked for undefined="raise"."""


class InterruptedRunError(SteadysetError):
    """A signal stopped a run; the sentence says what is kept and how to go on."""

    def __init__(self, sentence: str, signal_number: int) -> None:
        super().__init__(sentence)
        self.signal_number = signal_number


class MissingExtraError(SteadysetError, ImportError):
    """An optional dependency is not installed; the sentence says what to install."""


class UninformativeWarning(UserWarning):
    """A selector found nothing to tell the features apart, so that the order of the columns decided."""


def _readable(sentence: str) -> str:
    """A sentence that quotes a value of any length, without the middle of it."""
    text = re.sub(rf"\S{{{LONG_WORD},}}", lambda word: f"{word[0][:100]} ... {word[0][-50:]}", sentence)
    return text if len(text) <= LONG_SENTENCE else f"{text[:1_500]} ... {text[-500:]}"


class Complaints:
    """Several things that are wrong at once, told together: a line each below `heading`, or one sentence."""

    def __init__(self, heading: str) -> None:
        self.heading = heading
        self.sentences: list[str] = []

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep the InputError of a check, so that the next check is made too."""
        try:
            yield
        except InputError as error:
            self.sentences.append(str(error))

    def tell(self, before: str = "") -> None:
        """Raise what was collected; `before` stands before a single sentence."""
        if len(self.sentences) == 1:
            raise InputError(before + self.sentences[0])
        if self.sentences:
            raise InputError("\n".join([f"{self.heading}:", *(f"- {sentence}" for sentence in self.sentences)]))
