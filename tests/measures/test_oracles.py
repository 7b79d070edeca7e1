"""The measures against reference values of the original implementations (tests/oracles)."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import steadyset as st

ORACLES = Path(__file__).parents[1] / "oracles"
PRECISION = {"rel": 1e-10, "abs": 1e-10}


def load(name):
    return json.loads((ORACLES / f"{name}.json").read_text(encoding="utf-8"))


def stabm_cases():
    files = ("stabm_random", "stabm_edge", "stabm_exact_larger_p")
    return [case for name in files for case in load(name)["cases"]]


def differs_by_decision(case, result):
    """Where docs/decisions.md says why our value is another one, or the recorded number has no meaning."""
    if result.get("rounding_residue"):
        return True
    of_all_runs = result["measure"] in ("davis", "novovicova")
    return of_all_runs and result["correction"] == "exact" and len(case["features"]) > 2


def ours(case, result, undefined):
    return st.stability(
        st.Selections.from_sets(case["features"], n_features=case["p"]),
        result["measure"],
        undefined=undefined,
        expectation=result["correction"],
        **({"alpha": result["penalty"]} if "penalty" in result else {}),
    )


@pytest.mark.parametrize("case", stabm_cases(), ids=lambda case: case["id"])
def test_values_of_stabm(case):
    compared = 0
    for result in case["results"]:
        if differs_by_decision(case, result):
            continue
        compared += 1
        what = f"{result['measure']} {result.get('penalty', '')} {result['correction']}"
        value = ours(case, result, "nan")
        if result["kind"] == "number":
            assert value == pytest.approx(result["value"], **PRECISION), what
        else:
            assert np.isnan(value), what
            if result["kind_impute_na_0"] == "number":
                assert ours(case, result, 0) == pytest.approx(result["value_impute_na_0"], **PRECISION), what
    assert compared >= 12


@pytest.mark.parametrize("case", load("jmlr2018")["cases"], ids=lambda case: case["id"])
def test_nogueira_equals_the_authors_code(case):
    value = st.stability(st.Selections.from_sets(case["features"], n_features=case["d"]), "nogueira")
    wanted = np.nan if case["stability"] is None else case["stability"]
    assert value == pytest.approx(wanted, nan_ok=True, **PRECISION)


def values_of_all_pairs(measure):
    """The measure of every ordered pair of subsets of 7 features, in one array."""
    record = st.get_measure(measure)
    subsets = [frozenset(s) for k in range(8) for s in itertools.combinations(range(7), k)]
    k = np.array([len(s) for s in subsets])
    shared = np.array([[len(a & b) for b in subsets] for a in subsets])
    ki, kj = (x.ravel() for x in np.meshgrid(k, k, indexing="ij"))
    r = shared.ravel()
    if record.family == "pairwise":
        return record.score(r, ki, kj, 7)
    levels = np.stack([7 - ki - kj + r, ki + kj - 2 * r, r], axis=1)
    kinds, where = np.unique(np.stack([ki, kj, r], axis=1), axis=0, return_inverse=True)
    places = {kind: np.flatnonzero(where == kind)[0] for kind in range(len(kinds))}
    values = [record.score(levels[p], np.array([ki[p], kj[p]]), 7, **record.params) for p in places.values()]
    return np.array(values, dtype=float)[where.ravel()]


@pytest.mark.parametrize("row", load("stabm_seven_features")["measures"], ids=lambda row: row["measure"])
def test_all_pairs_of_subsets_of_seven_features(row):
    """Table 6.3 of Bommert 2020 for the missing values, stabm for the others."""
    values = values_of_all_pairs(row["measure"])
    defined = values[~np.isnan(values)]
    assert len(values) == 16_384
    assert np.isnan(values).sum() == row["missing"] == row["published_missing"]
    assert defined.min() == pytest.approx(row["min"], **PRECISION)
    assert defined.max() == pytest.approx(row["max"], **PRECISION)
    assert defined.mean() == pytest.approx(row["mean"], **PRECISION)
    assert defined.sum() == pytest.approx(row["sum"], rel=1e-10, abs=1e-9)
    assert (defined**2).sum() == pytest.approx(row["sum_of_squares"], rel=1e-10)


@pytest.mark.parametrize("row", load("stabm_seven_features")["published_rows"])
def test_two_rows_of_seven_features_that_the_thesis_prints(row):
    selections = st.Selections.from_sets(row["features"], n_features=7)
    for measure, value in row["values"].items():
        assert st.stability(selections, measure) == pytest.approx(value, **PRECISION), measure


# Truncated to two digits in print, where every other cell of these tables is rounded (docs/decisions.md).
TRUNCATED = {
    ("table_2", 11): 0.82,
    ("table_2", 14): 0.82,
    ("table_5", 16): 0.43,
    ("table_5", 18): 0.82,
    ("table_5", 20): 0.82,
}


@pytest.mark.parametrize("table", ["table_2", "table_3", "table_4", "table_5"])
def test_tables_of_the_corrected_lustgarten_paper(table):
    content = load("corrected_lustgarten_tables")
    d = content["n_features"]
    for number, row in enumerate(content[table], start=1):
        r, ki, kj = (np.array([row[key]]) for key in ("r", "ki", "kj"))
        ours = {
            name: float(st.get_measure(name).score(r, ki, kj, d)[0])
            for name in ("lustgarten", "corrected_lustgarten", "nogueira_brown", "wald")
        }
        ours["correction"] = ours["corrected_lustgarten"] - ours["lustgarten"]
        for name in set(row) - {"ki", "kj", "r"}:
            printed = float(row[name])
            if name == "nogueira_brown" and (table, number) in TRUNCATED:
                assert printed == pytest.approx(np.trunc(100 * ours[name]) / 100)
                printed = TRUNCATED[table, number]
            assert abs(ours[name] - printed) <= 0.005 + 1e-12, (number, name)
