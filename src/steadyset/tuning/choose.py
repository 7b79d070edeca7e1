"""Rules of choice: which of many configurations is taken, given its accuracy, stability and size.

Each is a function of plain arrays, and a record that `Tuning.choose` knows by its name; further ones are registered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from steadyset.foundation.arguments import check_integer, check_number, check_seed, shown, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.registry import Registry
from steadyset.foundation.text import counted
from steadyset.io.numbers import numbers
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.tuning.evaluation import N_FEATURES

if TYPE_CHECKING:
    from steadyset.tuning.result import Trials

__all__ = [
    "ChoiceRule",
    "best_accuracy",
    "epsilon_constraint",
    "harmonic_mean",
    "knee",
    "one_standard_error",
    "pa_best",
    "register_choice",
    "smallest_within_margins",
    "weighted_sum",
]

Seed = int | None
MAX_GAMMA = 1e100  # whose square is still a number


def pareto_front(values: npt.ArrayLike, directions: Sequence[str]) -> Ints:
    """Indices of the configurations that no other dominates.

    y dominates z when it is at least as good in all objectives and better in one, so equal rows stay together.

    Parameters
    ----------
    values : array-like or frame of shape (n_configurations, n_objectives)
        What each configuration reached.
    directions : sequence of str
        "max" or "min" for each objective.

    Returns
    -------
    array of int
        The indices, ascending.

    Examples
    --------
    Accuracy is to be large, the number of features small:

    >>> import steadyset as st
    >>> st.pareto_front([[0.95, 20], [0.94, 5], [0.93, 8]], ["max", "min"])
    array([0, 1])
    """
    scores = _maximised(values, directions)
    defined = np.flatnonzero(np.isfinite(scores).all(axis=1))
    return defined[_undominated(scores[defined])]


def front_probability(
    values: npt.ArrayLike,
    errors: npt.ArrayLike,
    directions: Sequence[str],
    *,
    n_draws: int = 1000,
    random_state: Seed = None,
) -> Floats:
    """The probability of each configuration to be on the front, given the standard errors of its objectives.

    Each draw adds independent normal errors to all values and takes the front; the answer is the share of the draws.
    Errors of configurations that ran on the same resamples go together, so the differences between them are surer than
    this takes them to be.

    Parameters
    ----------
    values : array-like or frame of shape (n_configurations, n_objectives)
        What each configuration reached.
    errors : array-like or frame of shape (n_configurations, n_objectives)
        Their standard errors; an undefined error counts as 0.
    directions : sequence of str
        "max" or "min" for each objective.
    n_draws : int, default=1000
        How often errors are drawn.
    random_state : int or None, default=None
        Seed of the draws. None draws anew each time.

    Returns
    -------
    array of float
        The probabilities; 0 for configurations with an undefined value.

    Examples
    --------
    >>> import steadyset as st
    >>> values, errors = [[0.95, 0.6], [0.94, 0.9], [0.80, 0.5]], [[0.01, 0.05]] * 3
    >>> st.front_probability(values, errors, ["max", "max"], random_state=0).round(1)
    array([0.8, 1. , 0. ])
    """
    scores = _maximised(values, directions)
    spread = numbers(errors, "errors")
    if spread.shape != scores.shape:
        raise InputError(f"errors must have the shape of values, {scores.shape} (got {spread.shape}).")
    check_integer("n_draws", n_draws, least=1)
    check_seed("random_state", random_state)
    defined = np.flatnonzero(np.isfinite(scores).all(axis=1))
    spread = np.nan_to_num(spread[defined])
    random = np.random.default_rng(random_state)
    counts = np.zeros(len(scores))
    for _ in range(n_draws):
        drawn = scores[defined] + spread * random.standard_normal(spread.shape)
        counts[defined[_undominated(drawn)]] += 1
    return np.asarray(counts / n_draws)


def epsilon_constraint(
    accuracy: npt.ArrayLike,
    stability: npt.ArrayLike,
    accuracy_slack: float = 0.025,
    stability_slack: float = 0.1,
    random_state: Seed = None,
    *,
    n_features: npt.ArrayLike | None = None,
) -> int:
    """Choose a configuration that is accurate first and steady second.

    Of the configurations within `accuracy_slack` of the best accuracy, those within `stability_slack` of their best
    stability stay. Of these the most accurate is taken; of equals the steadiest; of equals, where `n_features` is
    given, the one with the fewest features; and of what is then still equal one at random.

    Parameters
    ----------
    accuracy : array-like of float
        The accuracy of each configuration; more is better.
    stability : array-like of float
        Their stability; more is steadier.
    accuracy_slack : float, default=0.025
        How far below the best accuracy counts as equally good (acc.const in the thesis).
    stability_slack : float, default=0.1
        How far below the best stability counts as equally steady (stab.const in the thesis).
    random_state : int or None, default=None
        Seed of the draw between configurations that are equal in everything. None draws anew each time.
    n_features : array-like of int or None, default=None
        How many features each configuration selects; fewer win where the rest is equal.

    Returns
    -------
    int
        The index of the configuration.

    References
    ----------
    Bommert (2020), Integration of feature selection stability in model fitting, algorithm 3.2.

    Examples
    --------
    >>> import steadyset as st
    >>> st.choose.epsilon_constraint(accuracy=[0.95, 0.94, 0.90], stability=[0.50, 0.85, 0.95])
    1
    """
    check_number("accuracy_slack", accuracy_slack, or_equal=True)
    check_number("stability_slack", stability_slack, or_equal=True)
    acc, stab, size = _columns(accuracy=accuracy, stability=stability, n_features=n_features)
    left = _best(_all(acc), acc, accuracy_slack)
    left = _best(left, stab, stability_slack)
    for criterion in (acc, stab, -size):
        left = _best(left, criterion)
    return _one_of(left, random_state)


def smallest_within_margins(
    accuracy: npt.ArrayLike,
    stability: npt.ArrayLike,
    n_features: npt.ArrayLike,
    accuracy_margin: float = 0.025,
    stability_margin: float = 0.1,
    random_state: Seed = None,
) -> int:
    """Choose the smallest configuration that is nearly as accurate and as stable as the best.

    Of the configurations within `accuracy_margin` of the best accuracy, and of these within `stability_margin` of
    their best stability, the one with the fewest features is taken; of equals the most accurate; of equals the most
    stable; and of what is then still equal one at random.

    Parameters
    ----------
    accuracy : array-like of float
        The accuracy of each configuration; more is better.
    stability : array-like of float
        Their stability; more is more stable.
    n_features : array-like of int
        The number of features that each configuration selects.
    accuracy_margin : float, default=0.025
        How far below the best accuracy counts as equally good.
    stability_margin : float, default=0.1
        How far below the best stability counts as equally stable.
    random_state : int or None, default=None
        Seed of the draw between configurations that are equal in everything. None draws anew each time.

    Returns
    -------
    int
        The index of the configuration.

    References
    ----------
    Bommert (2020), Integration of feature selection stability in model fitting, algorithm 3.2, which has the same
    margins and takes the most accurate configuration within both.

    Examples
    --------
    >>> import steadyset as st
    >>> st.choose.smallest_within_margins([0.95, 0.94, 0.70], [0.85, 0.80, 0.90], n_features=[1088, 24, 2])
    1
    """
    check_number("accuracy_margin", accuracy_margin, or_equal=True)
    check_number("stability_margin", stability_margin, or_equal=True)
    acc, stab, size = _columns(accuracy=accuracy, stability=stability, n_features=n_features)
    left = _best(_all(acc), acc, accuracy_margin)
    left = _best(left, stab, stability_margin)
    for criterion in (-size, acc, stab):
        left = _best(left, criterion)
    return _one_of(left, random_state)


def _first_by(tuning: Trials, *criteria: Floats) -> int:
    """Return the configuration with the largest first criterion, of equals with the largest second one, and so on."""
    columns = _columns(**{f"criterion {place}": one for place, one in enumerate(criteria)})
    left = _all(columns[0])
    for criterion in columns:
        left = _best(left, criterion)
    return _one_of(left, tuning.random_state)


def best_accuracy(accuracy: npt.ArrayLike, random_state: Seed = None) -> int:
    """Choose the most accurate configuration ("A-best"), ties at random.

    Parameters
    ----------
    accuracy : array-like of float
        The accuracy of each configuration; more is better.
    random_state : int or None, default=None
        Seed of the draw between configurations that are equal in everything. None draws anew each time.

    Returns
    -------
    int
        The index of the configuration.

    Examples
    --------
    >>> import steadyset as st
    >>> st.choose.best_accuracy([0.90, 0.95, 0.94])
    1
    """
    (acc,) = _columns(accuracy=accuracy)
    return _one_of(_best(_all(acc), acc), random_state)


def pa_best(values: npt.ArrayLike, directions: Sequence[str], *, accuracy: int = 0, slack: float = 0.05) -> Ints:
    """The configurations on the front that are nearly as accurate as the best.

    Parameters
    ----------
    values : array-like or frame of shape (n_configurations, n_objectives)
        What each configuration reached.
    directions : sequence of str
        "max" or "min" for each objective.
    accuracy : int, default=0
        The column of values that holds the accuracy.
    slack : float, default=0.05
        How far below the best accuracy they may be.

    Returns
    -------
    array of int
        The indices, ascending.

    References
    ----------
    Bommert (2020), Integration of feature selection stability in model fitting, section 7.1.

    Examples
    --------
    >>> import steadyset as st
    >>> st.choose.pa_best([[0.95, 20], [0.94, 5], [0.80, 2]], ["max", "min"])
    array([0, 1])
    """
    check_number("slack", slack, or_equal=True)
    front = pareto_front(values, directions)
    scores = _maximised(values, directions)
    check_integer("accuracy", accuracy, least=0, most=scores.shape[1] - 1)
    acc = scores[:, accuracy]
    return _best(front, acc, slack) if len(front) else front


def one_standard_error(
    accuracy: npt.ArrayLike, accuracy_se: npt.ArrayLike, n_features: npt.ArrayLike, random_state: Seed = None
) -> int:
    """Choose the fewest features within one standard error of the best accuracy, of equals the most accurate.

    Parameters
    ----------
    accuracy : array-like of float
        The accuracy of each configuration; more is better.
    accuracy_se : array-like of float
        Their standard errors.
    n_features : array-like of int
        How many features each configuration selects.
    random_state : int or None, default=None
        Seed of the draw between configurations that are equal in everything. None draws anew each time.

    Returns
    -------
    int
        The index of the configuration.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and regression trees.

    Examples
    --------
    >>> import steadyset as st
    >>> st.choose.one_standard_error(accuracy=[0.95, 0.94, 0.90], accuracy_se=[0.02, 0.02, 0.02], n_features=[40, 6, 3])
    1
    """
    acc, error, size = _columns(accuracy=accuracy, accuracy_se=accuracy_se, n_features=n_features)
    top = _best(_all(acc), acc)
    left = _best(_all(acc), acc, float(error[top].min()))
    return _one_of(_best(_best(left, -size), acc), random_state)


def weighted_sum(
    accuracy: npt.ArrayLike, stability: npt.ArrayLike, gamma: float = 0.5, random_state: Seed = None
) -> int:
    """Choose the largest gamma stability + (1 - gamma) accuracy.

    Parameters
    ----------
    accuracy : array-like of float
        The accuracy of each configuration; more is better.
    stability : array-like of float
        Their stability; more is steadier.
    gamma : float, default=0.5
        The weight of the stability, from 0 to 1.
    random_state : int or None, default=None
        Seed of the draw between configurations that are equal in everything. None draws anew each time.

    Returns
    -------
    int
        The index of the configuration.

    References
    ----------
    Davis et al. (2006), Reliable gene signatures for microarray classification, Bioinformatics 22.

    Examples
    --------
    >>> import steadyset as st
    >>> st.choose.weighted_sum(accuracy=[0.95, 0.90, 0.85], stability=[0.40, 0.60, 0.90], gamma=0.2)
    2
    """
    check_number("gamma", gamma, most=1, or_equal=True)
    acc, stab = _columns(accuracy=accuracy, stability=stability)
    value = gamma * stab + (1 - gamma) * acc
    return _one_of(_best(_all(value), value), random_state)


def harmonic_mean(
    accuracy: npt.ArrayLike, stability: npt.ArrayLike, gamma: float = 1.0, random_state: Seed = None
) -> int:
    """Choose by the harmonic mean of accuracy and stability.

    The largest (gamma² + 1) stability accuracy / (gamma² stability + accuracy) wins. A mean of this kind is one of
    positive numbers: where accuracy or stability is not positive it counts as 0.

    Parameters
    ----------
    accuracy : array-like of float
        The accuracy of each configuration; more is better.
    stability : array-like of float
        Their stability; more is steadier.
    gamma : float, default=1.0
        How much the accuracy counts against the stability; 1 weighs both alike.
    random_state : int or None, default=None
        Seed of the draw between configurations that are equal in everything. None draws anew each time.

    Returns
    -------
    int
        The index of the configuration.

    References
    ----------
    Saeys, Abeel and Van de Peer (2008), Robust feature selection using ensemble feature selection techniques.

    Examples
    --------
    >>> import steadyset as st
    >>> st.choose.harmonic_mean(accuracy=[0.95, 0.90, 0.85], stability=[0.40, 0.80, 0.82])
    1
    """
    check_number("gamma", gamma, most=MAX_GAMMA)
    acc, stab = _columns(accuracy=accuracy, stability=stability)
    positive = (acc > 0) & (stab > 0)
    weight = np.where(positive, gamma**2 * stab + acc, 1.0)
    value = np.where(positive, (gamma**2 + 1) * stab * acc / weight, 0.0)
    value[np.isnan(acc) | np.isnan(stab)] = np.nan
    return _one_of(_best(_all(value), value), random_state)


def knee(values: npt.ArrayLike, directions: Sequence[str], random_state: Seed = None) -> int:
    """Choose the point of the front that lies furthest above the plane through the best points of each objective.

    Every objective is scaled to 0 (worst on the front) and 1 (best on the front); with two objectives the distance to
    the line through the ends of the front is (sum of the scaled values - 1) / sqrt(2), and the sum is what is compared
    for any number of them.

    Parameters
    ----------
    values : array-like or frame of shape (n_configurations, n_objectives)
        What each configuration reached.
    directions : sequence of str
        "max" or "min" for each objective.
    random_state : int or None, default=None
        Seed of the draw between configurations that are equal in everything. None draws anew each time.

    Returns
    -------
    int
        The index of the configuration.

    References
    ----------
    Das (1999), On characterizing the knee of the Pareto curve based on normal-boundary intersection.

    Examples
    --------
    >>> import steadyset as st
    >>> st.choose.knee([[0.95, 0.40], [0.94, 0.80], [0.80, 0.85]], ["max", "max"])
    1
    """
    scores = _maximised(values, directions)
    front = pareto_front(values, directions)
    if not len(front):
        raise InputError("No configuration has all objectives defined; there is nothing to choose from.")
    low, high = scores[front].min(axis=0), scores[front].max(axis=0)
    scaled = (scores[front] - low) / np.where(high > low, high - low, 1.0)
    return _one_of(front[_best(_all(scaled[:, 0]), scaled.sum(axis=1))], random_state)


@dataclass(frozen=True)
class ChoiceRule:
    """A rule by which `Tuning.choose` takes one configuration, and what is said of it.

    Parameters
    ----------
    name : str
        What it is called, such as "epsilon".
    place : Callable
        Gets the tuning and the numbers of the rule, and returns the row of `frame` that is taken. A tuning has
        `accuracy()` and `stability()` (more is better), `accuracy_error()`, and `column(name)` of `frame`.
    words : str
        What the chosen configuration is: {score} stands for the name of the score, {0} and {1} for the numbers.
    defaults : tuple of float, default=()
        The numbers that may follow the name, such as those of "epsilon:0.025,0.1".
    reference : str, default=""
        The key of the rule's reference.

    Examples
    --------
    >>> import steadyset as st
    >>> steadiest = st.choose.ChoiceRule("steadiest", lambda tuning: int(tuning.stability().argmax()), "the steadiest")
    >>> steadiest.defaults
    ()
    """

    name: str
    place: Callable[..., int]
    words: str
    defaults: tuple[float, ...] = ()
    reference: str = ""


DEFAULT_RULE = "margins:0.025,0.1"
CHOICES = Registry("choice", ChoiceRule)


def register_choice(rule: ChoiceRule, *, replace: bool = False) -> ChoiceRule:
    """Make a rule of choice known by its name, to `Tuning.choose`, `st.report` and the command.

    Parameters
    ----------
    rule : ChoiceRule
        The rule.
    replace : bool, default=False
        Whether it may take the name of another one.

    Returns
    -------
    ChoiceRule
        The rule.

    Raises
    ------
    InputError
        Where the name is taken.

    Examples
    --------
    >>> import steadyset as st
    >>> knee = st.choose.ChoiceRule("knee", lambda tuning: int(tuning.stability().argmax()), "the steadiest")
    >>> st.choose.register_choice(knee)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    steadyset.foundation.errors.InputError: A choice called 'knee' exists already; ...
    """
    return CHOICES.add(rule, replace=replace)


def check_rule(rule: str) -> tuple[ChoiceRule, tuple[float, ...]]:
    """The record and the numbers of a rule such as "epsilon:0.025,0.1"; numbers left out have their defaults."""
    name, _, rest = rule.partition(":")
    if name not in CHOICES and name not in CHOICES.names():
        raise wrong_argument("rule", f"one of {', '.join(CHOICES)}", rule)
    found = CHOICES[name]
    try:
        given = tuple(float(part) for part in rest.split(",") if part.strip())
    except ValueError:
        raise InputError(f"rule must have numbers after the colon, separated by commas (got {rule!r}).") from None
    if len(given) > len(found.defaults):
        least = (
            f"have at most {counted(len(found.defaults), 'number')} after {name}:"
            if found.defaults
            else f"be {name} alone, which takes no numbers"
        )
        raise InputError(f"rule must {least} (got {rule!r}).")
    return found, given + found.defaults[len(given) :]


def _epsilon(tuning: Trials, accuracy_slack: float, stability_slack: float) -> int:
    return epsilon_constraint(
        tuning.accuracy(),
        tuning.stability(),
        accuracy_slack,
        stability_slack,
        tuning.random_state,
        n_features=tuning.column(N_FEATURES),
    )


def _margins(tuning: Trials, accuracy_margin: float, stability_margin: float) -> int:
    return smallest_within_margins(
        tuning.accuracy(),
        tuning.stability(),
        tuning.column(N_FEATURES),
        accuracy_margin,
        stability_margin,
        tuning.random_state,
    )


def _most_stable(tuning: Trials) -> int:
    return _first_by(tuning, tuning.stability(), tuning.accuracy(), -tuning.column(N_FEATURES))


def _smallest(tuning: Trials) -> int:
    return _first_by(tuning, -tuning.column(N_FEATURES), tuning.accuracy(), tuning.stability())


def _one_se(tuning: Trials) -> int:
    return one_standard_error(
        tuning.accuracy(), tuning.accuracy_error(), tuning.column(N_FEATURES), tuning.random_state
    )


def _weighted(tuning: Trials, gamma: float) -> int:
    return weighted_sum(tuning.accuracy(), tuning.stability(), gamma, tuning.random_state)


def _harmonic(tuning: Trials, gamma: float) -> int:
    if tuning.lower_is_steadier:
        raise InputError(f"harmonic needs a measure for which higher is steadier; {tuning.measure} is not one.")
    return harmonic_mean(tuning.share_correct(), tuning.stability(), gamma, tuning.random_state)


for _rule in (
    ChoiceRule(
        "margins",
        _margins,
        "the smallest of those that are within {0:g} of the best {score} and, among these, within {1:g} of the best "
        "stability",
        (0.025, 0.1),
        "bommert2020",  # whose margins and first two steps these are
    ),
    ChoiceRule("stable", _most_stable, "the most stable"),
    ChoiceRule("smallest", _smallest, "the one with the fewest features"),
    ChoiceRule(
        "epsilon",
        _epsilon,
        "the first in {score} of those that are within {0:g} of the best {score} and, among these, within {1:g} of the "
        "best stability",
        (0.025, 0.1),
        "bommert2020",
    ),
    ChoiceRule("best", lambda tuning: best_accuracy(tuning.accuracy(), tuning.random_state), "the best in {score}"),
    ChoiceRule(
        "one_se", _one_se, "the smallest of those within one standard error of the best {score}", (), "breiman1984"
    ),
    ChoiceRule(
        "weighted", _weighted, "the largest weighted sum of stability (weight {0:g}) and {score}", (0.5,), "davis2006"
    ),
    ChoiceRule(
        "harmonic", _harmonic, "the largest harmonic mean of {score} and stability (weight {0:g})", (1.0,), "saeys2008"
    ),
    ChoiceRule(
        "knee",
        lambda tuning: knee(tuning.frame[list(tuning.objectives)], tuning.directions, tuning.random_state),
        "the knee of the Pareto front",
        (),
        "das1999",
    ),
):
    CHOICES.add(_rule)


def _maximised(values: Any, directions: Sequence[str]) -> Floats:
    table = numbers(values, "values")
    if table.ndim != 2 or not table.size:
        raise InputError(
            f"values has the shape {table.shape}; expected one row per configuration, one column per objective."
        )
    listed = isinstance(directions, Sequence) and not isinstance(directions, str)
    ways = list(directions) if listed else []
    if len(ways) != table.shape[1] or any(not isinstance(way, str) or way not in ("max", "min") for way in ways):
        raise InputError(
            f"directions must hold max or min for each of the {table.shape[1]} objectives (got {shown(directions)})."
        )
    return np.asarray(table * np.where([way == "max" for way in directions], 1.0, -1.0))


def _undominated(scores: Floats) -> Bools:
    """Which rows no other row dominates."""
    inside = np.ones(len(scores), dtype=np.bool_)
    # From the largest sums down: a row with a large sum throws out many others early.
    for row in np.argsort(-scores.sum(axis=1), kind="stable"):
        if inside[row]:
            mine, rest = scores[row], scores[inside]
            inside[inside] = (rest > mine).any(axis=1) | (rest == mine).all(axis=1)
    return inside


def _columns(**given: Any) -> list[Floats]:
    """One-dimensional arrays of one length; what is not given is all zeros."""
    known = {name: numbers(value, name) for name, value in given.items() if value is not None}
    lengths = {len(np.atleast_1d(column)) for column in known.values()}
    if len(lengths) != 1:
        raise InputError(f"{' and '.join(given)} have {sorted(lengths)} values; expected one for each configuration.")
    n = lengths.pop()
    columns = []
    for name in given:
        column = known.get(name, np.zeros(n))
        if column.shape != (n,) or not n:
            raise InputError(f"{name} has the shape {column.shape}; expected one value for each configuration.")
        columns.append(column)
    undefined = np.any([np.isnan(column) for column in columns], axis=0)
    if undefined.all():
        raise InputError("No configuration has all objectives defined; there is nothing to choose from.")
    for column in columns:
        column[undefined] = np.nan
    return columns


def _all(column: Floats) -> Ints:
    return np.arange(len(column))


def _best(candidates: Ints, criterion: Floats, slack: float = 0.0) -> Ints:
    """The candidates whose criterion is within `slack` of the best candidate's."""
    values = criterion[candidates]
    # A difference of exactly the slack may come out a rounding error above it.
    room = slack + 1e-12 * (slack > 0)
    return candidates[values >= np.nanmax(values) - room]


def _one_of(candidates: Ints, random_state: Seed) -> int:
    check_seed("random_state", random_state)
    if len(candidates) == 1:
        return int(candidates[0])
    return int(np.random.default_rng(random_state).choice(candidates))
