"""Which importances count as selected: the largest, those above a value, or both."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from steadyset.foundation.arguments import check_finite, check_integer, wrong_argument
from steadyset.foundation.errors import Argument, InputError, UninformativeWarning
from steadyset.kernels.arrays import Floats, Ints

PER_FOLD = ("mean", "median")


@dataclass(frozen=True)
class Cut:
    """The `top` largest importances, those above `threshold` (a number, or the fold's "mean" or "median"), or both.

    An importance of 0 is never selected by `top` alone.
    """

    top: int | None
    threshold: float | str | None

    def __post_init__(self) -> None:
        if self.top is not None:
            check_integer("top", self.top, least=1)
        if isinstance(self.threshold, str):
            if self.threshold not in PER_FOLD:
                raise wrong_argument("threshold", 'a number, "mean" or "median"', self.threshold)
        elif self.threshold is not None:
            check_finite("threshold", self.threshold)

    @property
    def asked(self) -> bool:
        """Whether the caller gave any of the two."""
        return self.top is not None or self.threshold is not None

    def words(self, what: str) -> str:
        """What is kept of importances, coefficients or the like, as a phrase."""
        above = "" if self.threshold is None else f" above {self._least_words()}"
        return f"{what}{above}" if self.top is None else f"the {self.top} largest {what}{above}"

    def _least_words(self) -> str:
        return f"their {self.threshold}" if isinstance(self.threshold, str) else f"{self.threshold:g}"

    def kept(self, importances: Floats) -> Ints:
        """The positions that are kept of one fold, ascending; of equal importances the first positions."""
        above = np.flatnonzero(importances > self._least(importances))
        if self.top is None or len(above) <= self.top:
            return above
        best = above[np.argsort(-importances[above], kind="stable")[: self.top]]
        return np.sort(best)

    def _least(self, importances: Floats) -> float:
        if isinstance(self.threshold, str):
            return float(importances.mean() if self.threshold == "mean" else np.median(importances))
        return 0.0 if self.threshold is None else float(self.threshold)

    def decided_by_order(self, importances: Floats) -> bool:
        """Whether an importance that is left out equals the smallest that `top` keeps."""
        kept = self.kept(importances)
        if self.top is None or len(kept) < self.top:
            return False
        return int(np.count_nonzero(importances == importances[kept].min())) > int(
            np.count_nonzero(importances[kept] == importances[kept].min())
        )


NO_CUT, MEAN = Cut(None, None), Cut(None, "mean")


def check_top(cut: Cut, n_features: int) -> None:
    """No more than there are."""
    if cut.top is not None and cut.top > n_features:
        raise wrong_argument("top", f"at most {n_features}, the number of features", cut.top)


def warn_of_ties(cut: Cut, folds: Sequence[Floats], *, depth: int) -> None:
    """Tell when only the order of the columns decided what `top` keeps: that looks steady and is not.

    `depth` is how many functions of steadyset are between here and the caller.
    """
    tied = sum(cut.decided_by_order(importances) for importances in folds)
    if tied:
        warnings.warn(
            f"In {tied} of {len(folds)} folds the last of the top {cut.top} has the same importance as a feature that "
            "is left out; the order of the columns decided.",
            UninformativeWarning,
            stacklevel=2 + depth,
        )


def say_how_many(*before: Any) -> InputError:
    """The error of importances of which nothing says how many count as selected."""
    return InputError(
        *before,
        "; say which count as selected: ",
        Argument("top", 10),
        " for the 10 largest, or ",
        Argument("threshold", "mean"),
        " for those above the mean.",
    )
