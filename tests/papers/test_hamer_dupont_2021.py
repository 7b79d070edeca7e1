"""The rules by which the claims of Hamer and Dupont (2021) are judged."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification

import steadyset as st
from papers import hamer_dupont_2021_real
from papers.framework import DataFolder, Run, Verdict, all_items, all_papers, chosen_items
from papers.framework.results_folder import ResultsFolder
from papers.hamer_dupont_2021_measures import MEASURES
from papers.hamer_dupont_2021_methods import MRMRFromCorrelations, equal_frequency, methods, penalty_for
from papers.hamer_dupont_2021_real import Found
from papers.hamer_dupont_2021_simulated import Seen, Trend

OTHERS = [name for name in MEASURES if name != "phi_S"]


def test_bins_of_equal_frequency_hold_as_many_rows_each():
    bins = equal_frequency(np.random.default_rng(0).normal(size=(60, 3)), 4)
    for column in bins.T:
        assert np.bincount(column.astype(int)).tolist() == [15, 15, 15, 15]


def test_the_penalty_selects_as_many_features_as_wanted_on_average():
    X, y = make_classification(100, 60, n_informative=10, random_state=0)
    resampling = st.Bootstrap(5, random_state=3)
    trainings = [train for train, _ in resampling.split(X, y)]
    penalty = penalty_for(8, X, y, trainings, prefilter=40, l1_ratio=1.0)
    setting = {"k": 8, "prefilter": 40, "trees": 10, "neighbours": 5, "l1_ratio": 0.8}
    lasso = methods(100, 60, penalties={"lasso": penalty, "en": penalty}, **setting)["lasso"]
    found = st.assess(
        {"lasso": lasso.selector},
        X,
        y,
        resampling=resampling,
        scoring=(),
        n_jobs=1,
        execution=st.Execution(progress=False),
    )
    assert found.selections["lasso"].sizes.mean() == pytest.approx(8, abs=0.5)


def test_every_method_selects_k_features_and_gives_each_an_importance():
    X, y = make_classification(60, 40, n_informative=10, random_state=0)
    setting = {"k": 5, "prefilter": 30, "trees": 20, "neighbours": 5, "l1_ratio": 0.8}
    chosen = methods(60, 40, penalties={"lasso": 0.05, "en": 0.05}, **setting)
    for name, method in chosen.items():
        result = st.assess(
            {name: method.selector},
            X,
            y,
            resampling=st.Bootstrap(2),
            predictor=method.predictor,
            importance="predictor",
            execution={"progress": False, "engine": "serial"},
        )
        sel = result.selections[name]
        ways = {cell.importances.by for cell in result.cells}
        assert ways == {"decision flips" if name in ("rf", "relief") else "coefficients"}, name
        assert np.isfinite(sel.weights).all(), name
        assert (sel.weights >= 0).all(), name
        assert sel.to_matrix(weights=True).sum(axis=1).min() > 0, name
        if name not in ("lasso", "en"):
            assert sel.sizes.tolist() == [5, 5], name


def found(error, **rows):
    errors = {"phi error": error, "accuracy error": error}
    return Found({name: {"phi": phi, "accuracy": acc} | errors for name, (phi, acc) in rows.items()}, 100, 100)


def test_a_front_is_refuted_where_chance_cannot_explain_it():
    rows = {"worse": (0.3, 0.7), "better": (0.5, 0.9), "steadier": (0.6, 0.8)}
    exact, rough = found(0.001, **rows), found(0.1, **rows)
    assert exact.front("phi") == ["better", "steadier"]
    assert exact.contradiction(["better", "steadier"], "phi") == ""
    assert "better is better than worse in both" in exact.contradiction(["better", "steadier", "worse"], "phi")
    assert exact.contradiction(["better"], "phi").startswith("steadier is better than each other")
    assert rough.contradiction(["worse"], "phi") == ""


def test_a_trend_is_sure_beyond_three_standard_errors_between_data_sets():
    q = np.arange(1, 6)
    noise = np.random.default_rng(0).normal(size=(4, 5))
    rows = [
        {"seed": seed, "q": at, "flat": noise[seed, i], "steep": at + 0.1 * noise[seed, i]}
        for seed in range(4)
        for i, at in enumerate(q)
    ]
    flat, steep = (Trend.of(pd.DataFrame(rows), measure) for measure in ("flat", "steep"))
    assert not flat.rises()
    assert not flat.falls()
    assert steep.rises()
    assert steep.slope == pytest.approx(1, abs=0.1)


def test_nothing_is_computed_from_a_set_called_chiaretti_whose_reading_is_not_stated():
    for one in all_items():
        if one.paper == "hamer-dupont-2021":
            assert "chiaretti" not in one.data, one.name
    printed = all_papers()["hamer-dupont-2021"].items["table-3"]
    verdicts = [printed.expectation(part, "full").verdict for part in printed.parts() if "chiaretti" in part.what]
    assert set(verdicts) == {Verdict.NOT_STATED}
    assert len(verdicts) == 8


def test_phi_s_has_to_be_constant_in_the_third_scenario_alone():
    q = np.tile(np.arange(1.0, 6.0), 2)
    seeds = np.repeat([0, 1], 5)

    def judged(first):
        frames = [
            pd.DataFrame({"scenario": name, "seed": seeds, "q": q, "phi_S": slope * q, **dict.fromkeys(OTHERS, 0.0)})
            for name, slope in (("1", first), ("2", 0.1), ("3", 0.0))
        ]
        return Seen(pd.concat(frames)).judge("3-phi_S-constant")[0]

    assert judged(-0.1)
    assert not judged(0.0)


def test_mrmr_of_the_package_selects_by_normal_information():
    random = np.random.default_rng(42)
    X = random.normal(size=(60, 7))
    X[:, 5] = X[:, 1] + 0.1 * random.normal(size=60)
    y = np.where(X[:, 1] + X[:, 3] + 0.3 * random.normal(size=60) > 0, "b", "a")
    r = np.corrcoef(np.column_stack([X, y == "b"]), rowvar=False)
    information = -np.log(1 - np.clip(r * r, 0, 1 - 1e-12)) / 2
    order = []
    while len(order) < 3:
        rest = [j for j in range(7) if j not in order]
        redundancy = {j: np.mean([information[j, one] for one in order]) if order else 0.0 for j in rest}
        order.append(max(rest, key=lambda j: information[j, 7] - redundancy[j]))
    chosen = MRMRFromCorrelations(3).fit(X, y).get_support()
    assert set(np.flatnonzero(chosen)) == set(order)
    assert not {1, 5} <= set(order)  # copies are redundant


@pytest.mark.parametrize(("package", "verdict"), [(0.69, Verdict.REPRODUCED), (0.5, Verdict.REFUTED)])
def test_a_range_that_mrmr_of_bins_misses_is_judged_by_mrmr_of_the_package(tmp_path, monkeypatch, package, verdict):
    (item,) = chosen_items(["hamer-dupont-2021/table-3"])
    run = Run(item, DataFolder(), ResultsFolder(tmp_path, {}), "full")
    numbers = dict.fromkeys(("phi", "phi_msi", "accuracy"), 0.68) | {
        f"{what} error": 0.004 for what in ("phi", "phi_msi", "accuracy")
    }
    found = Found({"relief": numbers, "mrmr": numbers | {"accuracy": 0.60}}, 100, 100)
    monkeypatch.setattr(
        hamer_dupont_2021_real, "_mrmr_of_the_package", lambda run, name: numbers | {"accuracy": package}
    )
    rows = {row.what: row for row in hamer_dupont_2021_real._range_rows(run, "arcene", found)}
    row = rows["arcene, accuracy, least"]
    assert row.verdict is verdict
    assert row.reason.endswith("By relief." if package > 0.68 else "By mrmr.")
    assert "package" in row.reason
