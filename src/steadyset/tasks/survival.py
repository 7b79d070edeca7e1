"""Time to event: how long each row was followed, and whether the event took place then or the row was censored.

Everywhere else such a target is an array of rows x 2: times, and events as 1 or 0. A censoring counts as later than an
event at the same time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError, either
from steadyset.tasks.record import TASKS, Task, made, with_equal

SURVIVAL = "survival"
MAX_ORDERED = 2000  # rows whose order is compared
LEAST_EVENTS = 2  # a single event orders nothing but itself before the rest
TRUTHS = {"true": 1.0, "false": 0.0, "0": 0.0, "1": 1.0}
YES_NO = {"yes": 1.0, "no": 0.0, "y": 1.0, "n": 0.0, "t": 1.0, "f": 0.0}
EVENT_WORDS = frozenset(
    [
        *("dead", "deceased", "died", "death", "expired", "event", "relapse", "relapsed", "recurrence", "recurred"),
        *("progression", "progressed", "metastasis", "dod", "doc", "doo"),
    ]
)
CENSORED_WORDS = frozenset(
    [
        *("alive", "living", "survived", "censored", "cens", "censor", "free", "diseasefree", "ned", "awd"),
    ]
)
NEGATIONS = frozenset(["no", "non", "none", "not", "without"])  # censored if what they deny is an event
DENIED_WORDS = EVENT_WORDS | {"disease"}  # as in "no evidence of disease"
UNKNOWN_WORDS = frozenset(
    [
        *("unknown", "unavailable", "missing", "na", "nan", "undetermined", "unspecified", "unclear"),
        *("available", "known", "reported", "recorded", "applicable", "evaluable", "assessed", "determined"),
    ]
)
OF_CENSORING = frozenset(["censor", "censored", "censoring", "cens", "censdead", "censrec"])
OF_LIFE = frozenset(["alive", "living", "survived"])  # names of columns in which 1 is a row without the event
MEANING = "1 (or True) where it took place, 0 (or False) where the row was censored"
SHOWN = 4  # values in a sentence
N_POINTS, N_THIRDS = 31, 3


class Survival(np.ndarray[Any, Any]):
    """A target of times and events, for everything that takes y.

    A structured array with the fields time and event, as scikit-survival has it in the other order.

    Parameters
    ----------
    time : array-like of float of shape (n_samples,)
        How long each row was followed, from one common origin: until the event, or until the row was censored.
    event : array-like of shape (n_samples,)
        1 or True where the event took place at that time, 0 or False where the row was censored.

    Raises
    ------
    InputError
        Where a time is not a positive number, or an event neither 0 nor 1.

    Examples
    --------
    >>> import steadyset as st
    >>> y = st.Survival([5.0, 8.0, 12.5], [1, 0, 1])
    >>> y["time"].tolist(), y["event"].tolist()
    ([5.0, 8.0, 12.5], [True, False, True])
    """

    def __new__(cls, time: ArrayLike, event: ArrayLike) -> Self:
        """The array."""
        times, events = read_survival({"time": _values(time, "time"), "event": _values(event, "event")}).T
        found = np.empty(len(times), dtype=[("time", np.float64), ("event", np.bool_)])
        found["time"], found["event"] = times, events == 1
        return found.view(cls)


def _values(given: Any, name: str) -> list[Any]:
    try:
        array = np.asarray(given)
    except ValueError:
        array = np.empty((0, 0))
    if array.ndim != 1 or not len(array):
        raise wrong_argument(name, "one value for each row", given)
    return list(array.tolist())


def read_survival(columns: Mapping[str, Sequence[Any]]) -> NDArray[Any]:
    """A time and an event for each row, from two columns of any kind."""
    (time, times), (event, events) = columns.items()
    if len(times) != len(events):
        raise InputError(f"{time!r} has {len(times)} values and {event!r} {len(events)}; expected as many.")
    try:
        numbers = np.array([np.nan if one is None else float(one) for one in times])
    except (TypeError, ValueError, OverflowError):
        odd = next((one for one in times if not _is_number(one)), "a number beyond 1.8e308")
        raise InputError(
            f"the time {time!r} holds {str(odd)[:40]!r}; expected positive numbers, such as the months from the "
            "diagnosis to the event or to the last visit."
        ) from None
    if set(numbers.tolist()) == {0.0, 1.0}:
        raise InputError(
            "The two columns of the target hold labels, not a time and an event: all times are 0 or 1. Several labels "
            "per row are not supported, so give one of the columns as the target."
        )
    _refuse_times(numbers, f"the time {time!r}")
    states = np.array([TRUTHS.get(str(one).strip().lower().removesuffix(".0"), np.nan) for one in events])
    _refuse_events(states, list(events), f"the event {event!r}")
    return np.column_stack([numbers, states])


UNIT_LETTERS = {"d": "days", "w": "weeks", "m": "months", "y": "years"}  # in brackets: Follow-up [d]


def words_of(name: str) -> list[str]:
    """Return the words of a name in small letters: OS.time, osTime and "os time" have the same ones."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.removesuffix(":ch1")).lower()
    apart = re.sub(r"follow[ _.-]?up", " followup ", apart)
    apart = re.sub(r"\b(o|ds|pf|df|rf|dmf|mf|ef)(stime)\b", lambda found: f"{found[1]}s time", apart)
    apart = re.sub(r"[\[(](d|w|m|y)[\])]", lambda found: f" {UNIT_LETTERS[found[1]]} ", apart)
    return re.findall(r"[a-z]+", re.sub(r"(days|weeks|months|years)to", r"\1 to", apart))


def codings_of(name: str, kinds: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pairs of an event and a censored value that two values may mean, the most probable first.

    None of them if the values are no states of a patient; both if the name and the values leave it open.
    """
    if len(kinds) != 2:
        return []
    one, other = kinds
    words = set(words_of(name))
    # In `censored` 1 may be a censored row, as in English, or an event, as in a censoring indicator of R; in
    # `overall_survival` it may be a row that survived.
    either_way = bool(words & OF_CENSORING or ("survival" in words and "status" not in words))
    if {one, other} == {"1", "2"}:  # as R's survival package codes censored and dead
        usual = [("2", "1")]
        return [*usual, ("1", "2")] if either_way or words & OF_LIFE else usual
    states = [None if _plain(kind) in YES_NO else _state_of(kind, words) for kind in kinds]
    both = [(one, other), (other, one)]
    if states == [True, False]:
        return both[:1]
    if states == [False, True]:
        return both[1:]
    values = [TRUTHS.get(_plain(kind), YES_NO.get(_plain(kind))) for kind in kinds]
    if set(values) != {0.0, 1.0}:
        return []
    yes = both[0] if values[0] else both[1]
    no = yes[1], yes[0]
    if words & OF_LIFE:
        return [no]
    return [no, yes] if either_way else [yes]


def is_plain_event(value: str) -> bool:
    """Return whether a value is 1 or True, which is an event unless somebody says otherwise."""
    return TRUTHS.get(_plain(value)) == 1.0


def coding_told(name: str, cells: Sequence[str], happened: str) -> str:
    """Return the note that says which value of a column is the event, and which a censored row."""
    kinds = sorted(set(cells))
    event = happened or next(filter(is_plain_event, kinds), "")
    others = [kind for kind in kinds if kind != event]
    return f"{name!r}: {event} = event, {' or '.join(others)} = censored" if event and others else ""


def _plain(value: str) -> str:
    return value.strip().lower().removesuffix(".0")


def _state_of(value: str, of_name: set[str]) -> bool | None:
    """Whether a value is the word for an event, or for none; None if it is neither, or does not say.

    `of_name` are the words of the column's name: "none" alone says something in `relapse`, and nothing in `status`.
    """
    words = re.findall("[a-z]+", value.lower())
    if _is_unknown(value):
        return None
    first = next((place for place, word in enumerate(words) if word in NEGATIONS), len(words))
    denied = set(words[first + 1 :])
    if denied & CENSORED_WORDS:  # "not censored"
        return None
    if CENSORED_WORDS & set(words) or denied & DENIED_WORDS:
        return False
    if len(words) == 1 and first == 0 and of_name & EVENT_WORDS:
        return False
    return True if EVENT_WORDS & set(words) else None


def _is_unknown(value: str) -> bool:
    """Return whether a value says that something is not known, such as "not available"."""
    return bool(UNKNOWN_WORDS & set(re.findall("[a-z]+", value.lower())))


def event_states(name: str, cells: Sequence[str], happened: str) -> list[str]:
    """A column of events in which one of two values says that the event took place."""
    kinds = list(dict.fromkeys(cells))
    codings = codings_of(name, kinds)
    is_plain = {kind.lower() for kind in kinds} <= TRUTHS.keys()
    as_named = len(codings) == 1 and is_plain_event(codings[0][0])
    if len(kinds) > 2 or (not happened and is_plain and (as_named or not codings)):
        return list(cells)
    if unknown := [kind for kind in kinds if _is_unknown(kind)]:
        raise InputError(
            f"the event {name!r} holds {unknown[0]!r} in {_rows(list(cells).count(unknown[0]))}, which does not say "
            "whether the event took place; remove such rows, or give the column another value there."
        )
    if happened not in kinds:
        first = [event for event, _ in codings]
        ordered = [*first, *(kind for kind in kinds if kind not in first)]
        ways = either("event", *(f"{name}={kind}" for kind in ordered))
        probable = f"; {codings[0][0]} = event, {codings[0][1]} = censored, it seems" if len(codings) == 1 else ""
        told = f"the event {name!r} holds {' and '.join(kinds)}; say which is the event with "
        raise InputError(told, *ways, f"{probable}.")
    return [str(int(cell == happened)) for cell in cells]


def _is_number(value: Any) -> bool:
    try:
        float(0 if value is None else value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


def _refuse_times(times: NDArray[Any], what: str) -> None:
    if missing := int(np.isnan(times).sum()):
        raise InputError(f"{what} is missing in {_rows(missing)}.")
    wrong = times[~((times > 0) & np.isfinite(times))]
    if len(wrong):
        raise InputError(
            f"{what} is {wrong[0]:g} in {_rows(len(wrong))}; times are positive numbers from one common origin, so "
            "remove such rows, or count a time of 0 as half of the smallest unit."
        )


def _refuse_events(states: NDArray[Any], given: list[Any], what: str) -> None:
    missing = sum(one is None or one != one or one == "" for one in given)
    if missing:
        raise InputError(f"{what} is missing in {_rows(missing)}.")
    if np.isnan(states).any():
        kinds = list(dict.fromkeys(map(str, given)))
        shown = ", ".join(kinds[:SHOWN]) + ", ..." * (len(kinds) > SHOWN)
        more = "; several kinds of events (competing risks) are not modelled, so choose one" * (len(kinds) > 2)
        more += "; where 2 is the event, as R codes it, subtract 1" * (set(kinds) == {"1", "2"})
        raise InputError(f"{what} holds {shown}; expected {MEANING}{more}.")


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _check(y: NDArray[Any]) -> None:
    """Refuse what holds too few events to learn anything from."""
    events, rows = int(y[:, 1].sum()), len(y)
    if events == 0:
        raise InputError(f"all {rows} rows are censored, so there is no event to learn from; an event is {MEANING}.")
    if events < LEAST_EVENTS:
        raise InputError(f"y has 1 event in {rows} rows; at least {LEAST_EVENTS} are needed to compare times.")


def _describe(y: NDArray[Any]) -> str:
    events = int(y[:, 1].sum())
    return f"time to event, {events:,} events in {len(y):,} rows, times from {y[:, 0].min():g} to {y[:, 0].max():g}"


def lateness(y: NDArray[Any]) -> NDArray[np.float64]:
    """One number per row that rises with the time to the event: H(t) - event, minus the martingale residual.

    H is the Nelson-Aalen estimate of the cumulated hazard. The sum of its products with a feature is minus the score
    U(0) of Cox's partial likelihood, so that signs agree with those of hazards (Therneau, Grambsch and Fleming 1990).
    """
    times, events = y[:, 0], y[:, 1]
    distinct, place = np.unique(times, return_inverse=True)
    deaths = np.bincount(place, events, minlength=len(distinct))
    at_risk = np.cumsum(np.bincount(place, minlength=len(distinct))[::-1])[::-1]
    return np.asarray(np.cumsum(deaths / at_risk)[place] - events)


def _points(y: NDArray[Any]) -> NDArray[np.float64]:
    """Times from 0 to that which a tenth of the rows passes."""
    return np.linspace(0, np.quantile(y[:, 0], 0.9), N_POINTS)


def risk_curves(model: Any, train: Any, test: Any, y: NDArray[Any], points: NDArray[Any]) -> NDArray[np.float64]:
    """Shares of the left-out rows without an event, by thirds of the risks of the training rows (low, middle, high).

    Then what the model predicts for these thirds. nan without rows, beyond the time that the last of them was followed,
    and where the model predicts risks alone.
    """
    from steadyset.kernels.hazards import product_limit

    thirds = np.searchsorted(np.quantile(model.predict(train), [1 / 3, 2 / 3]), model.predict(test), side="left")
    try:
        expected = predicted_survival(model, test, points, "calibration")
    except InputError:
        expected = None
    shares = np.full((2, N_THIRDS, len(points)), np.nan)
    for third in np.unique(thirds):
        own = y[thirds == third]
        shares[0, third] = product_limit(own[:, 0], own[:, 1], np.ones(len(own))).at(points)
        if expected is not None:
            shares[1, third] = expected[thirds == third].mean(axis=0)
        unknown = (points > own[:, 0].max()) & (shares[0, third] > 0)  # where all had the event, that is known
        shares[:, third, unknown] = np.nan
    return shares.reshape(2 * N_THIRDS, len(points))


def predicted_survival(model: Any, X: Any, times: ArrayLike, who: str) -> NDArray[np.float64]:
    """The probabilities of no event up to some times; `who` needs a predictor that has them."""
    last = model
    if not hasattr(model, "predict_survival") and hasattr(model, "steps"):
        last, X = model[-1], model[:-1].transform(X)
    if not hasattr(last, "predict_survival"):
        raise InputError(f"{who} needs a predictor with predict_survival, such as st.CoxModel.")
    return np.asarray(last.predict_survival(X, times))


def middle(y: NDArray[Any]) -> float:
    """The median time of the events."""
    return float(np.median(y[y[:, 1] > 0, 0]))


def _event_risks(model: Any, X: Any, y: NDArray[Any]) -> NDArray[np.float64]:
    return 1 - predicted_survival(model, X, [middle(y)], "a risk")


def _concordances(predicted: NDArray[Any]) -> NDArray[np.float64]:
    """Return models x models: Kendall's tau-b of their risks; of many rows, of some of them."""
    from scipy.stats import kendalltau

    rows = np.unique(np.linspace(0, predicted.shape[1] - 1, min(MAX_ORDERED, predicted.shape[1])).astype(np.int64))
    risks = predicted[:, rows, 0]
    varies = np.ptp(risks, axis=1) > 0
    table = np.zeros((len(risks), len(risks)))
    for i in range(len(risks)):
        for j in range(i):
            if varies[i] and varies[j]:
                table[i, j] = table[j, i] = kendalltau(risks[i], risks[j]).statistic
    return with_equal(table, risks)


def _observed_risk(y: NDArray[Any], rows: NDArray[Any]) -> NDArray[np.float64]:
    """Kaplan and Meier's share with an event; unknown where nobody was followed so long."""
    from steadyset.kernels.hazards import product_limit

    at, own = middle(y), y[rows]
    share = product_limit(own[:, 0], own[:, 1], np.ones(len(own))).at(np.array([at]))
    return 1 - (share if own[:, 0].max() >= at else np.where(share > 0, np.nan, 0.0))


def _global_model(X: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from steadyset.tasks.models.cox import CoxModel

    scale = X.std(axis=0)
    model = CoxModel(penalty=0.0, ties="efron").fit(X / np.where(scale > 0, scale, 1.0), y)
    errors = np.sqrt(np.diag(model.covariance_))
    if not scale.all() or not np.isfinite(errors).all():
        raise InputError("the likelihood of the model with all features has no maximum")
    return model.coef_ / scale, errors / scale


TASKS.add(
    Task(
        name=SURVIVAL,
        words="time to event",
        one="a time to event",
        several="times to event",
        recognise=lambda y: True,
        place=100,  # whatever has two columns and is nothing else
        n_columns=2,
        read=read_survival,
        check=_check,
        describe=_describe,
        counted=lambda y: {"events": int(y[:, 1].sum())},
        few=10,
        learnable=lambda y: bool(y[:, 1].sum() >= LEAST_EVENTS),
        unlearnable=f"the resample holds fewer than {LEAST_EVENTS} events; where all rows hold at least "
        f"{2 * LEAST_EVENTS}, a resampling with stratified=True keeps their share",
        directions=("shorter time", "longer time"),
        direction_by="the sign of the score of Cox's likelihood",
        opposed=True,
        strata=lambda y: y[:, 1],
        stratified=True,
        strata_words="each state (event or censored)",
        points=_points,
        curves=risk_curves,
        predictions=_event_risks,
        prediction_words="predicted risk of an event up to the median time of events",
        group_words="third of the risks",
        agreement=_concordances,
        agreement_words="Kendall's tau of the predicted risks, which is 2 times their concordance minus 1",
        observed=_observed_risk,
        global_model=_global_model,
        effect="hazard ratio",
        takes_noise=False,
        amounts=lateness,
        amounts_words="the martingale residuals of the target",
        amounts_shown="lateness of the event",
        selectors=lambda n_classes: ("lasso", "elastic_net", "anova", "kruskal", "forest"),
        score=lambda y: "harrell",
        predictor=partial(made, "steadyset.tasks.models.cox:CoxModel"),
        predictor_words="Cox regression",
        blind=partial(made, "steadyset.tasks.models.cox:NoHazards"),
        blind_words="no difference between rows",
        bins="equal_width",
        regression="Cox",
    )
)
