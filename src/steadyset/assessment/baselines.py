"""Whether selected features predict better than what needs no selection: as many random features, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from steadyset.inference.hypotheses import TestResult
from steadyset.inference.scores import test_mean_difference
from steadyset.runner.run import Cell
from steadyset.runner.scoring import lower_is_better

NOT_ABOVE = "not above baseline"  # instead of a word for the stability: steadiness is no merit there


@dataclass(frozen=True)
class Beaten:
    """Whether the tests show a better score than as many random features, and than none (blind); None: no test."""

    random: bool | None = None
    blind: bool | None = None

    @property
    def both(self) -> bool:
        """Whether the score is shown to be better than both."""
        return self.random is True and self.blind is not False

    @property
    def at_chance(self) -> bool:
        """Whether a test could have shown that, and did not."""
        return self.random is False or self.blind is False


def baselines_beaten(
    cells: Mapping[str, Sequence[Cell]], score: str, test_ratio: float, level: float, *, n_features: int
) -> dict[str, Beaten]:
    """By selector: the corrected resampled t-test against each baseline.

    Who selects all features in every run has no random features to be held against.
    """
    # One test per selector, without an adjustment: each run draws random features of its own, and the correction takes
    # the variance that these add for one that all runs share. In 1,200 data sets of noise one of 5 tests erred once.
    choosing = {
        name: [] if all(len(cell.selected or ()) == n_features for cell in mine) else mine
        for name, mine in cells.items()
    }
    random = _beaten(choosing, "random", score, test_ratio, level)
    blind = _beaten(cells, "blind", score, test_ratio, level)
    return {name: Beaten(random[name], blind[name]) for name in cells}


def _beaten(
    cells: Mapping[str, Sequence[Cell]], baseline: str, score: str, test_ratio: float, level: float
) -> dict[str, bool | None]:
    tests = {name: _test(mine, baseline, score, test_ratio) for name, mine in cells.items()}
    sign = -1 if lower_is_better(score) else 1
    return {name: _shown(test, sign * test.estimate > 0, level) for name, test in tests.items()}


def _shown(test: TestResult, better: bool, level: float) -> bool | None:
    """Where the difference is the same in every run there is no test, but what is never better is not better."""
    if isnan(test.estimate) or (better and isnan(test.p_value)):
        return None
    return better and test.p_value <= 1 - level


def _test(cells: Sequence[Cell], baseline: str, score: str, test_ratio: float) -> TestResult:
    known = [(getattr(cell, baseline)[score], cell.scores[score]) for cell in cells if _knows(cell, baseline, score)]
    return test_mean_difference([one for one, _ in known], [other for _, other in known], test_ratio)


def _knows(cell: Cell, baseline: str, score: str) -> bool:
    return score in cell.scores and score in getattr(cell, baseline)
