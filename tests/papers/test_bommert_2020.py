"""What the reproduction of Bommert (2020) rests on: pairs that stand for others, shared draws, kept pieces of work."""

import math

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from papers import bommert_2020_pairs as pairs
from papers import bommert_2020_similar as similar
from papers import bommert_2020_tuning as tuning
from papers.bommert_2020_benchmark import drawn_classifiers
from papers.bommert_2020_configurations import EXTENTS, _correlations, _representatives, drawn, pieces_of
from papers.bommert_2020_filters import clusters_of
from papers.bommert_2020_tuning import SLACK, best_of
from papers.framework import DataFolder, Run, Verdict, chosen_items
from papers.framework.results_folder import ResultsFolder
from papers.framework.spreading import spread
from steadyset import Selections, get_measure, stability


def test_kinds_of_pairs_count_every_pair_once():
    assert sum(n for _, n in pairs.kinds_of_sets(pairs.BLOCKS, 2)) == 2**14
    assert sum(n for _, n in pairs._pair_kinds()) == 2**14
    assert sum(n for _, n in pairs.kinds_of_sets((range(4),), 3)) == 2**12


def test_names_of_similar_features_and_the_order_of_the_sets_do_not_matter():
    random = np.random.default_rng(5)
    renamed = np.array([2, 0, 1, 5, 6, 4, 3])  # within the block of three; both blocks of two, turned round
    for _ in range(12):
        first, second = (np.flatnonzero(random.random(pairs.P) < 0.5) for _ in range(2))
        one = Selections.from_sets([first.tolist(), second.tolist()], n_features=pairs.P)
        other = Selections.from_sets([renamed[second].tolist(), renamed[first].tolist()], n_features=pairs.P)
        for measure in pairs.MEASURES.values():
            alike = pairs._similarity() if "similarity" in get_measure(measure).needs else None
            values = [stability(sel, measure, similarity=alike) for sel in (one, other)]
            assert values[0] == pytest.approx(values[1], nan_ok=True), measure


def test_clusters_of_average_linkage_hold_those_that_are_alike():
    similar = pd.DataFrame(np.eye(4), index=list("abcd"), columns=list("abcd"))
    similar.loc["a", "b"] = similar.loc["b", "a"] = 0.9
    similar.loc["c", "d"] = similar.loc["d", "c"] = 0.8
    found = clusters_of(similar)
    assert {frozenset("ab"), frozenset("cd"), frozenset("abcd")} <= found
    assert frozenset("abc") not in found


def test_configurations_are_drawn_by_the_seed_alone():
    fast = EXTENTS["fast"]
    assert drawn("jmi", "forest", 3, fast) == drawn("jmi", "forest", 3, fast) != drawn("mim", "forest", 3, fast)
    assert {params["forest.n_estimators"] for params in drawn("none", "forest", 0, fast)} == {fast.most_trees}
    assert drawn_classifiers(4, (1, 2)) == drawn_classifiers(4, (1, 2))
    assert all("filter" not in params and "fraction" in params for params in drawn_classifiers(4, (1, 2)))


def test_pa_best_configurations_are_on_the_front_and_nearly_as_accurate_as_the_best():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.random((60, 4)), columns=["SMU", "SMA-Count", "SMJ", "SMH"])
    frame = frame.assign(accuracy=random.random(60).round(2), features=random.integers(1, 50, 60))
    frame.loc[frame["accuracy"].idxmax(), "SMU"] = np.nan  # keeps every feature: never on the front of SMU
    best = best_of(frame)
    assert set(frame["accuracy"].iloc[best.a]) == {frame["accuracy"].max()}
    for name in best.pa:
        assert set(best.pa[name]) <= set(best.front[name])
        assert (frame["accuracy"].iloc[best.pa[name]] >= frame["accuracy"].max() - SLACK - 1e-9).all()
    assert frame["accuracy"].idxmax() not in best.front["SMU"]


@pytest.fixture
def run(tmp_path):
    (item,) = chosen_items(["bommert-2020/table-6.4"])
    folder = ResultsFolder(tmp_path / "kept", {})
    folder.begin(resume=False)
    return Run(item, DataFolder(), folder)


@pytest.mark.parametrize(("engine", "jobs"), [("serial", 1), ("threads", 2)])
def test_pieces_of_work_are_kept_and_not_computed_again(run, engine, jobs):
    run.engine, run.jobs = engine, jobs
    tasks = {"a": (3.0, 4.0), "b": (5.0, 12.0)}
    assert spread(run, math.hypot, tasks) == {"a": 5.0, "b": 13.0}
    assert spread(run, _refuses, {**tasks}) == {"a": 5.0, "b": 13.0}
    with pytest.raises(AssertionError):
        spread(run, _refuses, {"c": (0.0, 0.0)})


@pytest.mark.slow  # starts a cluster: the pieces of a full version are computed there
def test_pieces_of_work_are_computed_on_a_dask_cluster(run):
    run.engine = "dask"
    assert spread(run, math.hypot, {"a": (3.0, 4.0), "b": (5.0, 12.0)}) == {"a": 5.0, "b": 13.0}


def _refuses(*numbers):
    raise AssertionError(f"{numbers} was computed before")


def test_claims_about_data_sets_that_are_missing_are_neither_held_nor_refuted(run):
    (run.item,) = chosen_items(["bommert-2020/figures-6.4-to-6.7"])
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.random((40, len(pairs.MEASURES))), columns=list(pairs.MEASURES))
    frame = frame.assign(data="sonar", share=np.linspace(0, 1, 40))
    rows = [*_correlations(run, frame, ["sonar"]), *_representatives(run, frame)]
    missing = [
        row for row in rows if row.reason == "It needs the data of tecator, lsvt and arcene, which are not here."
    ]
    assert [(row.verdict, row.excused) for row in missing] == [(Verdict.MISSING, True)] * 2


def small_approaches(monkeypatch, features, accuracy):
    """The item about real data, with what each approach gives on each data set."""
    found = {
        f"{name},{one},{fold}": {"features": features[name][one], "accuracy": accuracy[name][one]}
        for name in features
        for one in features[name]
        for fold in range(3)
    }
    monkeypatch.setattr(similar, "spread", lambda run, function, tasks: found)
    monkeypatch.setattr(similar, "values_of", lambda data: (np.zeros((20, 2)), np.arange(20) % 2))
    monkeypatch.setattr(similar, "chosen_sets", lambda run, small: list(features))
    monkeypatch.setattr(Run, "data", lambda run, name: None)


def verdicts(run, name, rows):
    (run.item,) = chosen_items([f"bommert-2020/{name}"])
    return {claim.name: row for row in rows(run) for claim in run.published.claims if claim.what == row.what}


def test_an_approach_that_needs_more_features_is_not_excused_by_another_one(run, monkeypatch):
    features = {"tecator": {"adj": 19.3, "unadj": 10.0, "acc": 16.0, "stabs": 3.0}}
    accuracy = {"tecator": {"adj": 0.95, "unadj": 0.80, "acc": 0.95, "stabs": 0.96}}
    features["gravier"], accuracy["gravier"] = features["tecator"], {**accuracy["tecator"], "stabs": 0.7}
    small_approaches(monkeypatch, features, accuracy)
    run.version = "full"  # two of twelve data sets, and as many folds as the thesis
    rows = verdicts(run, "figures-8.8-and-8.9", similar.real)
    assert rows["fewer-features"].verdict is Verdict.CONTRARY
    assert rows["no-accuracy-lost"].verdict is Verdict.CONTRARY  # unadj loses 0.15
    assert rows["stabs-sparse"].told == "consistent at 16.7% of the size"
    assert rows["stabs-worse"].verdict is Verdict.CONSISTENT  # better on tecator, as the thesis says


def test_three_folds_of_two_data_sets_decide_nothing_about_approaches(run, monkeypatch):
    features = {name: {"adj": 10.0, "unadj": 16.0, "acc": 16.0, "stabs": 3.0} for name in ("sonar", "tecator")}
    accuracy = {name: {"adj": 0.95, "unadj": 0.95, "acc": 0.95, "stabs": 0.7} for name in ("sonar", "tecator")}
    small_approaches(monkeypatch, features, accuracy)
    rows = verdicts(run, "figures-8.8-and-8.9", similar.real)
    assert {row.verdict for row in rows.values()} == {Verdict.UNDECIDED}
    assert all("standard errors" in row.reason for row in rows.values())


def test_an_interval_of_medians_decides_only_if_one_median_is_in_it():
    alone = [(np.ones(25), 1.0)]
    other = [(np.ones(25), 2.0)]
    either = [(np.repeat([1.0, 2.0], [12, 13]), 1.0)]
    assert similar._medians(alone, "")["reach"] == "95% intervals of the medians: 1 to 1"
    assert similar._medians(other, "")["reach"]
    assert similar._medians(either, "")["reach"] == ""


@pytest.mark.parametrize(("ours", "verdict"), [(4, Verdict.CONSISTENT), (1, Verdict.CONTRARY)])
def test_a_count_of_optimal_configurations_has_a_limit_from_below_only(run, ours, verdict):
    (run.item,) = chosen_items(["bommert-2020/table-7.1"])
    run.version = "large"
    run.size({"data sets": (4, 12), "configurations of each": (216, 4800)})
    row = tuning._counted(run, run.published.cell("lsvt", "SMJ (all)"), 40 * ours - 35)
    assert row.verdict is verdict
    assert tuning._counted(run, run.published.cell("sonar", "A-best"), ours).verdict is Verdict.UNDECIDED


def configurations(shares):
    """Configurations of one data set, and a Best that holds those of each measure."""
    n = len(shares)
    frame = pd.DataFrame({"share": shares, "features": shares, "filter": "none", "model": "lasso", "accuracy": 0.9})
    return frame.assign(**dict.fromkeys(tuning.CONSIDERED, 0.5), params=[{}] * n)


def best(**places):
    pa = {name: np.array(places[name.replace("-", "_")]) for name in tuning.CONSIDERED}
    return tuning.Best(pa, pa, np.array([0]))


@pytest.mark.parametrize(("agreed", "verdict"), [(1, Verdict.CONSISTENT), (3, Verdict.CONTRARY)])
def test_most_configurations_for_some_measures_only_means_less_than_half_for_all(run, agreed, verdict):
    (run.item,) = chosen_items(["bommert-2020/figures-7.1-to-7.5"])
    run.size({"data sets": (2, 12)})
    both = list(range(agreed))
    found = {"sonar": best(SMU=both, SMA_Count=both, SMJ=[*both, 3, 4], SMH=both)}
    rows = list(tuning._methods(run, {"sonar": configurations([0.1] * 5)}, found))
    assert [row.verdict for row in rows if "for some of them only" in row.what] == [verdict]


@pytest.mark.parametrize(("corrected", "verdict"), [(0.2, Verdict.CONSISTENT), (0.89, Verdict.CONTRARY)])
def test_corrected_measures_that_keep_many_features_speak_against_what_is_said_of_them(run, corrected, verdict):
    (run.item,) = chosen_items(["bommert-2020/figures-7.1-to-7.5"])
    run.size({"data sets": (2, 12)})
    parts = {"tecator": configurations([corrected, 0.95])}
    found = {"tecator": best(SMU=[0], SMA_Count=[0], SMJ=[0, 1], SMH=[0, 1])}
    rows = list(tuning._gains(run, parts, found, parts))
    assert [row.verdict for row in rows if "unlike those" in row.what] == [verdict]


def test_stability_selection_has_the_best_limits_and_selects_few_features():
    data = st.datasets.similar_features(60, 30, n_similar=4, random_state=3)
    effort = similar.Effort(folds=3, largest=8, trials=6, n_runs=20)
    found = similar._approach("stabs", data.X, data.y, effort, 2)
    assert len(found.selected) < 10
    assert set(found.predict(data.X)) <= set(data.y)
    assert found.selected.tolist() == similar._approach("stabs", data.X, data.y, effort, 2).selected.tolist()


@pytest.mark.parametrize("name", ["adj", "unadj", "acc"])
def test_a_tuned_approach_selects_at_most_its_largest_size(name):
    data = st.datasets.similar_features(60, 30, n_similar=4, random_state=3)
    found = similar._approach(name, data.X, data.y, similar.Effort(folds=3, largest=8, trials=6, n_runs=20), 2)
    assert 1 <= len(found.selected) <= 8
    assert np.mean(found.predict(data.X) == data.y) > 0.6


def test_pieces_of_a_larger_version_begin_with_those_of_a_smaller_one():
    names, fast = ["sonar", "lsvt"], EXTENTS["fast"]
    few = pieces_of(names, 5, fast)
    more = pieces_of(names, 5, fast._replace(drawn=7))
    assert list(more)[: len(few)] == list(few)
    assert all(more[piece][: fast.drawn] == some for piece, some in few.items())
    assert sum(map(len, more.values())) == 7 * 24 * len(names)
    assert len(more["lsvt,jmi,svm,2"]) == 1
