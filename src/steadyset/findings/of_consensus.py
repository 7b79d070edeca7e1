"""What several methods say together."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

from steadyset.findings.cores import cores_of
from steadyset.findings.parts import Backed, Between, Findings, Procedure, RankedFeature
from steadyset.foundation.text import counted, expected_count, listed, number, percent
from steadyset.inference.agreement import Consensus
from steadyset.inference.caution import cautions, without_cautions

RULES = {
    "top_frequency": "mean selection frequency",
    "mean_rank": "mean rank",
    "borda": "Borda points",
    "exponential": "exponential weights of the ranks",
}
NAMED = 10  # features that are named in the answer
MOST_ROWS = 100  # of the ranking; the frame of Consensus has all


def of_consensus(found: Consensus) -> Findings:
    """The agreement, what is backed together and the ranking, with what random sets would give beside them."""
    rows = tuple(_method(row) for row in found.methods.to_dict("records"))
    backed = tuple(Backed(**_keys(row)) for row in found.backed.to_dict("records"))
    between = tuple(Between(**_keys(row)) for row in found.between.to_dict("records"))
    d = next(iter(found.procedures.values())).n_features
    return Findings(
        "consensus",
        f"{counted(len(rows), 'method')}, {counted(sum(row.runs for row in rows), 'run')}, {counted(d, 'feature')}",
        found.measure,
        found.level,
        found.core,
        answer=tuple(_answer(found, rows, between, backed)),
        summary=rows,
        cores=cores_of(found.procedures, rows, found.core),
        between=between,
        backed=backed,
        ranking=tuple(_feature(row, found) for row in found.features.head(MOST_ROWS).to_dict("records")),
        notes=(
            *found.notes,
            *(f"{row.first} and {row.second}: agreement is {row.note}." for row in between if row.note),
            *_notes(rows),
        ),
        settings={
            "aggregate": found.aggregate,
            "backing": found.backing,
            "ranked_features": len(found.features),
        },
        selections=found.procedures,
    )


def _notes(rows: Sequence[Procedure]) -> list[str]:
    """What stands beside methods, once for all that share it."""
    noted: dict[str, list[str]] = {}
    for row in rows:
        noted.setdefault(without_cautions(row.note), []).append(row.name)
    said = [f"{listed(names, NAMED)}: {note}." for note, names in noted.items() if note]
    return [*said, *cautions(row.note for row in rows)]


def _answer(
    found: Consensus, rows: tuple[Procedure, ...], between: tuple[Between, ...], backed: tuple[Backed, ...]
) -> list[str]:
    together = backed[-1]
    votes = found.features["methods"] == len(rows)
    names = found.features.loc[votes, "feature"].tolist()
    who = "Both methods" if len(rows) == 2 else f"All {len(rows)} methods"
    what = f"{counted(len(names), 'feature')}: {listed(names, NAMED, last=', ')}" if names else "no feature together"
    said = [
        f"{who} back {what}. Random sets of the same sizes would have {expected_count(together.expected)} in common"
        f"{_chance(together)}."
    ]
    said += [
        f"At least {one.methods} of {len(rows)} methods back {counted(one.features, 'feature')}; random sets would "
        f"give {expected_count(one.expected)}{_chance(one)}."
        for one in reversed(backed[:-1])
    ]
    within = [row.stability for row in rows if not isnan(row.stability)]
    across = [row.agreement for row in between if not isnan(row.agreement)]
    if within and across:
        chance = sum(row.expected for row in between if not isnan(row.agreement)) / len(across)
        said.append(
            f"Runs of one method agree with {found.measure} {number(sum(within) / len(within))} on average, runs of "
            f"different methods with {number(sum(across) / len(across))}, random sets with {number(chance)}."
        )
    return [
        *said,
        f"A method backs a feature that at least {percent(found.backing)} of its runs select; features are ranked by "
        f"{RULES[found.aggregate]}, every method counting the same.",
    ]


def _chance(one: Backed) -> str:
    if not one.features:
        return ""
    error = f" ± {one.mc_error:.2g}" if one.mc_error else ""
    return f" (so many or more with probability {_probability(one.p_value)}{error})"


def _probability(value: float) -> str:
    return f"{value:.2g}" if value >= 1e-12 else "below 1e-12"


def _method(row: dict[Any, Any]) -> Procedure:
    numbers = {key: float(row[key]) for key in ("within", "low", "high", "size")}
    return Procedure(
        str(row["method"]),
        int(row["n_runs"]),
        numbers["within"],
        numbers["low"],
        numbers["high"],
        "",
        numbers["size"],
        note=str(row["note"]),
    )


def _feature(row: dict[Any, Any], found: Consensus) -> RankedFeature:
    shares = {name: float(row[f"frequency: {name}"]) for name in found.procedures}
    plain = {key: row[key] for key in ("feature", "rank", "score", "methods", "runs", "frequency", "by_chance")}
    return RankedFeature(**plain, frequencies=shares, direction=row["direction"])


def _keys(row: dict[Any, Any]) -> dict[str, Any]:
    return {str(key): value for key, value in row.items()}
