"""Options as fields of a form: which there are, what they are called, and what a filled one asks for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from starlette.datastructures import QueryParams

from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.job import Job
from steadyset.foundation.text import listed
from steadyset.options import AUTO, RECORDS, Option, arguments_of, options_of
from steadyset.options.table import TABLE

MAX_DIGITS = 9
MAX_NAMED = 5  # names in a sentence
PARAMETERS = "_parameters"  # after the name of a field: PARAM=VALUE,... for what was chosen there


def fields(command: str, *places: str) -> list[Option]:
    """The options that a part of a form asks for."""
    return [one for one in options_of(command).values() if one.field is not None and one.field.place in places]


def options_given(command: str, form: QueryParams, *places: str) -> dict[str, Any]:
    """The options that the parts of a filled form give; a sentence where a field holds what it cannot."""
    found = {option.name: _value(option, form) for option in fields(command, *places)}
    return {name: value for name, value in found.items() if value is not None}


def _value(option: Option, form: QueryParams) -> Any:
    field = option.field
    assert field is not None
    if option.many:
        lines = [line.strip() for text in form.getlist(option.name) for line in text.split("\n")]
        return list(dict.fromkeys(filter(None, lines))) or None
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


def python_lines(job: Job) -> str:
    """A script with the same result as a job."""
    known = options_of(job.command)
    options = {name: _in_python(known[name], value) for name, value in job.options.items()}
    read = {name: value for name, value in options.items() if name != "target"}
    run = {name: value for name, value in options.items() if name != "resume"}
    asks = any("what" in option.calls for option in known.values())
    what = next(iter(arguments_of(job.command, options, "what").values()), None) or None
    reading = [repr(options["file"]), repr(options.get("target")), *_arguments(job.command, read, "data")]
    running = ",\n    ".join([*([repr(what)] if asks else []), "data", *_arguments(job.command, run, "run")])
    lines = [
        "import steadyset as st",
        "",
        f"data = st.load_data({', '.join(reading)})",
        f"result = st.{job.command}(\n    {running},\n)",
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


def proposal(argument: Argument, form: Mapping[str, str]) -> tuple[str, str, str] | None:
    """What a button says that does what an error proposes, with the field that it sets and its value."""
    option = next((one for one in fields("assess", "reading") if (one.argument or one.name) == argument.name), None)
    if option is None:
        return None
    words, value = as_field(argument).replace("“", "").replace("”", ""), argument.value
    if option.many and isinstance(value, str | tuple):
        names = [value] if isinstance(value, str) else list(value)
        words = f"{words.partition(':')[0]}: {listed(names, MAX_NAMED)}"
        return words, option.name, "\n".join([one for one in [form.get(option.name, "").strip(), *names] if one])
    if isinstance(value, bool):
        said = "yes" if value else "no"
        return f"{words}: {said}", option.name, said
    return (words, option.name, value) if isinstance(value, str) else None
