"""What an experiment that is much smaller than the paper's can decide: shares, medians and draws with their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import beta, binom

from papers.framework.text import percent

CONFIDENCE = 0.95
DRAWS = 100  # of the rows of an experiment, with replacement


def share_interval(hits: int, n: int) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a share of which `hits` of `n` were seen."""
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if hits == 0 else float(beta.ppf(tail, hits, n - hits + 1))
    high = 1.0 if hits == n else float(beta.ppf(1 - tail, hits + 1, n - hits))
    return low, high


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the interval of a median from the order of the values, which assumes no distribution."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    n = len(ordered)
    rank = int(binom.ppf((1 - CONFIDENCE) / 2, n, 0.5))
    return float(ordered[max(rank - 1, 0)]), float(ordered[min(n - rank, n - 1)])


def largest_unseen_share(n: int) -> float:
    """Return the largest share of exceptions that `n` cases without one are compatible with."""
    return float(1 - (1 - CONFIDENCE) ** (1 / n))


def reach_without_exception(n: int, what: str) -> str:
    """Return what `n` cases of something without an exception decide."""
    most = percent(largest_unseen_share(n))
    return f"It would have seen exceptions among {n:,} {what} if at least {most} were exceptions ({CONFIDENCE:.0%})"


def reach_of_draws(holds: Callable[[Any], bool], frame: Any, seed: int, what: str) -> str:
    """Return how often draws of the rows of a frame give a claim the same answer, and "" if that is not nearly always.

    Rows are drawn with replacement within each data set, so that the answer is about other rows of the same kind. An
    answer that fewer than 95% of the draws give depends on which rows the experiment happened to have.
    """
    random = np.random.default_rng(seed)
    answer = holds(frame)
    same = sum(holds(_drawn(frame, random)) == answer for _ in range(DRAWS))
    if same < CONFIDENCE * DRAWS:
        return ""
    return (
        f"The answer is the same in {same} of {DRAWS} bootstrap draws of the {what}; it is about these data sets only"
    )


def undecided_draws(what: str) -> str:
    """Return the reason for a claim without a reach of draws."""
    return f"Fewer than {CONFIDENCE:.0%} of {DRAWS} bootstrap draws of the {what} give the same answer."


def _drawn(frame: Any, random: Any) -> Any:
    places = np.arange(len(frame))
    parts = [places[(frame["data"] == name).to_numpy()] for name in dict.fromkeys(frame["data"])]
    return frame.iloc[np.concatenate([random.choice(part, len(part)) for part in parts])]
