"""`tune`: try configurations on shared resamples, for accuracy, stability, size and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadyset.assessment.engines import Execution
from steadyset.assessment.request import (
    FEATURES_ALONE,
    ROWS_ALIKE,
    fingerprint,
    make_plan,
    prepared_settings,
    refuse_beside,
    refuse_strata,
    refuse_table,
    refuse_unfilled,
)
from steadyset.foundation import arguments
from steadyset.foundation.display import progress_told
from steadyset.foundation.errors import Argument, InputError, warn_caller
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.io.data.data_table import Data, as_data
from steadyset.io.disk import CHOSEN, RECORDED_FINDINGS, TRIALS, explained, folder_path, locked, write_durably
from steadyset.io.labels import given_names
from steadyset.io.numbers import target_values
from steadyset.kernels.jit import say_what_is_compiled
from steadyset.measures import get_measure
from steadyset.measures.evaluate import check_similarity
from steadyset.resampling import KFold
from steadyset.resampling.base import ResamplingLike
from steadyset.runner.columns import filled_by_medians
from steadyset.selectors.functions import FunctionSelector
from steadyset.similarity import FeatureSimilarity
from steadyset.tasks import TASKS, check_columns, task_of
from steadyset.tuning.evaluation import ALIASES, MAX_TRIALS, N_FEATURES, SECONDS, STABILITY, Evaluator, direction
from steadyset.tuning.nested import outer_folds
from steadyset.tuning.result import Tuning
from steadyset.tuning.space import Space, identity_of, parts_of, read_space


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """What chooses the configurations of `tune`, and how their stability is measured.

    Parameters
    ----------
    sampler : str, default="random"
        "random", "grid" (a space of choices), or Optuna's "nsga2" and "tpe". Random and grid give the same answer in
        one process or many, interrupted or not; nsga2 and tpe in one uninterrupted process without `storage`.
    measure : str, default="nogueira"
        The measure of stability.
    similarity : FeatureSimilarity or None, default=None
        For measures that need it; None uses the absolute Pearson correlations of X, its missing values filled by the
        medians of all rows.
    threshold : float or None, default=None
        Correlation from which two features count as alike where `similarity` is None; None is 0.9.

    Examples
    --------
    >>> import steadyset as st
    >>> st.SearchOptions(sampler="nsga2", measure="jaccard").measure
    'jaccard'
    """

    sampler: str = "random"
    measure: str = "nogueira"
    similarity: FeatureSimilarity | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        from steadyset.tuning.search import SAMPLERS

        arguments.check_choice("sampler", self.sampler, SAMPLERS)
        if self.similarity is not None:
            check_similarity(self.similarity)
        if self.threshold is None:
            return
        arguments.check_number("threshold", self.threshold, most=1, or_equal=True)
        if self.similarity is not None:
            raise InputError("A similarity has a threshold; leave ", Argument("threshold", of="SearchOptions"), " out.")
        if "similarity" not in get_measure(self.measure).needs:
            raise InputError(
                Argument("threshold", of="SearchOptions"),
                f" is for measures that count similar features as alike, and {self.measure} does not. Choose another ",
                Argument("measure", ..., of="SearchOptions"),
                ", such as intersection_count.",
            )


@with_one_arithmetic_thread
def tune(
    space: Mapping[str, Any] | str | Path | Space,
    X: arguments.TableLike | Data,
    y: arguments.Labels = None,
    *,
    objectives: Sequence[str] | None = None,
    n_trials: int = 200,
    storage: str | None = None,
    search: SearchOptions | Mapping[str, Any] | None = None,
    resampling: ResamplingLike = None,
    n_jobs: int | None = None,
    out: str | Path | None = None,
    random_state: int | None = 0,
    nested: int | None = None,
    execution: Execution | Mapping[str, Any] | None = None,
) -> Tuning:
    """Search for configurations that are accurate, steady and small.

    Parameters
    ----------
    space : str, Path, Mapping or None
        "bommert" (filters x fractions x classifiers, Bommert 2020, table 6.5; for other tasks the regression of each
        kind) or None for the same, a part of it such as
        "bommert:model=lasso+knn,most=20" (at most 20 features), a json file, or a mapping with "filter", "fraction"
        and "model", as in the example.
    X : array-like, frame, scipy sparse matrix, AnnData or Data
        The data, as for `assess`: arrays, what `load_data` returns, or ``st.Data(X, y, groups=..., task=...)``. The
        estimator of a configuration fills missing values as each run does.
    y : array-like, str or None, default=None
        The target, or the name of a column of X; None where X is what `load_data` returns.
    objectives : sequence of str or None, default=None
        Scores (accuracy, balanced_accuracy, auc, log_likelihood, error; r2, rmse), stability, n_features (or size),
        seconds (or time). None is the default score of `assess`, with stability and n_features. Scores are those of a
        configuration's own model. Where covariates stay (``force`` of `Data`) or a score needs survival curves, a
        selector such as the lasso only selects, and the predictor of `assess` is fitted to what it selects, beside the
        covariates; models that select nothing get these too.
    n_trials : int, default=200
        How many configurations; a grid has as many as it has.
    storage : str or None, default=None
        Any Optuna database URL, for processes on many machines: call the same from each of them. With None the study is
        an SQLite file in `out`, or in memory.
    search : SearchOptions, Mapping or None, default=None
        What chooses the configurations, and the measure of stability: ``st.SearchOptions(sampler="grid")``.
    resampling : Resampling, str, splitter, iterable of pairs or None, default=None
        Shared by all configurations; None is 10-fold cross-validation.
    n_jobs : int or None, default=None
        How many threads share out the resamples of a configuration.
    out : str, Path or None, default=None
        A folder for the study, from which an interrupted tuning continues, for rankings and for the table of results.
    random_state : int or None, default=0
        Same seed, same answer. None draws a new one, which `random_state` of the result records.
    nested : int or None, default=None
        Outer folds of an honest score: the search is repeated on the rows outside of each fold, and the configuration
        that it chooses by the default rule is scored on the fold. None computes none; `Tuning.nested_score` does so
        later.
    execution : Execution, Mapping or None, default=None
        How the runs are executed: progress, warnings, whether a folder continues.

    Returns
    -------
    Tuning
        Every configuration with what it reached, the front, and the choice of one.

    References
    ----------
    Bommert (2020), Integration of feature selection stability in model fitting, TU Dortmund.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> space = {"filter": ["t_test", "anova"], "fraction": [0.1, 0.3], "model": {"knn": {}}}
    >>> found = st.tune(space, X, y, search={"sampler": "grid"}, resampling=st.KFold(3))
    >>> found.frame.loc[found.choose(), ["fraction", "n_features"]].to_dict()
    {'fraction': 0.3, 'n_features': 9.0}
    """
    from steadyset.tuning.search import Search

    refuse_table("space", space, "tune")
    how = arguments.as_record("execution", Execution, execution).without_limit("tune")
    if how.engine not in ("auto", "threads"):
        raise arguments.wrong_argument("engine", "auto or threads, which tune has", how.engine)
    options = arguments.as_record("search", SearchOptions, search)
    data = as_data(X, y)
    refuse_strata(data)
    refuse_beside(data, "tune", sample_weight=ROWS_ALIKE, feature_groups=FEATURES_ALONE)
    check_columns(data.y)
    outcome = target_values(data.y, None)
    kind = task_of(outcome, data.task)
    if objectives is None:
        objectives = (TASKS[kind].score(outcome), STABILITY, N_FEATURES)
    # A study that other processes join has to know its objectives by name.
    expected = "a sequence of names, also those of scikit-learn's scorers"
    wanted = arguments.check_each("objectives", objectives, lambda name: isinstance(name, str), expected)
    names = tuple(ALIASES.get(name, name) for name in wanted)
    if not names or len(set(names)) != len(names):
        raise arguments.wrong_argument("objectives", "one or more distinct names", tuple(wanted))
    arguments.check_integer("n_trials", n_trials, least=1, most=MAX_TRIALS)
    arguments.job_count(n_jobs)
    try:
        plan, feature_names = make_plan(
            data,
            resampling=KFold() if resampling is None else resampling,
            scoring=[name for name in names if name not in (STABILITY, N_FEATURES, SECONDS)],
            random_state=random_state,
            on_warning=how.on_warning,
        )
    except InputError as error:
        raise InputError(*(_among_objectives(part, names) for part in error.args)) from error
    if nested is not None:
        outer_folds(plan, names, nested)  # refused before the search, which may take hours
    if plan.columns is not None and plan.columns.labels:
        raise InputError("X has columns of text, and a configuration is fitted to numbers; encode them before.")
    spread = TASKS[kind].scale(plan.y)
    n_classes, beside = TASKS[kind].n_classes(plan.y), plan.forced is not None
    configurations = read_space(space, kind, n_classes, spread, plan.X.shape[1], beside=beside)
    refuse_unfilled(plan, feature_names, parts_of(configurations))
    measure, similarity = options.measure, options.similarity
    if similarity is None and "similarity" in get_measure(measure).needs:
        limit = arguments.ALIKE if options.threshold is None else options.threshold
        filled = filled_by_medians(plan.X)
        similarity = FeatureSimilarity.from_data(filled, threshold=limit, features=feature_names)
    elif similarity is not None:
        similarity.check_features(len(feature_names), given_names(feature_names), "X")
    folder = None if out is None else folder_path(out)
    evaluator = Evaluator(
        plan, measure=measure, similarity=similarity, features=feature_names, n_jobs=n_jobs, folder=folder
    )
    settings = {  # what decides the values of a configuration; the number of trials may grow
        "data": fingerprint(plan),
        "space": identity_of(configurations),
        "resampling": plan.resampling.identity(),
        "n_runs": plan.n_runs,
        "objectives": list(names),
        "sampler": options.sampler,
        "measure": measure,
        "similarity": repr(similarity),
        "impute": plan.impute,
        **prepared_settings(plan),
        "on_warning": plan.on_warning,
        "seed": plan.seed,
    }
    for model in configurations.models.values():
        if isinstance(model.estimator, FunctionSelector):
            has_names = bool(data.understood) or hasattr(data.X, "columns")
            model.estimator.set_params(features=feature_names, frame=has_names)
    if folder is not None:
        with explained(folder, resumable=True):
            folder.mkdir(parents=True, exist_ok=True)
    # Processes share a study by its storage, and a folder is for one of them.
    alone = nullcontext() if folder is None or storage is not None else locked(folder)
    directions = {name: direction(name, measure) for name in names}
    with (
        alone,
        closing(evaluator),
        closing(
            Search(configurations, directions, settings=settings, n_trials=n_trials, storage=storage, folder=folder)
        ) as study,
    ):
        study.begin(how.resume)
        if folder is not None and not study.is_finished():
            # What a tuning said of fewer configurations must not be taken for what it says while it goes on.
            with explained(folder, resumable=True):
                for name in (TRIALS, CHOSEN, RECORDED_FINDINGS):
                    (folder / name).unlink(missing_ok=True)
        say_what_is_compiled(how.progress)
        with progress_told(how.progress, "configurations") as tell:
            study.run(lambda params: evaluator(configurations.estimator(params, len(plan.y), kind)), tell)
        trials = study.finished()
    result = Tuning(
        configurations,
        names,
        trials,
        evaluator=evaluator,
        sampler=options.sampler,
        target=data.target,
        n_nested=nested,
    )
    _warn_of_failures(result)
    if folder is not None:
        with explained(folder, resumable=True):
            write_durably(folder / TRIALS, result.frame.to_csv().encode())
    return result


def _among_objectives(part: str | Argument, names: Sequence[str]) -> str | Argument:
    """Return an advised score as one of the objectives, which is the argument of `tune`; other parts as they are."""
    if not isinstance(part, Argument) or part.name != "scoring":
        return part
    advised = str(part.value)
    return Argument("objectives", tuple(advised if advised.startswith(f"{name}_") else name for name in names))


def _warn_of_failures(result: Tuning) -> None:
    lost = result.frame[result.frame["n_features"].isna()]
    if len(lost):
        reason = next((text for text in lost.get("reason", ()) if text), "no run was left")
        warn_caller(
            f"{len(lost)} of {len(result.frame)} configurations failed in every run; the first because {reason}",
        )
