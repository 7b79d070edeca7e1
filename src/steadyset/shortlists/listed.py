"""A shortlist as plain data, which findings, reports and JSON read: list, groups, candidates, and the proof of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any

from steadyset.foundation.display import Record

LISTED, GROUP, CANDIDATE = "listed", "group", "candidate"
STANDARD_DEVIATIONS, CORRELATION, HAZARD_RATIO = "standard deviations", "correlation", "hazard ratio"


@dataclass(frozen=True)
class ListedFeature:
    """A row of the list, best first.

    Attributes
    ----------
    feature : its name
    tier : "listed", "group" (a member of a listed group) or "candidate" (does not pass)
    frequency, low, high : the share of halves in which it was among the best `among`, with an interval
    direction : in words of the target
    effect, effect_low, effect_high : of a listed feature, corrected for selection if `corrected` is true
    group : the number of its cluster of similar features
    q_value : the estimated rate of false features if the list ended with it or with a later one; never falls
    base : the ranking that lists it, "filter and lasso" if each of both does; of others, that which is closest to it
    among : the same number for all features of a list, at least as many as it holds where halves are ranked so far
    came_back : the share of repeats with fewer rows whose list holds it; undefined without repeats
    alike, alike_frequencies : other members of its cluster, the most frequent first, and how often they are chosen
    n_alike : how many they are
    corrected : whether its effect is corrected for selection
    uncorrected_effect, p_value : of the feature alone, by the `test` of the list
    difference : of the means of two classes along the direction, in the unit of the data
    """

    feature: str
    tier: str
    frequency: float
    low: float
    high: float
    direction: str
    effect: float
    effect_low: float
    effect_high: float
    group: int
    q_value: float
    base: str
    among: int
    came_back: float = nan
    alike: tuple[str, ...] = ()
    alike_frequencies: tuple[float, ...] = ()
    n_alike: int = 0
    corrected: bool = False
    uncorrected_effect: float = nan
    p_value: float = nan
    difference: float = nan


@dataclass(frozen=True)
class ListedGroup:
    """Similar features of which at least one is meant, although none is listed alone; which one cannot be told."""

    features: tuple[str, ...]  # the most frequent first
    frequency: float
    expected: float


@dataclass(frozen=True)
class Added:
    """What the list adds to a model of covariates alone, in the score; positive where it helps."""

    covariates: tuple[str, ...]
    gain: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class Prediction:
    """How well the list predicts rows that it was not chosen on, with an interval, beside what needs no list.

    `random` is of as many features drawn at random, `blind` of none, `every` of all features. `beats_random` and
    `beats_blind` say whether tests show more than that; None where there is no test. Lists of `nearly_all` features are
    not compared with random ones, which are mostly the same. Where covariates stay, every model has them too: `blind`
    is of the covariates alone, and `added` what the list adds to it.
    """

    score: str
    estimate: float
    low: float
    high: float
    random: float
    blind: float
    every: float
    beats_random: bool | None
    beats_blind: bool | None
    nearly_all: bool = False
    added: Added | None = None

    @property
    def better(self) -> bool | None:
        """Whether tests show more than random features and than none; None where one is missing and none is lost."""
        if self.beats_random is False or self.beats_blind is False:
            return False
        return True if (self.beats_random or self.nearly_all) and self.beats_blind else None


@dataclass(frozen=True)
class Repeats:
    """Whether the list would come out again: lists from random parts of the rows, chosen anew each time.

    ``n_pooled`` is the number of permuted targets that the lists of all parts share; 0 if each list has its own.
    """

    n_repeats: int
    fraction: float
    stability: float
    low: float
    high: float
    fewest: int
    most: int
    n_names: int  # in all lists together
    n_pooled: int = 0


@dataclass(frozen=True)
class Tried:
    """Another choice on the same data, how many features (or groups) it lists, and the options that make it."""

    what: str
    n_listed: float
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """Which share of effects of a size, put into the data with a permuted target, is listed."""

    effect: float
    share: float


@dataclass(frozen=True)
class RuleListing:
    """What another rule lists from halves of the same data, and what it promises."""

    rule: str
    features: tuple[str, ...]  # best first
    promises: str
    held: str  # in the study of docs/shortlist.md
    reference: str


@dataclass(frozen=True, repr=False)
class Listed(Record):
    """A shortlist as plain data: see `Shortlist`."""

    features: tuple[ListedFeature, ...]
    groups: tuple[ListedGroup, ...]
    false: float | None
    fdr: float | None
    n_permutations: int
    n_splits: int
    bases: tuple[str, ...]
    null_counts: tuple[int, ...]  # how many features each permuted target lists
    classes: tuple[str, ...] = ()
    target: str = ""
    effect: str = STANDARD_DEVIATIONS
    ranks: bool = False
    prediction: Prediction | None = None
    repeats: Repeats | None = None
    tried: tuple[Tried, ...] = ()
    power: tuple[Found, ...] = ()
    fewer_rows: tuple[Tried, ...] = ()
    rules: tuple[RuleListing, ...] = ()
    left_out: tuple[str, ...] = ()
    exchanged: str = ""  # within which rows targets were, where not all could be
    null_groups: tuple[int, ...] = ()  # how many clusters of features each permuted target lists
    n_clusters: int = 0  # that are listed, those of a single feature too
    void: str = ""  # why the number of false features does not hold; empty where it does
    test: str = ""  # of each feature alone
    of_means: bool = False  # whether effects are those of the means of groups of rows
    target_ranks: bool = False  # whether the target is ranked

    @property
    def names(self) -> list[str]:
        """The listed features."""
        return [one.feature for one in self.features if one.tier == LISTED]

    def of_tier(self, tier: str) -> list[ListedFeature]:
        """The rows of a tier, best first."""
        return [one for one in self.features if one.tier == tier]
