"""What users hold of a shortlist, and how it is made of what was judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from steadyset.foundation.arguments import LEVEL
from steadyset.foundation.display import Drawable, Reportable, ShownFindings
from steadyset.inference.features import Directions, data_directions, jeffreys
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.shortlists.bases import standardized
from steadyset.shortlists.effects import ListedChance, corrected, effects, widened
from steadyset.shortlists.exchange import cleared
from steadyset.shortlists.listed import (
    CANDIDATE,
    CORRELATION,
    GROUP,
    LISTED,
    STANDARD_DEVIATIONS,
    Listed,
    ListedFeature,
    ListedGroup,
    Prediction,
    Repeats,
)
from steadyset.shortlists.procedure import Judged
from steadyset.shortlists.univariate import Univariate, hazards_of, test_words, univariate
from steadyset.tasks import TASKS

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.assessment import Assessment
    from steadyset.inference.features import Extract

LEAST_CANDIDATES = 10
FEWEST_UNITS = 24  # from which effects have intervals: of 10 and 16 rows these covered 64% and 81%
FILTER = "filter"  # the base that ranks by the effects themselves
MOST_ALIKE = 100  # look-alikes that are kept beside a feature


@dataclass(frozen=True, eq=False, repr=False)
class Shortlist(ShownFindings, Drawable, Reportable):
    """The features that a stated number of false ones may be among: what `shortlist` answers.

    Attributes
    ----------
    features : pandas.DataFrame
        One row per listed feature, member of a listed group and candidate, best first: feature, tier ("listed", "group"
        or "candidate"), frequency (the share of halves in which it was among the best `among` of one ranking) with its
        interval low and high, direction in words, effect with effect_low and effect_high, group (the number of its
        cluster of similar features), q_value (the estimated rate of false features if the list ended with it or with a
        later one), base
        (the ranking that lists it), among, came_back (the share of repeats that list it), corrected (whether the effect
        is corrected for selection), uncorrected_effect and p_value (of the feature alone, by `listed.test`), difference
        (of the means of two classes along the direction, in the unit of the data).
    groups : tuple of ListedGroup
        Groups that are listed although none of their members is.
    candidates : pandas.DataFrame
        The rows of `features` that do not pass.
    selected : list of str
        The names of the listed features.
    score : Prediction or None
        How well the list predicts, beside random features, none and all; None without outer repeats.
    stability : Repeats or None
        Whether the list would come out again; None without outer repeats.
    listed : Listed
        All of it as plain data, with what would help and what was left out.
    settings : dict
        How it was computed.
    evaluation : Assessment or None
        The outer repeats: what the whole procedure lists on parts of the rows.
    support : array of bool of shape (n_features,)
        The listed features among those of X.
    extract : Extract or None
        The values of the first features, which pictures show.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> X = np.random.default_rng(2).normal(size=(60, 200))
    >>> y = np.arange(60) % 2
    >>> X[y == 1, :3] += 1.5
    >>> found = st.shortlist(X, y, bases=["filter"], permutations=20, outer=0)
    >>> found.features[["tier", "direction"]].head(2)
         tier    direction
    0  listed  higher in 1
    1  listed  higher in 1
    """

    listed: Listed
    settings: dict[str, Any]
    evaluation: Assessment | None = None
    support: Bools = field(default_factory=lambda: np.zeros(0, np.bool_))
    extract: Extract | None = None

    @property
    def features(self) -> pd.DataFrame:
        """The list and what follows it, a row each."""
        import pandas as pd

        hidden = ("alike", "alike_frequencies", "n_alike")
        rows = [{key: value for key, value in asdict(one).items() if key not in hidden} for one in self.listed.features]
        return pd.DataFrame(rows)

    @property
    def candidates(self) -> pd.DataFrame:
        """The next ones, which do not pass."""
        found = self.features
        return found[found["tier"] == CANDIDATE].reset_index(drop=True)

    @property
    def groups(self) -> tuple[ListedGroup, ...]:
        """Groups that are listed although none of their members is."""
        return self.listed.groups

    @property
    def selected(self) -> list[str]:
        """The names of the listed features."""
        return self.listed.names

    @property
    def score(self) -> Prediction | None:
        """How well the list predicts."""
        return self.listed.prediction

    @property
    def stability(self) -> Repeats | None:
        """Whether the list would come out again."""
        return self.listed.repeats


def listed_of(judged: Judged, names: Sequence[str], classes: tuple[str, ...], target: str) -> Listed:
    """What was judged, in the names of the features; without repeats and what would help."""
    listing, clusters, procedure = judged.features, judged.data.clusters, judged.procedure
    codes = data_directions(judged.data.X, judged.exchange.y, judged.task)
    groups, members = _listed_groups(judged, names)
    shown = [int(f) for f in listing.order if listing.listed[f] or int(f) in members]
    others = [int(f) for f in listing.order if not listing.listed[f] and int(f) not in members]
    chosen = np.array(shown + others[: max(LEAST_CANDIDATES, len(shown) // 2)], np.int64)
    place = np.full(len(names), len(listing.order))
    place[listing.order] = np.arange(len(listing.order))
    # Candidates follow the list, also one that a larger allowance ranks before a listed feature: along the rows as they
    # are shown, q-values are raised so that they do not fall.
    q_values = np.maximum.accumulate(listing.q_values[place[chosen]])
    n_halves = 2 * procedure.n_splits
    among, counts = judged.standing.counts_for(int(listing.listed.sum()))
    least, most = jeffreys(counts[chosen], n_halves, LEVEL)
    words = Directions(codes, classes, target, judged.task).words(chosen)
    estimates = listed_effects(judged, codes, chosen)
    rows = []
    for i, f in enumerate(map(int, chosen)):
        alike = np.flatnonzero(clusters == clusters[f])
        alike = alike[alike != f]
        alike = alike[np.argsort(place[alike], kind="stable")]
        rows.append(
            ListedFeature(
                names[f],
                LISTED if listing.listed[f] else GROUP if f in members else CANDIDATE,
                float(counts[f] / n_halves),
                float(least[i]),
                float(most[i]),
                words[i],
                float(estimates.effect[i]),
                float(estimates.low[i]),
                float(estimates.high[i]),
                int(clusters[f]),
                float(q_values[i]),
                " and ".join(base for base, passed in listing.passed.items() if passed[f]) or listing.bases[place[f]],
                among,
                corrected=bool(estimates.corrected[i]),
                uncorrected_effect=float(estimates.alone.effect[i]),
                p_value=float(estimates.alone.p_value[i]),
                difference=float(estimates.alone.difference[i]),
                alike=tuple(names[one] for one in alike[:MOST_ALIKE]),
                alike_frequencies=tuple((counts[alike[:MOST_ALIKE]] / n_halves).tolist()),
                n_alike=len(alike),
            )
        )
    return Listed(
        tuple(rows),
        groups,
        procedure.false,
        procedure.fdr,
        len(listing.null_counts),
        procedure.n_splits,
        procedure.bases,
        tuple(listing.null_counts.tolist()),
        classes,
        target,
        STANDARD_DEVIATIONS if TASKS[judged.task].has_classes else TASKS[judged.task].effect or CORRELATION,
        judged.ranks,
        exchanged=judged.exchange.in_words,
        null_groups=() if judged.groups is None else tuple(judged.groups.null_counts.tolist()),
        n_clusters=0 if judged.groups is None else int(judged.groups.listed.sum()),
        test=test_words(judged.exchange),
        of_means=judged.exchange.has_means,
        target_ranks=judged.exchange.ranks_target,
    )


def _listed_groups(judged: Judged, names: Sequence[str]) -> tuple[tuple[ListedGroup, ...], set[int]]:
    """Groups of several features that are listed although none of their members is, and all these members."""
    listing, found, clusters = judged.features, judged.groups, judged.data.clusters
    if found is None:
        return (), set()
    place = {int(f): i for i, f in enumerate(listing.order)}
    groups: list[ListedGroup] = []
    inside: set[int] = set()
    for i, cluster in enumerate(found.order):
        members = np.flatnonzero(clusters == cluster) if found.listed[cluster] else np.empty(0, np.int64)
        if len(members) < 2 or listing.listed[members].any():
            continue
        best_first = sorted(map(int, members), key=lambda f: place.get(f, len(place)))
        shown = tuple(names[f] for f in best_first)
        groups.append(ListedGroup(shown, float(found.frequencies[i]), float(found.expected[i])))
        inside.update(f for f in best_first if f in place)
    return tuple(groups), inside


class ListedEffects(NamedTuple):
    """One value per feature: effects of listed features, nan for others, and each feature alone, uncorrected."""

    effect: Floats
    low: Floats
    high: Floats
    corrected: Bools
    alone: Univariate


def listed_effects(judged: Judged, codes: Ints, features: Ints) -> ListedEffects:
    """Return effects of features with intervals, corrected for selection where that correction is valid.

    It is valid for features that the filter lists, if the filter ranks the values themselves. The interval then
    contains the uncorrected one. All other features have their uncorrected effects.
    """
    alone = effects_alone(judged, codes, features)
    is_listed = judged.features.listed[features]
    effect, low, high = (np.where(is_listed, one, np.nan) for one in alone[:3])
    corrected = np.zeros(len(features), np.bool_)
    by_filter = judged.features.passed.get(FILTER, np.zeros_like(judged.features.listed))
    places = np.flatnonzero(is_listed & by_filter[features])
    if len(places) and is_correctable(judged):
        plain = np.stack([effect, low, high])[:, places]
        found = _corrected(judged, codes, features[places], plain)
        is_known = np.isfinite(found).all(axis=0)
        kept = places[is_known]
        effect[kept], low[kept], high[kept] = found[:, is_known]
        corrected[kept] = True
    return ListedEffects(effect, low, high, corrected, alone)


def effects_alone(judged: Judged, codes: Ints, features: Ints) -> Univariate:
    """Return the uncorrected effects of features on the values, whether or not the procedure ranks ranks."""
    X, y, within = _units(judged, judged.values[:, features])
    return univariate(X, y, judged.task, codes[features], within, judged.of_values.beside)


def _units(judged: Judged, X: Floats) -> tuple[Floats, NDArray[Any], Ints]:
    """Return features, target and parts of the units that are counted: rows, or groups of rows by their means."""
    exchange = judged.exchange
    y, within = exchange.y, exchange.compared_within
    if not exchange.has_means:
        return X, y, within
    means = X - cleared(X, exchange.units)
    return means[exchange.first], y[exchange.first], within[exchange.first]


def _corrected(judged: Judged, codes: Ints, features: Ints, plain: Floats) -> Floats:
    """Return estimates and ends of intervals, (3, features), given that the filter lists the features.

    ``plain`` are the uncorrected ones. A feature has nan if its model has no estimate.
    """
    # By the model of the uncorrected effects, which has no ranks of covariates.
    task, exchange, beside = judged.task, judged.of_values, judged.of_values.beside
    columns = judged.data.X
    if exchange is not judged.exchange:
        columns = standardized(exchange.centred(judged.values))
    X, y, within = _units(judged, columns)
    rows = exchange.first if exchange.has_means else np.arange(len(exchange.y))
    seen = effects(X, y, task, codes, within, beside)
    null = []
    for number in range(1, len(judged.features.null_counts) + 1):
        target = exchange.target(number, judged.seed)[0][rows]
        null_z = effects(X, target, task, None, within, beside).z
        null.append((null_z, judged.features.null_passed(FILTER, number)))
    chance = ListedChance.fitted(null, seen.z, int(judged.features.passed[FILTER].sum()))
    if TASKS[task].effect:
        logarithms, errors = hazards_of(X[:, features], y, within, beside)
        found = errors * corrected(logarithms / errors, chance, LEVEL)
        return np.asarray(np.exp(widened(found, np.log(plain))))
    shown = np.stack([seen.shown(theta, features) for theta in corrected(seen.z[features], chance, LEVEL)])
    # Along the direction, as the uncorrected effects are.
    opposite = np.sign(shown[0]) != np.sign(plain[0])
    return widened(np.where(opposite, -shown[[0, 2, 1]], shown), plain)


def is_correctable(judged: Judged) -> bool:
    """Return whether effects can be corrected for selection: the filter ranks by them, and units are enough."""
    exchange, record = judged.exchange, TASKS[judged.task]
    parts = int(exchange.compared_within.max()) + 1 + (0 if exchange.beside is None else exchange.beside.shape[1])
    n = len(exchange.y if exchange.within else exchange.first) - parts + 1
    is_enough = min([n, *record.counted(exchange.y[exchange.first]).values()]) >= FEWEST_UNITS
    ranks_by_effect = not judged.ranks and not exchange.ranks_target and record.n_classes(exchange.y) <= 2
    return is_enough and ranks_by_effect and not (record.effect and parts > 1)
