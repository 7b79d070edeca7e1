"""Hamer and Dupont 2021, sections 2, 3 and 5: what the text states of the measures, and the parts of the proofs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from papers.framework import Row, Run, item
from papers.framework.arrays import Floats
from papers.hamer_dupont_2021_measures import PAPER
from steadyset import FeatureSimilarity, Selections, importances, stability

CLOSE = 1e-9
TOGGLED = [[0, 2], [1, 2], [0, 3], [1, 3]]  # equation 2
MANY = (100, 10_000, 1_000_000)
RANDOM = 200


@item(PAPER, "sections-2-and-3", core=True, seconds=2)
def statements(run: Run) -> Iterator[Row]:
    """The example of equation 2, special cases of the measures, importances of a linear model, and matrix A."""
    values = [stability(Selections.from_sets(TOGGLED, n_features=d)) for d in MANY]
    told = ", ".join(f"{value:.4f} for d = {d:,}" for value, d in zip(values, MANY, strict=True))
    yield run.claim("toggling-phi", abs(values[-1] - 1 / 3) < 1e-5, told)
    copies = FeatureSimilarity.from_groups([[0, 1], [2, 3]], n_features=20)
    runs = Selections.from_sets(TOGGLED, n_features=20)
    for claim, measure in (("toggling-phi_S", "phi_S"), ("toggling-pogr", "pogr")):
        value = stability(runs, measure, similarity=copies)
        yield run.claim(claim, abs(value - 1) < CLOSE, f"{value:g}")
    random = np.random.default_rng((run.seed, 2))
    yield _identity(run, random)
    yield _denominator(run)
    yield _correlation(run, random)
    yield _linear_model(run, random)
    yield _matrix(run)


def _collections(random: np.random.Generator, *, one_size: bool = False) -> Iterator[Selections]:
    for _ in range(RANDOM):
        d, M = int(random.integers(3, 10)), int(random.integers(2, 7))
        sizes = np.full(M, random.integers(1, d)) if one_size else random.integers(1, d, size=M)
        yield Selections.from_matrix(random.permuted(np.arange(d) < sizes[:, None], axis=1))


def _identity(run: Run, random: np.random.Generator) -> Row:
    gaps = []
    for sel in _collections(random):
        alone = FeatureSimilarity.from_matrix(np.eye(sel.n_features))
        gaps.append(abs(stability(sel, "phi_S", similarity=alone) - stability(sel)))
    return run.claim("identity", max(gaps) < CLOSE, f"at most {max(gaps):.0e} apart in {RANDOM} random collections")


def _denominator(run: Run) -> Row:
    """tr(S Sigma0) of the runs of scenario 1 with 10 copies, as the number of features grows."""
    q = 10
    sizes: Floats = np.array([q + 3.0, q + 3.0])
    mean = float(sizes.mean())
    traces = []
    for d in MANY:
        off = ((sizes**2).mean() - mean) / (d**2 - d) - mean**2 / d**2
        traces.append(mean * (1 - mean / d) + q * (q - 1) * off)
    told = ", ".join(f"{trace:.4f} for d = {d:,}" for trace, d in zip(traces, MANY, strict=True))
    return run.claim("denominator", abs(traces[-1] - mean) < 1e-3, f"{told}; the mean size is {mean:g}")


def _correlation(run: Run, random: np.random.Generator) -> Row:
    """phi_pears of weights that are 0 or 1, beside two measures of sets."""
    gaps = []
    for sel in _collections(random, one_size=True):
        weighted = Selections.from_weights(sel.to_matrix().toarray().astype(float))
        values = [stability(weighted, "phi_pears"), stability(sel, "kuncheva"), stability(sel)]
        gaps.append(float(np.ptp(values)))
    return run.claim("pears", max(gaps) < CLOSE, f"at most {max(gaps):.0e} apart in {RANDOM} random collections")


def _linear_model(run: Run, random: np.random.Generator) -> Row:
    """Equation 6 by searching flips of the decision, beside equation 7."""
    from sklearn.linear_model import LogisticRegression

    X = random.normal(size=(60, 4))
    X /= X.std(axis=0)
    y = (X @ [2.0, -1.0, 0.5, 0.0] + 0.3 * random.normal(size=60) > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    weights = model.coef_[0]
    by_hand = len(weights) * np.abs(weights) / np.abs(weights).sum()
    margins = np.abs(X @ weights + model.intercept_[0])
    changes = margins[:, None] / np.abs(weights)  # the smallest change of one feature that flips the decision
    equation_6 = (len(weights) * (1 / changes) / (1 / changes).sum(axis=1, keepdims=True)).mean(axis=0)
    ours = [np.asarray(importances.linear(weights)).ravel(), np.asarray(importances.decision_flip(model, X)).ravel()]
    gap = max(float(np.abs(one - by_hand).max()) for one in (equation_6, *ours))
    return run.claim("linear", gap < 1e-6, f"at most {gap:.0e} apart, with `linear` and `decision_flip` of ours")


def _matrix(run: Run) -> Row:
    """Every square part of the matrix of constraints 9 and 10, for up to 3 and 2 features."""
    against, n = 0, 0
    for ki, kj in ((1, 1), (1, 2), (2, 2), (2, 3)):
        A = np.zeros((ki + kj, ki * kj))
        for f in range(ki):
            for g in range(kj):
                A[f, f * kj + g] = A[ki + g, f * kj + g] = 1
        for size in range(1, min(A.shape) + 1):
            for rows in combinations(range(A.shape[0]), size):
                for columns in combinations(range(A.shape[1]), size):
                    n += 1
                    against += round(abs(np.linalg.det(A[np.ix_(rows, columns)])), 6) not in (0.0, 1.0)
    return run.claim("unimodular", not against, f"so for all {n} square parts, up to 2 and 3 features")
