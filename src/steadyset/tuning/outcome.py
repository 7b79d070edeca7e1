"""Tuning: the configurations that were tried, the Pareto front, and the choice of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.arguments import wrong_argument
from steadyset.conventions import CORE, LEVEL
from steadyset.drawing import Drawable
from steadyset.errors import InputError
from steadyset.inference.feature_table import FeatureBlock, alike_features, feature_blocks, table_frame
from steadyset.io.labels import text_index
from steadyset.kernels.arrays import Floats
from steadyset.notebook import MOST_ROWS, Figure, Words, card
from steadyset.runner.all_rows import ALL_ROWS, failed_on_all_rows, fit_on_all_rows
from steadyset.runner.cell import Cell
from steadyset.runner.missing import medians
from steadyset.runner.scoring import is_bounded
from steadyset.runner.seeds import ready
from steadyset.selections import Selections
from steadyset.similarity.alike import alike_in_data
from steadyset.tuning import choice
from steadyset.tuning.evaluation import N_FEATURES, NORMAL, STABILITY, Evaluator, direction
from steadyset.tuning.filtered import FilteredModel
from steadyset.tuning.space import Space
from steadyset.wording import amount, counted

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity

Params = Mapping[str, Any]


class Tuning(Drawable):
    """The result of `tune`; rows of `frame` are numbered by configuration."""

    def __init__(
        self,
        space: Space,
        objectives: Sequence[str],
        trials: Sequence[tuple[int, Params, Mapping[str, Any]]],
        *,
        evaluator: Evaluator,
        random_state: int,
        sampler: str = "random",
        target: str = "",
    ) -> None:
        self.space = space
        self.objectives = tuple(objectives)
        self.trials = tuple(sorted(trials, key=lambda trial: trial[0]))
        self.evaluator = evaluator
        self.random_state = random_state
        self.sampler = sampler  # how the configurations were drawn
        self.target = target  # what is predicted, where it has a name
        self._selections: dict[int, Selections] = {}
        self._final: dict[int, Cell] = {}

    @property
    def directions(self) -> tuple[str, ...]:
        """ "max" or "min" for each objective."""
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
        on_front[choice.pareto_front(table[list(self.objectives)], self.directions)] = True
        return table.assign(front=on_front)

    @property
    def front(self) -> pd.DataFrame:
        """The configurations on the Pareto front, best first objective first."""
        best_last = self.directions[0] == "min"
        return self.frame[self.frame["front"]].sort_values(self.objectives[0], ascending=best_last, kind="stable")

    def front_probability(self, *, n_draws: int = 1000) -> pd.Series[float]:
        """The probability of each configuration to be on the front, given the errors of its objectives."""
        import pandas as pd

        errors = [self._error(name) for name in self.objectives]
        values = self.frame[list(self.objectives)]
        found = choice.front_probability(
            values, np.column_stack(errors), self.directions, n_draws=n_draws, random_state=self.random_state
        )
        return pd.Series(found, index=self.frame.index, name="front_probability")

    def pa_best(self, slack: float = 0.05) -> pd.DataFrame:
        """The configurations on the front within `slack` of the best accuracy."""
        column = self.objectives.index(self._score_name())
        values = self.frame[list(self.objectives)]
        return self.frame.iloc[choice.pa_best(values, self.directions, accuracy=column, slack=slack)]

    def choose(self, rule: str = "epsilon:0.025,0.1") -> int:
        """The number of one configuration, by a rule and its numbers:

        epsilon[:accuracy_slack,stability_slack], best, one_se, weighted[:gamma], harmonic[:gamma], knee.
        """
        name, numbers = check_rule(rule)
        return int(self.frame.index[RULES[name][1](self, *numbers)])

    def estimator(self, configuration: int) -> FilteredModel:
        """The configuration as an estimator, to be fitted; what it draws at random has its seed."""
        plan = self.evaluator.plan
        model: FilteredModel = ready(self._unseeded(configuration).set_params(impute=plan.impute), plan, ALL_ROWS)
        return model

    def selections(self, configuration: int) -> Selections:
        """What the configuration selects on each resample: fitted again, with the seeds of the tuning."""
        if configuration not in self._selections:
            self._selections[configuration] = self.evaluator.selections(self._unseeded(configuration))
        return self._selections[configuration]

    def features(self, configuration: int) -> pd.DataFrame:
        """The features of the configuration, the most often selected first.

        Columns: feature, selected (by a fit on all rows), frequency (the share of the resamples that select it).
        Features that neither that fit nor any resample selects are left out.
        """
        import pandas as pd

        sel, final = self.selections(configuration), self._on_all_rows(configuration)
        if final.selected is None:
            raise InputError(failed_on_all_rows(final))
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
        """One row per feature of the configuration, the most often selected first: see `features_table`.

        What is alike is told by the similarity of the tuning, or by the correlations of the data where it has none.
        """
        blocks = self.feature_blocks(configuration, similarity=similarity, core=core, level=level, all=all)
        return table_frame(blocks)

    def feature_blocks(
        self,
        configuration: int,
        *,
        similarity: FeatureSimilarity | None = None,
        core: float = CORE,
        level: float = LEVEL,
        all: bool = False,
    ) -> list[FeatureBlock]:
        """The table of features as its only block."""
        name, plan = f"configuration {configuration}", self.evaluator.plan
        runs, final = {name: self.selections(configuration)}, self._on_all_rows(configuration)
        told = self.evaluator.similarity if similarity is None else similarity
        fill = medians(plan.X, plan.gaps) if plan.impute is not None and len(plan.gaps) else None
        return feature_blocks(
            runs,
            alike=alike_in_data(plan.X, runs[name].counts, fill) if told is None else alike_features(told, runs),
            on_all_rows={name: None if final.selected is None else np.array(final.selected, dtype=np.int64)},
            core=core,
            level=level,
            all=all,
        )

    def accuracy(self) -> Floats:
        """The first score among the objectives, turned so that more is better."""
        name = self._score_name()
        values = self.frame[name].to_numpy(dtype=np.float64)
        return values if self._direction(name) == "max" else -values

    def stability(self) -> Floats:
        """The stability, turned so that more is steadier."""
        values = self.column(STABILITY)
        return values if self._direction(STABILITY) == "max" else -values

    def column(self, name: str) -> Floats:
        """A column of `frame` as numbers."""
        return self.frame[name].to_numpy(dtype=np.float64)

    def accuracy_error(self) -> Floats:
        """The standard errors of `accuracy`."""
        return self._error(self._score_name())

    def share_correct(self) -> Floats:
        """The first score among the objectives as a number of which 0 is bad and 1 is best."""
        name = self._score_name()
        if not is_bounded(name):
            raise InputError(f"harmonic is a mean of two numbers from 0 to 1, and {name} is not bounded by 0 and 1.")
        return 1 - self.column(name) if self._direction(name) == "min" else self.column(name)

    def _direction(self, name: str) -> str:
        return direction(name, self.evaluator.measure)

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

    def _score_name(self) -> str:
        names = [name for name in self.objectives if f"{name}_se" in self.frame and name not in (N_FEATURES, "seconds")]
        if not names:
            raise InputError("The objectives hold no score such as accuracy; this needs one.")
        return names[0]

    def _error(self, name: str) -> Floats:
        if name == STABILITY:
            return (self.column("stability_high") - self.column("stability_low")) / (2 * NORMAL)
        return self.column(f"{name}_se")

    def __repr__(self) -> str:
        return f"Tuning({len(self.trials)} configurations; {', '.join(self.objectives)})"

    def _repr_html_(self) -> str:
        """What a notebook shows: the Pareto front, best first objective first."""
        front = self.front
        params = {number: given for number, given, _ in self.trials}
        values = front[list(self.objectives)].to_numpy(dtype=np.float64).tolist()
        rows = [
            (number, *map(_figure, self.objectives, row), Words(_described(params[number])))
            for number, row in list(zip(map(int, front.index), values, strict=True))[:MOST_ROWS]
        ]
        header = ("configuration", *(name.replace("_", " ") for name in self.objectives), "parameters")
        summary = f"{counted(len(self.trials), 'configuration')}, {len(front)} on the Pareto front"
        left = len(front) - len(rows)
        more = f"{counted(left, 'more configuration')} on the front" if left else ""
        return card("Tuning", summary, header, rows, more=more)


def _figure(objective: str, value: float) -> float | Figure:
    return Figure(amount(value)) if objective == N_FEATURES else value


def _described(params: Params) -> str:
    return ", ".join(
        f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value}" for name, value in params.items()
    )


def check_rule(rule: str) -> tuple[str, tuple[float, ...]]:
    """The name and the numbers of a rule such as "epsilon:0.025,0.1"; numbers left out have their defaults."""
    name, _, rest = rule.partition(":")
    if name not in RULES:
        raise wrong_argument("rule", f"one of {', '.join(RULES)}", rule)
    defaults = RULES[name][0]
    try:
        given = tuple(float(part) for part in rest.split(",") if part.strip())
    except ValueError:
        raise InputError(f"rule must have numbers after the colon, separated by commas (got {rule!r}).") from None
    if len(given) > len(defaults):
        least = (
            f"have at most {counted(len(defaults), 'number')} after {name}:"
            if defaults
            else (f"be {name} alone, which takes no numbers")
        )
        raise InputError(f"rule must {least} (got {rule!r}).")
    return name, given + defaults[len(given) :]


def _epsilon(tuning: Tuning, accuracy_slack: float, stability_slack: float) -> int:
    return choice.epsilon_constraint(
        tuning.accuracy(),
        tuning.stability(),
        accuracy_slack,
        stability_slack,
        tuning.random_state,
        n_features=tuning.column(N_FEATURES),
    )


def _one_se(tuning: Tuning) -> int:
    return choice.one_standard_error(
        tuning.accuracy(), tuning.accuracy_error(), tuning.column(N_FEATURES), tuning.random_state
    )


def _weighted(tuning: Tuning, gamma: float) -> int:
    return choice.weighted_sum(tuning.accuracy(), tuning.stability(), gamma, tuning.random_state)


def _harmonic(tuning: Tuning, gamma: float) -> int:
    if tuning.evaluator.lower_is_steadier:
        raise InputError(
            f"harmonic needs a measure for which higher is steadier; {tuning.evaluator.measure} is not one."
        )
    return choice.harmonic_mean(tuning.share_correct(), tuning.stability(), gamma, tuning.random_state)


# The default numbers of each rule, and what finds the place of the chosen configuration in the frame.
RULES: dict[str, tuple[tuple[float, ...], Callable[..., int]]] = {
    "epsilon": ((0.025, 0.1), _epsilon),
    "best": ((), lambda t: choice.best_accuracy(t.accuracy(), t.random_state)),
    "one_se": ((), _one_se),
    "weighted": ((0.5,), _weighted),
    "harmonic": ((1.0,), _harmonic),
    "knee": ((), lambda t: choice.knee(t.frame[list(t.objectives)], t.directions, t.random_state)),
}
