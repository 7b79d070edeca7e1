"""Filters that add features one by one by mutual information: mrmr, mid, jmi, jmim, disr, njmim, cmim."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from steadyset.foundation.arguments import check_number
from steadyset.kernels.arrays import Floats, Ints
from steadyset.selectors.filters.coded import Coded, Pair
from steadyset.selectors.filters.moments import BOTH
from steadyset.selectors.filters.registry import Filter, Steps, register_filter


class Criterion(NamedTuple):
    """J(X) = ``score``(I(Y; X), fold over the selected W of ``term``, number selected)."""

    term: Callable[[Pair], Floats]
    fold: Callable[[Floats, Floats], Floats]
    score: Callable[[Floats, Floats, int], Floats] = lambda relevance, folded, n_selected: folded


CRITERIA = {
    "mrmr": Criterion(lambda pair: pair.redundancy, np.add, lambda relevance, folded, n: relevance - folded / n),
    "jmi": Criterion(lambda pair: pair.joint, np.add),
    "jmim": Criterion(lambda pair: pair.joint, np.minimum),
    "disr": Criterion(lambda pair: pair.normalised, np.add),
    "njmim": Criterion(lambda pair: pair.normalised, np.minimum),
    "cmim": Criterion(
        lambda pair: pair.conditional, np.minimum, lambda relevance, folded, n: np.minimum(relevance, folded)
    ),
}
UNBOUNDED_CMIM = Criterion(lambda pair: pair.conditional, np.minimum)


def select_greedily(
    criterion: Criterion,
    X: Floats,
    y: Ints | Floats,
    weights: Floats,
    *,
    k: int,
    threshold: float | None = None,
    fill: bool = False,
    discretise: str = "equal_width",
) -> Steps:
    """Start from the feature with the largest I(Y; X), then add the one with the largest J(X) given those selected.

    ====== =======================================================
    mrmr   I(Y; X) - mean over W of I(X; W)
    jmi    sum over W of I(Y; X, W)
    jmim   minimum over W of I(Y; X, W)
    disr   sum over W of I(Y; X, W) / H(Y, X, W)
    njmim  minimum over W of I(Y; X, W) / H(Y, X, W)
    cmim   minimum of I(Y; X) and, over W, of I(Y; X | W)
    ====== =======================================================

    W runs over the selected features. Stops after k features, or before the first whose J is below ``threshold``.
    Features with one bin, which tell nothing about any target, are left out unless ``fill`` lets them in. A
    feature's score is its J when it was selected, and the last J computed if it was not: scores of different steps do
    not compare. Peng et al. 2005 (mrmr), Yang and Moody 1999 (jmi), Bennasar et al. 2015 (jmim, njmim), Meyer and
    Bontempi 2006 (disr), Fleuret 2004 (cmim); formulas as in Bommert 2020, 3.1.5.
    """
    coded = Coded.of(X, y, weights, discretise)
    score = coded.relevance
    scores = score.copy()
    free = np.ones(score.size, bool) if fill else coded.entropy > 0
    order: list[int] = []
    rivals: list[Ints] = []
    folded: Floats | None = None
    while len(order) < k and free.any():
        if order:
            term = criterion.term(Pair(coded, order[-1], free))
            folded = term if folded is None else criterion.fold(folded, term)
            score = criterion.score(coded.relevance, folded, len(order))
            scores[free] = score[free]
        best = int(np.argmax(np.where(free, score, -np.inf)))
        if threshold is not None and score[best] < threshold:
            break
        order.append(best)
        free[best] = False
        rivals.append(np.flatnonzero(free & (score == score[best])))
    return Steps(scores, np.array(order, np.int64), sum(bool(free[equals].any()) for equals in rivals))


def select_by_conditional(
    X: Floats,
    y: Ints | Floats,
    weights: Floats,
    *,
    k: int,
    threshold: float | None = None,
    fill: bool = False,
    discretise: str = "equal_width",
    bounded: bool = True,
) -> Steps:
    """cmim; ``bounded=False`` leaves I(Y; X) out of the minimum: Fleuret's formula for J, not his algorithm.

    The two differ where a feature tells more about the target together with a selected one than alone.
    """
    criterion = CRITERIA["cmim"] if bounded else UNBOUNDED_CMIM
    return select_greedily(criterion, X, y, weights, k=k, threshold=threshold, fill=fill, discretise=discretise)


def select_by_difference(
    X: Floats,
    y: Ints | Floats,
    weights: Floats,
    *,
    k: int,
    threshold: float | None = None,
    fill: bool = False,
    discretise: str = "equal_width",
    alpha: float = 0.5,
) -> Steps:
    """Select by J(X) = alpha I(Y; X) - (1 - alpha) mean over W of I(X; W): Gulgezen et al. 2009.

    With alpha = 0.5 this is half of the J of mrmr, and the same selection; with alpha = 1, that of mim.
    """
    check_number("alpha", alpha, most=1, or_equal=True)
    criterion = Criterion(
        lambda pair: pair.redundancy,
        np.add,
        lambda relevance, folded, n: alpha * relevance - (1 - alpha) * folded / n,
    )
    return select_greedily(criterion, X, y, weights, k=k, threshold=threshold, fill=fill, discretise=discretise)


SCORES: dict[str, Callable[..., Steps]] = {
    "cmim": select_by_conditional,
    "mid": select_by_difference,
    **{name: partial(select_greedily, criterion) for name, criterion in CRITERIA.items() if name != "cmim"},
}
_BENNASAR = "Bennasar, Hicks and Setchi 2015"
for _name, _summary, _formula, _reference in [
    (
        *("mrmr", "minimum redundancy, maximum relevance", "I(Y; X) - mean_W I(X; W)"),
        "Peng, Long and Ding 2005",
    ),
    (
        *("mid", "mutual information difference with a trade-off of relevance and redundancy (alpha)"),
        "α I(Y; X) - (1 - α) mean_W I(X; W)",
        "Gulgezen, Cataltepe and Yu 2009",
    ),
    ("jmi", "joint mutual information", "sum_W I(Y; X, W)", "Yang and Moody 1999"),
    ("jmim", "joint mutual information maximisation", "min_W I(Y; X, W)", _BENNASAR),
    (
        *("disr", "double input symmetrical relevance", "sum_W I(Y; X, W) / H(Y, X, W)"),
        "Meyer and Bontempi 2006",
    ),
    (
        *("njmim", "normalised joint mutual information maximisation", "min_W I(Y; X, W) / H(Y, X, W)"),
        _BENNASAR,
    ),
    (
        *(
            "cmim",
            "conditional mutual information maximisation, bounded by I(Y; X) unless bounded=False",
            "min(I(Y; X), min_W I(Y; X | W))",
        ),
        "Fleuret 2004",
    ),
]:
    register_filter(
        Filter(
            name=_name,
            score=SCORES[_name],
            needs_discrete="equal_width",
            target=BOTH,
            greedy=True,
            constant=0.0,
            reference=_reference,
            summary=_summary,
            formula=_formula,
        )
    )
