"""The command `steadyset`: its subcommands, each with the options that steadyset.options gives it."""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Annotated, Any

import typer

from steadyset.cli import catalogues, recorded_selections, runs
from steadyset.cli.terminal import Command, Function, Subcommand, complain, instead_of, parsed, speak_any_alphabet
from steadyset.foundation.errors import InterruptedRunError, SteadysetError
from steadyset.foundation.job import KILLED_BY, PROGRAM, leave_at_once
from steadyset.foundation.memory import is_lack_of_memory, out_of_memory
from steadyset.foundation.registry import PluginWarning

BAD_INPUT = 2
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # what a full or failing device reports
# typer uses the click that is installed or one of its own; its errors are reached through what typer exports.
USAGE_ERROR: Any = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
COMMANDS: dict[str, Function] = {
    "shortlist": runs.shortlist,
    "assess": runs.assess,
    "replicate": runs.replicate,
    "why": runs.why,
    "tune": runs.tune,
    "run": runs.run_job,
    "report": recorded_selections.report,
    "methods": recorded_selections.methods,
    "measure": recorded_selections.measure,
    "compare": recorded_selections.compare,
    "consensus": recorded_selections.consensus,
    "measures": catalogues.measures,
    "selectors": catalogues.selectors,
    "resamplings": catalogues.resamplings,
    "certify": catalogues.certify,
    "serve": runs.serve,
    "warm-up": runs.warm_up,
}

app = typer.Typer(
    name=PROGRAM,
    cls=Command,
    help="How steady is a feature selection?\n\n"
    "steadyset runs selectors on resamples of your data and reports how steady their choice of features is: near 1, "
    "the same features are selected each time; near 0, they agree no more than by chance.\n\n"
    "Start with `steadyset shortlist DATA --target COLUMN` for a list of features with a stated error, with "
    "`steadyset assess DATA --target COLUMN` for how steady selectors are, or with `steadyset measure FILE` "
    "if you have recorded selections; `steadyset measures` explains the measures.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, _function in COMMANDS.items():
    app.command(_name, cls=Subcommand)(parsed(_name, _function))


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        from steadyset._version import __version__

        typer.echo(f"steadyset {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; bad usage and bad input end with one sentence on standard error and exit code 2."""
    leave_at_once()
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    speak_any_alphabet()
    try:
        given = sys.argv[1:] if arguments is None else list(arguments)
        with _plugin_warnings_as_sentences():
            code = int(app(args=given, prog_name=PROGRAM, standalone_mode=False) or 0)
            sys.stdout.flush()  # a full disk shows here, and not when Python ends
            return code
    except InterruptedRunError as error:
        return _complain(str(error), KILLED_BY + error.signal_number)
    except SteadysetError as error:
        return _complain(str(error))
    except USAGE_ERROR as error:
        return _complain(_usage_told(error))
    except (KeyboardInterrupt, typer.Abort):
        return _complain("interrupted.", KILLED_BY + signal.SIGINT)
    except BrokenPipeError:
        # The reader (head, less) has seen enough; Python must not complain about the rest on its way out.
        _drop_output()
        return 0
    except Exception as error:
        if is_lack_of_memory(error):
            return _complain(out_of_memory())
        if isinstance(error, OSError) and error.errno in NO_ROOM and error.filename is None:
            _drop_output()
            return _complain(
                f"The output cannot be written: {error.strerror}. Make room, or send it to another disk; run folders "
                "are not affected."
            )
        raise


def _drop_output() -> None:
    """Let Python write what is left of the output to nowhere when it ends."""
    with suppress(OSError, ValueError):  # tests read standard output from no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _plugin_warnings_as_sentences() -> Iterator[None]:
    show = warnings.showwarning

    def told(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, PluginWarning):
            _complain(str(message))
        else:
            show(message, category, *place, **more)

    with warnings.catch_warnings():
        warnings.showwarning = told
        yield


def _usage_told(error: Any) -> str:
    """Return what is wrong with the words of a command; an unknown option is followed by the one to use instead."""
    unknown, context = getattr(error, "option_name", None), getattr(error, "ctx", None)
    command = None if context is None else context.info_name
    if unknown is None or command not in COMMANDS:
        return str(error.format_message())
    instead = instead_of(str(unknown), str(command), COMMANDS)
    return f"No such option: {unknown}. {instead}" if instead else str(error.format_message())


def _complain(sentence: str, code: int = BAD_INPUT) -> int:
    complain(sentence)
    return code
