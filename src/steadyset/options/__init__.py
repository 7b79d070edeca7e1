"""The options of every command: one record each, from which the command line, the page, jobs and the reference come."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from steadyset.foundation.errors import InputError
from steadyset.foundation.job import PROGRAM, Job

REQUIRED = ...  # the default of what must be given
# The kinds of values by what stands for them in help; what is not here is text.
KINDS: dict[str, type] = {
    **dict.fromkeys(("N", "K"), int),
    **dict.fromkeys(("L", "W", "T", "E", "GB", "SHARE", "LOSS", "NUMBER", "MINUTES"), float),
    **dict.fromkeys(("FILE", "FILE...", "DIR", "DIR|FILE", "DIR|FILE..."), Path),
}
RECORDS = {
    "cut": "Cut",
    "execution": "Execution",
    "search": "SearchOptions",
    "n_runs": "AutoRuns",
}  # by their arguments
AUTO = "auto"
FOLDERS = {"assess": "runs", "shortlist": "shortlist", "replicate": "replication", "why": "why", "tune": "tuning"}
MAX_JOB_CHARACTERS = 40  # of a wrong value that a sentence shows


@dataclass(frozen=True)
class Field:
    """An option in a form of the page.

    Attributes
    ----------
    place : the part of the form: target, columns, reading, order, ask, runs, measure or lists
    label : what it is called there and, in quotes, in sentences; in the form, `more` follows
    empty : what it is called to choose no value
    choices : the values to choose from, with their words; a function where they may be registered
    value : what the field holds at first, where that is not the default of the option
    least : the smallest number that the page takes, where the command takes smaller ones
    called : what sentences call it, where that is not the label
    buttons : values that a click puts into the field, with their words
    quick : what the field holds for a quick look
    usual : what columns for it are often called, in lower case
    """

    place: str = ""
    label: str = ""
    more: str = ""
    empty: str = ""
    choices: Mapping[str, str] | Callable[[], Mapping[str, str]] | None = None
    value: str | None = None
    least: int | None = None
    called: str = ""
    buttons: Mapping[str, str] | None = None
    quick: str | None = None
    usual: tuple[str, ...] = ()

    @property
    def offered(self) -> Mapping[str, str]:
        """The values to choose from, with their words; none where anything can be typed."""
        return self.choices() if callable(self.choices) else self.choices or {}


@dataclass(frozen=True)
class Option:
    """One option, or positional argument, of one command or several.

    Attributes
    ----------
    name : as it is typed, with _ for each inner -; also its name in jobs
    sentence : what help and reference say; a function where it lists what may be registered
    metavar : what stands for its value in help, and says of which kind it is: see KINDS; FILE for what is read
    commands : that take it, separated by spaces; a name may stand for another option in another command
    default : where nothing is given; None says that the library decides, REQUIRED that something must be given
    short : a letter for the command line
    no : what is typed to say no to a bool that is not simply left out
    many : whether it may be repeated
    choices : all values that it may have
    least, most : of a number
    heading : of the part of the help; "" for the general one
    positional : whether it is typed without its name
    argument : what the library calls it, where that is another name
    record : the argument of the library that holds it as a field, where it is no argument itself
    calls : parts of the library that take it as an argument: data, read, run, findings; what: as the first of a run
    field : where the page asks for it
    in_terminal : why the page leaves a job that gives it to the terminal
    """

    name: str
    sentence: str | Callable[[], str]
    metavar: str | None = None
    commands: str = ""
    default: Any = None
    short: str = ""
    no: str = ""
    many: bool = False
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    heading: str = ""
    positional: bool = False
    argument: str = ""
    record: str = ""
    calls: tuple[str, ...] = ()
    field: Field | None = None
    in_terminal: str = ""

    def on_page(self, place: str = "", label: str = "", more: str = "", **facts: Any) -> Option:
        """The same option, which the page asks for in a Field with these facts."""
        return replace(self, field=Field(place, label, more, **facts))

    @property
    def kind(self) -> type:
        """The kind of its values: bool for what is typed without a value, else as `metavar` says."""
        return bool if self.no or isinstance(self.default, bool) else KINDS.get(self.metavar or "", str)

    @property
    def flag(self) -> str:
        """How it is typed."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def words(self) -> str:
        """What help and reference say."""
        return self.sentence if isinstance(self.sentence, str) else self.sentence()

    def checked(self, value: Any, name: str) -> Any:
        """A value as the command takes it, or a sentence that calls the option by `name`."""
        if self.many:
            if not isinstance(value, list | tuple):
                raise InputError(f"{name} must be a list (got {_shown(value)}).")
            return [self._one(each, name) for each in value]
        return self._one(value, name)

    def _one(self, value: Any, name: str) -> Any:
        if self.choices and value not in self.choices:
            raise InputError(f"{name} must be one of {', '.join(self.choices)} (got {_shown(value)}).")
        if self.kind is int:
            fits = isinstance(value, int) and not isinstance(value, bool)
            low, high = self.least is None or (fits and value >= self.least), self.most is None or value <= self.most
            if not (fits and low and high):
                raise InputError(f"{name} must be a whole number{self._bounds()} (got {_shown(value)}).")
        elif self.kind is float:
            if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
                raise InputError(f"{name} must be a number (got {_shown(value)}).")
            return float(value)
        elif self.kind is bool:
            if not isinstance(value, bool):
                raise InputError(f"{name} must be true or false (got {_shown(value)}).")
        elif self.metavar == "N|auto" and isinstance(value, int) and not isinstance(value, bool):
            return str(value)  # what is typed is text; a file may say it as a number
        elif not isinstance(value, str) or "\0" in value:
            raise InputError(f"{name} must be a text (got {_shown(value)}).")
        return Path(value) if self.kind is Path else value

    def _bounds(self) -> str:
        if self.most is not None:
            return f" from {self.least} to {self.most}"
        return "" if self.least is None else f" of at least {self.least}"


@cache
def options_of(command: str) -> dict[str, Option]:
    """The options of a command by name, in the order of its help."""
    from steadyset.options.table import TABLE

    return {option.name: option for option in TABLE if command in option.commands.split()}


def option_of(command: str, name: str) -> Option:
    """An option by its name; a sentence where the command has none of that name."""
    options = options_of(command)
    if name not in options:
        raise InputError(f"{PROGRAM} {command} has no option {name!r}.")
    return options[name]


class Given:
    """What a command was given: every option as an attribute, with its default where nothing was given."""

    def __init__(self, command: str, values: Mapping[str, Any]) -> None:
        self.command = command
        self.values = {
            name: values[name] if values.get(name) not in (None, []) else option.default
            for name, option in options_of(command).items()
        }

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(name) from None

    def arguments(self, call: str) -> dict[str, Any]:
        """The arguments that a part of the library takes from these options; without those that it decides itself."""
        return arguments_of(self.command, self.values, call)


def arguments_of(command: str, values: Mapping[str, Any], call: str) -> dict[str, Any]:
    """The arguments that a part of the library takes from values of options; a record's as a mapping of its fields."""
    plain: dict[str, Any] = {}
    records: dict[str, dict[str, Any]] = {}
    for option in options_of(command).values():
        value, name = values.get(option.name), option.argument or option.name
        if call in option.calls and value is not None:
            (records.setdefault(option.record, {}) if option.record else plain)[name] = value
    if plain.get("n_runs") != AUTO:  # AutoRuns is for "auto" alone; a number of runs is taken as it is
        records.pop("n_runs", None)
    return plain | records


def job_of(command: str, values: Mapping[str, Any]) -> Job:
    """The job of a command with these values: plain ones, without those that are defaults anyway."""
    return Job(
        command,
        {
            name: _plain(values[name])
            for name, option in options_of(command).items()
            if values.get(name) not in (None, option.default, [])
        },
    )


def recorded_job(content: Any) -> Job:
    """The job that a file or a run folder holds; a sentence where it is none."""
    if not isinstance(content, dict) or not isinstance(content.get("options"), dict):
        raise InputError("A job must hold a command and its options.")
    command, options = content.get("command"), content["options"]
    if not isinstance(command, str) or not options_of(command):
        raise InputError(f"A job must be one of {', '.join(jobs())} (got {_shown(command)}).")
    job = Job(command, {name: value for name, value in options.items() if value is not None})
    values_of(job)
    return job


def job_from(content: Any) -> Job:
    """A job to be run; a sentence where it is none, or asks for what is left to the command itself."""
    job = recorded_job(content)
    if job.command not in jobs():
        raise InputError(f"A job must be one of {', '.join(jobs())} (got {_shown(job.command)}).")
    if why := why_in_terminal(job):
        raise InputError(f"This job is not run: {why}; use `{PROGRAM} {job.command}` with its options.")
    options = options_of(job.command).items()
    missing = [name for name, one in options if one.default is REQUIRED and name not in job.options]
    if missing:
        raise InputError(f"A job must give {missing[0]}.")
    return job


def values_of(job: Job) -> dict[str, Any]:
    """The options of a job as its command takes them."""
    return {name: option_of(job.command, name).checked(value, name) for name, value in job.options.items()}


def jobs() -> list[str]:
    """The commands that are jobs: they write what they find into a run folder, and continue it."""
    from steadyset.options.table import TABLE

    return next(option.commands for option in TABLE if option.name == "resume").split()


def data_option(command: str) -> Option:
    """The option of a command that holds its data: one file, or several studies."""
    return next(option for option in options_of(command).values() if option.positional)


def data_files(job: Job) -> list[str]:
    """The data of a job: one file, or one for each study."""
    return as_list(job.options.get(data_option(job.command).name, []))


def default_folder(command: str, file: Path) -> Path:
    """Return the folder of a command to which none is given: beside the data, called after both."""
    return Path(f"{file.name.split('.')[0]}-{FOLDERS[command]}")


def study_names(files: Sequence[Path]) -> list[str]:
    """What the studies of files are called: by the names of the files, or by all of their paths where these differ."""
    stems = [file.name.split(".")[0] for file in files]
    names = stems if len(set(stems)) == len(stems) else [str(file) for file in files]
    if len(set(names)) < len(names):
        raise InputError("A file is given twice; each study is a file of its own.")
    return names


def with_files(job: Job, named: Callable[[str], str]) -> Job:
    """A job whose files have other names: those of options whose value may be a FILE, and does not name the default."""
    options = dict(job.options)
    for name, option in options_of(job.command).items():
        given = options.get(name)
        if "FILE" not in (option.metavar or "") or given is None or str(given).partition(":")[0] == option.default:
            continue
        options[name] = list(map(named, as_list(given))) if option.many else named(str(given))
    return Job(job.command, options)


def as_list(value: Any) -> list[str]:
    """The texts of an option, whether it holds one or several."""
    return list(map(str, value if isinstance(value, list | tuple) else [value]))


def why_in_terminal(job: Job) -> str:
    """Why neither the page nor a file may ask for such a job; "" where they may."""
    for option in options_of(job.command).values():
        value = job.options.get(option.name)
        if option.in_terminal and value and (option.name != "engine" or "://" in str(value)):
            return option.in_terminal
    return ""


def to_argv(job: Job) -> list[str]:
    """A job as the words that are typed after the name of the program."""
    words = [job.command]
    for name, value in job.options.items():
        option = option_of(job.command, name)
        for one in value if option.many else (value,):
            words += _typed(option, one)
    return words


def as_shell_line(content: Any) -> str:
    """A job that a run folder holds as one line for a shell; "" where there is none.

    The folder may come from a stranger: only options that exist are shown, and each value is one word.
    """
    try:
        job = Job(content["command"], content["options"])
        values_of(job)
        return shlex.join([PROGRAM, *to_argv(job)])
    except (InputError, TypeError, KeyError, AttributeError):
        return ""


def _typed(option: Option, value: Any) -> Iterator[str]:
    if option.positional:
        # The name of a file that begins with a dash, as a stranger may have written it, is no option.
        yield f"./{value}" if str(value).startswith("-") else str(value)
    elif option.kind is bool:
        yield from [option.flag] if value else [option.no] if option.no else []
    elif str(value).startswith("-") or str(value) == "":  # it would be taken for an option itself
        yield f"{option.flag}={value}"
    else:
        yield from (option.flag, str(value))


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, Path) else value


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text[:MAX_JOB_CHARACTERS]
