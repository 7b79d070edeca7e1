"""The exceptions that steadyset raises on purpose. Each carries one sentence for the person who called."""


class SteadysetError(Exception):
    """Base of everything that steadyset raises on purpose."""


class InputError(SteadysetError, ValueError):
    """An argument or a file is not what it has to be; the sentence names it, what was found and what is wanted."""


class UndefinedError(SteadysetError, ArithmeticError):
    """A measure has no value for these Selections and the caller asked for undefined="raise"."""


class InterruptedRunError(SteadysetError):
    """The user stopped a run; the sentence says what is kept and how to go on."""


class MissingExtraError(SteadysetError, ImportError):
    """An optional dependency is not installed; the sentence says what to install."""
