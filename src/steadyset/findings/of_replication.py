"""What a replication and a split of the disagreement say, and their methods paragraphs."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

from steadyset._version import __version__
from steadyset.findings.citations import Methods, sentences, told
from steadyset.findings.of_results import target_told
from steadyset.findings.paragraphs import data_sentences, software_sentence
from steadyset.findings.parts import Findings
from steadyset.foundation.text import amount, counted, listed, percent, shown_name
from steadyset.replications.curve import ENOUGH, LARGEST
from steadyset.replications.result import NextStudy, Replicated, Replication
from steadyset.replications.sources import OWN, WORDS, Sources
from steadyset.replications.split import VarianceSplit

SCOPE = (
    "This is about studies of the same population, measured in the same way: other centres, batches or devices agree "
    "less."
)


def of_replication(result: Replication) -> Findings:
    """Everything that a replication says."""
    found, settings = result.replicated, result.settings
    return replace(
        Findings(
            "replication",
            f"{counted(found.n_rows, 'row')}, {counted(found.n_features, 'feature')}",
            "nogueira",
            answer=tuple(_answer(found)),
            notes=(SCOPE, *found.notes, *target_told(settings)),
            settings=settings,
            replication=found,
        ),
        methods=_methods(result),
    )


def _some(found: Replicated, agreement: float) -> str:
    """So many features in common."""
    return amount(round(found.common(agreement), 1))


def _interval(found: Replicated, study: NextStudy) -> str:
    return f"95% interval {_some(found, study.low)} to {_some(found, study.high)}"


def _answer(found: Replicated) -> list[str]:
    half, same, *larger = found.studies
    chance, k = amount(round(found.size * found.by_chance, 1)), found.size
    seen = f"{_some(found, half.agreement)} of {k} features in common ({_interval(found, half)})"
    if half.low == 0.0:
        first = (
            f"Two studies of {half.rows} rows each may agree no better than random choices: {seen}, {chance} by chance."
        )
    else:
        first = (
            f"{shown_name(found.selector)} selects about {seen} in two independent studies of {half.rows} rows each; "
            f"random choices have {chance}."
        )
    ends = ", ".join(f"{_some(found, one.low)} to {_some(found, one.high)} at {one.rows} rows" for one in larger)
    said = [
        first,
        f"Of this list of {k}, a new study of {same.rows} rows selects about {_some(found, same.again)} again on "
        f"average (95% interval {_some(found, same.again_low)} to {_some(found, same.again_high)}); a single one "
        f"between {amount(k * same.one_low)} and {amount(k * same.one_high)}.",
        f"The data hardly constrain how well larger studies agree: {ends}.",
        _enough(found),
    ]
    often = [one for one in found.features if one.frequency >= ENOUGH]
    if often and half.low > 0.0:
        names = [f"{shown_name(one.feature)} ({percent(round(one.frequency, 2))})" for one in often]
        said.append(f"Most likely to come out again, by the share of studies of {half.rows} rows: {listed(names, 10)}.")
    return said


def _enough(found: Replicated) -> str:
    goal = f"{_some(found, ENOUGH)} of {found.size} features in common"
    if isnan(found.enough_low):
        return f"For {goal}, each study needs more than {LARGEST * found.n_rows} rows."
    if found.enough_low <= found.n_rows:
        return f"{goal.capitalize()} may be reached by studies of {found.n_rows} rows, or need many more."
    least = round(found.enough_low)
    return f"For {goal}, each study needs at least {least} rows; how many are enough the data do not say."


def _methods(result: Replication) -> Methods:
    found, details = result.replicated, result.settings["details"]
    sizes = [str(one.rows) for one in found.measured]
    pairs = (
        "Whether another study would select the same features was estimated from pairs of disjoint random parts of "
        f"the rows: {found.measured[-1].pairs} pairs each of {listed(sizes)} rows (the random seed "
        f"{result.settings['seed']}). Agreement is the share of features in common, corrected for chance "
        f"({found.size} of {found.n_features} features)."
    )
    curve = (
        "How much it varies between data sets was estimated from pairs within halves of the rows; agreement of studies "
        "with more than half of the rows was extrapolated by a logistic curve in the logarithm of the number of rows "
        "with a bend and a plateau, by Bayesian importance sampling. Intervals are at 95%."
    )
    first = sentences(*data_sentences(result.settings, details), told("12c", pairs), told("12c", curve))
    second = sentences(software_sentence(__version__, details["versions"], learn=False))
    return Methods((first, second), sentences(*(told("23a", line) for line in _answer(found)[:2])))


# ---- why reruns differ ----------------------------------------------------------------------------------------------

HALF_OF_IT = 0.5
ADVICE = {
    OWN: "More of what the selector averages over, such as trees, or several seeds together would steady it without "
    "more data.",
    WORDS[
        "data"
    ]: "More rows would help, or a choice that counts look-alikes as one: `steadyset shortlist` gives groups.",
    WORDS["method"]: "Say which method was used, or take what several agree on: `steadyset consensus`.",
}


def of_sources(result: VarianceSplit) -> Findings:
    """Everything that a split of the disagreement says."""
    found, settings = result.sources, result.settings
    return replace(
        Findings(
            "sources",
            f"{listed([shown_name(name) for name in found.methods], 5)}, {counted(found.n_rows, 'row')}",
            "nogueira",
            answer=tuple(_why(found)),
            notes=tuple(target_told(settings)),
            settings=settings,
            sources=found,
        ),
        methods=_methods_of_split(result),
    )


def _why(found: Sources) -> list[str]:
    if not found.parts:
        return ["All runs select the same features: there is no disagreement to explain."]
    first, *others = found.parts
    said = [
        f"Reruns differ by {amount(round(found.disagreement, 1))} of {amount(round(found.size, 1))} features: "
        f"{_share(first.share)} of that comes from {first.name} (95% interval {_share(first.low)} to "
        f"{_share(first.high)}){''.join(f', {_share(one.share)} from {one.name}' for one in others)}."
    ]
    if first.low > HALF_OF_IT and first.name in ADVICE:
        said.append(ADVICE[first.name])
    if not found.random:
        said.append("None of the methods has randomness of its own.")
    if found.rows:
        most = [f"{shown_name(one.label)} ({amount(round(one.features, 1))})" for one in found.rows]
        said.append(
            f"Rows whose presence changes the selection most, by how many features: {listed(most, 5)}; look at them."
        )
    else:
        said.append("No single row changes the selection more than chance does.")
    return said


def _share(value: float) -> str:
    return percent(round(max(value, 0.0), 2))


def _methods_of_split(result: VarianceSplit) -> Methods:
    found, details = result.sources, result.settings["details"]
    seeds = f" with {found.n_seeds} seeds" if found.random else ""
    design = (
        f"{listed([shown_name(name) for name in found.methods])} selected features{seeds} on the same "
        f"{found.n_resamples} resamples of the rows. The mean number of features that one of two unrelated runs "
        "selects and the other does not was split by unbiased components of variance of a crossed design of data, "
        "seed and method; intervals are at 95%, by a jackknife over the resamples."
    )
    first = sentences(*data_sentences(result.settings, details), told("12c", design))
    second = sentences(software_sentence(__version__, details["versions"], learn=False))
    return Methods((first, second), sentences(told("23a", _why(found)[0])))
