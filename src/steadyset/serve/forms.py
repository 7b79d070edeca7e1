"""Options as fields of a form: which there are, what they are called, and what a filled one asks for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import QueryParams

from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.job import Job
from steadyset.foundation.text import listed
from steadyset.options import AUTO, RECORDS, Option, options_of
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
    if text and field.offered and text not in field.offered:
        raise InputError(f"{called(option)} must be one of {', '.join(field.offered)} (got {json.dumps(text[:40])}).")
    parameters = form.get(f"{option.name}{PARAMETERS}", "").strip()
    return f"{text}:{parameters}" if text and parameters else text or None


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
    options = job.options
    reading = [repr(options["file"]), repr(options.get("target")), *_arguments(job, "data", but=("target",))]
    what = options.get("space") if job.command == "tune" else list(options.get("selector") or ()) or None
    running = ",\n    ".join([repr(what), "data", *_arguments(job, "run", but=("resume",))])
    lines = [
        "import steadyset as st",
        "",
        f"data = st.load_data({', '.join(reading)})",
        f"result = st.{job.command}(\n    {running},\n)",
        "print(result)",
        'st.report(result, "report.html")',
    ]
    return "\n".join(lines) + "\n"


def _arguments(job: Job, call: str, *, but: tuple[str, ...]) -> list[str]:
    plain: list[str] = []
    records: dict[str, list[str]] = {}
    for option in options_of(job.command).values():
        if call in option.calls and option.name not in but and job.options.get(option.name) is not None:
            told = f"{option.argument or option.name}={_literal(option, job.options[option.name])}"
            (records.setdefault(option.record, []) if option.record else plain).append(told)
    if job.options.get("runs") != AUTO:  # its width and its limit are for auto alone
        records.pop("n_runs", None)
    plain = [one for one in plain if one.partition("=")[0] not in records]
    return plain + [f"{name}=st.{RECORDS[name]}({', '.join(fields)})" for name, fields in records.items()]


def _literal(option: Option, value: Any) -> str:
    if option.metavar == "NAME,...":  # several names in one text
        return repr([one.strip() for one in str(value).split(",") if one.strip()])
    return str(value) if option.metavar == "N|auto" and value != AUTO else repr(value)


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
