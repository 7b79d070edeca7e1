"""Findings: what a result says, as plain data with words; and how a folder keeps them."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import types
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, get_args, get_origin, get_type_hints

from steadyset.findings.citations import Methods
from steadyset.foundation.arguments import CORE, LEVEL
from steadyset.foundation.display import Display, Shown
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import SHOWN_NAMES, listed
from steadyset.inference.features import Extract, Feature
from steadyset.inference.instability import Alternatives
from steadyset.inference.models import Coefficients, Predicted
from steadyset.inference.runs import Halves
from steadyset.io import beneath
from steadyset.io.disk import (
    DATABASE,
    LEFT_OUT,
    LIST,
    RECORDED_FINDINGS,
    SETTINGS,
    connect_to_database,
    write_durably,
)
from steadyset.replications.result import Replicated
from steadyset.replications.sources import Sources
from steadyset.replications.studies import ComparedStudies
from steadyset.selections import Selections
from steadyset.shortlists.listed import Listed

if TYPE_CHECKING:
    from steadyset.inference.comparison import Comparison
    from steadyset.inference.consensus import Consensus
    from steadyset.replications.result import Replication
    from steadyset.replications.split import VarianceSplit
    from steadyset.replications.studies import StudyComparison
    from steadyset.selections import RunsLike
    from steadyset.shortlists.result import Shortlist
    from steadyset.tuning import Trials, Tuning

    # What findings_of takes; an Assessment is among what holds runs.
    ResultLike: TypeAlias = (
        "Findings | Shortlist | Replication | StudyComparison | VarianceSplit | Comparison | Consensus | Tuning "
        "| RunsLike | Mapping[str, RunsLike] | Path"
    )

STABILITY = "stability"  # what differences are about, unless about a score
SCHEMA = "steadyset.findings"
DRAWN = ("selections", "extract")  # parts that pictures draw
MADE_OF = "made_of"  # in recorded findings: the file that describes the run, with a digest
APART = ("selections", "trials")  # parts that are more than data


@dataclass(frozen=True)
class Score:
    """The mean of a score over the runs, its corrected standard error and interval, and its baselines."""

    mean: float
    se: float = math.nan
    blind: float = math.nan
    random: float = math.nan
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Procedure:
    """One row of the summary: how steady, how accurate and how large a selector (or a file of selections) is.

    `tied` is the share of the selected features that only the order of the columns decided; `warned` counts the runs
    that gave a warning.
    """

    name: str
    runs: int
    stability: float
    low: float
    high: float
    verdict: str
    size: float
    scores: Mapping[str, Score] = field(default_factory=dict)
    failures: int = 0
    warned: int = 0
    tied: float = 0.0
    note: str = ""


@dataclass(frozen=True)
class Baseline:
    """What predicts without the selection: a row to hold the others against."""

    name: str
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Test:
    """One pair of procedures: `difference` is second minus first, `told_apart` whether the test tells them apart."""

    __test__ = False

    first: str
    second: str
    difference: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    told_apart: bool
    note: str = ""
    paired: bool = True


@dataclass(frozen=True)
class Differences:
    """Which procedures differ in `what`; those that share a letter show no significant difference by `test`."""

    what: str
    test: str
    groups: Mapping[str, str]
    tests: tuple[Test, ...]
    words: str
    adjust: str = ""

    def told_apart(self, one: str, other: str) -> bool:
        """Whether the test tells two procedures apart."""
        return any(test.told_apart and {test.first, test.second} == {one, other} for test in self.tests)


@dataclass(frozen=True)
class Loss:
    """What a procedure loses in the score against the best one, with an interval that holds for all at once.

    `within_margin` says whether the whole interval does; `beats_random` and `beats_blind` whether the score is
    significantly better than that of as many random features, and of none (None: there is no test). There is none
    against random features of a procedure that selects `nearly_all` features.
    """

    name: str
    estimate: float
    low: float
    high: float
    within_margin: bool
    beats_random: bool | None = None
    beats_blind: bool | None = None
    nearly_all: bool = False


@dataclass(frozen=True)
class Preference:
    """Which procedure to prefer, if any, and why.

    `margin` is the loss in the score that counts as none: in the units of a score with bounds, else a share of the
    score without features; `largest_loss` is the same in the units of the score. `preferred` is None where the data
    cannot tell; `equally_steady` are then those that the rule would prefer, if a test told their stability apart.
    """

    score: str
    margin: float
    largest_loss: float
    level: float
    preferred: str | None
    equally_steady: tuple[str, ...]
    losses: tuple[Loss, ...]
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Measured:
    """A measure of the runs of one procedure; the ends of its interval are undefined where none was asked for.

    `steadier` tells which values are those of steadier runs: "higher" or "lower".
    """

    name: str
    measure: str
    estimate: float
    steadier: str = "higher"
    se: float = math.nan
    low: float = math.nan
    high: float = math.nan
    mc_error: float | None = None
    note: str = ""


@dataclass(frozen=True)
class ByThreshold:
    """A measure of the runs of one procedure, where features count as alike from a similarity of `threshold` on."""

    name: str
    measure: str
    threshold: float
    estimate: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class RiskGroup:
    """The share of the left-out rows of one third of the predicted risks without an event, by time.

    The thirds are those of the risks of each run's training rows. `share` is the mean over the runs, `low` and `high`
    are where the middle 80% of the runs lie; nan where fewer than half of the runs tell. `expected` is the mean of what
    the models predicted for these rows; empty where they predict risks alone.
    """

    name: str
    risk: str
    times: tuple[float, ...]
    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    expected: tuple[float, ...] = ()


@dataclass(frozen=True)
class Core:
    """The features that a procedure selects in at least the core share of its runs; `note` says what they are not."""

    name: str
    features: tuple[str, ...]
    note: str = ""

    def words(self, most: int | None = SHOWN_NAMES) -> str:
        """The core in one line; names beyond `most` are counted."""
        names = listed(self.features, most, last=", ") if self.features else "none"
        if self.note.startswith("all "):
            return self.note
        return f"{names} ({self.note})" if self.note else names


@dataclass(frozen=True)
class FeatureRows:
    """The best rows of the table of features, of one procedure or over all; `left_out` counts those that follow."""

    name: str
    rows: tuple[Feature, ...]
    left_out: int = 0


@dataclass(frozen=True)
class Between:
    """Two methods of a consensus: how far their runs agree, and how many features both back; beside each, chance."""

    first: str
    second: str
    agreement: float
    expected: float
    frequencies: float
    shared: int
    shared_expected: float
    p_value: float
    note: str = ""


@dataclass(frozen=True)
class Backed:
    """How many features at least so many methods back, and what random sets of the same sizes give."""

    methods: int
    features: int
    expected: float
    p_value: float
    mc_error: float = 0.0


@dataclass(frozen=True)
class RankedFeature:
    """A feature of a consensus: its score, how many methods back it, how many runs select it."""

    feature: str
    rank: int
    score: float
    methods: int
    runs: int
    frequency: float
    by_chance: float
    frequencies: Mapping[str, float] = field(default_factory=dict)
    direction: str = ""


@dataclass(frozen=True)
class Reason:
    """Why `runs` runs of a procedure failed, or what they warned of."""

    name: str
    runs: int
    text: str


@dataclass(frozen=True)
class Configuration:
    """A configuration of a tuning: on the Pareto front, or the chosen one; `on_front` is how probable its place is."""

    number: int
    params: Mapping[str, Any]
    objectives: Mapping[str, float]
    on_front: float
    chosen: bool


@dataclass(frozen=True)
class Choice:
    """A configuration that a rule of a tuning chooses; `is_better` says whether it beats no features significantly.

    `words` are what the rule chooses; `features` are those that the configuration selects on all rows, the strongest
    first, with their directions, where it is recommended.
    """

    rule: str
    words: str
    number: int
    settings: str
    objectives: Mapping[str, float]
    is_better: bool
    recommended: bool
    features: tuple[str, ...] = ()
    directions: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Findings(Shown):
    """What an assessment, a comparison, a tuning or recorded selections say. A part that has nothing to say is empty.

    Attributes
    ----------
    kind : str
        What was looked at: "assessment", "comparison", "consensus", "tuning", "shortlist", "replication", "studies",
        "sources", "selections" or "measures".
    about : str
        What it is about, in a few words.
    measure : str
        The measure of stability.
    level : float
        The confidence of intervals and tests.
    core : float
        The share of the runs from which a feature belongs to the steady core.
    scoring : tuple of str
        The scores, by name.
    answer : tuple of str
        What it comes to, one sentence each.
    summary : tuple of Procedure
        Each procedure with its stability, scores and sizes.
    baselines : tuple of Baseline
        What is reached without features, and with random ones.
    differences : tuple of Differences
        Which procedures differ, in stability and in each score.
    preference : Preference or None
        Which procedure to prefer by the first score and the stability, and what each loses against the best.
    cores : tuple of Core
        The steady core of each procedure.
    features : tuple of FeatureRows
        The tables of features.
    between : tuple of Between
        How far pairs of methods agree.
    backed : tuple of Backed
        How many features several methods back.
    ranking : tuple of RankedFeature
        The features by what the methods together say.
    choices : tuple of Choice
        Of a tuning: the recommended configuration, and what other rules choose; at most five.
    front : tuple of Configuration
        The configurations of a tuning that no other one beats.
    measures : tuple of Measured
        The stability by other measures.
    thresholds : tuple of ByThreshold
        The stability by the similarity from which features count as alike, where a tuning uses one.
    failures : tuple of Reason
        Why runs failed, and how many.
    warnings : tuple of Reason
        What runs warned of, and how many.
    notes : tuple of str
        What to keep in mind.
    settings : Mapping
        How it was computed.
    selections : Mapping
        What the findings are about; pictures draw it, and JSON leaves it out.
    methods : Methods or None
        What was done, in words.
    risk_groups : tuple of RiskGroup
        How the left-out rows of each procedure fared, in groups of predicted risk.
    trials : Trials or None
        Everything that a tuning tried.
    shortlist : Listed or None
        The features that a stated number of false ones may be among, with what proves it and what would help.
    replication : Replicated or None
        How many features the next study would select again, of a replication or of an assessment that was given one.
    studies : ComparedStudies or None
        What several studies select alike.
    sources : Sources or None
        Why reruns differ.
    predictions : tuple of Predicted
        How far the models of the runs agree in what they predict for the same rows.
    alternatives : tuple of Alternatives
        The lists that groups of runs of a procedure select instead of each other.
    coefficients : tuple of Coefficients
        The coefficients of the runs' models, where predictions were kept.
    halves : tuple of Halves
        What the two halves of the rows select alike, of runs that are complementary pairs.
    extract : Extract or None
        The values of the first features, which pictures show; JSON leaves it out.

    Examples
    --------
    >>> import steadyset as st
    >>> runs = st.Selections.from_sets([["a", "b"], ["a", "b"], ["a", "c"]] * 4, features=list("abcdef"))
    >>> found = st.findings_of(runs)
    >>> found.kind, found.measure, found.cores[0].features
    ('selections', 'nogueira', ('a',))
    """

    kind: str
    about: str
    measure: str
    level: float = LEVEL
    core: float = CORE
    scoring: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    summary: tuple[Procedure, ...] = ()
    baselines: tuple[Baseline, ...] = ()
    differences: tuple[Differences, ...] = ()
    preference: Preference | None = None
    cores: tuple[Core, ...] = ()
    features: tuple[FeatureRows, ...] = ()
    between: tuple[Between, ...] = ()
    backed: tuple[Backed, ...] = ()
    ranking: tuple[RankedFeature, ...] = ()
    choices: tuple[Choice, ...] = ()
    front: tuple[Configuration, ...] = ()
    measures: tuple[Measured, ...] = ()
    thresholds: tuple[ByThreshold, ...] = ()
    failures: tuple[Reason, ...] = ()
    warnings: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    selections: Mapping[str, Selections] = field(default_factory=dict, repr=False)
    methods: Methods | None = field(default=None, repr=False)
    risk_groups: tuple[RiskGroup, ...] = field(default=(), repr=False)
    trials: Trials | None = field(default=None, repr=False)
    shortlist: Listed | None = None
    replication: Replicated | None = None
    studies: ComparedStudies | None = None
    sources: Sources | None = None
    predictions: tuple[Predicted, ...] = field(default=(), repr=False)
    alternatives: tuple[Alternatives, ...] = ()
    coefficients: tuple[Coefficients, ...] = field(default=(), repr=False)
    halves: tuple[Halves, ...] = ()
    extract: Extract | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"Findings({self.kind}; {self.about})"

    def _display(self) -> Display:
        from steadyset.findings.sections import display_of

        return display_of(self)

    @cached_property
    def frequencies(self) -> dict[str, dict[str, float]]:
        """How often each feature that is ever selected is selected, by procedure, the most frequent first."""
        return {name: _frequencies(sel) for name, sel in self.selections.items()}

    def to_dict(self) -> dict[str, Any]:
        """The findings as plain data.

        Returns
        -------
        dict
            Lists, mappings, text and numbers; None for what is undefined.
        """
        from steadyset.findings.sections import outline

        parts = {part.name: getattr(self, part.name) for part in dataclasses.fields(self) if part.name not in DRAWN}
        methods = None if self.methods is None else self.methods.to_dict()
        trials = None if self.trials is None else self.trials.to_dict()
        derived = {"frequencies": self.frequencies, "sections": outline(self)}
        found: dict[str, Any] = plain(parts | {"methods": methods, "trials": trials} | derived)
        return found

    def to_json(self) -> str:
        """The findings as strict JSON: no NaN, no infinity.

        Returns
        -------
        str
            The text of a JSON document.
        """
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)


def plain(value: Any) -> Any:
    """Anything of the findings as what JSON knows; None for nan and infinities."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {part.name: plain(getattr(value, part.name)) for part in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if hasattr(value, "item"):  # a number of NumPy
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _frequencies(selections: Selections) -> dict[str, float]:
    import numpy as np

    order = np.argsort(-selections.counts, kind="stable")[: int((selections.counts > 0).sum())]
    return {selections.features[f]: float(selections.frequencies[f]) for f in order}


def record_findings(found: Findings, folder: Path, file: str = RECORDED_FINDINGS) -> None:
    """Put the findings into a folder that does not hold all that they are made of, such as that of a tuning."""
    from steadyset.assessment.written import write_json

    content = {part.name: plain(getattr(found, part.name)) for part in fields(found) if part.name not in APART}
    content["selections"] = {name: _runs(sel) for name, sel in found.selections.items()}
    content["trials"] = None if found.trials is None else plain(found.trials.to_dict())
    content[MADE_OF] = _requests_in(folder)
    write_durably(folder / file, write_json({"schema": SCHEMA, "schema_version": 2, **content}))


def recorded_findings(folder: Path, file: str = RECORDED_FINDINGS) -> Findings | None:
    """What `record_findings` put down; None where nothing was."""
    from steadyset.assessment.written import read_json

    path = folder / file
    if not path.exists():
        return None
    try:
        content = read_json(beneath.read(folder, file))
        made_of = dict(content.pop(MADE_OF, {}))
        found = _read(content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, InputError) as error:
        raise InputError(f"{path} is damaged: {error}; make it again by the command that wrote it.") from None
    there = _requests_in(folder)
    if made_of and there and there != made_of:
        name = next(iter(made_of))
        if name in there:
            raise InputError(
                f"{path} was not written for {folder / name}: one of the two is from another run. Restore it, or make "
                f"{file} again by the command that wrote it."
            )
        raise InputError(f"{folder / name}, which {path} was made of, is missing. Restore it.")
    return found


def _requests_in(folder: Path) -> dict[str, str]:
    """Return the file of a run folder that describes what was asked for, with a digest of that; none if it has none."""
    for name in (LIST, f"{LEFT_OUT}/{SETTINGS}", SETTINGS, DATABASE):
        if beneath.modified(folder, name):
            content = _asked_in_database(folder) if name == DATABASE else beneath.read(folder, name)
            return {name: hashlib.sha256(_deciding(content)).hexdigest()}
    return {}


def _deciding(content: bytes) -> bytes:
    """Return what a description of a run holds, but for what may change when it is continued."""
    from steadyset.assessment.written import DIGEST, UNDECIDING

    try:
        described = json.loads(content)
        # Selectors decide, and are left out only of what each of them shares.
        apart = {DIGEST, *UNDECIDING} - {"selectors"}
        kept = {key: value for key, value in described.items() if key not in apart}
    except (ValueError, AttributeError, RecursionError):
        return content
    return json.dumps(kept, sort_keys=True).encode()


def _asked_in_database(folder: Path) -> bytes:
    """Return what a tuning was asked for, from its database."""
    import sqlite3

    query = "select value_json from study_user_attributes where key = 'settings'"
    with closing(connect_to_database(folder)) as connection:
        try:
            row = connection.execute(query).fetchone()
        except sqlite3.Error as error:
            raise InputError(f"{folder / DATABASE} cannot be read: {error}. Restore it.") from None
    return b"" if row is None else str(row[0]).encode()


def _read(content: dict[str, Any]) -> Findings:
    from steadyset.assessment.written import DamagedError
    from steadyset.tuning import Trials

    if content.pop("schema") != SCHEMA or content.pop("schema_version") != 2:
        raise DamagedError(f"it does not follow version 2 of the schema {SCHEMA}")
    apart: dict[str, Any] = {
        "selections": {name: _selections(runs) for name, runs in content.pop("selections").items()},
        "trials": None if (trials := content.pop("trials")) is None else Trials.from_dict(trials),
    }
    hints = get_type_hints(Findings, globals() | {"Trials": object})
    known = {name: _made(hints[name], value) for name, value in content.items() if name in hints}
    return Findings(**known, **apart)


def _runs(sel: Selections) -> dict[str, Any]:
    weights, split = sel.weights, sel.indptr
    each = None if weights is None else [weights[a:b].tolist() for a, b in pairwise(split)]
    return {
        "features": list(sel.features),
        "labels": None if sel.labels is None else list(sel.labels),
        "runs": [sel.selected(run).tolist() for run in range(sel.n_runs)],
        "weights": each,
        "tied": None if sel.tied is None else sel.tied.tolist(),
    }


def _selections(content: Mapping[str, Any]) -> Selections:
    sel = Selections.from_sets(content["runs"], content["features"], labels=content["labels"])
    sel = sel if content["weights"] is None else sel.with_weights(content["weights"])
    return sel if content.get("tied") is None else sel.with_ties(content["tied"])


def _made(kind: Any, value: Any) -> Any:
    """A value of JSON as what it was: `kind` is the annotation of its place."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is types.UnionType or type(None) in inner:
        return None if value is None else _made(next(one for one in inner if one is not type(None)), value)
    if origin is tuple:
        return tuple(_made(inner[0], one) for one in value)
    if origin is not None and inner:  # a mapping by name
        return {name: _made(inner[1], one) for name, one in value.items()}
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        made: Any = kind
        return made(**{name: _made(hints[name], one) for name, one in value.items()})
    if kind is float:
        return math.nan if value is None else float(value)
    if kind is str and not isinstance(value, str):
        raise TypeError(f"{value!r:.80} is no text")
    return value
