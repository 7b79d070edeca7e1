"""What users hold of several studies: which features come back in them, and what their own resamples predict of that.

All studies choose from the features that they share. Whether a feature of the others' lists has an effect in the
direction that they say is tested in each study by its own rows alone, which had no part in those lists. The p-value is
multiplied by the number of such features and by the number of studies; a feature comes back where two studies pass. If
it has the effect in one study at most, one of the two passed falsely: the chance that this happens to any feature is at
most the level, however features are correlated. For two studies it is the procedure of Bogomolov and Heller (2018).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any

from steadyset.foundation.display import Drawable, Record, Reportable, ShownFindings
from steadyset.shortlists.listed import STANDARD_DEVIATIONS

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.assessment import Assessment

LEVEL = 0.05


@dataclass(frozen=True)
class Study:
    """One study: its rows and features, how many it selects, and scores on its rows.

    `others` is that of a model of the other studies, `own` that of models of its own rows, by cross-validation, and
    `blind` that of a prediction without features.
    """

    name: str
    rows: int
    features: int
    size: int
    others: float = nan
    own: float = nan
    blind: float = nan


@dataclass(frozen=True)
class StudyPair:
    """How much of the list of `first` the study `second` selects too.

    Attributes
    ----------
    size, common, expected : of the list, of what both select, and of what random lists have in common
    same_direction : of what both select, how many have the same direction
    p_value : of so many or more in common, by targets that are permuted within either study
    predicted, low, high : of what `first` alone predicts by its own resamples, on average and in 95% of single studies
    """

    first: str
    second: str
    size: int
    common: int
    expected: float
    same_direction: int
    p_value: float
    predicted: float = nan
    low: float = nan
    high: float = nan

    @property
    def verdict(self) -> str:
        """How what was seen compares with what was predicted; "" where nothing was."""
        if self.low != self.low:
            return ""
        return "fewer" if self.common < self.low else "more" if self.common > self.high else "as predicted"


@dataclass(frozen=True)
class StudyFeature:
    """A feature that a study selects; `selected`, `directions` and `effects` have one value per study.

    `studies` counts those that select it in the same direction; `p_value` is adjusted, for two studies with the effect.
    """

    feature: str
    studies: int
    selected: tuple[bool, ...]
    directions: tuple[str, ...]
    effects: tuple[float, ...]
    p_value: float
    opposed: bool

    @property
    def comes_back(self) -> bool:
        """Whether at least two studies have the effect beyond chance."""
        return self.p_value <= LEVEL


@dataclass(frozen=True, repr=False)
class ComparedStudies(Record):
    """A comparison of studies as plain data.

    Attributes
    ----------
    selector, n_features : its name, and how many features all studies share
    score, effect : what the scores and the effects are
    studies, pairs, features : as `StudyComparison` tables them
    by_chance : how many features random lists would bring to at least 0, 1, 2, ... studies
    notes : what to keep in mind
    cautions : what makes the rows or features of a study doubtful
    """

    selector: str
    n_features: int
    score: str
    effect: str
    studies: tuple[Study, ...]
    pairs: tuple[StudyPair, ...]
    features: tuple[StudyFeature, ...]
    by_chance: tuple[float, ...]
    notes: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()

    @property
    def names_directions(self) -> bool:
        """Whether the sign of an effect does not tell its direction: which of several classes it is about."""
        return self.effect == STANDARD_DEVIATIONS


@dataclass(frozen=True, eq=False, repr=False)
class StudyComparison(ShownFindings, Drawable, Reportable):
    """What several studies select alike: what `compare_studies` answers.

    Attributes
    ----------
    features : pandas.DataFrame
        One row per feature that a study selects: how many studies select it in the same direction, the adjusted
        p-value of an effect in two studies, whether it thus comes back, and by study whether it is selected, its
        direction and its effect.
    pairs : pandas.DataFrame
        One row per list and other study: how many features of the list the other selects too, how many by chance, and
        how many the resamples of the study that made the list had predicted.
    studies : pandas.DataFrame
        One row per study: rows, features, selected features, and the score on it of a model of the other studies, of
        models of its own rows, and without features.
    compared : ComparedStudies
        All of it as plain data.
    settings : dict
        How it was computed.
    runs : Assessment
        The selections of the others, for each study that was left out, then those of folds of each study.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> random = np.random.default_rng(0)
    >>> y = np.arange(60) % 2
    >>> studies = {name: (random.normal(size=(60, 99)) + np.outer(y, np.arange(99) < 4), y) for name in "AB"}
    >>> found = st.compare_studies("anova:k=4", studies, pairs=20)
    >>> sorted(found.features.query("comes_back")["feature"])
    ['x0', 'x1', 'x2', 'x3']
    """

    compared: ComparedStudies
    settings: dict[str, Any]
    runs: Assessment

    @property
    def features(self) -> pd.DataFrame:
        """One row per feature that a study selects, those of most studies first."""
        import pandas as pd

        rows = []
        for one in self.compared.features:
            row = {key: getattr(one, key) for key in ("feature", "studies", "p_value", "comes_back")}
            for what, values in {"selected": one.selected, "direction": one.directions, "effect": one.effects}.items():
                row |= {f"{what}: {of.name}": value for of, value in zip(self.compared.studies, values, strict=True)}
            rows.append(row)
        return pd.DataFrame(rows)

    @property
    def pairs(self) -> pd.DataFrame:
        """One row per list and other study."""
        import pandas as pd

        return pd.DataFrame([vars(one) | {"verdict": one.verdict} for one in self.compared.pairs])

    @property
    def studies(self) -> pd.DataFrame:
        """One row per study."""
        import pandas as pd

        return pd.DataFrame(map(vars, self.compared.studies))
