"""`steadyset measures`, `selectors`, `resamplings` and `certify`: what there is, and what measures really do."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import typer

from steadyset.cli.terminal import print_rows
from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import shown_name
from steadyset.options import Given

if TYPE_CHECKING:
    from steadyset.certificates import Certificate

PARTS = ("parameters", "meanings")  # those that are mappings
LISTED = ("name", "aliases", "family", "bounds", "corrected", "adjusted", "formula", "reference")  # of each measure
OF_THE_RUN = ("random_state", "task", "n_jobs")  # what an assessment sets itself
HALVES = ("identical_is_maximal", "maximal_is_identical")  # of maximum, which the table of many measures shows
# What is asked, what may be answered, and what the library is told.
QUESTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "sizes": (
        "Does every run select the same number of features, or does it vary?",
        {"fixed": "fixed", "vary": "vary"},
    ),
    "correlated": (
        "May features stand in for each other, as correlated ones do, and should that count as agreement?",
        {"yes": True, "no": False},
    ),
    "importances": (
        "Does every run say how important its features are, and should that count?",
        {"yes": True, "no": False},
    ),
    "statistics": (
        "What is to be stated besides the value: a confidence interval, that it is above a threshold, a difference of "
        "selectors, all of these, or none?",
        {name: name for name in ("none", "interval", "threshold", "difference", "all")},
    ),
}
OPTIONAL = {"statistics": "none"}  # questions that are only asked on a terminal


def measures(given: Given) -> None:
    """List the measures: formula, range, properties and reference."""
    name, form = given.name, given.format
    answers = {key: given.values[key] for key in QUESTIONS}
    if given.which:
        if name is not None:
            raise InputError(f"--which finds a measure; leave out {name}, or leave out --which.")
        _advise(answers, form)
        return
    answered = [key for key, value in answers.items() if value is not None]
    if answered:
        raise InputError(f"--{answered[0]} answers a question of --which, which is not given.")
    from steadyset.measures import all_measures, get_measure
    from steadyset.measures.record import catalogue_entry

    records = all_measures() if name is None else [get_measure(name)]
    rows = [catalogue_entry(record) for record in records]
    if form == "csv":
        flat = [{key: _flat(key, value) for key, value in row.items()} for row in rows]
        print_rows(flat, form, safe=given.spreadsheet_safe)
    elif form == "json":
        print_rows([row | {"parameters": _plain(row["parameters"])} for row in rows], form)
    elif name is not None:
        for key, value in rows[0].items():
            if key not in PARTS:
                typer.echo(f"{key.replace('_', ' ')}: {_words(value)}")
        _show_parameters(rows[0])
    else:
        titles = {key: "range" if key == "bounds" else key for key in LISTED}
        shown = [{title: _words(row[key]) for key, title in titles.items()} for row in rows]
        print_rows(shown, "table", wide=["formula", "reference"])
        typer.echo(
            "corrected: random selection has the same mean value whatever the sizes, or for equal sizes. "
            "adjusted: similar features count as alike. `steadyset measures NAME` shows more."
        )
        able = ", ".join(record.name for record in records if record.params)
        typer.echo(f"Parameters follow a colon: `steadyset measure RUNS --measure davis:alpha=1`. Some have: {able}.")


def _advise(answers: Mapping[str, str | None], form: str) -> None:
    from steadyset.measures import get_measure, which_measure

    advice = which_measure(**{key: _answer(key, given, form) for key, given in answers.items()})
    if form != "table":
        row = {"measure": advice.measure, "because": advice.because, "instead": dict(advice.instead)}
        row |= {"statistics": dict(advice.statistics)} if advice.statistics else {}
        others = " ".join(f"{other}: {when}" for other, when in advice.instead.items())
        flat = {"because": " ".join(advice.because), "instead": others}
        if advice.statistics:
            flat["statistics"] = " ".join(f"{call}: {basis}" for call, basis in advice.statistics.items())
        print_rows([row if form == "json" else row | flat], form)
        return
    typer.echo(str(advice))
    data = " --data DATA" if "similarity" in get_measure(advice.measure).needs else ""
    typer.echo(f"\n`steadyset measure RUNS --measure {advice.measure}{data}` computes it.")


def _answer(key: str, given: str | None, form: str) -> Any:
    question, answers = QUESTIONS[key]
    if given is None:
        if form != "table" or not sys.stdin.isatty():
            if key in OPTIONAL:
                return OPTIONAL[key]
            asked = {name: takes for name, (_, takes) in QUESTIONS.items() if name not in OPTIONAL}
            needed = ", ".join(f"--{name} {'|'.join(takes)}" for name, takes in asked.items())
            raise InputError(f"--which asks its questions on a terminal; here give {needed}.")
        given = typer.prompt(f"{question} ({'/'.join(answers)})", prompt_suffix=" ")
    words = given.strip().lower()
    fitting = [answer for answer in answers if words and answer.startswith(words)]
    if len(fitting) != 1:
        raise wrong_argument(key, " or ".join(answers), given)
    return answers[fitting[0]]


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        is_range = value and not isinstance(value[0], str)
        return " to ".join(f"{x:g}".replace("inf", "∞") for x in value) if is_range else ", ".join(map(str, value))
    return str(value)


def selectors(given: Given) -> None:
    """List the selectors: what each does, the target it takes, its parameters and its reference."""
    from steadyset.selectors.catalogue import selector_entry, selector_names

    entries = [selector_entry(one) for one in ([given.name] if given.name is not None else selector_names())]
    _print_catalogue(given, entries, shown=("target",), example="--selector lasso:k=20")


def resamplings(given: Given) -> None:
    """List the resamplings: how each draws the runs, its parameters and its reference."""
    from steadyset.resampling import RESAMPLINGS, resampling_entry

    entries = [resampling_entry(one) for one in ([given.name] if given.name is not None else RESAMPLINGS.names())]
    _print_catalogue(given, entries, example="--resampling subsample:fraction=0.8")


def _print_catalogue(
    given: Given, entries: Sequence[Mapping[str, Any]], *, shown: Sequence[str] = (), example: str
) -> None:
    """Entries with a name, a summary, parameters with defaults and meanings, and a reference; `shown` columns besides.

    `example` are options of `assess` that use one of them.
    """
    form = given.format
    if form == "json":
        print_rows([{key: _plain(value) for key, value in entry.items()} for entry in entries], form)
    elif form == "csv":
        print_rows(
            [{key: _flat(key, value) for key, value in entry.items()} for entry in entries],
            form,
            safe=given.spreadsheet_safe,
        )
    elif given.name is not None:
        _show_entry(entries[0])
    else:
        rows = [
            {
                "name": entry["name"],
                "what it does": entry["summary"],
                **{key: entry[key] for key in shown},
                "parameters": _with_defaults({k: v for k, v in entry["parameters"].items() if k not in OF_THE_RUN}),
                "reference": entry["reference"],
            }
            for entry in entries
        ]
        print_rows(rows, form, wide=["what it does", "parameters", "reference"])
        use = f"`steadyset assess DATA --target COLUMN {example}`"
        typer.echo(f"Parameters follow a colon: {use}. `steadyset {given.command} NAME` shows more.")


def _show_entry(entry: Mapping[str, Any]) -> None:
    for key, value in entry.items():
        if key not in PARTS and value != "":
            words = ("yes" if value else "no") if isinstance(value, bool) else shown_name(str(value))
            typer.echo(f"{key.replace('_', ' ')}: {words}")
    _show_parameters(entry)


def _show_parameters(entry: Mapping[str, Any]) -> None:
    """Print the parameters of an entry with their defaults, those of one meaning on one line."""
    if entry["parameters"]:
        typer.echo("parameters:")
    told = {name: entry["meanings"].get(name, "") for name in entry["parameters"]}
    for meaning, names in groupby(told, key=lambda name: told[name]):
        values = _with_defaults({name: entry["parameters"][name] for name in names})
        typer.echo(f"  {shown_name(values)}{': ' + meaning if meaning else ''}")


def _with_defaults(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_value(value)}" for name, value in parameters.items())


def _value(value: Any) -> str:
    """A default as it is typed after a colon, where texts have no quotes."""
    return value if isinstance(value, str) else repr(value)


def _flat(key: str, value: Any) -> Any:
    if key == "meanings":
        return "; ".join(f"{name}: {text}" for name, text in value.items())
    return _with_defaults(value) if key in PARTS else value


def _plain(value: Any) -> Any:
    """What JSON can hold: a default that is an object is told by its text."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    return value if value is None or isinstance(value, (str, bool, int, float)) else repr(value)


def certify(given: Given) -> None:
    """Determine the properties of measures, with counter-examples, and show where papers disagree."""
    from steadyset.certificates import certify as decide
    from steadyset.measures.evaluate import chosen_measures

    certificates = [decide(measure) for measure in chosen_measures("all" if given.names == ["all"] else given.names)]
    if given.format != "table":
        rows = [row for certificate in certificates for row in _rows(certificate)]
        print_rows(rows, given.format, safe=given.spreadsheet_safe)
    elif len(certificates) == 1:
        print_rows(_lines(certificates[0]), "table", title=certificates[0].measure, wide=["papers", "reason"])
    else:
        _print_many(certificates)


def _rows(certificate: Certificate) -> list[dict[str, Any]]:
    from steadyset.certificates.certificate import CLAIMS

    against = certificate.disagreements()
    return [
        {
            "measure": certificate.measure,
            "property": name,
            "holds": verdict.holds,
            **{paper: certificate.claims.get(paper, {}).get(name) for paper in {**CLAIMS, **certificate.claims}},
            "disagrees": against.get(name, ()),
            "reason": str(verdict),
        }
        for name, verdict in certificate.properties.items()
    ]


def _lines(certificate: Certificate) -> list[dict[str, str]]:
    from steadyset.certificates.properties import SIGNS

    against = certificate.disagreements()
    return [
        {
            "property": name.replace("_", " "),
            "holds": SIGNS[verdict.holds] + (" ≠" if name in against else ""),
            "papers": ", ".join(
                f"{paper}: {SIGNS[said[name]]}" for paper, said in certificate.claims.items() if name in said
            ),
            "reason": str(verdict),
        }
        for name, verdict in certificate.properties.items()
    ]


def _print_many(certificates: list[Certificate]) -> None:
    from steadyset.certificates.properties import markdown_disagreements

    rows = [
        {"measure": certificate.measure}
        | {
            line["property"].replace(" ", "\n"): line["holds"]
            for line, name in zip(_lines(certificate), certificate.properties, strict=True)
            if name not in HALVES
        }
        for certificate in certificates
    ]
    print_rows(rows, "table")
    typer.echo("≠: a paper says otherwise. `steadyset certify NAME` gives the counter-examples.")
    for certificate in certificates:
        for line in markdown_disagreements(certificate):
            typer.echo(line.replace("**", ""))
