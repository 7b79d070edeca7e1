"""Other rules on the halves of a shortlist: what each lists, the error it promises, and what held in our study.

All see the same halves; those with artificial features rank them once more. The integrated path reads the lasso's, as
its package does, the others the filter's, where the list rests on these. The figures under ``held`` are those of
docs/shortlist.md, written by benchmarks/shortlist.py; a test compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from steadyset.shortlists.listed import RuleListing
from steadyset.shortlists.procedure import Judged
from steadyset.shortlists.rules.artificial import knockoffs, permuted, with_artificial
from steadyset.shortlists.rules.halves import Found, Halves, ListRule, bounded, calibrated
from steadyset.shortlists.rules.integrated import integrated

_IPSS = "Melikechi and Miller 2025"
_SS = "Shah and Samworth 2013"


def _permuted_targets(halves: Halves) -> Found:
    procedure = halves.judged.procedure
    if procedure.false is None:
        return Found(halves.judged.features.listed, f"at most {100 * (procedure.fdr or 0):g}% false")
    return Found(halves.judged.features.listed, f"at most {procedure.false:g} false")


LIST_RULES = (
    ListRule(
        "permuted targets",
        _permuted_targets,
        "0.9 to 1.2 false without any effect on three arrays, where 1 is allowed; 14.1 of 20 weak effects found",
        "this list",
    ),
    ListRule(
        "integrated path, quadratic",
        partial(integrated, order=2),
        "0.1 to 0.2 false without any effect on three arrays, where 1 is allowed; 5.7 of 20 weak effects found",
        _IPSS,
        "lasso",
    ),
    ListRule(
        "integrated path, cubic",
        partial(integrated, order=3),
        "0.1 to 0.2 false without any effect on three arrays, where 1 is allowed; 5.9 of 20 weak effects found",
        _IPSS,
        "lasso",
    ),
    ListRule(
        "permuted features",
        partial(with_artificial, make=permuted),
        "6.0 to 13.7 false without any effect on three arrays, where 1 is allowed; 13.2 of 20 weak effects found",
        "Hédou et al. 2024",
    ),
    ListRule(
        "knockoffs",
        partial(with_artificial, make=knockoffs),
        "10.8 to 25.6 false without any effect on three arrays, where 1 is allowed; 11.8 of 20 weak effects found",
        "Candès et al. 2018",
    ),
    ListRule(
        "Meinshausen-Bühlmann",
        partial(bounded, rule="meinshausen_buhlmann"),
        "0.1 false without any effect on three arrays, where 1 is allowed; 11.0 of 20 weak effects found",
        "Meinshausen and Bühlmann 2010",
    ),
    ListRule(
        "unimodal",
        partial(bounded, rule="shah_samworth_unimodal"),
        "0.1 to 0.2 false without any effect on three arrays, where 1 is allowed; 11.3 of 20 weak effects found",
        _SS,
    ),
    ListRule(
        "r-concave",
        partial(bounded, rule="shah_samworth_r_concave"),
        "2.4 to 4.2 false without any effect on three arrays, where 1 is allowed; 14.5 of 20 weak effects found",
        _SS,
    ),
    ListRule(
        "calibrated",
        calibrated,
        "0.0 to 0.1 false without any effect on three arrays, where 1 is allowed; 10.3 of 20 weak effects found",
        "Bodinier et al. 2023",
    ),
)


def compare_rules(judged: Judged, names: Sequence[str]) -> tuple[RuleListing, ...]:
    """What every rule lists on the halves at hand, where its usual base ranked them: of others nothing is known."""
    halves = {base: Halves(judged, base) for base in judged.procedure.bases}
    best_first = np.full(len(names), len(names))
    best_first[judged.features.order] = np.arange(len(judged.features.order))
    found = []
    for rule in (one for one in LIST_RULES if one.base in halves):
        result = rule.find(halves[rule.base])
        listed = sorted(np.flatnonzero(result.listed).tolist(), key=lambda f: (best_first[f], f))
        found.append(RuleListing(rule.name, tuple(names[f] for f in listed), result.nominal, rule.held, rule.reference))
    return tuple(found)
