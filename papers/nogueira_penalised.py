"""Nogueira (2018), section 6.2.1: the lasso on four redundancies, and the elastic net on the highest.

The thesis states neither seeds nor levels of the penalty. A number from one simulated data set is compared with the
mean over several of ours, in units of their standard deviation. The code that was published with the thesis draws new
bootstraps for every penalty of the lasso, which `_chosen` does by drawing anew from those that all penalties share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.stats import spearmanr

from papers.framework import Row, Run, item
from papers.framework.arrays import Bools, Floats, Ints
from papers.framework.text import counted, listed, percent
from steadyset import Bootstrap, Selections, confidence_interval, pareto_front, plot, stability, test_difference
from steadyset.datasets import redundant_features
from steadyset.selectors import elastic_net_path

PAPER = "nogueira-2018"
REDUNDANCY = {"none": 0.0, "low": 0.3, "medium": 0.5, "high": 0.8}
N_ROWS, N_FEATURES, N_RELEVANT = 2000, 100, 50
PENALTIES = tuple(np.round(np.geomspace(0.1, 0.001, 31), 6).tolist())
ELASTIC_PENALTIES = (*np.round(np.arange(0.96, 0.05, -0.05), 2).tolist(), 0.05, 0.01)
RATIOS = (0.05, 0.25, 0.5, 1.0)
PRINTED_BEST, BEST, STEADY = 0.05, 0.16, 0.76  # penalties of the elastic net
TOLERANCE = 1e-7
REDRAWN = 10  # times, to let every penalty have bootstraps of its own
SIMILAR = 0.01  # misclassification that is told as the same
SMALL = 0.05  # a loss of likelihood, as a part of what the likeliest model gains over none
CONSIDERABLE = 0.1  # a gain of stability
INCREASING = 0.95  # a rank correlation
TOLD_APART = 0.75  # how often a relevant feature has to be the more frequent one of two
LIMITED = 5.0  # a change of false negatives, of 50
ABOUT_50 = (45.0, 55.0)
RARELY = 0.05  # a mean frequency
MUCH_MORE = 2.0  # times
LEVEL = 0.05
MATTERS = {"false": 5.0, "error": 2.0, "stability": 0.1}  # differences that would be told; of a penalty, a factor of 2


class Paths(NamedTuple):
    """Models of one data set at every penalty (columns), in every bootstrap (rows)."""

    penalties: Floats
    likelihood: Floats
    error: Floats
    selected: Bools  # bootstraps x penalties x features
    final: Bools  # penalties x features: on the rows that were kept for the final set

    def at(self, penalty: int) -> Selections:
        return Selections.from_matrix(self.selected[:, penalty])

    def stabilities(self) -> Floats:
        return np.array([stability(self.at(j)) for j in range(len(self.penalties))])

    @property
    def likeliest(self) -> int:
        return int(np.argmax(self.likelihood.mean(axis=0)))

    @property
    def steadiest(self) -> int:
        return int(np.nanargmax(self.stabilities()))

    def nearest(self, penalty: float) -> int:
        return int(np.argmin(np.abs(self.penalties - penalty)))

    def losses(self) -> Floats:
        """The likelihood that each penalty loses against the likeliest, as a part of what that gains over none."""
        means = self.likelihood.mean(axis=0)
        return np.asarray((means.max() - means) / (means.max() + np.log(2)))


@item(PAPER, "figure-6.5", seconds=25, full_seconds=400)
def figure_6_5(run: Run) -> Iterator[Row]:
    """Likelihood and stability against the penalty."""
    _tell_size(run)
    frames = []
    for name, paths in _first_data_set(run).items():
        along = {float(penalty): paths.at(j) for j, penalty in enumerate(paths.penalties)}
        run.figure(plot.hyperparameter(along, "penalty"), f"figure-{name}")
        frames.append(_frame(paths).assign(redundancy=name))
    run.table(pd.concat(frames, ignore_index=True))
    low = [_summary(run, "low", place) for place in range(_n_data_sets(run))]
    for column in ("λ of the best likelihood", "λ of the best stability", "best stability"):
        yield _compared(run, "low", column, [value for one in low for value in one[column]])
    yield _same_without_redundancy(run)
    yield _steadier_with_redundancy(run)
    several = [_lasso(run, "low", place) for place in range(_n_data_sets(run))]
    lost = [float(paths.losses()[paths.steadiest]) for paths in several]
    told = f"{percent(float(np.mean(lost)))} of it, on average over {len(lost)} data sets"
    yield run.claim("low-negligible", float(np.mean(lost)) <= SMALL, told, cutoff=_small("negligible"))


@item(PAPER, "figure-6.6", seconds=1, full_seconds=1)
def figure_6_6(run: Run) -> Iterator[Row]:
    """Stability against likelihood."""
    _tell_size(run)
    paths = _first_data_set(run)
    none = paths["none"]
    order = spearmanr(none.likelihood.mean(axis=0), none.stabilities()).statistic
    cutoff = f"increases: a rank correlation above {INCREASING}"
    yield run.claim(
        "none-increases", order > INCREASING, f"rank correlation {order:.3f} without redundancy", cutoff=cutoff
    )
    told, holds = [], True
    for name in list(REDUNDANCY)[1:]:
        below, above = _alike_in_likelihood(paths[name])
        test = test_difference(paths[name].at(below), paths[name].at(above), method="normal", paired=False)
        lambdas, values = paths[name].penalties, paths[name].stabilities()
        told.append(
            f"{name}: λ {lambdas[below]:.4f} and {lambdas[above]:.4f}, {values[below]:.2f} and {values[above]:.2f}"
        )
        holds &= bool(test.estimate > 0 and test.p_value <= LEVEL)
    cutoff = f"differ: p at most {LEVEL}; the same likelihood: as near as our penalties have it"
    yield run.claim("two-penalties", holds, "; ".join(told), cutoff=cutoff)


@item(PAPER, "figure-6.7", seconds=1, full_seconds=1)
def figure_6_7(run: Run) -> Iterator[Row]:
    """The Pareto fronts of the redundant data: the steadiest point among those that lose little likelihood."""
    _tell_size(run)
    for name in list(REDUNDANCY)[1:]:
        paths = _first_data_set(run)[name]
        values, losses, front = paths.stabilities(), paths.losses(), _front(paths)
        best = paths.likeliest
        near = front[losses[front] <= SMALL]
        steady = int(near[np.argmax(values[near])])
        test = test_difference(paths.at(best), paths.at(steady), method="normal", paired=False)
        told = (
            f"stability {values[best]:.2f} to {values[steady]:.2f}, likelihood "
            f"{paths.likelihood[:, best].mean():.3f} to {paths.likelihood[:, steady].mean():.3f} "
            f"({percent(float(losses[steady]))} of it)"
        )
        gain = values[steady] - values[best] >= CONSIDERABLE and test.estimate > 0 and test.p_value <= LEVEL
        cutoff = f"{_small('small')}; considerably: by {CONSIDERABLE} at least, with p at most {LEVEL}"
        yield run.claim(name, bool(gain), told, cutoff=cutoff)


@item(PAPER, "figure-6.8", seconds=1, full_seconds=1)
def figure_6_8(run: Run) -> Iterator[Row]:
    """The fronts together."""
    _tell_size(run)
    paths = _first_data_set(run)
    fronts = {name: _front(one) for name, one in paths.items()}
    errors = {name: 100 * paths[name].error.mean(axis=0)[front] for name, front in fronts.items()}
    best = [float(np.nanmax(one.stabilities())) for one in paths.values()]
    least = bool(errors["none"].max() < 0.5)
    yield run.claim("none-without-error", least, f"at most {errors['none'].max():.2f}%", cutoff="0%: less than 0.5%")
    yield run.claim("best-falls", best == sorted(best, reverse=True), ", ".join(f"{value:.2f}" for value in best))
    told = ", ".join(f"{name}: {one.min():.1f}% to {one.max():.1f}%" for name, one in errors.items())
    same = all(np.ptp(one) <= 100 * SIMILAR for one in errors.values())
    yield run.claim("similar-errors", same, told, cutoff=f"similar: within {100 * SIMILAR:g} point")
    lost = {name: float(one.losses()[fronts[name]].max()) for name, one in paths.items()}
    told = ", ".join(f"{name}: {percent(loss)}" for name, loss in lost.items())
    yield run.claim(
        "similar-likelihoods", max(lost.values()) <= SMALL, f"lost at most, {told}", cutoff=_small("similar")
    )
    n_front = len(fronts["none"])
    told = f"{counted(n_front, 'point')} with our penalties"
    yield run.not_stated(run.published.claim("three-points"), ours=told)


@item(PAPER, "figure-6.9", seconds=1, full_seconds=1)
def figure_6_9(run: Run) -> Iterator[Row]:
    """Selection frequencies of the data with the highest redundancy."""
    _tell_size(run)
    paths = _first_data_set(run)["high"]
    left, right = (paths.at(place) for place in _ends_of_front(paths))
    run.figure(plot.selection_frequencies({"likelihood": left, "stability": right}, top=N_FEATURES))
    irrelevant, relevant = right.frequencies[N_RELEVANT:], right.frequencies[:N_RELEVANT]
    told = f"irrelevant features at most {irrelevant.max():.2f}, relevant ones up to {relevant.max():.2f}"
    yield run.claim("steady-without-irrelevant", bool(irrelevant.max() == 0), told)
    irrelevant, relevant = left.frequencies[N_RELEVANT:], left.frequencies[:N_RELEVANT]
    more = relevant[:, None] - irrelevant
    apart = float(np.mean(more > 0) + np.mean(more == 0) / 2)
    told = f"the relevant one is the more frequent in {percent(apart)} of the pairs of a relevant and an irrelevant one"
    cutoff = f"do not tell: in less than {percent(TOLD_APART)}, half of the way from chance to certainty"
    yield run.claim("likely-mixes", apart < TOLD_APART, told, cutoff=cutoff)


@item(PAPER, "table-6.4", seconds=5, full_seconds=400)
def table_6_4(run: Run) -> Iterator[Row]:
    """False positives and false negatives of the final set."""
    _tell_size(run)
    changes: dict[str, list[Floats]] = {"positives": [], "negatives": []}
    for name in REDUNDANCY:
        found = [_summary(run, name, place) for place in range(_n_data_sets(run))]
        for column in run.published.columns():
            yield _compared(run, name, column, [value for one in found for value in one[column]])
        for what, change in changes.items():
            ends = (
                np.array([np.mean(one[f"{by}: false {what}"]) for one in found]) for by in ("stability", "likelihood")
            )
            change.append(next(ends) - next(ends))
    redundant = list(REDUNDANCY)[1:]
    fewer, more = (np.array(change[1:]) for change in changes.values())
    told = ", ".join(f"{name}: {one.mean():+.1f}" for name, one in zip(redundant, fewer, strict=True))
    yield run.claim("fewer-false-positives", bool((fewer.mean(axis=1) < 0).all()), f"on average over data sets {told}")
    told = ", ".join(f"{name}: {one.mean():+.1f}" for name, one in zip(redundant, more, strict=True))
    cutoff = f"limited: by {LIMITED:g} of {N_RELEVANT} at most"
    yield run.claim("limited-effect", bool((abs(more.mean(axis=1)) <= LIMITED).all()), told, cutoff=cutoff)


@item(PAPER, "figure-6.10", seconds=25, full_seconds=900)
def figure_6_10(run: Run) -> Iterator[Row]:
    """The elastic net: size, likelihood and stability against the penalty."""
    _tell_size(run)
    several = [_elastic(run, RATIOS[0], place) for place in range(_n_data_sets(run))]
    at = {penalty: [_at_penalty(one, penalty) for one in several] for penalty in (PRINTED_BEST, BEST, STEADY)}
    instead = f"λ = {BEST}, as in figure 6.11, in place of {PRINTED_BEST}."
    for words, penalty, correction in (("at the best likelihood", BEST, instead), (f"at λ = {STEADY}", STEADY, "")):
        for place, column in enumerate((f"stability {words}", f"error {words} (%)")):
            yield _compared(run, "α = 0.05", column, [one[place] for one in at[penalty]], correction=correction)
    yield _printed_penalty(run, several, {key: [one[0] for one in values] for key, values in at.items()})
    first = {ratio: _elastic(run, ratio, 0) for ratio in RATIOS}
    run.table(pd.concat([_frame(one).assign(alpha=ratio) for ratio, one in first.items()], ignore_index=True))
    sizes = {ratio: one.selected.sum(axis=2) for ratio, one in first.items()}
    rises = {ratio: _largest_rise(one.penalties, sizes[ratio]) for ratio, one in first.items()}
    told = "; ".join(f"α = {ratio}: {rise.words}" for ratio, rise in rises.items())
    fewer = not any(rise.significant for rise in rises.values())
    yield run.claim(
        "fewer-features", fewer, told, power="a rise beyond 3 standard errors between bootstraps refutes it"
    )
    likelihood = np.array([one.likelihood.mean(axis=0) for one in first.values()])
    share = float(np.mean(likelihood.argmax(axis=0) == 0))
    told = f"at {100 * share:.0f}% of the penalties, of α = {listed([str(ratio) for ratio in RATIOS])}"
    yield run.claim("best-ratio", share > 0.5, told, cutoff="most: more than half")
    one = first[RATIOS[0]]
    steady = one.penalties > 0.56
    values = one.stabilities()[steady]
    yield run.claim("steady-above", bool((values > 0.9).all()), f"stability at least {values.min():.2f}")
    many = sizes[RATIOS[0]].mean(axis=0)[steady]
    about = ABOUT_50[0] <= many.min() and many.max() <= ABOUT_50[1]
    cutoff = f"about 50: {ABOUT_50[0]:g} to {ABOUT_50[1]:g}"
    yield run.claim("about-50", bool(about), f"{many.min():.1f} to {many.max():.1f}", cutoff=cutoff)


@item(PAPER, "figure-6.11", seconds=1, full_seconds=1)
def figure_6_11(run: Run) -> Iterator[Row]:
    """Selection frequencies of the elastic net."""
    _tell_size(run)
    several = [_elastic(run, RATIOS[0], place) for place in range(_n_data_sets(run))]
    yield _compared(run, "α = 0.05", "λ of the best likelihood", [one.penalties[one.likeliest] for one in several])
    paths = several[0]
    left, right = (paths.at(paths.nearest(penalty)) for penalty in (BEST, STEADY))
    run.figure(plot.selection_frequencies({f"λ = {BEST}": left, f"λ = {STEADY}": right}, top=N_FEATURES))
    always = float(right.frequencies[:N_RELEVANT].min())
    yield run.claim("relevant-always", always == 1, f"the rarest relevant feature has the frequency {always:.2f}")
    often = [float(one.frequencies[N_RELEVANT:].mean()) for one in (left, right)]
    told = f"mean frequency {often[1]:.3f} of the irrelevant features"
    yield run.claim("irrelevant-rarely", often[1] < RARELY, told, cutoff=f"rarely: a mean frequency below {RARELY}")
    told = f"mean frequency {often[0]:.2f} against {often[1]:.3f}"
    cutoff = f"much more often: more than {MUCH_MORE:g} times as often"
    yield run.claim("more-irrelevant", often[0] > MUCH_MORE * often[1], told, cutoff=cutoff)


def _tell_size(run: Run) -> None:
    run.size({"bootstraps": (_n_runs(run), run.published.given["n_runs"])})


def _small(word: str) -> str:
    """What is said of a loss of likelihood."""
    return f"{word}: at most {percent(SMALL)} of what the likeliest model gains over none"


def _n_data_sets(run: Run) -> int:
    return 6 if run.full else 4


def _n_runs(run: Run) -> int:
    return 100 if run.full else 25


def _first_data_set(run: Run) -> dict[str, Paths]:
    return {name: _lasso(run, name, 0) for name in REDUNDANCY}


def _lasso(run: Run, redundancy: str, place: int) -> Paths:
    return _paths(REDUNDANCY[redundancy], (run.seed, place), _n_runs(run), PENALTIES, 1.0, run.jobs)


def _elastic(run: Run, ratio: float, place: int) -> Paths:
    return _paths(REDUNDANCY["high"], (run.seed, place), _n_runs(run), ELASTIC_PENALTIES, ratio, run.jobs)


@lru_cache(maxsize=64)
def _paths(
    rho: float, seed: tuple[int, int], n_runs: int, penalties: Sequence[float], ratio: float, jobs: int
) -> Paths:
    """Half of the rows of a data set choose the penalty, in bootstraps; the other half gives the final set."""
    data = redundant_features(N_ROWS, N_FEATURES, rho=rho, random_state=np.random.SeedSequence(seed))
    half = N_ROWS // 2
    X, y = data.X[:half], data.y[:half]
    draws = Bootstrap(n_runs, random_state=seed[1]).split(X)
    models = Parallel(n_jobs=jobs)(delayed(_model)(X, y, train, test, penalties, ratio) for train, test in draws)
    likelihood, error, selected = (np.array(part) for part in zip(*models, strict=True))
    levels = np.array(penalties)
    final = elastic_net_path(data.X[half:], data.y[half:], lambdas=levels, l1_ratio=ratio, tol=TOLERANCE).coefs != 0
    return Paths(levels, likelihood, error, selected, final)


def _model(
    X: Floats, y: Ints, train: Ints, test: Ints, penalties: Sequence[float], ratio: float
) -> tuple[Floats, Floats, Bools]:
    """Out-of-bag log-likelihood and misclassification, and the selected features, at every penalty."""
    path = elastic_net_path(X[train], y[train], lambdas=list(penalties), l1_ratio=ratio, tol=TOLERANCE)
    margin = (X[test] @ path.coefs.T + path.intercepts) * (2 * y[test] - 1)[:, None]
    return -np.logaddexp(0, -margin).mean(axis=0), (margin <= 0).mean(axis=0), path.coefs != 0


def _summary(run: Run, redundancy: str, place: int) -> dict[str, list[float]]:
    """What one data set gives, once for each redrawing of the bootstraps."""
    kept: dict[str, list[float]] = run.kept(
        f"{redundancy}-{place}", lambda: _summed_up(_lasso(run, redundancy, place), (run.seed, place))
    )
    return kept


def _summed_up(paths: Paths, seed: tuple[int, int]) -> dict[str, list[float]]:
    random = np.random.default_rng(seed)
    found: dict[str, list[float]] = {}
    for _ in range(REDRAWN):
        best, steady, value = _chosen(paths, random)
        found.setdefault("λ of the best likelihood", []).append(float(paths.penalties[best]))
        found.setdefault("λ of the best stability", []).append(float(paths.penalties[steady]))
        found.setdefault("best stability", []).append(value)
        for words, place in (("likelihood", best), ("stability", steady)):
            final = paths.final[place]
            found.setdefault(f"{words}: false positives", []).append(float(final[N_RELEVANT:].sum()))
            found.setdefault(f"{words}: false negatives", []).append(float(N_RELEVANT - final[:N_RELEVANT].sum()))
    return found


def _chosen(paths: Paths, random: np.random.Generator) -> tuple[int, int, float]:
    """The penalties of the best likelihood and of the best stability, and the latter, with new bootstraps for each."""
    n_runs, n_levels = paths.likelihood.shape
    rows = random.integers(n_runs, size=(n_levels, n_runs))
    likelihood = np.take_along_axis(paths.likelihood, rows.T, axis=0).mean(axis=0)
    # A run that was drawn twice agrees with itself: distinct runs only, or every stability would be too high.
    values = np.array([stability(paths.at(j).take(np.unique(rows[j]))) for j in range(n_levels)])
    steady = int(np.nanargmax(values))
    return int(np.argmax(likelihood)), steady, float(values[steady])


def _compared(run: Run, row: str, column: str, values: Sequence[float], *, correction: str = "") -> Row:
    """A cell beside the mean over data sets; the published number is from one data set."""
    spread = float(np.std(values, ddof=1))
    cell = run.published.cell(row, column)
    return run.row(
        cell,
        float(np.mean(values)),
        standard_error=spread / _n_data_sets(run) ** 0.5,
        published_error=spread,
        matters=float(cell.value)
        if column.startswith("λ")
        else next(far for word, far in MATTERS.items() if word in column),
        correction=correction,
    )


def _same_without_redundancy(run: Run) -> Row:
    paths = _first_data_set(run)["none"]
    places = (paths.likeliest, paths.steadiest)
    intervals = [confidence_interval(paths.at(place), method="normal") for place in places]
    likelihood = [float(paths.likelihood[:, place].mean()) for place in places]
    told = (
        f"stability {intervals[0].estimate:.2f} and {intervals[1].estimate:.2f}, "
        f"likelihood {likelihood[0]:.3f} and {likelihood[1]:.3f}"
    )
    alike = intervals[1].estimate in intervals[0] or intervals[0].estimate in intervals[1]
    loss = float(paths.losses()[paths.steadiest])
    cutoff = f"similar stability: one lies in the interval of the other; {_small('similar likelihood')}"
    return run.claim("none-alike", alike and loss <= SMALL, told, cutoff=cutoff)


def _steadier_with_redundancy(run: Run) -> Row:
    told, holds = [], True
    for name in list(REDUNDANCY)[1:]:
        paths = _first_data_set(run)[name]
        best, steady = paths.likeliest, paths.steadiest
        test = test_difference(paths.at(best), paths.at(steady), method="normal", paired=False)
        values = paths.stabilities()
        told.append(f"{name}: {values[best]:.2f} and {values[steady]:.2f}")
        holds &= bool(test.estimate > 0 and test.p_value <= LEVEL)
    return run.claim("redundant-differ", holds, "; ".join(told), cutoff=f"clearly: p at most {LEVEL}")


class Rise(NamedTuple):
    """How much the number of selected features grows with the penalty, at most."""

    words: str
    significant: bool


def _largest_rise(penalties: Floats, sizes: Ints) -> Rise:
    """Between which two penalties the mean size (bootstraps x penalties) rises most; penalties fall."""
    means = sizes.mean(axis=0)
    gains = np.triu(means[:, None] - means, k=1)
    large, small = np.unravel_index(int(np.argmax(gains)), gains.shape)
    if gains[large, small] <= 0:
        return Rise("never", False)
    gain = sizes[:, large] - sizes[:, small]
    words = f"{means[small]:.1f} at λ = {penalties[small]:g}, {means[large]:.1f} at λ = {penalties[large]:g}"
    return Rise(words, bool(gain.mean() > 3 * gain.std(ddof=1) / len(gain) ** 0.5))


def _at_penalty(paths: Paths, penalty: float) -> tuple[float, float]:
    """Stability, and error in percent."""
    place = paths.nearest(penalty)
    return float(stability(paths.at(place))), 100 * float(paths.error[:, place].mean())


def _printed_penalty(run: Run, several: Sequence[Paths], values: Mapping[float, Sequence[float]]) -> Row:
    """Whether the penalty that the text has gives the stability that it has."""
    printed = run.published.cell("α = 0.05", "stability at the best likelihood").value
    mean, spread = float(np.mean(values[PRINTED_BEST])), float(np.std(values[PRINTED_BEST], ddof=1))
    best = sorted({float(one.penalties[one.likeliest]) for one in several})
    told = (
        f"the likelihood is best at λ = {' or '.join(f'{one:g}' for one in best)}; stability {mean:.2f} at "
        f"λ = {PRINTED_BEST} and {np.mean(values[BEST]):.2f} at λ = {BEST}, where {printed} is printed"
    )
    power = f"a stability that is {3 * spread:.2f} off, 3 standard deviations between data sets, refutes it"
    return run.claim("printed-penalty", abs(mean - float(printed)) <= 3 * spread, told, power=power)


def _alike_in_likelihood(paths: Paths) -> tuple[int, int]:
    """A penalty below and one above that of the best likelihood, with likelihoods as near as our levels have them."""
    likelihood, best = paths.likelihood.mean(axis=0), paths.likeliest
    above = np.arange(max(best - 2, 1))  # penalties fall
    below = np.arange(best + 3, len(likelihood))
    gaps = np.abs(likelihood[below][:, None] - likelihood[above])
    i, j = np.unravel_index(int(np.argmin(gaps)), gaps.shape)
    return int(below[i]), int(above[j])


def _front(paths: Paths) -> Ints:
    return pareto_front(np.column_stack([paths.likelihood.mean(axis=0), paths.stabilities()]), ["max", "max"])


def _ends_of_front(paths: Paths) -> tuple[int, int]:
    """The likeliest and the steadiest point of the front."""
    front = _front(paths)
    likelihood, values = paths.likelihood.mean(axis=0)[front], paths.stabilities()[front]
    return int(front[np.argmax(likelihood)]), int(front[np.argmax(values)])


def _frame(paths: Paths) -> pd.DataFrame:
    intervals = [confidence_interval(paths.at(j), method="normal") for j in range(len(paths.penalties))]
    columns: Mapping[str, object] = {
        "penalty": paths.penalties,
        "log_likelihood": paths.likelihood.mean(axis=0),
        "error": paths.error.mean(axis=0),
        "features": paths.selected.sum(axis=2).mean(axis=0),
        "stability": [one.estimate for one in intervals],
        "low": [one.low for one in intervals],
        "high": [one.high for one in intervals],
    }
    return pd.DataFrame(columns)
