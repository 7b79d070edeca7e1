"""Options as fields of a form: which there are, what they are called, and what a filled one asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.job import Job
from steadyset.foundation.text import listed
from steadyset.options import (
    AUTO,
    RECORDS,
    Option,
    arguments_of,
    as_shell_line,
    data_files,
    job_from,
    options_of,
    study_names,
)
from steadyset.options.table import TABLE

MAX_DIGITS = 9
SPACE = ("model", "filter", "most")  # what limits a search, by the names of fields
MAX_NAMED = 5  # names in a sentence
SIZE = ":k="  # between a method and how many features it chooses
# What Python calls a command on data or studies, where it has another name.
FUNCTIONS = {("replicate", "data"): "replication", ("replicate", "studies"): "compare_studies"}
PARAMETERS = "_parameters"  # after the name of a field: PARAM=VALUE,... for what was chosen there


def fields(command: str, *places: str) -> list[Option]:
    """The options that a part of a form asks for."""
    return [one for one in options_of(command).values() if one.field is not None and one.field.place in places]


def options_given(command: str, form: QueryParams, *places: str) -> dict[str, Any]:
    """The options that the parts of a filled form give; a sentence where a field holds what it cannot."""
    found = {option.name: _value(option, form) for option in fields(command, *places)}
    return {name: value for name, value in found.items() if value is not None}


def predicted(command: str) -> list[str]:
    """The options that name what is predicted: one column, or the others together, such as a time and an event."""
    return [one.name for one in fields(command, "target") if is_column(one)]


def guessed(command: str, columns: Iterable[str], times: Sequence[Sequence[str]] = ()) -> dict[str, str]:
    """What is probably predicted, by the names of columns: such as a time and an event, or else one target.

    `times` are the recognized pairs of both. Nothing is guessed if there are several, or two ways to read an event.
    """
    options = [option for option in fields(command, "target") if is_column(option) and option.field is not None]
    name, *together = predicted(command)
    if times:
        [first, *others] = times
        return {} if others else dict(zip(together, first, strict=True))
    usual = [option.field.usual for option in options if option.field is not None]
    first, *rest = ([column for column in columns if column.strip().lower() in words] for words in usual)
    if all(len(found) == 1 for found in rest):
        return {one: found[0] for one, found in zip(together, rest, strict=True)}
    return {name: first[0]} if len(first) == 1 else {}


def is_column(option: Option) -> bool:
    """Whether its values are names of columns."""
    return str(option.metavar).startswith("COLUMN")


def filled(command: str, form: QueryParams, *places: str) -> dict[str, str]:
    """What the fields of a form hold: what was given, or what they hold at first."""
    held = {}
    for option in fields(command, *places):
        assert option.field is not None
        first = option.default if option.field.value is None else option.field.value
        at_first = "" if option.many or first is None or first is False else str(first)
        given = form.getlist(option.name)
        held[option.name] = "\n".join(given if option.many else given[-1:]) if given else at_first
    return held


def question(job: Job) -> str:
    """The address of the form that asks for a job, as it was filled."""
    pairs = [("kind", job.command), *(("file", file) for file in data_files(job))]
    for option in fields(job.command, "target", "columns", "reading", "order", "ask", "runs"):
        value = job.options.get(option.name)
        if isinstance(value, bool):
            value = "yes" if value else "no"
        if value is not None and option.name != "out":
            pairs += [(option.name, str(one)) for one in (value if isinstance(value, list) else [value])]
    for limit in str(job.options.get("space", "")).partition(":")[2].split(","):
        name, _, chosen = limit.partition("=")
        pairs += [(name, one) for one in chosen.split("+") if name in SPACE]
    return f"/data?{urlencode(pairs)}"


def space_given(form: QueryParams) -> str | None:
    """What a filled form limits a search to; None where it leaves everything open."""
    chosen = {name: [one for one in form.getlist(name) if one.strip()] for name in SPACE}
    limits = ",".join(f"{name}={'+'.join(names)}" for name, names in chosen.items() if names)
    return f"{options_of('tune')['space'].default}:{limits}" if limits else None


TOGETHER = "\n+ "  # between choices of one click, such as a time and its event


def with_role(command: str, form: QueryParams, choice: str) -> str:
    """The address of a form after a click that gives an option a value, or a column a part: "target diagnosis".

    A column plays one part; as a "feature" it plays none of the others. One click may give several.
    """
    address = ""
    for one in choice.split(TOGETHER):
        address = _with_choice(command, form, one)
        form = QueryParams(address.partition("?")[2])
    return address


def _with_choice(command: str, form: QueryParams, choice: str) -> str:
    chosen, _, value = choice.partition(" ")
    known = {option.name: option for option in fields(command, "target", "columns", "reading")}
    parts = {name for name, option in known.items() if is_column(option)}
    takes_part = chosen in parts or chosen == "feature"
    names, pairs = value.split("\n"), []
    first, *others = predicted(command)
    instead = others if chosen == first else [first] if chosen in others else []
    for name, held in form.multi_items():
        if name == "role" or name in instead or (name == chosen and not known[name].many):
            continue
        if name in parts and takes_part and not (name == "keep" and chosen == "feature"):
            held = "\n".join(one for one in held.split("\n") if one.strip() not in names)
        pairs += [(name, held)] if held else []
    return f"/data?{urlencode(pairs + ([(chosen, value)] if chosen in known else []))}"


def lines_of(texts: Iterable[str]) -> list[str]:
    """The lines of fields that hold something, each once."""
    lines = [line.strip() for text in texts for line in text.split("\n")]
    return list(dict.fromkeys(filter(None, lines)))


def methods_of(texts: Iterable[str]) -> tuple[list[str], str]:
    """The methods that were named, and the number of features that all of them are to choose, "" where they differ."""
    names = lines_of(texts)
    sizes = {name.partition(SIZE)[2] if SIZE in name else "" for name in names}
    (size,) = sizes if len(sizes) == 1 else ("",)
    return [
        name.removesuffix(f"{SIZE}{size}") if size.isdecimal() else name for name in names
    ], size if size.isdecimal() else ""


def selector_given(form: QueryParams, option: Option) -> Any:
    """The methods that a filled form names, or the one: what is typed is meant instead of what is chosen."""
    names = lines_of(form.getlist(option.name))
    if not names:
        raise InputError("Choose at least one method." if option.many else "Choose a method.")
    found = sized(names, form.get("size", "").strip())
    return found if option.many else found[-1]


def sized(names: Sequence[str], size: str) -> list[str]:
    """Methods with a number of features to choose, where they have no parameters of their own."""
    if size and (not size.isdecimal() or len(size) > MAX_DIGITS or not int(size)):
        raise InputError(f"“Number of features” must be a whole number of at least 1 (got {json.dumps(size[:40])}).")
    return [f"{name}{SIZE}{int(size)}" if size and ":" not in name else name for name in names]


def _value(option: Option, form: QueryParams) -> Any:
    field = option.field
    assert field is not None
    if option.many:
        return lines_of(form.getlist(option.name)) or None
    if option.name not in form:
        return None
    text = form[option.name]
    # A separator may be a tab or a blank.
    text = text.strip() or (text[:1] if option.metavar == "C" else "")
    if option.kind is bool:
        return {"yes": True, "no": False}.get(text)
    if option.kind is int or field.least is not None:
        return _whole(option, text)
    if option.kind is float:
        return _number(option, text)
    if text and field.offered and text not in field.offered:
        raise InputError(f"{called(option)} must be one of {', '.join(field.offered)} (got {json.dumps(text[:40])}).")
    parameters = form.get(f"{option.name}{PARAMETERS}", "").strip()
    return f"{text}:{parameters}" if text and parameters else text or None


def _number(option: Option, text: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        raise InputError(f"{called(option)} must be a number (got {json.dumps(text[:40])}).") from None


def _whole(option: Option, text: str) -> int | str | None:
    """A whole number; as text where the option takes words too. What holds a value from the start must have one."""
    field = option.field
    assert field is not None
    if not text and field.value is None and option.default is None:
        return None
    if option.kind is not int and text == AUTO:
        return text
    least = option.least if field.least is None else field.least
    if not text.isdecimal() or len(text) > MAX_DIGITS or (least is not None and int(text) < least):
        raise InputError(f"{called(option)} must be a whole number of at least {least} (got {json.dumps(text[:40])}).")
    return int(text) if option.kind is int else str(int(text))


def called(option: Option) -> str:
    """What sentences of the page call an option."""
    assert option.field is not None
    return option.field.called or f"“{option.field.label}”"


def proposals(arguments: Sequence[Argument], form: Mapping[str, str], command: str) -> list[tuple[str, str, str]]:
    """What buttons say that do what an error proposes; a time and its event are one button."""
    found: list[tuple[str, str, str] | None] = []
    time = ""
    for argument in arguments:
        if argument.name == "time" and isinstance(argument.value, str):
            time = argument.value
        elif argument.name == "event" and isinstance(argument.value, str) and time:
            found.append((time_in_words(time, argument.value), "time", f"{time}{TOGETHER}event {argument.value}"))
        else:
            found.append(proposal(argument, form, command))
    return [one for one in found if one is not None]


def time_in_words(time: str, event: str) -> str:
    """What a button says that predicts a time to an event."""
    return f"Time to event: {time} until {event.replace('=', ' = ')}"


def as_field(argument: Argument) -> str:
    """An argument as the page calls it; as in Python where no form asks for it."""
    known = [option for option in TABLE if option.field is not None]
    names = [option for option in known if (option.argument or option.name) == argument.name]
    option = next(iter(names + [option for option in known if option.name == argument.name]), None)
    if option is None:
        return str(argument)
    match argument.value:
        case tuple(values):
            return f"{called(option)}: {', '.join(map(str, values))}"
        case str(text):
            return f"{called(option)}: {text}"
        case _:
            return called(option)


def in_page_words(sentence: str) -> str:
    """What the command said, with the fields of forms in place of its options."""
    known = {option.flag: called(option) for option in TABLE if option.field is not None}
    return re.sub(r"--[a-z][a-z-]*", lambda found: known.get(found[0], found[0]), sentence)


def copied(content: Mapping[str, Any] | None) -> dict[str, str]:
    """What can be copied of a job: the command line and the lines of Python that do the same."""
    command = as_shell_line(content)
    if not command or content is None:  # a job of another version, or of a stranger; or Python made the folder
        return {"command": "", "python": ""}
    try:
        return {"command": command, "python": python_lines(job_from(content))}
    except (InputError, KeyError):  # the lines would leave out what the command loads
        return {"command": command, "python": ""}


def python_lines(job: Job) -> str:
    """A script with the same result as a job."""
    known = options_of(job.command)
    options = {name: _in_python(known[name], value) for name, value in job.options.items()}
    read = {name: value for name, value in options.items() if name != "target"}
    run = {name: value for name, value in options.items() if name != "resume"}
    asks = any("what" in option.calls for option in known.values())
    what = next(iter(arguments_of(job.command, options, "what").values()), None) or None
    reading = ", ".join([repr(options.get("target")), *_arguments(job.command, read, "data")])
    files = data_files(job)
    if len(files) == 1:
        data, loaded = "data", [f"data = st.load_data({files[0]!r}, {reading})"]
    else:
        each = zip(study_names(list(map(Path, files))), files, strict=True)
        data = "studies"
        loaded = ["studies = {", *(f"    {name!r}: st.load_data({file!r}, {reading})," for name, file in each), "}"]
    function = FUNCTIONS.get((job.command, data), job.command)
    running = ",\n    ".join([*([repr(what)] if asks else []), data, *_arguments(job.command, run, "run")])
    lines = [
        "import steadyset as st",
        "",
        *loaded,
        f"result = st.{function}(\n    {running},\n)",
        "print(result)",
        'st.report(result, "report.html")',
    ]
    return "\n".join(lines) + "\n"


def _arguments(command: str, values: Mapping[str, Any], call: str) -> Iterator[str]:
    """The arguments of a call as they are written in Python."""
    for name, value in arguments_of(command, values, call).items():
        if isinstance(value, dict):
            fields = ", ".join(f"{field}={one!r}" for field, one in value.items())
            yield f"{name}=st.{RECORDS[name]}({fields})"
        else:
            yield f"{name}={value!r}"


def _in_python(option: Option, value: Any) -> Any:
    """A value of an option as the library takes it."""
    if option.metavar == "NAME,...":  # several names in one text
        return [one.strip() for one in str(value).split(",") if one.strip()]
    return int(value) if option.metavar == "N|auto" and str(value).isdecimal() else value


def proposal(argument: Argument, form: Mapping[str, str], command: str = "assess") -> tuple[str, str, str] | None:
    """What a button says that does what an error proposes, with the field that it sets and its value."""
    places = ("target", "columns", "reading", "lists")
    option = next((one for one in fields(command, *places) if (one.argument or one.name) == argument.name), None)
    if option is None:
        return None
    assert option.field is not None
    words, value = as_field(argument).replace("“", "").replace("”", ""), argument.value
    if len(option.field.offered) == 1:
        return f"{option.field.label}{option.field.more}", option.name, next(iter(option.field.offered))
    if option.many and isinstance(value, str | tuple):
        names = [value] if isinstance(value, str) else list(value)
        words = f"{words.partition(':')[0]}: {listed(names, MAX_NAMED)}"
        return words, option.name, "\n".join([one for one in [form.get(option.name, "").strip(), *names] if one])
    if isinstance(value, bool):
        said = "yes" if value else "no"
        return f"{words}: {said}", option.name, said
    return (words, option.name, value) if isinstance(value, str) else None
