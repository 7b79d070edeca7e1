"""What a result says, computed once: the terminal, the report, the page and JSON read it from here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyset.findings.citations import FORMATS, Methods
from steadyset.findings.parts import Findings, Measured, Preference, record_findings, recorded_findings
from steadyset.foundation import arguments
from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.text import counted, listed, number, shown_name
from steadyset.io import beneath
from steadyset.io.disk import (
    CERTAIN_LIST,
    DATABASE,
    LEFT_OUT,
    LIST,
    RECORDED_FINDINGS,
    REPLICATION,
    explained,
    file_path,
    study_folders,
)
from steadyset.io.lists import NO_VERDICT
from steadyset.measures import get_measure
from steadyset.measures.evaluate import CONVENTION, EXCELLENT, POOR, is_of_scale, judged
from steadyset.selections import Selections

if TYPE_CHECKING:
    from steadyset.assessment import Assessment
    from steadyset.findings.parts import ResultLike
    from steadyset.inference.comparison import Comparison
    from steadyset.inference.consensus import Consensus

__all__ = ["Findings", "findings_of", "methods_of", "methods_text"]

DEFAULT_MEASURE = "nogueira"  # the one that has words for its values


def findings_of(
    result: ResultLike,
    *,
    core: float | None = None,
    level: float | None = None,
    margin: float | None = None,
    choose: str | None = None,
    replication: ResultLike | None = None,
) -> Findings:
    """What an Assessment, a Shortlist, a Comparison, a Replication, a Tuning or Selections (also several) say.

    Parameters
    ----------
    result : Assessment, Shortlist, Comparison, Replication, Tuning, Selections, Findings, Mapping, str or Path
        One of these; Findings stay as they are. A path is that of a run folder or of a file with selections.
    core : float or None, default=None
        The share of the runs from which a feature belongs to the steady core; None is 0.9.
    level : float or None, default=None
        The confidence of intervals and tests; None is 0.95. A Comparison and Findings keep theirs.
    margin : float or None, default=None
        The loss in the first score of an assessment that counts as none when a selector is preferred; None is 0.02. It
        is in the units of a score with bounds, such as accuracy, and a share of the score without features (the mean,
        the shares of the classes) where a score has none, such as rmse.
    choose : str or None, default=None
        The rule that picks one configuration of a Tuning.
    replication : Replication, Findings, str, Path or None, default=None
        What the next study would select again, joined with what an Assessment says: a replication of the same data by
        one of its selectors, or the folder of one.

    Returns
    -------
    Findings
        What terminal, report, page and JSON show alike.

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([["a", "b"], ["a", "b"], ["a", "c"]] * 4, features=list("abcdef"))
    >>> found = st.findings_of(sel, core=0.6)
    >>> found.cores[0].features, round(found.summary[0].stability, 2)
    (('a', 'b'), 0.64)
    """
    from steadyset.assessment import Assessment
    from steadyset.findings.of_results import of_assessment, of_comparison, of_consensus, of_selections
    from steadyset.inference.comparison import Comparison
    from steadyset.inference.consensus import Consensus

    asked = {"core": core, "level": level}
    core, level = arguments.CORE if core is None else core, arguments.LEVEL if level is None else level
    largest = arguments.MARGIN if margin is None else margin
    arguments.check_core(core)
    arguments.check_level(level)
    arguments.check_margin(largest)
    if isinstance(result, Findings):
        _refuse_others(result, asked)
        if result.preference is not None:
            _refuse_others(result.preference, {"margin": margin})
        return _joined(result, replication)
    if isinstance(result, (str, Path)):
        result = _read(file_path(result), {**asked, "choose": choose})
    if margin is not None and not isinstance(result, Assessment):
        raise InputError(Argument("margin"), " is about the scores of an assessment; the result holds none.")
    if replication is not None and not isinstance(result, Assessment):
        raise _not_joined()
    if isinstance(result, Findings):
        return result
    if isinstance(result, Assessment):
        return _joined(of_assessment(result, core=core, level=level, margin=largest), replication)
    if isinstance(result, Comparison):
        _refuse_others(result, {"level": asked["level"]})
        _refuse_scores(result)
        return of_comparison(result)
    if isinstance(result, Consensus):
        _refuse_others(result, asked)
        return of_consensus(result)
    if isinstance(result, Selections | Mapping):
        return of_selections(result if isinstance(result, Mapping) else {"": result}, core=core, level=level)
    from steadyset.shortlists.result import Shortlist

    if isinstance(result, Shortlist):
        from steadyset.findings.of_shortlist import of_shortlist

        return of_shortlist(result, core=core, level=level)
    from steadyset.replications.result import Replication
    from steadyset.replications.split import VarianceSplit
    from steadyset.replications.studies import StudyComparison

    if isinstance(result, Replication | StudyComparison | VarianceSplit):
        from steadyset.findings.of_replication import of_replication, of_sources, of_studies

        if isinstance(result, StudyComparison):
            return of_studies(result)
        return of_replication(result) if isinstance(result, Replication) else of_sources(result)
    from steadyset.findings.of_tuning import of_tuning
    from steadyset.tuning import Tuning  # takes long to import

    if isinstance(result, Tuning):
        return of_tuning(result, core=core, level=level, choose=choose)
    return of_selections({"": result}, core=core, level=level)


def _joined(found: Findings, replication: ResultLike | None) -> Findings:
    """What an assessment says, with a replication of one of its selectors on the same data, if any."""
    from steadyset.replications.result import Replication

    if replication is None:
        return found
    if found.kind != "assessment":
        raise _not_joined()
    if not isinstance(replication, Replication | Findings | str | Path):
        raise arguments.wrong_argument("replication", "a Replication, or the folder of one", replication)
    other = findings_of(replication)
    told, alike = other.replication, ("data_sha256", "cut", "impute")
    if told is None:
        raise InputError(Argument("replication"), f" must be a replication (got findings of kind {other.kind!r}).")
    if any(found.settings[key] != other.settings[key] for key in alike):
        raise InputError(Argument("replication"), " is of other data, or of data that were prepared otherwise.")
    if found.settings["selectors"].get(told.selector) != other.settings["selectors"][told.selector]:
        own = listed(list(found.settings["selectors"]), 5)
        raise InputError(Argument("replication"), f" is of {shown_name(told.selector)}; the assessment has {own}.")
    return replace(found, replication=told, notes=(*found.notes, *told.notes))


def _not_joined() -> InputError:
    return InputError(Argument("replication"), " is joined with what an assessment says; the result is none.")


def methods_text(
    result: ResultLike,
    *,
    format: str = "text",
    keys: bool = False,
    core: float | None = None,
    level: float | None = None,
    choose: str | None = None,
) -> str:
    """What was done and what came of it, in paragraphs for a paper, with the references of what was used.

    Parameters
    ----------
    result : Assessment, Shortlist, Comparison, Replication, Tuning, Selections, Findings, Mapping, str or Path
        What `findings_of` takes; the folder of a tuning that the command made is taken too.
    format : str, default="text"
        "text", "markdown", "latex" or "json"; "bibtex" and "csl" (CSL-JSON) give the references alone.
    keys : bool, default=False
        Whether Markdown and LaTeX cite the keys of these two instead of listing the references.
    core : float or None, default=None
        The share of the runs from which a feature belongs to the steady core; None is 0.9.
    level : float or None, default=None
        The confidence of intervals and tests; None is 0.95.
    choose : str or None, default=None
        The rule that picks one configuration of a Tuning.

    Returns
    -------
    str
        The text in the format asked for.

    Examples
    --------
    >>> import steadyset as st
    >>> sel = st.Selections.from_sets([["a", "b"], ["a", "b"], ["a", "c"]] * 4, features=list("abcdef"))
    >>> print(st.methods_text(sel).split(".")[0])
    The features that 12 runs selected over 6 features were compared as recorded
    """
    arguments.check_choice("format", format, FORMATS)
    arguments.check_flag("keys", keys)
    return methods_of(result, core=core, level=level, choose=choose).written(format, keys=keys)


def methods_of(result: Any, **options: Any) -> Methods:
    """The methods of what `findings_of` takes, or those that a folder has recorded."""
    if isinstance(result, (str, Path)):
        folder = file_path(result)
        if (folder / DATABASE).exists() and not (folder / RECORDED_FINDINGS).exists():
            raise _not_yet(result, "methods", "methods_text takes")
    found = findings_of(result, **options)
    if found.methods is None:
        raise InputError(f"The findings of kind {found.kind!r} have no methods to tell.")
    return found.methods


def record_answer(result: Any, folder: Path) -> None:
    """Put what a result says into the folder of its runs, from which `report` and `findings_of` read it again."""
    with explained(folder, resumable=True):
        record_findings(findings_of(result), folder)


def of_measures(
    tables: Sequence[tuple[str, Sequence[Mapping[str, Any]]]],
    level: float | None,
    notes: Sequence[str] = (),
    *,
    no_universe: Collection[str] = (),
    tied: Mapping[str, float | None] | None = None,
) -> Findings:
    """The rows of `stability_table` of one or several procedures; level None: without intervals.

    `no_universe` names the procedures whose universe is unknown; `tied` has the shares of features that the order of
    the columns decided.
    """
    ties = tied or {}
    rows = tuple(Measured(name, **row) for name, table in tables for row in table)
    said = [(row.name, verdict_words(row, ties.get(row.name), known=row.name not in no_universe)) for row in rows]
    answer = tuple(f"{shown_name(name)}: {words}." for name, words in said if words)
    return Findings(
        "measures",
        f"{counted(len({row.measure for row in rows}), 'measure')} of {counted(len(tables), 'procedure')}",
        DEFAULT_MEASURE,
        nan if level is None else level,
        answer=answer,
        measures=rows,
        notes=tuple(notes),
    )


def verdict_words(row: Measured, tied: float | None, *, known: bool) -> str:
    """How good a value of the default measure is; nothing of other measures, and of what is undefined.

    Where the universe is not known the value is too low, and no word fits it.
    """
    if row.measure != DEFAULT_MEASURE or isnan(row.estimate):
        return ""
    words = judged(row.estimate, row.low, row.high, tied) if known else NO_VERDICT
    if known and is_of_scale(words):
        words += "" if isnan(row.low) else " by its interval"
        words += f" ({CONVENTION}: poor below {POOR:.2f}, excellent above {EXCELLENT:.2f})"
    return f"{row.measure} {number(row.estimate, 4)}: {words}"


def _refuse_others(result: Findings | Preference | Comparison | Consensus, asked: Mapping[str, float | None]) -> None:
    """Refuse a share or a level that differs from the one that a result was computed with."""
    for name, value in asked.items():
        own = getattr(result, name)
        if value is not None and value != own:
            kind = type(result).__name__
            raise InputError(Argument(name), f" must be {own}, that of the {kind} (got {value}).")


def _refuse_scores(result: Comparison) -> None:
    """A Comparison of scores says nothing of stability."""
    try:
        get_measure(result.measure)
    except InputError:
        raise InputError(
            f"result is a Comparison of scores ({result.measure}); give one of selections, or the Assessment, whose "
            "findings hold the differences of its scores."
        ) from None


def _read(path: Path, asked: Mapping[str, Any]) -> Assessment | Findings | dict[str, Selections]:
    if path.is_file():
        return {path.name.partition(".")[0]: Selections.read(path)}
    if not path.exists():
        raise InputError(f"{path} does not exist.")
    from steadyset.assessment import Assessment

    # An interrupted shortlist may have a list whose features are certain.
    found = recorded_findings(path) or recorded_findings(path, CERTAIN_LIST)
    if found is not None:
        if given := [name for name, value in asked.items() if value is not None]:
            raise InputError(Argument(given[0]), f" is that of the tuning in {path}, and cannot be chosen again.")
        return found
    if (path / DATABASE).exists():
        raise _not_yet(path, "findings", "findings_of and report take")
    refuse_unanswered(path)
    return Assessment.open(path)


# By the command that makes a run folder: what the folder holds, the function of Python, and what that returns.
ANSWERED = {
    "shortlist": ("a shortlist", "shortlist", "the Shortlist"),
    "replicate": ("a replication", "replication", "what replication or compare_studies returns"),
    "why": ("a split of the disagreement", "variance_split", "the VarianceSplit"),
}


def refuse_unanswered(path: Path) -> None:
    """Raise InputError if a folder holds runs for another answer than that of an assessment.

    Nobody asked how stable the selections of such runs are, and their sizes or repeats would make the number wrong.
    """
    command = _command_of(path)
    if command not in ANSWERED:
        return
    what, function, result = ANSWERED[command]
    raise InputError(
        f"{path} holds {what}, but no {RECORDED_FINDINGS} with its answer: it was interrupted, or the file was "
        "removed. Continue with ",
        Argument(f"{function}(..., execution={{'resume': True}})"),
        f", which reuses all finished runs; in Python, report and findings_of take {result}.",
    )


def refuse_mixed_runs(path: Path) -> None:
    """Raise InputError if the runs in a folder differ in size or in seed alone, so that no stability is theirs."""
    command = _command_of(path)
    if command in ("replicate", "why"):
        raise InputError(
            f"{path} holds {ANSWERED[command][0]}, whose runs differ by design: their selections have no common "
            "stability. Run assess on the data, or report on the folder for its own answer."
        )


def _command_of(path: Path) -> str:
    """Return the command that a folder without recorded findings is of; "" for an assessment, or if nothing tells."""
    if beneath.modified(path, LIST):
        return "shortlist"
    if beneath.modified(path, REPLICATION) or LEFT_OUT in study_folders(path):
        return "replicate"
    from steadyset.assessment.folder import RunFolder

    folder = RunFolder(path)
    if not folder.exists:
        return ""
    settings = folder.settings()
    details = settings.get("details", {})
    job = details.get("job", {}).get("command", "")
    # Only a replication draws disjoint pairs, whatever else was lost.
    pairs = "replicate" if settings["resampling"].startswith("DisjointPairs(") else ""
    return str(details.get("purpose") or job or pairs)


def _not_yet(path: str | Path, what: str, takes: str) -> InputError:
    said = f"{path} holds a tuning whose {what} are not written yet (no {RECORDED_FINDINGS})"
    finished = _finished(Path(path))
    if not finished:
        return InputError(f"{said}: the command writes them when it ends, and in Python {takes} the Tuning itself.")
    return InputError(
        f"{said}. To have them of the {counted(finished, 'configuration')} that it has finished, ask for no more: ",
        Argument("tune(..., execution={'resume': True})"),
        f" for {counted(finished, 'trial')}. In Python {takes} the Tuning that comes of it.",
    )


def _finished(path: Path) -> int:
    """How many configurations of a tuning are finished, from the first on without a gap; 0 where nothing tells."""
    try:
        from steadyset.tuning.search import recorded_trials

        numbers = {number for number, _, _ in recorded_trials(path).trials}
    except Exception:  # without optuna, or with a database that is damaged: then the plain sentence has to do
        return 0
    return next(number for number in range(len(numbers) + 1) if number not in numbers)
