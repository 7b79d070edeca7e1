"""What tuning found: the configurations that were tried and what each reached, with or without the data.

`Trials` are the numbers alone, as a folder keeps them: the Pareto front, how sure it is, the choice of one. `Tuning`
has the data too, and fits a configuration again where its features are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline

from steadyset.foundation.arguments import CORE, LEVEL
from steadyset.foundation.display import Drawable, ShownFindings
from steadyset.foundation.errors import InputError
from steadyset.inference.best_of_many import least_means
from steadyset.inference.features import Directions, FeatureBlock, alike_features, feature_blocks, table_frame
from steadyset.io.labels import text_index
from steadyset.kernels.arrays import Floats
from steadyset.runner.columns import medians
from steadyset.runner.plan import ready
from steadyset.runner.run import ALL_ROWS, Cell, fit_on_all_rows
from steadyset.runner.scoring import is_bounded, lower_is_better
from steadyset.selections import Selections
from steadyset.similarity.alike import alike_in_data
from steadyset.tuning import choose
from steadyset.tuning.evaluation import (
    N_FEATURES,
    NORMAL,
    OF_RUNS,
    SECONDS,
    STABILITY,
    Evaluator,
    direction,
    finite_mean,
)
from steadyset.tuning.models import FilteredModel, only_selects
from steadyset.tuning.space import Space

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.foundation.display import Tell
    from steadyset.similarity import FeatureSimilarity
    from steadyset.tuning.nested import NestedScore

Params = Mapping[str, Any]
Trial = tuple[int, Params, Mapping[str, Any]]  # the number of a configuration, its parameters, what it reached


class Trials:
    """What was tried, without the data that it was tried on; rows of `frame` are numbered by configuration."""

    def __init__(self, objectives: Sequence[str], trials: Sequence[Trial], *, measure: str, random_state: int) -> None:
        self.objectives = tuple(objectives)
        ordered = sorted(trials, key=lambda trial: trial[0])
        # Values of single runs are for tests between configurations; frames and records have their means.
        self.trials = tuple(
            (number, params, {name: value for name, value in reached.items() if not name.startswith(OF_RUNS)})
            for number, params, reached in ordered
        )
        self.of_runs = tuple(
            {name.removeprefix(OF_RUNS): value for name, value in reached.items() if name.startswith(OF_RUNS)}
            for _, _, reached in ordered
        )
        self.measure = measure  # of the stability
        self.random_state = random_state
        self._probabilities: dict[int, Floats] = {}

    def to_dict(self) -> dict[str, Any]:
        """What was tried as plain data, of which `from_dict` makes the same again.

        Returns
        -------
        dict
            Objectives, measure, seed, and the configurations with what they reached.
        """
        return {
            "objectives": list(self.objectives),
            "directions": list(self.directions),
            "measure": self.measure,
            "random_state": self.random_state,
            "tried": [
                {"configuration": number, "parameters": dict(params), "reached": dict(values)}
                for number, params, values in self.trials
            ],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Trials:
        """What was tried, from the plain data of `to_dict`.

        Parameters
        ----------
        content : Mapping
            What `to_dict` gave; None among what was reached is what is not known.

        Returns
        -------
        Trials
            The configurations, without the data that they were tried on.
        """
        trials = [
            (
                one["configuration"],
                one["parameters"],
                {name: np.nan if value is None else value for name, value in one["reached"].items()},
            )
            for one in content["tried"]
        ]
        return Trials(content["objectives"], trials, measure=content["measure"], random_state=content["random_state"])

    @property
    def directions(self) -> tuple[str, ...]:
        """The direction of each objective, "max" or "min"."""
        return tuple(self._direction(name) for name in self.objectives)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """One row per configuration: its parameters, its objectives with errors or intervals, whether on the front."""
        import pandas as pd

        names = dict.fromkeys(name for _, params, _ in self.trials for name in params)
        rows = [
            {"configuration": number, **{name: params.get(name) for name in names}, **values}
            for number, params, values in self.trials
        ]
        table = pd.DataFrame(rows).set_index("configuration")
        on_front = np.zeros(len(table), dtype=bool)
        on_front[choose.pareto_front(table[list(self.objectives)], self.directions)] = True
        return table.assign(front=on_front)

    @property
    def front(self) -> pd.DataFrame:
        """The configurations on the Pareto front, best first objective first."""
        best_last = self.directions[0] == "min"
        return self.frame[self.frame["front"]].sort_values(self.objectives[0], ascending=best_last, kind="stable")

    def front_probability(self, *, n_draws: int = 1000) -> pd.Series[float]:
        """The probability of each configuration to be on the front, given the errors of its objectives.

        Parameters
        ----------
        n_draws : int, default=1000
            How often errors are drawn.

        Returns
        -------
        pandas.Series
            The probabilities, by number of the configuration.
        """
        import pandas as pd

        if n_draws not in self._probabilities:
            values, errors = self.frame[list(self.objectives)], [self._error(name) for name in self.objectives]
            self._probabilities[n_draws] = choose.front_probability(
                values, np.column_stack(errors), self.directions, n_draws=n_draws, random_state=self.random_state
            )
        return pd.Series(self._probabilities[n_draws].copy(), index=self.frame.index, name="front_probability")

    def pa_best(self, slack: float = 0.05) -> pd.DataFrame:
        """The configurations on the front that are nearly as accurate as the best.

        Parameters
        ----------
        slack : float, default=0.05
            How far below the best accuracy they may be.

        Returns
        -------
        pandas.DataFrame
            Rows of `frame`.
        """
        column = self.objectives.index(self._score_name())
        values = self.frame[list(self.objectives)]
        return self.frame.iloc[choose.pa_best(values, self.directions, accuracy=column, slack=slack)]

    def choose(self, rule: str = choose.DEFAULT_RULE) -> int:
        """The number of one configuration, by a rule.

        Parameters
        ----------
        rule : str, default="margins:0.025,0.1"
            The rule and its numbers: margins[:accuracy_margin,stability_margin] (the smallest within both),
            best (the most accurate), stable (the most stable), smallest, epsilon[:accuracy_slack,stability_slack],
            one_se, weighted[:gamma], harmonic[:gamma], knee, or one of your own (`st.choose.register_choice`).

        Returns
        -------
        int
            The number, from the index of `frame`.

        Raises
        ------
        InputError
            Where there is no such rule, or an objective that it needs was not optimised.
        """
        found, numbers = choose.check_rule(rule)
        return int(self.frame.index[found.place(self, *numbers)])

    def accuracy(self) -> Floats:
        """The first score among the objectives, its sign flipped where less is better.

        Returns
        -------
        array of float
            One number per configuration; more is better.
        """
        name = self._score_name()
        values = self.frame[name].to_numpy(dtype=np.float64)
        return values if self._direction(name) == "max" else -values

    def stability(self) -> Floats:
        """The stability, its sign flipped where less is steadier.

        Returns
        -------
        array of float
            One number per configuration; more is steadier.
        """
        values = self.column(STABILITY)
        return values if self._direction(STABILITY) == "max" else -values

    def column(self, name: str) -> Floats:
        """A column of `frame` as numbers.

        Parameters
        ----------
        name : str
            The name of the column.

        Returns
        -------
        array of float
            One number per configuration.
        """
        return self.frame[name].to_numpy(dtype=np.float64)

    def interval(self, name: str) -> tuple[Floats, Floats, Floats]:
        """An objective of every configuration and the ends of its 95% interval.

        Parameters
        ----------
        name : str
            The objective.

        Returns
        -------
        value : array of float
            The objective.
        low : array of float
            The lower ends.
        high : array of float
            The upper ends.
        """
        value = self.column(name)
        if name == STABILITY:
            return value, self.column("stability_low"), self.column("stability_high")
        if f"{name}_low" not in self.frame:  # numbers from elsewhere, with nothing but standard errors
            margin = NORMAL * np.nan_to_num(self.column(f"{name}_se"))
            return value, value - margin, value + margin
        low, high = self.column(f"{name}_low"), self.column(f"{name}_high")
        return value, np.where(np.isnan(low), value, low), np.where(np.isnan(high), value, high)

    def accuracy_error(self) -> Floats:
        """The standard errors of `accuracy`.

        Returns
        -------
        array of float
            One number per configuration.
        """
        return self._error(self._score_name())

    def share_correct(self) -> Floats:
        """The first score among the objectives as a number of which 0 is bad and 1 is best.

        Returns
        -------
        array of float
            One number per configuration.

        Raises
        ------
        InputError
            Where the score is not bounded by 0 and 1.
        """
        name = self._score_name()
        if not is_bounded(name):
            raise InputError(f"harmonic is a mean of two numbers from 0 to 1, and {name} is not bounded by 0 and 1.")
        return 1 - self.column(name) if self._direction(name) == "min" else self.column(name)

    def _direction(self, name: str) -> str:
        return direction(name, self.measure)

    def _score_name(self) -> str:
        names = [name for name in self.objectives if f"{name}_se" in self.frame and name not in (N_FEATURES, SECONDS)]
        if not names:
            raise InputError("The objectives hold no score such as accuracy; this needs one.")
        return names[0]

    def _error(self, name: str) -> Floats:
        if name == STABILITY:
            return (self.column("stability_high") - self.column("stability_low")) / (2 * NORMAL)
        return self.column(f"{name}_se")

    @property
    def lower_is_steadier(self) -> bool:
        """Whether less of the measure means a steadier selection."""
        return self._direction(STABILITY) == "min"


@dataclass(frozen=True)
class Baseline:
    """A score of the best prediction without features, or with covariates alone, in every run."""

    score: str
    runs: Floats
    has_covariates: bool

    @property
    def mean(self) -> float | None:
        """The mean over the runs that have a score; None if no run has one."""
        mean = finite_mean(self.runs)
        return None if np.isnan(mean) else mean


def objective_words(name: str) -> str:
    """An objective in words."""
    return "number of features" if name == N_FEATURES else name.replace("_", " ")


def settings_words(params: Params) -> str:
    """The parameters of a configuration in a line."""
    given = {name.replace("__", "."): value for name, value in params.items() if value is not None}
    return ", ".join(
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in given.items()
    )


class Tuning(ShownFindings, Trials, Drawable):
    """The result of `tune`; rows of `frame` are numbered by configuration.

    Attributes
    ----------
    frame : pandas.DataFrame
        One row per configuration: its parameters, its objectives with errors or intervals, whether on the front.
    front : pandas.DataFrame
        The configurations that no other one beats in every objective.
    objectives : tuple of str
        What was optimised.
    directions : tuple of str
        "max" or "min" for each objective.
    measure : str
        The measure of stability.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> space = {"filter": ["anova"], "fraction": [0.25, 0.5, 1.0], "model": {"knn": {}}}
    >>> found = st.tune(space, X, y, resampling=st.KFold(3), search=st.SearchOptions(sampler="grid"))
    >>> found.objectives, found.directions
    (('accuracy', 'stability', 'n_features'), ('max', 'max', 'min'))
    """

    def __init__(
        self,
        space: Space,
        objectives: Sequence[str],
        trials: Sequence[Trial],
        *,
        evaluator: Evaluator,
        sampler: str = "random",
        target: str = "",
        n_nested: int | None = None,
    ) -> None:
        super().__init__(objectives, trials, measure=evaluator.measure, random_state=evaluator.plan.seed)
        self.space = space
        self.evaluator = evaluator
        self.sampler = sampler  # how the configurations were drawn
        self.target = target  # what is predicted, where it has a name
        self._selections: dict[int, Selections] = {}
        self._final: dict[int, Cell] = {}
        self.n_nested = n_nested  # outer folds of the honest score, where one is asked for
        self._nested: dict[tuple[int, str], NestedScore] = {}

    def nested_score(
        self, n_folds: int = 5, rule: str = choose.DEFAULT_RULE, *, progress: Tell | None = None
    ) -> NestedScore:
        """The score of the whole search with its choice on rows that took no part in it (nested resampling).

        The score of the chosen configuration was used to choose it, and is too good on average. Here the search is
        repeated on the rows outside of each outer fold, and what it chooses is scored on the fold.

        Parameters
        ----------
        n_folds : int, default=5
            The number of outer folds; each takes about as long as the search.
        rule : str, default="margins:0.025,0.1"
            The rule of choice, as for `choose`.
        progress : Callable or None, default=None
            Called with the numbers of finished and of all outer folds.

        Returns
        -------
        NestedScore
            The mean with its interval, and the score on each fold.
        """
        from steadyset.tuning.nested import nested_score

        if (n_folds, rule) not in self._nested:
            self._nested[n_folds, rule] = nested_score(self, n_folds, rule, progress)
        return self._nested[n_folds, rule]

    def choose(self, rule: str = choose.DEFAULT_RULE) -> int:
        """Return the number of one configuration, by a rule; the default rule prefers those that predict significantly.

        If the choice of the default rule does not predict significantly better than the baseline, but other
        configurations do, then the rule chooses among these.

        Parameters
        ----------
        rule : str, default="margins:0.025,0.1"
            The rule and its numbers, as for `Trials.choose`.

        Returns
        -------
        int
            The number, from the index of `frame`.
        """
        chosen = super().choose(rule)
        if choose.check_rule(rule) != choose.check_rule(choose.DEFAULT_RULE) or self.is_shown_better(chosen):
            return chosen
        better = [trial for trial in self.trials if self.is_shown_better(trial[0])]
        if not better:
            return chosen
        some = Trials(self.objectives, better, measure=self.measure, random_state=self.random_state)
        return some.choose(rule)

    def is_shown_better(self, configuration: int) -> bool:
        """Return whether a configuration predicts significantly better than the baseline, corrected for the choice.

        True for every configuration if the objectives hold no score, since nothing is compared then.

        Parameters
        ----------
        configuration : int
            The number of a configuration, from the index of `frame`.

        Returns
        -------
        bool
            Whether the lower end of its gain is above 0.
        """
        if self.baseline is None:
            return True
        return bool(self.least_gains[self.frame.index.get_loc(configuration)] > 0)

    @cached_property
    def baseline(self) -> Baseline | None:
        """What a configuration has to beat: no features, or covariates alone; None without a score to compare.

        Covariates that predict worse than nothing at all are no baseline.
        """
        score = next((name for name in self.objectives if name in self.evaluator.plan.score_names), None)
        if score is None:
            return None
        nothing = self.evaluator.blind_runs(covariates=False)[score]
        if self.evaluator.plan.forced is None:
            return Baseline(score, nothing, has_covariates=False)
        alone = self.evaluator.blind_runs()[score]
        sign = -1 if lower_is_better(score) else 1
        if finite_mean(sign * (nothing - alone)) > 0:
            return Baseline(score, nothing, has_covariates=False)
        return Baseline(score, alone, has_covariates=True)

    @cached_property
    def _differences(self) -> Floats:
        """The improvement of each configuration over the baseline in each run, by its score."""
        assert self.baseline is not None
        score = self.baseline.score
        runs = [np.array(one.get(score, "").split(), dtype=np.float64) for one in self.of_runs]
        n_runs = len(self.baseline.runs)
        rows = [one if len(one) == n_runs else np.full(n_runs, np.nan) for one in runs]
        differences = np.stack(rows) - self.baseline.runs
        return -differences if lower_is_better(score) else differences

    @property
    def gains(self) -> Floats:
        """The mean improvement of each configuration over the baseline, by its score; nan if there is no score."""
        if self.baseline is None:
            return np.full(len(self.trials), np.nan)
        return np.array([finite_mean(row) for row in self._differences])

    @cached_property
    def least_gains(self) -> Floats:
        """The least improvement of each configuration over the baseline, by its score, with 95% confidence.

        The bounds hold together for all configurations, so also for the one that is chosen, whatever the rule. nan
        where there is no score, or no two runs with one.
        """
        if self.baseline is None:
            return np.full(len(self.trials), np.nan)
        hidden = self.evaluator.hidden_spread(self.baseline.score)
        return least_means(
            self._differences,
            hidden.ratio(self.evaluator.test_ratio),
            baseline=None
            if self.baseline.has_covariates
            else self.baseline.runs,  # covariates learn from training rows
            is_balanced=self.evaluator.is_balanced,
            n_units=hidden.freedom(self.evaluator.plan.n_runs) + 1,
            random_state=self.random_state,
        )

    def estimator(self, configuration: int) -> FilteredModel | Pipeline:
        """A configuration as an estimator, to be fitted; what it draws at random has its seed.

        Parameters
        ----------
        configuration : int
            The number of a configuration, from the index of `frame`.

        Returns
        -------
        FilteredModel or Pipeline
            A scikit-learn estimator with `get_support` and `predict`; where rows are prepared, the last step behind
            the preparation.
        """
        plan = self.evaluator.plan
        if plan.forced is not None:
            raise InputError(
                f"Configuration {configuration} predicts beside covariates, which an estimator of X alone lacks; fit a "
                f"model of the covariates and of what features({configuration}) tells to be selected."
            )
        filtered = self._unseeded(configuration)
        predictor = plan.predictor if only_selects(filtered.model) else None
        model: FilteredModel | Pipeline = filtered.set_params(impute=plan.impute, predictor=predictor)
        if plan.preparation is not None and plan.impute is None:
            model = make_pipeline(plan.preparation.transformer, model)
        return ready(model, plan, ALL_ROWS)

    def selections(self, configuration: int) -> Selections:
        """What a configuration selects on each resample: fitted again, with the seeds of the tuning.

        Parameters
        ----------
        configuration : int
            The number of a configuration, from the index of `frame`.

        Returns
        -------
        Selections
            One run per resample.
        """
        if configuration not in self._selections:
            self._selections[configuration] = self.evaluator.selections(self._unseeded(configuration))
        return self._selections[configuration]

    def features(self, configuration: int) -> pd.DataFrame:
        """The features of a configuration, the most often selected first.

        Parameters
        ----------
        configuration : int
            The number of a configuration, from the index of `frame`.

        Returns
        -------
        pandas.DataFrame
            The columns feature, selected (by a fit on all rows) and frequency (the share of the resamples that select
            it). Features that neither that fit nor any resample selects are left out.
        """
        import pandas as pd

        sel, final = self.selections(configuration), self._on_all_rows(configuration)
        if final.selected is None:
            raise InputError(f"The fit on all rows failed: {final.failure}")
        chosen = np.isin(np.arange(sel.n_features), final.selected)
        table = pd.DataFrame({"feature": text_index(sel.features), "selected": chosen, "frequency": sel.frequencies})
        used = table[table["selected"] | (table["frequency"] > 0)]
        return used.sort_values(["frequency", "selected"], ascending=False, kind="stable", ignore_index=True)

    def features_table(
        self,
        configuration: int,
        *,
        similarity: FeatureSimilarity | None = None,
        core: float = CORE,
        level: float = LEVEL,
        all: bool = False,
    ) -> pd.DataFrame:
        """One row per feature of a configuration, the most often selected first: see `features_table`.

        Parameters
        ----------
        configuration : int
            The number of a configuration, from the index of `frame`.
        similarity : FeatureSimilarity or None, default=None
            What is alike; None takes the similarity of the tuning, or the correlations of the data where it has none.
        core : float, default=0.9
            The share of the runs from which a feature belongs to the steady core.
        level : float, default=0.95
            The confidence of the intervals.
        all : bool, default=False
            Whether the features that were never selected are kept.

        Returns
        -------
        pandas.DataFrame
            The columns of `features_table`.
        """
        blocks = self.feature_blocks(configuration, similarity=similarity, core=core, level=level, all=all)
        return table_frame(blocks)

    def feature_blocks(
        self, configuration: int, *, similarity: FeatureSimilarity | None = None, **options: Any
    ) -> list[FeatureBlock]:
        """The table of features of a configuration as its only block.

        Parameters
        ----------
        configuration : int
            The number of a configuration, from the index of `frame`.
        similarity : FeatureSimilarity or None, default=None
            What is alike; None takes the similarity of the tuning, or the correlations of the data where it has none.
        **options : Any
            Further options of `features_table`.

        Returns
        -------
        list of FeatureBlock
            One block.
        """
        name, plan = f"configuration {configuration}", self.evaluator.plan
        runs, final = {name: self.selections(configuration)}, self._on_all_rows(configuration)
        told = self.evaluator.similarity if similarity is None else similarity
        fill = medians(plan.X, plan.gaps) if plan.fills else None
        return feature_blocks(
            runs,
            alike=alike_in_data(plan.X, runs[name].counts, fill) if told is None else alike_features(told, runs),
            on_all_rows={name: None if final.selected is None else np.array(final.selected, dtype=np.int64)},
            directions=Directions.of(plan.X, plan.y, plan.task),
            **options,
        )

    def _on_all_rows(self, configuration: int) -> Cell:
        """The fit of a configuration on all rows, once."""
        if configuration not in self._final:
            self._final[configuration] = fit_on_all_rows(self.evaluator.plan, self._unseeded(configuration))
        return self._final[configuration]

    def _unseeded(self, configuration: int) -> FilteredModel:
        plan = self.evaluator.plan
        for number, params, _ in self.trials:
            if number == configuration:
                return self.space.estimator(dict(params), len(plan.y), plan.task)
        raise InputError(f"There is no configuration {configuration}; frame shows those that were tried.")

    def __repr__(self) -> str:
        return f"Tuning({len(self.trials)} configurations; {', '.join(self.objectives)})"
