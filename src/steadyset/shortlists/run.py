"""The shortlist of a data set: halves, permuted targets, repeats on parts of the rows, and what would help."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from steadyset._version import __version__
from steadyset.assessment import Assessment, Execution, assess
from steadyset.assessment.request import (
    FEATURES_ALONE,
    ROWS_ALIKE,
    data_details,
    fingerprint,
    make_plan,
    prepared_settings,
    refuse_beside,
    refuse_unfilled,
)
from steadyset.foundation import arguments
from steadyset.foundation.display import from_above, progress_told, telling
from steadyset.foundation.errors import InputError
from steadyset.foundation.job import runs_for
from steadyset.foundation.pace import Stage
from steadyset.foundation.text import counted
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.inference.features import class_names
from steadyset.io.data.data_table import Data, as_data
from steadyset.io.data.sources import repeated_words
from steadyset.io.disk import folder_path
from steadyset.io.numbers import aligned_rows, group_values, target_values
from steadyset.kernels.arrays import Floats, Ints
from steadyset.kernels.jit import say_what_is_compiled
from steadyset.resampling import Subsample
from steadyset.runner.columns import filled, medians
from steadyset.runner.plan import Plan, extract_of
from steadyset.runner.preparation import Prepared
from steadyset.shortlists import afterwards
from steadyset.shortlists.duration import stages_of
from steadyset.shortlists.exchange import exchange_of
from steadyset.shortlists.kept import KeptOrders
from steadyset.shortlists.listed import Listed
from steadyset.shortlists.procedure import SPLITS, Judged, Procedure, Watch, read_procedure
from steadyset.shortlists.result import Shortlist, listed_of
from steadyset.shortlists.rules import compare_rules
from steadyset.shortlists.selector import ShortlistSelector
from steadyset.tasks import TASKS, task_of

LEAST_REPEATS = 5  # fewer say nothing
AMPLE = 10.0  # times the time to rank the targets of all repeats: then no repeat is timed beforehand
NOT_YET = "Prediction, repeats and what would help are not computed yet."
NO_TIME_FOR_HELP = "There was no time to try everything that would help."
NO_HELP_YET = "What would help is not computed yet."


@with_one_arithmetic_thread
def shortlist(
    X: arguments.TableLike | Data,
    y: arguments.Labels = None,
    *,
    false: float = 1.0,
    fdr: float | None = None,
    bases: Sequence[str] = ("filter", "lasso"),
    strata: arguments.Labels = None,
    permutations: int | None = None,
    splits: int = SPLITS,
    outer: int = 10,
    minutes: float | None = None,
    n_jobs: int | None = None,
    out: str | Path | None = None,
    random_state: int | None = 0,
    execution: Execution | Mapping[str, Any] | None = None,
    on_list: Callable[[Shortlist], None] | None = None,
) -> Shortlist:
    """List the features that stand out from what permuted targets reach, with how many of them are false.

    The rows are halved at random again and again; a feature's frequency is the share of halves in which it is among the
    best. Targets that are permuted among the rows go through the same procedure, and say how many features reach such a
    frequency by chance. Nothing is assumed but that rows could have had each other's target.

    Parameters
    ----------
    X : array-like, frame, scipy sparse matrix, AnnData or Data
        The data, or what `load_data` returns. ``st.Data(X, y, groups=...)`` names rows that belong together, such as
        samples of one patient: they stay in one half and exchange targets together.
    y : array-like of shape (n_samples,), str or None, default=None
        The target, or the name of its column.
    false : float, default=1.0
        How many false features the list may hold on average.
    fdr : float or None, default=None
        Instead, which share of the listed features may be false on average.
    bases : sequence of str, default=("filter", "lasso")
        What ranks the features of a half: "filter", "lasso" or both. A filter finds effects of single features, the
        lasso also some that show only jointly; looking at both is paid for by the permuted targets.
    strata : array-like of shape (n_samples,), str or None, default=None
        Rows exchange targets within their stratum only, such as a batch or a hospital, and features are compared within
        it; a text names a column.
    permutations : int or None, default=None
        How many permuted targets; None is 50, or as many as a smaller allowance needs.
    splits : int, default=50
        How many splits into two halves.
    outer : int, default=10
        How often the whole procedure is repeated on 80% of the rows, for how well the list predicts and whether it
        would come out again; 0 leaves that out.
    minutes : float or None, default=None
        When to stop: what there is no time for is left out, and told. The fewest permuted targets (20; for an fdr
        50) are computed in any case.
    n_jobs : int or None, default=None
        How many cores; -1 takes all. The answer does not depend on it.
    out : str, Path or None, default=None
        A folder where everything is saved as soon as it is computed, and continued from; with the list as csv, for
        Excel and as plain names, and all that `report` and `methods` need.
    random_state : int or None, default=0
        The seed.
    execution : Execution, Mapping or None, default=None
        How the repeats are executed, whether a folder continues, and who is told of progress.
    on_list : Callable or None, default=None
        A function that receives the Shortlist as soon as its features are certain. Prediction,
        repeats and what would help are computed afterwards and change no listed feature.

    Returns
    -------
    Shortlist
        The list, groups of which one member is meant, and candidates that do not pass; how well it predicts, whether it
        would come out again, and what would help.

    Raises
    ------
    InputError
        Where an argument makes no sense, or too few rows could exchange their targets.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> X = np.random.default_rng(2).normal(size=(60, 200))
    >>> y = np.arange(60) % 2
    >>> X[y == 1, :3] += 1.5
    >>> found = st.shortlist(X, y, bases=["filter"], permutations=20, outer=0)
    >>> sorted(found.selected)
    ['x0', 'x1', 'x2']
    """
    begin = time.monotonic()
    if minutes is not None:
        arguments.check_number("minutes", minutes)
    arguments.check_integer("outer", outer, least=0)
    procedure = read_procedure(false, fdr, bases, permutations, splits, n_jobs)
    how = arguments.as_record("execution", Execution, execution).without_limit("shortlist", "minutes")
    if on_list is not None:
        arguments.check_function("on_list", on_list, "result")
    data = as_data(X, y, strata=strata)
    refuse_beside(data, "shortlist", sample_weight=ROWS_ALIKE, feature_groups=FEATURES_ALONE)
    if data.prepare is not None and not isinstance(data.prepare, str):
        raise InputError(
            "A shortlist takes a preparation in words, such as 'log2, variance=1000', which does not look at the "
            "target; apply others before."
        )
    drawing = Subsample(
        max(outer, 2), fraction=afterwards.FRACTION, stratified=data.groups is None and _is_stratified(data)
    )
    plan, names = make_plan(data, resampling=drawing, random_state=random_state)
    table, ranked = _prepared(plan, names)
    known = _known_of_rows(data, plan, len(table))
    exchange = exchange_of(plan.y, plan.task, **known)
    if plan.forced is not None:
        exchange = replace(exchange, named=plan.forced.names)
    folder = None if out is None else folder_path(out)
    kept = KeptOrders(folder, _asked(plan, procedure, known["strata"]), resume=how.resume)
    deadline = inf if minutes is None else begin + 60 * minutes
    say_what_is_compiled(how.progress)
    with progress_told(how.progress, "targets") as tell:
        shown = telling(tell)
        if shown is not None:
            seed = arguments.seed_of(plan.seed)
            pools = plan.preparation is None
            stages = stages_of(procedure, table, plan.task, exchange, seed, outer, pools=pools)
            if stages:
                shown.expect(stages)
            how = replace(how, progress=tell)  # one bar for all of the work
        watch = Watch(deadline, tell or (lambda done, total: None))
        judged = procedure.run(table, plan.task, exchange, arguments.seed_of(plan.seed), kept=kept, watch=watch)
        kept_names = [names[f] for f in ranked]
        listed = listed_of(judged, kept_names, class_names(plan.y, plan.task), data.target)
        per_target = (time.monotonic() - begin) / (len(judged.standing.orders) + 1)
        listed = replace(listed, rules=compare_rules(judged, kept_names))
        settings = _settings(plan, procedure, data.target, names)
        extract = extract_of(plan, names, [one.feature for one in listed.features])
        support = np.isin(np.arange(len(names)), ranked[judged.features.listed])

        def result_of(listed: Listed, evaluation: Assessment | None) -> Shortlist:
            return Shortlist(_without_void_numbers(listed, settings), settings, evaluation, support, extract)

        # The answer comes first. What follows takes several times as long and changes no listed feature.
        certain = result_of(replace(listed, left_out=(NOT_YET if outer else NO_HELP_YET,)), None)
        if folder is not None:
            from_above("findings.of_shortlist", "record_certain_list")(certain, folder)
        if on_list is not None:
            on_list(certain)
        listed = _with_help(listed, judged, watch)
        if outer:
            smaller = afterwards.fewer_rows(judged, table, list(known.values()), watch, shown)
            left_out = listed.left_out
            if not smaller and watch.is_over and NO_TIME_FOR_HELP not in left_out:
                left_out = (*left_out, NO_TIME_FOR_HELP)
            listed = replace(listed, fewer_rows=smaller, left_out=left_out)
        evaluation = None
        if outer:
            n_shared, n_own = _targets_of_repeats(plan, procedure)
            n_repeats, pooled = _affordable(outer, deadline - per_target * n_shared, per_target * n_own), None
            least = min(outer, LEAST_REPEATS)
            if n_repeats >= least:
                pooled = _pooled_targets(procedure, plan, table, known, n_jobs)
                n_own = procedure.fewest + 1 if pooled is None else 1

                def make_one() -> None:
                    quiet = replace(how, progress=False)
                    _repeats(procedure, data, plan, pooled, known, 1, None, quiet, 1)

                n_repeats = _affordable_by_the_first(outer, deadline, per_target * n_own, make_one, n_jobs)
            if n_repeats < least:
                told = "There was no time for repeats, so that nothing is said of prediction and of coming out again."
                listed = replace(listed, left_out=(*listed.left_out, told))
            else:
                evaluation = _repeats(procedure, data, plan, pooled, known, n_repeats, folder, how, n_jobs)
                listed = afterwards.with_repeats(listed, evaluation, pooled)
                if n_repeats < outer:
                    told = f"There was time for {counted(n_repeats, 'repeat')} of {outer}."
                    listed = replace(listed, left_out=(*listed.left_out, told))
        result = result_of(listed, evaluation)
        if folder is not None:
            from_above("findings.of_shortlist", "record_list")(result, folder)
        return result


def stages_of_data(data: Data, procedure: Procedure, *, outer: int) -> list[Stage]:
    """Return the stages of a shortlist of these data, with the seconds that their pieces are expected to take.

    Return no stages if nothing can be estimated.
    """
    plan, names = make_plan(data, resampling="subsample")
    table, _ = _prepared(plan, names)
    exchange = exchange_of(plan.y, plan.task, **_known_of_rows(data, plan, len(table)))
    seed, pools = arguments.seed_of(plan.seed), plan.preparation is None
    return stages_of(procedure, table, plan.task, exchange, seed, outer, pools=pools)


def _known_of_rows(data: Data, plan: Plan, n_rows: int) -> dict[str, Any]:
    """Return what is known of each row beside its target; None for what is not."""
    return {"strata": _cells(data, n_rows), "groups": plan.groups, "covariates": _covariates(plan)}


def _is_stratified(data: Data) -> bool:
    try:
        return TASKS[task_of(target_values(data.y, None), data.task)].stratified
    except Exception:  # what is wrong with the target is told with everything else
        return False


def _prepared(plan: Plan, names: Sequence[str]) -> tuple[Floats, Ints]:
    """The values that are ranked, and the features that they are of.

    What is learnt of all rows without the target, such as medians, leaves rows exchangeable.
    """
    made = plan.preparation
    if plan.impute is None and not (made and made.imputes):
        refuse_unfilled(replace(plan, preparation=None), names, {"the shortlist": ShortlistSelector()})
    if made is None:
        table = filled(plan.X, medians(plan.X, plan.gaps)) if len(plan.gaps) else plan.X
        return table, np.arange(table.shape[1])
    found = Prepared.of(clone(made.transformer), plan.X, None, plan.columns, by_name=made.by_name)
    if len(np.unique(found.sources)) < len(found.sources):
        raise InputError("A shortlist needs one column for each feature; turn columns of text into numbers before.")
    return found.rows(plan.X), found.sources


def _cells(data: Data, n_rows: int) -> Any:
    """The stratum of each row, or its block, or both; None where it has neither."""
    given = {name: one for name, one in (("strata", data.strata), ("block", data.block)) if one is not None}
    several = [group_values(aligned_rows(data.X, one, name), n_rows, what=name) for name, one in given.items()]
    return np.unique(np.stack(several), axis=1, return_inverse=True)[1].ravel() if several else None


def _covariates(plan: Plan) -> Floats | None:
    """Return the covariates that stay, or None if there are none."""
    return None if plan.forced is None or not plan.forced.n_forced else plan.forced.covariates


def _with_help(listed: Listed, judged: Judged, watch: Watch) -> Listed:
    """What would help, as far as there is time."""
    done = len(judged.standing.orders) - 1
    left_out = []
    if done < judged.procedure.n_permutations:
        left_out.append(f"There was time for {counted(done, 'permuted target')} of {judged.procedure.n_permutations}.")
    found = replace(listed, tried=afterwards.other_choices(judged), power=afterwards.power(judged, watch))
    if watch.is_over:
        left_out.append(NO_TIME_FOR_HELP)
    return replace(found, left_out=(*listed.left_out, *left_out))


def _without_void_numbers(listed: Listed, settings: Mapping[str, Any]) -> Listed:
    """Return the list without the numbers that copies of rows make wrong: q-values, power, and what allowances list.

    A copy has its target by construction. Permuted targets break this up, so that they reach less than the observed
    target does without any effect.
    """
    repeated = settings["details"]["repeated_rows"]
    if not repeated:
        return listed
    features = tuple(replace(one, q_value=nan) for one in listed.features)
    return replace(listed, features=features, tried=(), rules=(), power=(), void=repeated_words(repeated))


def _affordable(outer: int, deadline: float, seconds: float) -> int:
    """How many repeats fit into the time that is left."""
    left = deadline - time.monotonic()
    return outer if left == inf else min(outer, max(0, int(left / max(seconds, 1e-9))))


def _affordable_by_the_first(
    outer: int, deadline: float, seconds: float, make_one: Callable[[], None], n_jobs: int | None
) -> int:
    """Return how many repeats fit into the time that is left, by the time of one of them if time is short.

    ``seconds`` is the time to rank the targets of a repeat, which is the least that it takes.
    """
    n_repeats = _affordable(outer, deadline, seconds)
    if n_repeats < min(outer, LEAST_REPEATS) or deadline - time.monotonic() > AMPLE * outer * seconds:
        return n_repeats
    # A repeat also fits and scores predictors, also from all features, which may take longer than ranking.
    begin = time.monotonic()
    make_one()
    of_one = (time.monotonic() - begin) / min(outer, arguments.job_count(n_jobs))
    return _affordable(outer, deadline, max(seconds, of_one))


def _targets_of_repeats(plan: Plan, procedure: Procedure) -> tuple[int, int]:
    """Return how many targets all repeats share, and how many each of them ranks by itself."""
    # A preparation may give each repeat other columns, so that orders of one say nothing of another.
    return (procedure.fewest, 1) if plan.preparation is None else (0, procedure.fewest + 1)


def _pooled_targets(
    procedure: Procedure, plan: Plan, table: Floats, known: Mapping[str, Any], n_jobs: int | None
) -> afterwards.PooledTargets | None:
    """Return the permuted targets that the repeats share: a few of each of the first repeats."""
    n_shared, _ = _targets_of_repeats(plan, procedure)
    if not n_shared:
        return None
    n_parts = min(afterwards.POOLED_PARTS, n_shared)
    # The rows of the repeats; their number does not matter, so that more repeats can be added to a folder.
    parts = [plan.draw(run).train for run in range(n_parts)]
    few = replace(procedure, n_permutations=n_shared, n_jobs=n_jobs)
    return afterwards.PooledTargets.of_parts(few, table, plan.y, plan.task, list(known.values()), parts, plan.seed)


def _repeats(
    procedure: Procedure,
    data: Data,
    plan: Plan,
    pooled: afterwards.PooledTargets | None,
    known: Mapping[str, Any],
    n_repeats: int,
    folder: Path | None,
    how: Execution,
    n_jobs: int | None,
) -> Assessment:
    """Assess the whole procedure on parts of the rows, with no more permuted targets than it needs."""
    selector = afterwards.RowsShortlist(
        **known,
        false=1.0 if procedure.false is None else procedure.false,
        fdr=procedure.fdr,
        bases=procedure.bases,
        permutations=procedure.fewest,
        splits=procedure.n_splits,
        task=plan.task,
        pooled=pooled,
    )
    with runs_for("shortlist"):
        return assess(
            afterwards.selectors_of(selector),
            # Covariates stay in every model, a new row belongs to no known block, and the selector has the strata.
            replace(data, block=None, strata=None),
            resampling=plan.resampling,
            n_runs=n_repeats,
            n_jobs=n_jobs,
            out=folder,
            random_state=plan.seed,
            execution=replace(how, all_rows=False),
            importance="selector",
        )


def _asked(plan: Plan, procedure: Procedure, strata: Any) -> dict[str, Any]:
    """What a folder continues."""
    return {
        "false": procedure.false,
        "fdr": procedure.fdr,
        "data_sha256": fingerprint(plan),
        "strata": None if strata is None else hashlib.sha256(repr(list(strata)).encode()).hexdigest(),
        "task": plan.task,
        "impute": plan.impute,
        **prepared_settings(plan),
        "seed": plan.seed,
        "bases": list(procedure.bases),
        "splits": procedure.n_splits,
        "steadyset_version": __version__,
    }


def _settings(plan: Plan, procedure: Procedure, target: str, names: Sequence[str]) -> dict[str, Any]:
    return {
        "n_rows": len(plan.y),
        "n_features": plan.X.shape[1],
        "task": plan.task,
        "impute": plan.impute,
        **prepared_settings(plan),
        "seed": plan.seed,
        "false": procedure.false,
        "fdr": procedure.fdr,
        "bases": " and ".join(procedure.bases),
        "permutations": procedure.n_permutations,
        "splits": procedure.n_splits,
        "resampling": plan.resampling.identity(),
        "scoring": list(plan.score_names),
        "data_sha256": fingerprint(plan),
        "steadyset_version": __version__,
        "details": data_details(plan, target, names),
    }
