"""Hamer and Dupont 2021, section 6.1: groups of q correlated features among many others (figures 4 and 5).

The paper does not state the penalties, only that about 40 features are selected with q = 1 ("stated" below), nor the
threshold of POGR, for which the authors' programme has 0.5. The full version also computes with the penalties and the
995 other features of that programme ("programme"), for three values of q.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from papers.framework import Claim, Row, Run, item
from papers.framework.arrays import Floats
from papers.framework.curves import curves
from papers.hamer_dupont_2021_measures import MEASURES, PAPER, measured
from steadyset import Bootstrap, FeatureSimilarity, Selections, assess, datasets
from steadyset.plot import stability_map
from steadyset.selectors import ElasticNetSelector, GroupLassoSelector

if TYPE_CHECKING:
    import pandas as pd

STATED, PROGRAMME = "stated", "programme"
# They select about 40 features with q = 1, on average over data sets; the item shows how many.
PENALTIES = {"1": 0.0525, "2": 0.0345, "3": 0.0345}
ALIKE = 0.5  # of the authors' POGR
FEW_Q, FAST_SEEDS = (1, 8, 15), 4
MAPPED = 3  # data sets of figure 4
FAR_Q = (30, 60)
CONSTANT = 0.1  # what "about constant" allows from the first q to the last: a tenth of the scale from 0 to 1
SURE = 3  # standard errors that a trend over q has to exceed
ABOUT = (0.75, 4 / 3)  # "about the same", as a ratio
ABOUT_FORTY = (36, 44)
NEARLY_ALL = 0.95


@item(PAPER, "figure-4", core=True, seconds=10)
def maps(run: Run) -> Iterator[Row]:
    """The importances of the five groups with q = 1 and with q = 10."""
    given = run.published.given
    shares: dict[int, list[Floats]] = {q: [] for q in given["q"]}
    for q in given["q"]:
        for seed in range(MAPPED):
            groups, selections = _selected(given, given["scenario"], PENALTIES["1"], given["n_others"], q, seed)
            shares[q].append(_group_shares(selections, groups, given["n_groups"]))
            if seed == 0:
                similar = FeatureSimilarity.from_groups(groups)
                run.figure(stability_map(selections, similar), f"q-{q}")
    one, ten = (np.mean(shares[q], axis=0) for q in given["q"])
    other = one[-1] / given["n_others"]
    n_sets = f"{len(shares[1])} data sets, {given['n_runs']} runs each"
    run.note(f"Shares of the importance in a run, on average over {n_sets}; the paper shows one data set.")
    yield run.claim(
        "groups-matter-more",
        bool(one[:-1].min() > other),
        f"{one[:-1].min():.3f} to {one[:-1].max():.3f} of the importance for a feature of the groups, "
        f"{other:.5f} for another on average",
    )
    ratios, ratio = ten[:-1] / one[:-1], float(ten[:-1].mean() / one[:-1].mean())
    each = bool(ABOUT[0] <= ratios.min() and ratios.max() <= ABOUT[1])
    correction = "" if each else "On average over the groups; single groups differ more."
    for name, words, part in (
        ("cumulative-importance", "about the same: 1", 1),
        ("feature-importance", "in proportion: 0.1", 10),
    ):
        ends = f"{ratios.min() / part:.2f} to {ratios.max() / part:.2f}"
        told = f"{ratio / part:.2f} of that with q = 1; single groups {ends}"
        cutoff = f"{words}, within a ratio from 3/4 to 4/3"
        yield run.claim(name, ABOUT[0] <= ratio <= ABOUT[1], told, cutoff=cutoff, correction=correction)


@item(PAPER, "figure-5", seconds=40, full_seconds=600)
def along_q(run: Run) -> Iterator[Row]:
    """Five measures against q in three scenarios."""
    import pandas as pd

    given = run.published.given
    made = (given["n_seeds"], len(given["q"])) if run.full else (FAST_SEEDS, len(FEW_Q))
    run.size(
        {"data sets": (made[0], given["n_seeds"]), "values of q": (made[1], len(given["q"]))},
        reach=f"Slopes have standard errors over {made[0]} data sets; it shows the trend between the smallest and the "
        "largest q, and nothing about the sizes between them that are left out",
    )
    settings = {STATED: (PENALTIES, given["n_others"])}
    if run.full:
        settings[PROGRAMME] = (given["programme"]["penalties"], given["programme"]["n_others"])
    computed = [one for name, setting in settings.items() for one in _cells(run, name, *setting)]
    frame = pd.DataFrame(computed)
    run.table(frame, "values")
    means = frame.groupby(["setting", "scenario", "q"], as_index=False).mean(numeric_only=True)
    run.table(means.drop(columns="seed"), "means")
    for name in settings:
        shown = means[means["setting"] == name].melt(["scenario", "q"], list(MEASURES), "measure", "stability")
        run.figure(curves(shown, "q", "stability", series="measure", panel="scenario"), name)
    run.note(
        f"{frame['seed'].nunique()} data sets for each of q = {', '.join(map(str, sorted(frame['q'].unique())))}, "
        f"{given['n_runs']} bootstrap runs each."
    )
    if run.full:
        run.note(f"With the penalties of the authors' programme: q = {', '.join(map(str, FEW_Q))}.")
    yield from _judged(run, frame)


def _cells(run: Run, name: str, penalties: Mapping[str, float], n_others: int) -> Iterator[dict[str, Any]]:
    """The values for every scenario, q and seed; a scenario of a seed is computed once."""
    given = run.published.given
    sizes = given["q"] if run.full and name == STATED else FEW_Q
    for seed in range(given["n_seeds"] if run.full else FAST_SEEDS):
        for number, scenario in given["scenarios"].items():
            compute = partial(_simulated, run.jobs, given, scenario, penalties[number], n_others, sizes, seed)
            about = {"setting": name, "scenario": number, "seed": seed}
            for one in run.kept(f"{name}-{number}-{seed}", compute):
                yield about | one


def _simulated(
    jobs: int,
    given: Mapping[str, Any],
    scenario: Mapping[str, Any],
    penalty: float,
    n_others: int,
    sizes: tuple[int, ...],
    seed: int,
) -> list[dict[str, float]]:
    from joblib import Parallel, delayed

    some = (delayed(simulated)(given, scenario, penalty, n_others, q, seed) for q in sizes)
    found: list[dict[str, float]] = Parallel(n_jobs=jobs)(some)
    return found


def simulated(
    given: Mapping[str, Any], scenario: Mapping[str, Any], penalty: float, n_others: int, q: int, seed: int
) -> dict[str, float]:
    """The measures on one simulated data set, the mean number of features, and how often a group is selected."""
    data = _data(given, scenario, n_others, q, seed)
    groups, selections = _selected(given, scenario, penalty, n_others, q, seed)
    similar = FeatureSimilarity.from_data(data.X, method="spearman", threshold=ALIKE)
    chosen = selections.to_matrix().toarray() != 0
    often = np.mean([chosen[:, groups == g].any(axis=1).mean() for g in range(given["n_groups"])])
    return {"q": q, "size": float(selections.sizes.mean()), "groups": float(often)} | measured(selections, similar)


def _data(
    given: Mapping[str, Any], scenario: Mapping[str, Any], n_others: int, q: int, seed: int
) -> datasets.Simulated:
    return datasets.grouped_features(
        q,
        n=given["n"],
        n_groups=given["n_groups"],
        n_others=n_others,
        mean=scenario["mean"],
        other_mean=scenario["other_mean"],
        rho=scenario["rho"],
        random_state=np.random.SeedSequence([seed, q]),
    )


def _selected(
    given: Mapping[str, Any], scenario: Mapping[str, Any], penalty: float, n_others: int, q: int, seed: int
) -> tuple[Any, Selections]:
    """The groups of the features, and what is selected in the runs, with the importances."""
    data = _data(given, scenario, n_others, q, seed)
    grouped = scenario["method"] == "group lasso"
    selector = GroupLassoSelector(data.groups, penalty=penalty) if grouped else ElasticNetSelector(penalty)
    found = assess(
        {"selector": selector},
        data.X,
        data.y,
        resampling=Bootstrap(given["n_runs"]),
        scoring=(),
        n_jobs=1,
        random_state=seed,
        execution={"all_rows": False, "progress": False},
    )
    return data.groups, found.selections["selector"]


def _group_shares(selections: Selections, groups: Any, n_groups: int) -> Floats:
    """The mean share of the importance that each group has in a run, then that of all other features."""
    weights = np.abs(selections.to_matrix(weights=True).toarray())
    shares = (weights / weights.sum(axis=1, keepdims=True)).mean(axis=0)
    own = [shares[groups == g].sum() for g in range(n_groups)]
    return np.array([*own, 1 - sum(own)])


class Trend(NamedTuple):
    """The line of a measure over q: its ends, and its slope with the standard error between data sets."""

    first: float
    last: float
    slope: float
    error: float

    @classmethod
    def of(cls, frame: pd.DataFrame, measure: str) -> Trend:
        """Of the rows of one setting and scenario."""
        table = frame.pivot(index="seed", columns="q", values=measure)
        q = table.columns.to_numpy(dtype=np.float64)
        centred = q - q.mean()
        slopes = table.to_numpy() @ centred / (centred @ centred)
        means = table.mean().to_numpy()
        return cls(means[0], means[-1], float(slopes.mean()), float(slopes.std(ddof=1) / np.sqrt(len(slopes))))

    def rises(self) -> bool:
        return self.slope > SURE * self.error

    def falls(self) -> bool:
        return self.slope < -SURE * self.error

    def change(self, span: float) -> float:
        """Of the fitted line from the first q to the last."""
        return self.slope * span

    def __str__(self) -> str:
        return f"{self.first:.3f} to {self.last:.3f}, slope {self.slope:.4f} (standard error {self.error:.4f})"


class Seen:
    """What the values of one setting say about the claims."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.span = float(frame["q"].max() - frame["q"].min())
        self.parts = {str(scenario): part for scenario, part in frame.groupby("scenario")}
        self.trends = {
            (scenario, measure): Trend.of(part, measure)
            for scenario, part in self.parts.items()
            for measure in MEASURES
        }

    def judge(self, claim: str) -> tuple[bool | None, str]:
        """Whether a claim holds, None where that cannot be told, and what we saw."""
        own: dict[str, Callable[[], tuple[bool, str]]] = {
            "size": self._sizes,
            "2-groups-selected": self._groups_selected,
            "1-groups-missing": self._groups_missing,
            "3-phi_S-below": self._below,
            "3-phi_S-constant": self._only_there,
            "only-phi_msi": self._only_one,
        }
        if claim in own:
            return own[claim]()
        scenario, measure, verb = claim.split("-")
        trend = self.trends[scenario, measure]
        if verb == "constant":
            return self.is_constant(scenario, measure), f"{trend}; change of the line {trend.change(self.span):.3f}"
        if not trend.rises() and not trend.falls():
            return None, f"{trend}, which is no sure trend"
        return (trend.rises() if verb == "rises" else trend.falls()), str(trend)

    def is_constant(self, scenario: str, measure: str) -> bool:
        return abs(self.trends[scenario, measure].change(self.span)) < CONSTANT

    def _sizes(self) -> tuple[bool, str]:
        sizes = {name: part.loc[part["q"] == 1, "size"].mean() for name, part in self.parts.items()}
        told = ", ".join(f"{size:.1f} in scenario {name}" for name, size in sizes.items())
        return all(ABOUT_FORTY[0] <= size <= ABOUT_FORTY[1] for size in sizes.values()), told

    def _groups_selected(self) -> tuple[bool, str]:
        often = self.parts["2"]["groups"].mean()
        return often >= NEARLY_ALL, f"a group is selected in {often:.1%} of the runs"

    def _groups_missing(self) -> tuple[bool, str]:
        often = self.parts["1"]["groups"].mean()
        return often < NEARLY_ALL, f"a group is selected in {often:.1%} of the runs"

    def _only_there(self) -> tuple[bool, str]:
        constant = [scenario for scenario in self.parts if self.is_constant(scenario, "phi_S")]
        changes = {s: self.trends[s, "phi_S"].change(self.span) for s in self.parts}
        told = ", ".join(f"{change:+.3f} in scenario {scenario}" for scenario, change in changes.items())
        return constant == ["3"], f"change of the line {told}"

    def _below(self) -> tuple[bool, str]:
        gaps = self.parts["3"]["phi_msi"] - self.parts["3"]["phi_S"]
        return bool((gaps > 0).all()), f"by {gaps.min():.3f} to {gaps.max():.3f}"

    def _only_one(self) -> tuple[bool, str]:
        constant = {m: [s for s in self.parts if self.is_constant(s, m)] for m in MEASURES}
        told = "; ".join(f"{m}: {', '.join(s) or 'none'}" for m, s in constant.items())
        always = [m for m, s in constant.items() if len(s) == len(self.parts)]
        return always == ["phi_msi"], f"about constant in the scenarios {told}"


def _judged(run: Run, frame: pd.DataFrame) -> Iterator[Row]:
    """What the paper states decides; the authors' programme decides where that fails, which is a correction."""
    seen = {str(name): Seen(part) for name, part in frame.groupby("setting")}
    for claim in run.published.claims:
        if claim.name == "1-phi_S-unbounded":
            yield _unbounded(run)
            continue
        holds, ours = seen[STATED].judge(claim.name)
        if PROGRAMME not in seen:
            yield _row(run, claim, holds, ours)
            continue
        there, theirs = seen[PROGRAMME].judge(claim.name)
        told = f"{ours}. As in the authors' programme: {theirs}"
        correction = (
            "" if holds or not there else "Holds with the penalties and the features of the authors' programme."
        )
        yield _row(run, claim, True if there else holds, told, correction)


def _row(run: Run, claim: Claim, holds: bool | None, told: str, correction: str = "") -> Row:
    """A claim; one about a trend that is not sure is not decided."""
    if holds is None:
        return run.not_computed(claim, "No sure trend.", ours=told)
    return run.claim(claim.name, holds, told, cutoff=_cutoff(claim.name), correction=correction)


def _cutoff(claim: str) -> str:
    """What the words of a claim stand for."""
    if claim == "size":
        return f"about 40: {ABOUT_FORTY[0]} to {ABOUT_FORTY[1]}"
    if "groups" in claim:
        return f"nearly all: {NEARLY_ALL:.0%}; regularly not: less than that"
    if claim.endswith("constant") or claim == "only-phi_msi":
        return f"about constant: the fitted line changes by less than {CONSTANT} over the range of q"
    if claim.endswith(("rises", "falls")):
        return f"a slope beyond {SURE} standard errors between data sets"
    return ""


def _unbounded(run: Run) -> Row:
    """phi_S at much larger groups: without bound, it goes on falling at least in proportion to q."""
    given = run.published.given
    compute = partial(_simulated, run.jobs, given, given["scenarios"]["1"], PENALTIES["1"], given["n_others"], FAR_Q, 0)
    near, far = (one["phi_S"] for one in run.kept("far", compute))
    return run.claim(
        "1-phi_S-unbounded",
        near < 0 and far <= 2 * near,
        f"{near:.2f} at q = {FAR_Q[0]}, {far:.2f} at q = {FAR_Q[1]}, on one data set",
        cutoff="without bound: below 0, and at least twice as low at twice the q",
    )
