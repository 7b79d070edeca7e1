"""The configurations that were tried and what each reached: the Pareto front, how sure it is, the choice of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.text import counted
from steadyset.kernels.arrays import Floats
from steadyset.runner.scoring import is_bounded
from steadyset.tuning import choice
from steadyset.tuning.evaluation import N_FEATURES, NORMAL, SECONDS, STABILITY, direction

if TYPE_CHECKING:
    import pandas as pd

Params = Mapping[str, Any]
Trial = tuple[int, Params, Mapping[str, Any]]  # the number of a configuration, its parameters, what it reached


class Trials:
    """What was tried, without the data that it was tried on; rows of `frame` are numbered by configuration."""

    def __init__(self, objectives: Sequence[str], trials: Sequence[Trial], *, measure: str, random_state: int) -> None:
        self.objectives = tuple(objectives)
        self.trials = tuple(sorted(trials, key=lambda trial: trial[0]))
        self.measure = measure  # of the stability
        self.random_state = random_state
        self._probabilities: dict[int, pd.Series[float]] = {}

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
        on_front[choice.pareto_front(table[list(self.objectives)], self.directions)] = True
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
        if n_draws not in self._probabilities:
            self._probabilities[n_draws] = self._front_probability(n_draws)
        return self._probabilities[n_draws].copy()

    def _front_probability(self, n_draws: int) -> pd.Series[float]:
        import pandas as pd

        errors = [self._error(name) for name in self.objectives]
        values = self.frame[list(self.objectives)]
        found = choice.front_probability(
            values, np.column_stack(errors), self.directions, n_draws=n_draws, random_state=self.random_state
        )
        return pd.Series(found, index=self.frame.index, name="front_probability")

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
        return self.frame.iloc[choice.pa_best(values, self.directions, accuracy=column, slack=slack)]

    def choose(self, rule: str = "epsilon:0.025,0.1") -> int:
        """The number of one configuration, by a rule.

        Parameters
        ----------
        rule : str, default="epsilon:0.025,0.1"
            The rule and its numbers: epsilon[:accuracy_slack,stability_slack], best, one_se, weighted[:gamma],
            harmonic[:gamma], knee.

        Returns
        -------
        int
            The number, from the index of `frame`.

        Raises
        ------
        InputError
            Where there is no such rule, or an objective that it needs was not optimised.
        """
        name, numbers = check_rule(rule)
        return int(self.frame.index[RULES[name][1](self, *numbers)])

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
        margin = NORMAL * np.nan_to_num(self.column(f"{name}_se"))
        return value, value - margin, value + margin

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


def objective_words(name: str) -> str:
    """An objective in words."""
    return "number of features" if name == N_FEATURES else name.replace("_", " ")


def settings_words(params: Params) -> str:
    """The parameters of a configuration in a line."""
    given = {name.replace("__", "."): value for name, value in params.items() if value is not None}
    return ", ".join(
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}" for key, value in given.items()
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


def _epsilon(tuning: Trials, accuracy_slack: float, stability_slack: float) -> int:
    return choice.epsilon_constraint(
        tuning.accuracy(),
        tuning.stability(),
        accuracy_slack,
        stability_slack,
        tuning.random_state,
        n_features=tuning.column(N_FEATURES),
    )


def _one_se(tuning: Trials) -> int:
    return choice.one_standard_error(
        tuning.accuracy(), tuning.accuracy_error(), tuning.column(N_FEATURES), tuning.random_state
    )


def _weighted(tuning: Trials, gamma: float) -> int:
    return choice.weighted_sum(tuning.accuracy(), tuning.stability(), gamma, tuning.random_state)


def _harmonic(tuning: Trials, gamma: float) -> int:
    if tuning.lower_is_steadier:
        raise InputError(f"harmonic needs a measure for which higher is steadier; {tuning.measure} is not one.")
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
