"""Assess selectors: run them on resamples of a data set, in parallel, resumably, and say how steady they are."""

from __future__ import annotations

import builtins
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, replace
from math import inf
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning

from steadyset.assessment.engines import CRASHED, KILLED, Execution, check_picklable, compute
from steadyset.assessment.folder import RunFolder, Saving, is_saved
from steadyset.assessment.request import (
    DETAILS,
    IMPORTANCE,
    JOB,
    Request,
    SelectorsLike,
    TimeLimitWarning,
    make_request,
    what_differs,
)
from steadyset.assessment.result import Assessment
from steadyset.assessment.written import KnownRows, alike_json, extract_json
from steadyset.foundation import arguments
from steadyset.foundation.display import Tell, progress_told
from steadyset.foundation.errors import AlwaysFailsError, Argument, InputError, warn_caller
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.inference.features import table_csv
from steadyset.inference.interval import outlook
from steadyset.io.data.data_table import Data
from steadyset.io.disk import ALIKE_FEATURES, VALUES, folder_path
from steadyset.kernels.arrays import Ints
from steadyset.kernels.jit import say_what_is_compiled
from steadyset.measures import get_measure, stability
from steadyset.measures.evaluate import Options
from steadyset.resampling import Bootstrap, Resampling, as_resampling
from steadyset.resampling.base import ResamplingLike
from steadyset.runner.columns import medians
from steadyset.runner.conditions import reason
from steadyset.runner.plan import SELECTOR, Cut, extract_of, most_selected
from steadyset.runner.run import EVERY_ROW, Cell, error_on_all_rows
from steadyset.runner.scoring import ScoringLike
from steadyset.selections import Selections
from steadyset.similarity.alike import alike_in_data
from steadyset.tasks import TASKS

__all__ = ["Assessment", "AutoRuns", "Execution", "assess"]

PACK_EVERY = 2000
FIRST = 5  # runs that are made whatever the time limit
# Failures of the machine, not of a selector: these cells are tried again.
MACHINE = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, OSError)}
MACHINE |= {"MemoryError", "_ArrayMemoryError"}


@dataclass(frozen=True, kw_only=True)
class AutoRuns:
    """As many runs as the intervals of the stability need, for `n_runs` of `assess`; "auto" has the defaults.

    Parameters
    ----------
    width : float, default=0.05
        How wide the interval of every selector may be.
    max_runs : int, default=1000
        The most runs.
    measure : str, default="nogueira"
        The measure whose interval is looked at.

    Examples
    --------
    >>> import steadyset as st
    >>> narrow = st.AutoRuns(width=0.02, max_runs=2000)
    """

    width: float = 0.05
    max_runs: int = arguments.MAX_RUNS
    measure: str = "nogueira"

    def __post_init__(self) -> None:
        arguments.check_number("width", self.width)
        arguments.check_integer("max_runs", self.max_runs, least=2)

    def more(self, result: Assessment, n_runs: int) -> int:
        """The number of runs that should make every interval narrow enough.

        Parameters
        ----------
        result : Assessment
            What the runs so far gave.
        n_runs : int
            How many they are.

        Returns
        -------
        int
            The present number where the intervals are narrow, or where there may be no more.
        """
        needed = max((self._needed(sel) for sel in result.selections.values() if sel.n_runs > 1), default=0)
        if needed <= 0 or n_runs >= self.max_runs:
            return n_runs
        # An estimate from few runs may overshoot, so the number at most doubles in one step.
        return min(self.max_runs, n_runs + 2 * ((min(needed, n_runs) + 1) // 2))

    def _needed(self, sel: Selections) -> int:
        """A selector without a stability (it selects nothing, or everything, each time) asks for no more runs."""
        if np.isnan(stability(sel, self.measure)):
            return 0
        try:
            return outlook(sel, get_measure(self.measure), Options(), arguments.LEVEL).more_runs(self.width)
        except InputError:  # no number can be planned from these runs, so the maximum decides
            return self.max_runs


@with_one_arithmetic_thread
def assess(
    selectors: SelectorsLike,
    X: arguments.TableLike | Data,
    y: arguments.Labels = None,
    *,
    resampling: ResamplingLike = None,
    scoring: ScoringLike = None,
    predictor: arguments.Estimator | None = None,
    cut: Cut | Mapping[str, Any] | None = None,
    n_runs: int | str | AutoRuns | Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    out: str | Path | None = None,
    random_state: int | None = 0,
    execution: Execution | Mapping[str, Any] | None = None,
    sample_weight: arguments.Column = None,
    importance: Literal["predictor", "selector"] | None = None,
) -> Assessment:
    """Run selectors on the same resamples of a data set and record what each of them selects.

    Runs that fail are recorded and stop nothing; a selector whose runs all fail gets a FitFailedWarning.

    Parameters
    ----------
    selectors : str, estimator, Callable, sequence, Mapping or None
        Scikit-learn selectors, pipelines, or estimators with coefficients or importances; names such as "jmi:k=20";
        functions of X and y that return column numbers, names or a mask; one, several, or a mapping by name. None takes
        five that suit the task.
    X : array-like, frame, scipy sparse matrix, AnnData or Data
        The data, or what `load_data` returns; ``st.Data(X, y, groups=..., task=..., sample_weight=...)`` says more
        of them than X and y do. A frame keeps the names of its columns, and a sparse matrix becomes one
        dense array. A pipeline with a ColumnTransformer gets a frame; columns of text are for pipelines that encode
        them, and one of them is selected where any column that is made of it is.
    y : array-like of shape (n_samples,), str or None, default=None
        The target, or the name of a column of X; with an AnnData, of its obs. None where X is what `load_data` returns.
    resampling : Resampling, str, splitter, iterable of pairs or None, default=None
        How the training sets are drawn; rows left out are the test rows. A text such as "subsample:fraction=0.8", a
        splitter of scikit-learn, and pairs of (train, test) are taken too. None is 100 bootstraps.
    scoring : str, Callable, sequence, Mapping or None, default=None
        What is computed on the test rows: accuracy, balanced_accuracy, auc, log_likelihood, error; r2, rmse; any scorer
        of scikit-learn by name; a function of (estimator, X, y); several, or a mapping by name. None is
        r2 for a number, accuracy for classes, and balanced_accuracy where one class has 80% of the rows or more.
    predictor : estimator or None, default=None
        What predicts from the selected features; None is logistic or ridge regression.
    cut : Cut, Mapping or None, default=None
        Which coefficients or importances of models count as selected, such as ``st.Cut(top=10)``. None takes the
        coefficients that are not 0, or the importances above their mean, as in `Selections.from_fitted`.
    n_runs : int, str, AutoRuns, Mapping or None, default=None
        A number of runs, or "auto": add runs until the interval of the stability of every selector is narrow, which
        ``st.AutoRuns(width=0.02)`` sets. None is what the resampling says.
    n_jobs : int or None, default=None
        How many runs are computed at the same time; -1 takes all cores. The answer does not depend on it.
    out : str, Path or None, default=None
        A folder where every run is saved as soon as it finishes; None keeps the runs in memory.
    random_state : int or None, default=0
        Same seed, same answer, whatever the engine, the order or an interruption. None draws a new one, which
        `settings` of the result records; in a folder that exists it is the recorded one.
    execution : Execution, Mapping or None, default=None
        How the runs are executed: engine, progress, warnings, whether a folder continues, what is kept.
    sample_weight : array-like of shape (n_samples,) or None, default=None
        Weights of the rows in the fits of selectors and predictors, and in all scores; the same as
        ``st.Data(X, y, sample_weight=...)``.
    importance : {"predictor", "selector"} or None, default=None
        Whose importances measures of weights use, such as msi and pearson: "predictor" takes those of the selected
        features in the model that predicts from them in each run, which is fitted once, for scores too; "selector"
        takes the selector's own weights, such as the scores of a filter. None is "predictor" where there are scores,
        else "selector"; in a folder that exists it is what is recorded. Both are kept: `with_importance` of the result
        goes from one to the other.

    Returns
    -------
    Assessment
        What was selected in every run, the scores, times and failures.

    Raises
    ------
    InputError
        Where an argument makes no sense, or a selector fails over its parameters in the first run and on the whole
        data.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> result = st.assess(["t_test:k=5", "jmi:k=5"], X, y, resampling=st.Bootstrap(20), scoring="auc")
    >>> result.summary()[["stability", "auc"]].round(2).reset_index()
         selector  stability   auc
    0  t_test:k=5       0.93  0.99
    1     jmi:k=5       0.63  0.99
    """
    begin = time.monotonic()
    drawing = Bootstrap() if resampling is None else as_resampling(resampling)
    how = arguments.as_record("execution", Execution, execution)
    deadline = inf if how.minutes is None else begin + 60 * how.minutes
    drawing, automatic = _with_runs(drawing, n_runs)
    folder = None if out is None else RunFolder(folder_path(out))
    jobs = arguments.job_count(n_jobs)
    if folder is not None and how.resume and folder.exists:
        recorded = folder.settings()
        random_state = recorded["seed"] if random_state is None else random_state
        importance = recorded.get(IMPORTANCE, SELECTOR) if importance is None else importance
    request = make_request(
        selectors,
        X if sample_weight is None else _weighted(X, sample_weight),
        y,
        resampling=drawing,
        scoring=scoring,
        predictor=predictor,
        random_state=random_state,
        on_warning=how.on_warning,
        cut=arguments.as_record("cut", Cut, cut),
        keep=how.predictions,
        importance=importance,
    )
    if automatic is not None:
        request = replace(request, automatic=asdict(automatic))
    if how.engine not in ("serial", "threads") and (how.engine != "auto" or jobs > 1):
        check_picklable(request.plan, dict(zip(request.names, request.selectors, strict=True)))
    with ExitStack() as stack:
        finished: dict[tuple[int, int], Cell] = {}
        if folder is not None:
            stack.enter_context(folder.locked())
            stack.enter_context(_no_trace_of_what_cannot_run(folder))
            request, finished = _begin(folder, request, how.resume)
            folder.known_rows = _known_rows(request)
        wanted = drawing.n_runs_for(request.plan.rows)
        say_what_is_compiled(how.progress)
        tell = stack.enter_context(progress_told(how.progress, "runs"))
        while True:
            is_complete = _fill(request, wanted, finished, folder, how, n_jobs, tell, deadline)
            if folder is not None:
                folder.pack()
            cells = [cell for (_, run), cell in finished.items() if run < wanted]
            result = Assessment(request.settings, cells, None if folder is None else folder.path)
            more = automatic.more(result, wanted) if automatic is not None and is_complete else wanted
            if more == wanted:
                _warn_of_failed_selectors(result)
                if not is_complete:
                    _warn_of_time_limit(result, wanted)
                return _with_table(request, result, folder, len(finished))
            wanted = more


def _weighted(X: arguments.TableLike | Data, sample_weight: Any) -> Data:
    """Return the data with weights of its rows."""
    data = X if isinstance(X, Data) else Data(X)
    if data.sample_weight is not None:
        raise InputError("sample_weight is given beside data that hold theirs; leave one of them out.")
    return replace(data, sample_weight=sample_weight)


def _known_rows(request: Request) -> KnownRows:
    """Return what the file of predictions tells of the rows; without names their numbers from 1 on."""
    plan, y = request.plan, request.plan.y
    names = request.row_names
    observed: dict[str, Any] = {"observed": y}
    classes: tuple[str, ...] = ()
    if TASKS[plan.task].has_classes:
        observed = {"observed": y.astype(str)}
        classes = tuple(map(str, np.unique(y).tolist()))
    elif y.ndim == 2:  # a time, and whether its event was observed
        observed = {"observed": y[:, 0], "event": y[:, 1] > 0}

    def left_out(run: int) -> Ints:
        return np.empty(0, np.int64) if run == EVERY_ROW else np.asarray(plan.draw(run).test)

    return KnownRows(names, observed, classes, left_out)


def _begin(folder: RunFolder, request: Request, resume: bool) -> tuple[Request, dict[tuple[int, int], Cell]]:
    """The request in the order of the folder, and what the folder holds of it; a new folder holds nothing."""
    if not folder.exists:
        folder.create(request.settings)
        return request, {}
    if not resume:
        raise InputError(
            f"{folder.path} already holds an assessment; continue it with ",
            Argument("resume", True, of="Execution"),
            ", or choose another folder with ",
            Argument("out", ...),
            ".",
        )
    before = folder.settings()
    request = _in_order(request, before["selectors"], folder)
    if other := what_differs(request.settings, before, without=("selectors", "steadyset_version", DETAILS)):
        raise InputError(
            f"{folder.path} holds an assessment with {other}; ask for the same, or choose another folder with ",
            Argument("out", ...),
            ".",
        )
    unkept = request.plan.keep
    finished = {
        key: cell
        for key, cell in folder.cells().items()
        if not _passing(cell) and not (unkept and cell.kept is None and cell.selected is not None)
    }
    # More selectors, or more runs, have other details. The job that asked first for the same stays.
    told = {JOB: job} if (job := before.get(DETAILS, {}).get(JOB)) else {}
    if {**request.settings[DETAILS], **told} != before.get(DETAILS):
        folder.write_settings(request.settings)
    return request, finished


def _in_order(request: Request, before: Mapping[str, str], folder: RunFolder) -> Request:
    """The selectors as the folder numbers them, new ones last; all that it has must be asked for again."""
    asked = dict(zip(request.names, request.selectors, strict=True))
    described = request.settings["selectors"]
    for name, text in before.items():
        if described.get(name) != text:
            what = f"the selector {name!r} {'is another one there' if name in asked else 'as well'}"
            raise InputError(
                f"{folder.path} holds an assessment with other selectors: {what}. Selectors can be added to a folder, "
                "not changed or removed; ask for the same and more, or choose another folder with ",
                Argument("out", ...),
                ".",
            )
    names = (*before, *(name for name in asked if name not in before))
    return replace(request, names=names, selectors=tuple(asked[name] for name in names))


def _passing(cell: Cell) -> bool:
    """Whether a cell failed for want of memory, of room on the disk or the like, which may have passed."""
    failure = cell.failure.removeprefix("no score: ").removeprefix("no importances: ")
    return failure.partition(":")[0] in MACHINE or KILLED in failure


def _fill(
    request: Request,
    n_runs: int,
    finished: dict[tuple[int, int], Cell],
    folder: RunFolder | None,
    how: Execution,
    n_jobs: int | None,
    progress: Tell | None,
    deadline: float = inf,
) -> bool:
    """Compute the cells that are missing; each is on disk before the next is asked for. Fits on all rows come last.

    Return whether there was time for all runs. The first few runs and the fits on all rows are made in any case.
    """
    every = [(s, run) for run in range(n_runs) for s in range(len(request.selectors))]
    missing = [key for key in every if key not in finished]
    done = len(every) - len(missing)
    whole: list[tuple[int, int]] = []
    if how.all_rows:
        every_row = [(s, EVERY_ROW) for s in range(len(request.selectors))]
        whole = [key for key in every_row if key not in finished]
    if progress is not None:
        progress(done, len(every))
    tried = {selector for selector, _ in finished}
    with closing(Saving(folder)) as saving:
        n_at_once = len(request.selectors) * max(FIRST, arguments.job_count(n_jobs))
        for asked in _in_time(missing, whole, deadline, n_at_once):
            with closing(compute(how.engine, request.plan, request.selectors, asked, n_jobs, saving)) as cells:
                for cell in cells:
                    if cell.selector not in tried:
                        tried.add(cell.selector)
                        _refuse_always_failing(request, cell)
                    if folder is not None and not is_saved(cell):
                        folder.add(cell)
                    finished[cell.selector, cell.run] = cell
                    done += cell.run != EVERY_ROW
                    if folder is not None and done % PACK_EVERY == 0:
                        folder.pack()
                    if progress is not None:
                        progress(done, len(every))
    return done == len(every)


def _in_time(
    missing: Sequence[tuple[int, int]], whole: Sequence[tuple[int, int]], deadline: float, n_at_once: int
) -> Iterator[list[tuple[int, int]]]:
    """Yield the runs to compute next until the time is up, and then the fits on all rows.

    Without a time limit all of them are computed together.
    """
    if deadline == inf:
        if missing or whole:
            yield [*missing, *whole]
        return
    n_first = sum(run < FIRST for _, run in missing)
    for place in range(0, len(missing), n_at_once):
        if place >= n_first and time.monotonic() > deadline:
            break
        yield list(missing[place : place + n_at_once])
    if whole:
        yield list(whole)


def _refuse_always_failing(request: Request, first: Cell) -> None:
    """Stop when the first run of a selector fails over its parameters, and the whole data makes no difference."""
    # What crashed would end this process too.
    if first.selected is not None or CRASHED in first.failure or KILLED in first.failure:
        return
    error = error_on_all_rows(request.plan, request.selectors[first.selector])
    if isinstance(error, (ValueError, TypeError)) and reason(error) == first.failure:
        what = first.failure.removeprefix("InputError: ").rstrip(".")
        raise AlwaysFailsError(f"The selector {request.names[first.selector]!r} would fail in every run: {what}.")


@contextmanager
def _no_trace_of_what_cannot_run(folder: RunFolder) -> Iterator[None]:
    """A folder made for a request that cannot run goes again, so that the corrected request finds its place free."""
    before = folder.settings() if folder.exists else None
    try:
        yield
    except AlwaysFailsError:
        if before is None:
            folder.discard()
        elif len(folder.settings()["selectors"]) > len(before["selectors"]):
            folder.pack(len(before["selectors"]))
            folder.write_settings(before)
        raise


def _with_table(request: Request, result: Assessment, folder: RunFolder | None, n_cells: int) -> Assessment:
    """The result with what its table of features needs of the data, and the table itself in the folder.

    `n_cells` is the number of cells in the folder.
    """
    plan = request.plan
    fill = medians(plan.X, plan.gaps) if plan.fills else None
    alike = alike_in_data(plan.amounts, result.counts, fill)
    extract = extract_of(plan, result.features, most_selected(result.selections))
    told = result.with_data(alike, extract)
    if folder is not None:
        folder.write(ALIKE_FEATURES, alike_json(alike, request.settings, n_cells))
        folder.write(VALUES, extract_json(extract, request.settings, n_cells))
        folder.write_table(table_csv(told.feature_blocks()))
    return told


def is_too_wide(result: Assessment) -> bool:
    """Return whether runs were to be added until intervals are narrow, and more runs are needed for that."""
    automatic = result.settings.get(DETAILS, {}).get("automatic")
    if not automatic:
        return False
    n_runs = len({cell.run for cell in result.cells})
    return AutoRuns(**automatic).more(result, n_runs) > n_runs


def _warn_of_time_limit(result: Assessment, wanted: int) -> None:
    n_runs = len({cell.run for cell in result.cells})
    if not result.settings[DETAILS].get("automatic"):
        sentence = f"There was time for {n_runs} of {wanted} runs."
    elif is_too_wide(result):
        sentence = f"There was time for {n_runs} runs, which are too few for the requested width of the intervals."
    else:
        return
    warn_caller(f"{sentence} An assessment with a folder continues with the others.", TimeLimitWarning)


def _warn_of_failed_selectors(result: Assessment) -> None:
    for name, (number, why) in result.failed_selectors.items():
        warn_caller(
            f"The selector {name!r} made no selection in any of its {number} runs; the first failed because of: {why}",
            FitFailedWarning,
        )


def _with_runs(drawing: Resampling, n_runs: Any) -> tuple[Resampling, AutoRuns | None]:
    """The resampling with the number of runs to begin with, and what adds further ones, if anything does."""
    if n_runs is None:
        return drawing, None
    automatic = None
    if not arguments.is_whole(n_runs):
        given = AutoRuns() if isinstance(n_runs, str) and n_runs == "auto" else n_runs
        if not isinstance(given, AutoRuns | Mapping):
            raise arguments.wrong_argument("n_runs", 'a whole number or "auto"', n_runs)
        automatic = arguments.as_record("n_runs", AutoRuns, given)
    if "n_runs" not in drawing.get_params() or (automatic is not None and not drawing.extendable):
        raise InputError(
            f"{type(drawing).__name__} has a fixed number of runs; ", Argument("n_runs"), " must not be given."
        )
    first = int(n_runs) if automatic is None else min(arguments.FIRST_RUNS, automatic.max_runs)
    return clone(drawing).set_params(n_runs=first), automatic
