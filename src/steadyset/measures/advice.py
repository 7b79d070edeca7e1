"""Which measure to use: three questions, an answer, and the reasons, which rest on what the certificates decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from steadyset.foundation.arguments import check_choice, check_flag

Sizes = Literal["fixed", "vary"]
SIZES: tuple[Sizes, ...] = ("fixed", "vary")
NONE, ALL = "none", "all"
STATISTICS = ("interval", "threshold", "difference")  # what can be stated of a stability, besides its value


@dataclass(frozen=True)
class Advice:
    """A measure, why, and what to use instead and when: what `which_measure` answers.

    Attributes
    ----------
    measure : str
        The name of the measure.
    because : tuple of str
        The reasons, one sentence each.
    instead : Mapping
        When to use another measure: its name and why.
    properties : Mapping
        The properties that the reasons rest on, by measure, as `certify` decides them.
    statistics : Mapping
        The functions for the statistics that were asked for, each with the basis of its statement.

    Examples
    --------
    >>> import steadyset as st
    >>> advice = st.which_measure(sizes="fixed", correlated=False, importances=False)
    >>> advice.measure
    'nogueira'
    """

    measure: str
    because: tuple[str, ...]
    instead: Mapping[str, str]
    properties: Mapping[str, Mapping[str, bool]] = field(default_factory=dict, repr=False)
    statistics: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        reasons = [f"- {reason}" for reason in self.because]
        others = [f"- {name}: {when}" for name, when in self.instead.items()]
        lines = [f"Use {self.measure}.", "Why:", *reasons, "Instead, or beside it:", *others]
        if self.statistics:
            lines += ["Statistics:", *(f"- {call}: {basis}" for call, basis in self.statistics.items()), CONDITIONS]
        return "\n".join(lines)


CONDITIONS = (
    "Conditions: the runs are independent draws, such as bootstraps or subsamples, and not the folds of one "
    "cross-validation; the statements are about this data set and resampling, not about new data."
)


def which_measure(*, sizes: str, correlated: bool, importances: bool, statistics: str = NONE) -> Advice:
    """The measure for what is known of the runs.

    Parameters
    ----------
    sizes : str
        "fixed" where every run selects the same number of features, "vary" where not.
    correlated : bool
        Whether features may stand in for each other, and that should count as agreement.
    importances : bool
        Whether every run says how important its features are, and that should count.
    statistics : {"none", "interval", "threshold", "difference", "all"}, default="none"
        What is to be stated besides the value: a confidence interval, that the stability is above a threshold, that two
        selectors differ in stability, or all three.

    Returns
    -------
    Advice
        The measure, why, and what to use instead and when.

    Examples
    --------
    >>> import steadyset as st
    >>> st.which_measure(sizes="vary", correlated=True, importances=False).measure
    'intersection_count'
    >>> advice = st.which_measure(sizes="vary", correlated=False, importances=False, statistics="threshold")
    >>> list(advice.statistics)
    ['test_threshold(runs, 0.75, "nogueira")']
    """
    check_choice("statistics", statistics, (NONE, *STATISTICS, ALL))
    advice = _advice(sizes, correlated=correlated, importances=importances)
    wanted = STATISTICS if statistics == ALL else tuple(name for name in STATISTICS if name == statistics)
    return replace(advice, statistics=_statistics(advice.measure, wanted))


def _advice(sizes: str, *, correlated: bool, importances: bool) -> Advice:
    check_choice("sizes", sizes, SIZES)
    check_flag("correlated", correlated)
    check_flag("importances", importances)
    if importances:
        return _shared_importance() if correlated else _weights()
    return _similar_features(sizes) if correlated else _sets(sizes)


def _statistics(measure: str, wanted: Sequence[str]) -> dict[str, str]:
    """Return the calls for the wanted statistics, with what each rests on."""
    is_published = measure == "nogueira"
    alike = ", similarity=similarity" if measure in ("intersection_count", "msi") else ""
    interval = "from the values without each run, with 5 runs or more. " + (
        'method="normal" is the published interval (Nogueira, Sechidis and Brown 2018), for 100 runs or more.'
        if is_published
        else "No interval was published for this measure."
    )
    threshold = "tests that the stability is above a threshold that was chosen before. " + (
        'method="normal" is the published test.' if is_published else "No test was published for this measure."
    )
    chance = " It is not corrected for chance, so the selectors have to select about equally many features."
    difference = (
        "tests that two selectors differ; on the same resamples the runs are paired. compare does so for several "
        "selectors, adjusted for their number."
    )
    calls = {
        "interval": (f'confidence_interval(runs, "{measure}"{alike})', interval),
        "threshold": (f'test_threshold(runs, 0.75, "{measure}"{alike})', threshold),
        "difference": (
            f'test_difference(runs, other_runs, "{measure}"{alike})',
            difference + (chance if measure == "msi" else ""),
        ),
    }
    return dict(calls[name] for name in wanted)


SOUND = {"fully_defined": True, "bounded": True, "maximum": True, "monotone": True, "monotone_in_total": True}


def _sets(sizes: str) -> Advice:
    shared = (
        "All sets that are neither empty nor full have a value, between -1 and 1, and only identical ones have 1.",
        "For given sizes it rises whenever the runs have more in common in sum; a mean of scores over pairs need not.",
        "It has a published variance, and words for its values (Nogueira, Sechidis and Brown 2018).",
    )
    if sizes == "fixed":
        return Advice(
            "nogueira",
            (
                "Random sets of one size have the mean value 0.",
                *shared,
                "For sets of one size kuncheva, wald, npog, kappa, phi and unadjusted give the same number.",
            ),
            {
                "kuncheva": "the same number under the name that older papers use; it is undefined once sizes differ.",
                "jaccard": "to compare with papers that report it; not corrected for chance, it rises with the size.",
            },
            {
                "nogueira": SOUND | {"corrected_for_equal_sizes": True},
                "kuncheva": {"fully_defined": False},
                "jaccard": {"corrected": False},
            },
        )
    return Advice(
        "nogueira",
        (
            "It takes sets of any sizes, where kuncheva is undefined.",
            *shared,
            "Random sets of one size have the mean 0; those of different sizes a little less, which fades with more "
            "runs and features.",
        ),
        {
            "kappa": "with few runs, few features and very different sizes: random sets then still have the mean 0.",
            "jaccard": "to compare with papers that report it; not corrected for chance, it rises with the sizes.",
        },
        {
            "nogueira": SOUND | {"corrected": False, "corrected_for_equal_sizes": True},
            "kuncheva": {"fully_defined": False},
            "kappa": {"corrected": True, "bounded": True, "maximum": True, "fully_defined": True},
            "jaccard": {"corrected": False},
        },
    )


def _similar_features(sizes: str) -> Advice:
    of_sizes = "Only sets of equal sizes reach its largest value, 1; sets of different sizes stay below it."
    return Advice(
        "intersection_count",
        (
            "Two runs that select different but similar features agree; other measures count them as disagreeing.",
            "Random sets have the mean value 0, whatever their sizes.",
            "Of the measures that do both it was picked for its properties and its run time (Bommert 2020).",
            "It needs a similarity of the features: their data, or a table.",
            *((of_sizes,) if sizes == "vary" else ()),
        ),
        {
            "sechidis": "to stay close to nogueira, of which it is the version for similar features; it is not "
            "bounded, and random sets have the mean 0 only for equal sizes.",
            "nogueira": "beside it; what is lost between the two is the exchange of similar features.",
        },
        {
            "intersection_count": {"adjusted": True, "corrected": True, "maximum_for_equal_sizes": True},
            "sechidis": {"adjusted": True, "bounded": False, "corrected": False, "corrected_for_equal_sizes": True},
            "nogueira": {"adjusted": False},
        },
    )


def _weights() -> Advice:
    return Advice(
        "pearson",
        (
            "It correlates the importances of all features between runs: what matters little counts little.",
            "It lies between -1 and 1, and importances that have nothing to do with each other have the mean 0.",
            "Of runs that only say which features they selected it is phi.",
        ),
        {
            "spearman": "where every run ranks all features, or importances are not on one scale.",
            "nogueira": "for the selected sets alone.",
        },
        {"pearson": {"bounded": True, "corrected": True, "maximum": True, "fully_defined": True}},
    )


def _shared_importance() -> Advice:
    return Advice(
        "msi",
        (
            "It asks how much importance two runs share, also between similar features (Hamer and Dupont 2021).",
            "It lies between 0 and 1, and runs that select nothing have a value too.",
            "It is not corrected for chance: compare only selectors that choose about as many features.",
            "It needs the importances and a similarity of the features: their data, or a table.",
        ),
        {
            "intersection_count": "where sizes differ, and chance matters more than importances: it corrects for it.",
            "pearson": "beside it; what is lost between the two is what similar features share.",
        },
        {
            "msi": {"adjusted": True, "bounded": True, "corrected": False, "defined_at_limits": True},
            "intersection_count": {"corrected": True, "adjusted": True},
            "pearson": {"adjusted": False},
        },
    )
