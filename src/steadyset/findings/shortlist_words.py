"""What a shortlist says, in sentences; each is made of its numbers and says what they do not show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan, nan

from steadyset.findings.answer import tells
from steadyset.foundation.text import (
    amount,
    counted,
    is_whole_scale,
    listed,
    number,
    p_equals,
    percent,
    shown_name,
    span,
)
from steadyset.runner.scoring import score_title
from steadyset.shortlists.exchange import VALUES_AND_RANKS
from steadyset.shortlists.listed import (
    CANDIDATE,
    HAZARD_RATIO,
    LISTED,
    STANDARD_DEVIATIONS,
    Found,
    Listed,
    ListedFeature,
    ListedGroup,
    Prediction,
    Tried,
)

MOST_NAMED, MOST_MEMBERS, CLOSEST = 15, 6, 5  # names in a sentence
CAME_BACK = 0.8  # the share of repeats from which a feature came back
BY_CHANCE = 0.05
FEWEST_REPEATS = 5  # fewer say nothing of tests and of coming back
UNCORRECTED = "*"  # after an effect
RANDOM, NONE = "as many random features", "no feature"
NEARLY_ALL = "The lists hold nearly all features, so no comparison with as many random features is made."
CURVES = (
    "The error statement does not hold for features that follow a covariate in another curve, or vary more at some of "
    "its values than at others, if the target depends on the covariate too."
)


def title(found: Listed) -> str:
    """The question that the list answers."""
    return f"What {tells(found.classes, found.target, one=True)}?"


def answer(found: Listed) -> tuple[str, ...]:
    """The headline, who is listed in which direction, groups, and the most important caution."""
    said = [headline(found)]
    rows = found.of_tier(LISTED)
    directions = dict.fromkeys(one.direction for one in rows)
    for direction in directions:
        names = [one.feature for one in rows if one.direction == direction]
        heading = f"{direction[:1].upper()}{direction[1:]}" if direction else "Without a direction"
        said.append(f"{shown_name(heading)}: {listed(names, MOST_NAMED)}.")
    said += [group_words(group) for group in found.groups]
    if not rows:
        closest = found.of_tier(CANDIDATE)[:CLOSEST]
        named = [f"{shown_name(one.feature)} ({percent(one.frequency)} of halves)" for one in closest]
        said += [f"The closest: {', '.join(named)}."] if named else []
        said += [f"{power_words(found)} Weaker effects are not ruled out."] if found.power else []
    return (*said, *(f"Caution: {one}." for one in list(cautions(found))[:1]))


def headline(found: Listed) -> str:
    """How many features are listed, for what, and how many of them may be false."""
    n = len(found.names)
    if not n:
        return f"No {'single ' if found.groups else ''}feature passes yet."
    who = counted(n, "feature")
    what = tells(found.classes, found.target, one=n == 1)
    if found.void:
        return f"{who} {what}; how many may be false is not known, because {found.void}."
    error = f"{100 * (found.fdr or 0.0):g}% of them" if found.false is None else f"about {found.false:g} of them"
    if found.false is not None and n > 1 and found.false >= n:
        error = "all of them"
    if n == 1:
        error = "it" if found.false is not None and found.false >= 1 else error.replace("of them", "of such features")
    return f"{who} {what}; {error} may be false."


def group_words(group: ListedGroup) -> str:
    """A group whose members take turns."""
    return (
        f"One of {listed(group.features, MOST_MEMBERS)} ({counted(len(group.features), 'look-alike')}, of which one is "
        f"chosen in {percent(group.frequency)} of halves): together they pass, and which one is meant cannot be told."
    )


def cautions(found: Listed) -> Iterator[str]:
    """The most important first: the list is no more than chance gives, does not predict, or does not come back."""
    rows = found.of_tier(LISTED)
    if rows and not found.void:
        yield from _chance_lists_as_many(found, found.null_counts, len(rows), "features")
    if found.groups and not found.void:
        yield from _chance_lists_as_many(found, found.null_groups, found.n_clusters, "groups")
    if not rows:
        return
    few = found.repeats is None or found.repeats.n_repeats < FEWEST_REPEATS
    missed = "" if few or found.prediction is None else _not_beaten(found.prediction)
    if missed:
        yield f"the list is not shown to predict better than {missed}"
    is_shown = not few and found.prediction is not None and found.prediction.better
    if not is_shown and not found.groups and not found.void:
        yield from _look_alikes_of_one_another(found, rows)
    rare = [one.feature for one in rows if not isnan(one.came_back) and one.came_back < 0.5]
    if rare:
        come = "comes" if len(rare) == 1 else "come"
        yield f"{listed(rare, MOST_MEMBERS)} {come} back in fewer than half of the repeats"


def _look_alikes_of_one_another(found: Listed, rows: Sequence[ListedFeature]) -> Iterator[str]:
    """Yield that listed features are members of few groups, if permuted targets often list as many groups."""
    n_groups = len({one.group for one in rows})
    as_many = _n_as_many(found.null_groups, n_groups)
    if n_groups < len(rows) and found.false is not None and _is_usual(as_many, found.null_groups):
        yield (
            f"the {len(rows)} listed features form {counted(n_groups, 'group')} of look-alikes, and {as_many} of "
            f"{len(found.null_groups)} permuted targets list as many groups or more, so that the number of features "
            "does not show that any of them is real"
        )


def _chance_lists_as_many(found: Listed, null_counts: Sequence[int], n: int, what: str) -> Iterator[str]:
    """Yield that permuted targets list as many as are listed, if that is no rare thing."""
    as_many = _n_as_many(null_counts, n)
    if found.false is not None and _is_usual(as_many, null_counts):
        yield (
            f"{as_many} of {len(null_counts)} permuted targets list as many {what} or more, so that this number alone "
            "does not show that any of them is real"
        )


def _n_as_many(null_counts: Sequence[int], n: int) -> int:
    """Return the number of permuted targets that list as many."""
    return sum(count >= n for count in null_counts)


def _is_usual(as_many: int, null_counts: Sequence[int]) -> bool:
    """Return whether so many permuted targets are no rare thing."""
    return bool(null_counts) and (1 + as_many) / (1 + len(null_counts)) > BY_CHANCE


def promise(found: Listed) -> str:
    """How many listed features may be false, and what shows that; or why nothing does."""
    if found.void:
        return f"no number of false features, because {found.void}"
    return f"{allowed(found)}, as {found.n_permutations} permuted targets show that went through the same procedure"


def allowed(found: Listed) -> str:
    """How many listed features may be false."""
    if found.false is None:
        return f"at most {100 * (found.fdr or 0):g}% false features on average"
    return f"at most {found.false:g} false {'feature' if found.false == 1 else 'features'} on average"


def stated(found: Listed) -> str:
    """What the list promises, and where that holds."""
    if found.void:
        return f"What is stated: {promise(found)}. Copies have the same target, and permuted targets break that up."
    said = (
        f"What is stated: {promise(found)}. It holds where rows could have had each other's target{exchanged(found)}, "
        "and is about this population and this measurement."
    )
    if not is_adjusted(found):
        return said
    lines = "lines of their values and ranks" if VALUES_AND_RANKS in found.exchanged else "lines of their values"
    return f"{said} Covariates are accounted for along {lines}. {CURVES}"


def is_adjusted(found: Listed) -> bool:
    """Return whether the list accounts for covariates."""
    return "accounting" in found.exchanged


def exchanged(found: Listed) -> str:
    """Among which rows targets were exchanged, after a space; nothing where any two rows could."""
    return f" {found.exchanged}" if found.exchanged else ""


def bunches(found: Listed) -> list[str]:
    """False features come in bunches: how many permuted targets list none, and the most that one lists."""
    none, most = sum(count == 0 for count in found.null_counts), max(found.null_counts, default=0)
    if (
        found.false is None or most < 2 or found.void
    ):  # a rate has no line to pass that permuted targets could be held against
        return []
    return [
        f"{none} of {found.n_permutations} permuted targets list nothing and one lists {most}: false features come in "
        "bunches."
    ]


def list_legend(found: Listed) -> list[str]:
    """What the columns of the list are."""
    among = found.features[0].among if found.features else 0
    n = 2 * found.n_splits
    order = (
        "Features are ordered by how far they exceed permuted targets in all rankings together; of halves is the "
        f"percentage of {n} random halves of the rows in which a feature is among the best {among} of one ranking, and "
        "q is the estimated rate of false features if the list ended with this feature or with a later one."
    )
    if found.void:
        order = f"{order.partition('; ')[0]}; there is no q, because {found.void}."
    said = [order]
    said += effects_legend(found)
    if found.repeats is not None:
        share = percent(found.repeats.fraction)
        said.append(f"Came back: the share of {found.repeats.n_repeats} repeats with {share} of the rows that list it.")
    if any(one.n_alike for one in found.features):
        said.append("Look-alikes: features with a mean correlation of 0.8 or more among each other.")
    if found.ranks:
        of_values = "effects, p-values and power" if found.power else "effects and p-values"
        said.append(
            "The ranking uses ranks of the values, because tails are heavy or classes unequal; "
            f"{of_values} are those of the values."
        )
    if found.target_ranks:
        said.append(
            "The ranking uses ranks of the target, because its tails are heavy; effects and p-values are those of its "
            "values."
        )
    if found.groups:
        said.append("Groups are a second list, with the same allowance of false groups beside that of features.")
    return [*said, stated(found), *bunches(found)]


def effects_legend(found: Listed) -> list[str]:
    """Return the sentences on effects, p-values and differences of means; none without a listed feature."""
    rows = [one for one in found.features if not isnan(one.effect)]
    if not rows:
        return []
    n_corrected = sum(one.corrected for one in rows)
    if n_corrected == len(rows):
        correction = "corrected for selection"
    elif n_corrected:
        correction = f"corrected for selection, except those marked {UNCORRECTED}"
    else:
        correction = "not corrected for selection"
    said = [f"Effect: {_unit_words(found)}, with a 95% interval; {correction}."]
    if n_corrected:
        said.append("The interval of a corrected effect contains the corrected and the uncorrected 95% interval.")
    if n_corrected < len(rows):
        said.append(
            "Uncorrected effects of listed features are too large on average, because features are listed if their "
            "effects are large in these rows."
        )
    alone = f"Uncorrected: the effect of the feature alone; p: {found.test}, for this feature alone"
    difference = ""
    if len(found.classes) == 2:
        difference = "; difference: of the means of the classes, in the unit of the data"
    if found.void:
        said.append(f"Intervals and p-values are not valid, because {found.void}.")
    return [*said, f"{alone}{difference}."]


def _unit_words(found: Listed) -> str:
    """Return the unit of effects."""
    if found.effect == HAZARD_RATIO:
        unit = "hazard ratio per standard deviation of the values"
    elif found.effect == STANDARD_DEVIATIONS:
        between = "that class and the others" if len(found.classes) > 2 else "classes"
        unit = f"along the direction, in standard deviations of the values between {between}"
    else:
        unit = "along the direction, as a correlation of the values"
    return unit.replace("the values", "group means") if found.of_means else unit


def predicts_words(found: Listed) -> list[str]:
    """How well the list predicts, beside what needs none."""
    one = found.prediction
    if one is None:
        return []
    missed = _not_beaten(one)
    few = found.repeats is not None and found.repeats.n_repeats < FEWEST_REPEATS
    if few:
        first = "Too few repeats for a test."
    elif one.beats_blind and one.beats_random is False:
        first = f"Better than {NONE}, but not shown to be better than {RANDOM}."
    elif missed:
        first = f"That is not shown: by the tests no better than {missed}."
    elif one.better:
        first = f"Yes: better than {NONE}." if one.nearly_all else f"Yes: better than {NONE} and than {RANDOM}."
    else:
        first = "There is no test of that."
    none, random, every = NONE, RANDOM, "all features"
    if one.added is not None:
        who = listed(one.added.covariates, MOST_MEMBERS)
        first = _adds_words(one, who, few=few)
        none, random, every = f"{who} alone", f"with {RANDOM}", "with all features"
    beside = [
        f"{words} {number(value)}"
        for words, value in (
            (none, one.blind),
            (random, nan if one.nearly_all else one.random),
            (every, one.every),
        )
        if not isnan(value)
    ]
    # From few repeats an interval is as wide as the scale.
    interval = "" if few or is_whole_scale(one.low, one.high) else f" ({span(one.low, one.high)})"
    said = [
        f"{first} {score_title(one.score)[:1].upper()}{score_title(one.score)[1:]} {number(one.estimate)}{interval} "
        f"on rows that were used neither to choose nor to fit; {', '.join(beside)}."
    ]
    if one.added is not None and not few and not isnan(one.added.p_value):
        said.append(f"{gain_words(one)}.")
    return [*said, NEARLY_ALL] if one.nearly_all else said


def _adds_words(one: Prediction, who: str, *, few: bool) -> str:
    """Return whether the list adds to covariates, as far as tests show."""
    asked = f"Does it add to {who}?"
    if few:
        return f"{asked} Too few repeats for a test."
    if one.beats_blind is None:
        return f"{asked} There is no test of that."
    if not one.beats_blind:
        return f"{asked} That is not shown."
    if one.beats_random is False:
        return f"{asked} Yes, but not shown to be more than {RANDOM} do."
    return f"{asked} Yes{'' if one.nearly_all or one.beats_random is None else f', and more than {RANDOM} do'}."


def gain_words(one: Prediction) -> str:
    """Return what the list adds to covariates, with its interval and test; empty without covariates."""
    if one.added is None:
        return ""
    # What is better counts as positive, also for scores of which less is better.
    gain, ends = one.added.gain, span(one.added.low, one.added.high, 3)
    return (
        f"The gain in {score_title(one.score)} over {listed(one.added.covariates, MOST_MEMBERS)} alone was "
        f"{number(gain, 3)} (95% interval {ends}; {p_equals(one.added.p_value)})"
    )


def _not_beaten(one: Prediction) -> str:
    """What the list is not shown to predict better than; nothing where there is no such thing."""
    none = NONE if one.added is None else f"{listed(one.added.covariates, MOST_MEMBERS)} alone"
    both = ((none, one.beats_blind), (RANDOM, one.beats_random))
    return " or than ".join(words for words, beaten in both if beaten is False)


def comes_again_words(found: Listed) -> list[str]:
    """Whether the list would come out again."""
    one = found.repeats
    if one is None:
        return []
    share = percent(one.fraction)
    if not one.most:
        return [f"In {counted(one.n_repeats, 'repeat')} with {share} of the rows nothing was listed."]
    rows = found.of_tier(LISTED)
    back = sum(row.came_back >= CAME_BACK for row in rows)
    sizes = f"{one.fewest}" if one.fewest == one.most else f"{one.fewest} to {one.most}"
    said = []
    if rows and one.n_repeats >= FEWEST_REPEATS:
        words = "Yes" if back == len(rows) else "Mostly" if 2 * back >= len(rows) else "In part" if back else "No"
        said.append(
            f"{words}: {back} of {len(rows)} listed {'feature' if len(rows) == 1 else 'features'} came back in at "
            f"least {percent(CAME_BACK)} of the repeats."
        )
    noun = "feature" if sizes == "1" else "features"
    held = f"In {counted(one.n_repeats, 'repeat')} with {share} of the rows, lists of {sizes} {noun} held "
    says_nothing = one.n_repeats < FEWEST_REPEATS or is_whole_scale(one.low, one.high)
    interval = "" if says_nothing else f" ({span(one.low, one.high)})"
    stability = (
        ""
        if isnan(one.stability)
        else f"; stability {number(one.stability)}{interval}, where 1 is the same list each time and 0 is chance"
    )
    return [*said, f"{held}{counted(one.n_names, 'name')} in all{stability}."]


def helps_words(found: Listed, n_rows: int) -> tuple[str, ...]:
    """What was tried on these data, each with its number."""
    lines = [f"{tried_words(one)}." for one in found.tried]
    if lines:
        lines.append("Decide before you look: the error that is stated is not that of the longest of several lists.")
    curve = [f"{one.what} list {amount(round(one.n_listed, 1))}" for one in found.fewer_rows]
    if curve:
        lines.append(f"Rows: {', '.join(curve)} features on average; all {n_rows} list {len(found.names)}.")
    return (*lines, power_words(found)) if found.power else tuple(lines)


def tried_words(one: Tried) -> str:
    """What was tried, and how many features, or groups of them, it lists."""
    return f"{one.what}: {counted(one.n_listed, 'group' if 'look-alikes' in one.what else 'feature')}"


def power_words(found: Listed) -> str:
    """Return the probability that an effect of some size is listed."""
    strongest, *weaker = reversed(found.power[-3:])
    others = "".join(f", {_power_unit(found, one.effect)} with {_chance(one)}" for one in weaker)
    return (
        f"Power: {_power_unit(found, strongest.effect, whole=True)} is listed with probability "
        f"{_chance(strongest)}{others} (simulated on these data with permuted targets)."
    )


def _chance(one: Found) -> str:
    return percent(round(one.share, 2))


def _power_unit(found: Listed, effect: float, *, whole: bool = False) -> str:
    """Return an effect in the unit of the list, or only its number."""
    if not whole:
        return f"{effect:.3g}"
    if found.effect == HAZARD_RATIO:
        return f"a hazard ratio of {effect:.3g} per standard deviation"
    if found.effect == STANDARD_DEVIATIONS:
        unit = "standard deviation" if f"{effect:.3g}" == "1" else "standard deviations"
        return f"an effect of {effect:.3g} {unit}"
    return f"a correlation of {effect:.3g}"
