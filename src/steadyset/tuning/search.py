"""The search over configurations: an Optuna study that several processes may share and that survives their end.

A configuration is known by its number. A random or grid search decides configuration i by the seed and i alone, so it
gives the same answer in one process or many, interrupted or not. A trial whose process died (its heartbeat stopped) or
was interrupted is run again under its old number.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.display import Tell
from steadyset.foundation.errors import Argument, InputError, MissingExtraError, SteadysetError
from steadyset.foundation.job import current_job
from steadyset.io.disk import DATABASE, connect_to_database
from steadyset.tuning.space import Domain, Params, Range, Space, drawn_from

try:
    import optuna
    from optuna.trial import FrozenTrial, TrialState
except ImportError:
    raise MissingExtraError('Tuning needs optuna: pip install "steadyset[tune]".') from None

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

    from steadyset.tuning.result import Trials

SAMPLERS = ("random", "grid", "nsga2", "tpe")
HEARTBEAT, GRACE = 5, 20
IN_FOLDER = "tuning"  # the name of the study in the folder of a tuning
AGAIN, BEGUN, JOB, RESULT, SETTINGS = "again", "begun", "job", "result", "settings"
Finished = tuple[int, Params, dict[str, Any]]  # the number of a configuration, its parameters, what it reached


class Search:
    """A study of `n_trials` configurations of a space."""

    def __init__(
        self,
        space: Space,
        objectives: Mapping[str, str],
        *,
        settings: Mapping[str, Any],
        n_trials: int,
        storage: str | None,
        folder: Path | None,
    ) -> None:
        self.space = space
        self.objectives = objectives
        self.settings = json.loads(json.dumps(settings))
        # The study lies in a database that others may share, in the folder of the tuning, or in memory.
        place = folder if storage is None else storage
        self.where = "memory" if place is None else "The storage" if isinstance(place, str) else str(place)
        digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]
        self._raised: Exception | None = None
        grid = list(space.grid()) if settings["sampler"] == "grid" else None
        self.n_trials = n_trials if grid is None else len(grid)
        best = optuna.study.StudyDirection
        directions = [best.MAXIMIZE if way == "max" else best.MINIMIZE for way in objectives.values()]
        with quiet(), self._faults_told():
            self._database = None if place is None else _database(place)
            self.study = optuna.create_study(
                storage=self._database,
                study_name=IN_FOLDER if storage is None else f"steadyset-{digest}",
                directions=directions,
                load_if_exists=True,
            )
            self.study.sampler = self._sampler(settings["sampler"], settings["seed"], grid, storage is not None)

    def begin(self, resume: bool) -> None:
        """Remember what is asked for; refuse to go on with something else."""
        where = self.where
        with self._faults_told():
            before = self.study.user_attrs.get(SETTINGS)
            if before is None:
                self.study.set_user_attr(SETTINGS, self.settings)
                if (job := current_job()) is not None:
                    self.study.set_user_attr(JOB, job)
                return
            if not isinstance(before, dict):
                raise TypeError(f"{SETTINGS} is {before!r}")
            lost = BEGUN in self.study.user_attrs and not self._trials()
        if lost:  # Optuna makes tables anew that are missing
            raise InputError(
                f"{where} was altered: the configurations that it had recorded are gone. Restore it, or choose another "
                "place."
            )
        if not resume:
            raise InputError(
                f"{where} already holds a tuning; continue it with ",
                Argument("resume", True, of="Execution"),
                ", or choose another place.",
            )
        for key, value in self.settings.items():
            if before.get(key) != value:
                raise InputError(
                    f"{where} holds a tuning with another {key.replace('_', ' ')}; ask for the same, or choose another "
                    "place."
                )

    def run(self, evaluate: Callable[[Params], Mapping[str, Any]], progress: Tell | None = None) -> None:
        """Evaluate configurations until the requested number is finished, by this process or by others."""

        def objective(trial: optuna.Trial) -> tuple[float, ...]:
            params = drawn_from(self.space, lambda name, domain: _suggest(trial, name, domain))
            try:
                result = evaluate(params)
            except Exception as error:
                self._raised = error  # no fault of the storage
                raise
            trial.set_user_attr(RESULT, {key: _stored(value) for key, value in result.items()})
            values = tuple(result[name] for name in self.objectives)
            if not np.isfinite(values).all():
                raise optuna.TrialPruned  # recorded, but nothing for a sampler to learn from
            return values

        with quiet(), self._faults_told():
            while True:
                numbers = self._numbers()
                done = self._n_finished(numbers)
                if progress is not None:
                    progress(done, self.n_trials)
                if done == self.n_trials:
                    return
                waiting = self._repeat_failed(numbers)
                if waiting or len(set(numbers.values())) < self.n_trials:
                    self.study.optimize(objective, n_trials=1)
                    if not numbers:
                        self.study.set_user_attr(BEGUN, True)
                else:
                    # Another process has the last ones in hand; should it die, they come back here.
                    time.sleep(HEARTBEAT / 2)
                    optuna.storages.fail_stale_trials(self.study)

    def is_finished(self) -> bool:
        """Whether all configurations have been evaluated."""
        with self._faults_told():
            return self._n_finished(self._numbers()) == self.n_trials

    def _n_finished(self, numbers: Mapping[int, int]) -> int:
        # Other processes add trials at any time; those without a number yet are counted the next time.
        finished = self._trials(TrialState.COMPLETE, TrialState.PRUNED)
        found = {numbers[t.number] for t in finished if t.number in numbers}
        return sum(number < self.n_trials for number in found)

    def finished(self) -> list[Finished]:
        """Number, parameters and results of each finished configuration, once."""
        with self._faults_told():
            every = self._trials()
            finished = [t for t in every if t.state in (TrialState.COMPLETE, TrialState.PRUNED)]
            found = _results(every, finished)
            wanted = [one for one in found if one[0] < self.n_trials]
            for _, params, result in wanted:
                self._check(params, result)
            return wanted

    def _check(self, params: Params, result: Mapping[str, Any]) -> None:
        """Whether the space has the parameters of a recorded trial, and its objectives are numbers."""
        used = drawn_from(self.space, lambda name, domain: _within(name, params[name], domain))
        if set(used) != set(params):
            raise ValueError(f"there is no parameter {min(set(params) - set(used))}")
        for name in self.objectives:
            if isinstance(result[name], bool) or not isinstance(result[name], (int, float)):
                raise TypeError(f"{name} is {result[name]!r}")

    @contextmanager
    def _faults_told(self) -> Iterator[None]:
        """Say what became of the storage: full, locked, gone, altered."""
        try:
            yield
        except (SteadysetError, optuna.TrialPruned):
            raise
        except Exception as error:
            if error is self._raised:
                raise
            lines = _first_lines(error)
            if _is_full(lines):
                raise InputError(
                    f"The disk with {self.where} is full; what was finished is kept, so make room and resume."
                ) from None
            what = lines[-1] if lines else type(error).__name__
            raise InputError(
                f"{self.where} cannot be used, or was altered: {type(error).__name__}: {what.rstrip('.')}. "
                "Restore it, or choose another place."
            ) from None

    def close(self) -> None:
        """Let go of the connections to the database."""
        if self._database is not None:
            self._database.remove_session()
            self._database.engine.dispose()

    def _trials(self, *states: TrialState) -> list[FrozenTrial]:
        return self.study.get_trials(deepcopy=False, states=states or None)

    def _numbers(self) -> dict[int, int]:
        """The configuration of each trial: repeated ones keep theirs, all others are numbered one after the other."""
        return configuration_numbers(self._trials())

    def _repeat_failed(self, numbers: Mapping[int, int]) -> bool:
        """Put configurations whose trial failed back into the queue; tell whether anything waits there."""
        every = [t for t in self._trials() if t.number in numbers]
        alive = {numbers[t.number] for t in every if t.state != TrialState.FAIL}
        failed = [t for t in every if t.state == TrialState.FAIL]
        lost = {numbers[t.number]: t for t in failed if numbers[t.number] not in alive}
        for number, trial in lost.items():
            if number < self.n_trials:
                self.study.enqueue_trial(trial.params, user_attrs={AGAIN: number})
        return bool(self._trials(TrialState.WAITING))

    def _sampler(self, name: str, seed: int, grid: list[Params] | None, shared: bool) -> optuna.samplers.BaseSampler:
        if name == "grid" and grid is not None:
            return NumberedSampler(lambda i: grid[min(i, len(grid) - 1)])
        if name == "random":
            return NumberedSampler(lambda i: self.space.sample(np.random.default_rng((seed, i))))
        # Processes that share a study must not draw the same; a study that goes on must not begin again.
        state = None if shared else int(np.random.SeedSequence((seed, len(self._trials()))).generate_state(1)[0])
        return (optuna.samplers.NSGAIISampler if name == "nsga2" else optuna.samplers.TPESampler)(seed=state)


def recorded_trials(folder: Path) -> Trials:
    """What a tuning has finished so far, read from its folder while it may go on."""
    from steadyset.tuning.result import Trials

    with quiet():
        storage = _database(folder)
        try:
            study = optuna.load_study(study_name=IN_FOLDER, storage=storage)
            trials, settings = study.get_trials(deepcopy=False), study.user_attrs[SETTINGS]
        finally:
            storage.remove_session()
            storage.engine.dispose()
    every = _results(trials, [trial for trial in trials if RESULT in trial.user_attrs])
    return Trials(settings["objectives"], every, measure=settings["measure"], random_state=int(settings["seed"]))


def _results(every: list[FrozenTrial], finished: list[FrozenTrial]) -> list[Finished]:
    """What each finished configuration reached, once: nan is what is not known."""
    numbers = configuration_numbers(every)
    found: dict[int, Finished] = {}
    for trial in finished:
        recorded: Mapping[str, Any] = trial.user_attrs[RESULT]
        reached = {key: np.nan if value is None else value for key, value in recorded.items()}
        number = numbers[trial.number]
        found.setdefault(number, (number, dict(trial.params), reached))
    return list(found.values())


class NumberedSampler(optuna.samplers.BaseSampler):
    """Parameters that depend on the number of the configuration alone."""

    def __init__(self, configuration: Callable[[int], Params]) -> None:
        self.configuration = configuration
        self._last: tuple[int, Params] = (-1, {})

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        return {}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        return {}

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        if self._last[0] != trial.number:
            number = configuration_numbers(study.get_trials(deepcopy=False))[trial.number]
            self._last = (trial.number, self.configuration(number))
        return self._last[1][param_name]


def configuration_numbers(trials: list[FrozenTrial]) -> dict[int, int]:
    """The configuration number of each trial number."""
    numbers: dict[int, int] = {}
    following = 0
    for position, trial in enumerate(sorted(trials, key=lambda trial: trial.number)):
        if trial.number != position:
            raise LookupError(f"trial {position} is missing")
        if AGAIN in trial.user_attrs:
            numbers[trial.number] = int(trial.user_attrs[AGAIN])
        else:
            numbers[trial.number] = following
            following += 1
    return numbers


@contextmanager
def quiet() -> Iterator[None]:
    """Optuna without its log and without warnings about parts of it that may still change."""
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield
    finally:
        optuna.logging.set_verbosity(level)


def _database(place: str | Path) -> optuna.storages.RDBStorage:
    """The storage at an address, or in the folder of a tuning, whose connections are all checked."""
    if isinstance(place, Path):
        url = f"sqlite:///{place.absolute() / DATABASE}"
        options: dict[str, Any] = {"creator": partial(connect_to_database, place.absolute())}
    else:
        url = place
        # SQLite makes other processes wait for a writer; on a slow disk longer than its five seconds.
        options = {"connect_args": {"timeout": 60}} if url.startswith("sqlite") else {"pool_pre_ping": True}
    try:
        return optuna.storages.RDBStorage(url, engine_kwargs=options, heartbeat_interval=HEARTBEAT, grace_period=GRACE)
    except InputError:
        raise
    except Exception as error:
        lines = _first_lines(error)
        if _is_full(lines):
            raise InputError(f"The disk with {place} is full. Make room, or choose another place.") from None
        raise InputError(f"storage cannot be opened: {lines[0] if lines else type(error).__name__}") from None


def _first_lines(error: BaseException) -> list[str]:
    """Return the first lines of an error and of the errors that led to it, without those that have no text."""
    found: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in found:
        found.append(cause)
        cause = cause.__cause__ or cause.__context__
    return [str(one).strip().splitlines()[0] for one in found if str(one).strip()]


def _is_full(lines: Sequence[str]) -> bool:
    """Return whether SQLite or the system reports a full disk."""
    return any("disk is full" in line or os.strerror(errno.ENOSPC) in line for line in lines)


def _suggest(trial: optuna.Trial, name: str, domain: Domain) -> Any:
    if not isinstance(domain, Range):
        return trial.suggest_categorical(name, domain)
    if domain.whole:
        return trial.suggest_int(name, int(domain.low), int(domain.high), log=domain.log)
    return trial.suggest_float(name, domain.low, domain.high, log=domain.log)


def _within(name: str, value: Any, domain: Domain) -> Any:
    if isinstance(domain, Range):
        slack = 1e-9 * max(abs(domain.low), abs(domain.high))
        fits = isinstance(value, (int, float)) and domain.low - slack <= value <= domain.high + slack
    else:
        fits = value in domain
    if not fits:
        raise ValueError(f"{name} is {value!r}")
    return value


def _stored(value: float | str) -> float | str | None:
    return value if isinstance(value, str) else float(value) if np.isfinite(value) else None
