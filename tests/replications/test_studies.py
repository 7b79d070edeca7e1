"""Several studies: what comes back beyond chance, what their own rows predict of that, and how well they predict."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.assessment.request import make_request
from steadyset.cli import run
from steadyset.findings.box import box_of
from steadyset.findings.holds import what_can_be_said
from steadyset.foundation.errors import InputError
from steadyset.replications import compare
from steadyset.replications.compare import _features_of, _overlap_p_value, _Own, requested_studies
from steadyset.replications.studies import StudyPair

QUIET = {"progress": False}


def marked(X, y):
    """The columns that are marked by a large mean: a list that is known beforehand."""
    return np.flatnonzero(np.asarray(X).mean(axis=0) > 50)


def study(selected, reversed_=(), n=20, d=10, seed=0):
    """Rows of two classes in which `marked` selects these columns, higher in class b but for those reversed."""
    y = np.array(["a", "b"])[np.arange(n) % 2]
    X = np.random.default_rng(seed).normal(size=(n, d))
    for f in selected:
        X[:, f] += 100 + (-3 if f in reversed_ else 3) * (y == "b")
    return pd.DataFrame(X, columns=[f"g{f}" for f in range(d)]), y


def compared(studies, selector=marked, **options):
    return st.compare_studies(selector, studies, execution=QUIET, **options)


def real(n, seed, shift=1.2, d=100, informative=4):
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = random.normal(size=(n, d))
    X[y == 1, :informative] += shift
    return X, y


def exact(X, y, kind):
    """The p-value of a higher rank in class b, or with a number, by SciPy or by all exchanges within pairs."""
    from scipy import stats

    ranks = stats.rankdata(X)
    if kind == "number":
        found = stats.permutation_test(
            (ranks,),
            lambda x: (x * y).sum(),
            permutation_type="pairings",
            n_resamples=9_999,
            alternative="greater",
            random_state=1,
        )
        return found.pvalue
    if kind == "pairs":
        signs = np.array(list(product([-1, 1], repeat=len(ranks) // 2)))
        differences = ranks[1::2] - ranks[::2]
        return ((signs * differences).sum(axis=1) >= differences.sum()).mean()
    return stats.mannwhitneyu(X[y == "b"], X[y == "a"], alternative="greater", method="exact").pvalue


@pytest.mark.parametrize("kind", ["classes", "number", "groups", "pairs"])
def test_p_values_are_those_of_exact_tests_in_the_rows_of_each_study_times_all_tests(kind):
    studies, expected = {}, []
    for seed, name in enumerate("AB"):
        X, y = study([0, 1], n=24, seed=seed)
        X["g0"] += np.random.default_rng(9 + seed).normal(0, 3, 24)  # so that it is not far from 5%
        groups, values = None, X["g0"].to_numpy()
        if kind == "number":
            y = np.sqrt(X["g0"].rank()).to_numpy() + np.random.default_rng(seed).normal(0, 2, 24)
        elif kind == "pairs":
            groups = np.repeat(np.arange(12), 2)
        elif kind == "groups":  # three rows of one class each
            groups, y = np.repeat(np.arange(12), 3)[:24], np.repeat(["a", "b"], 12)
            X["g0"] += 3 * (y == "b")
            values = X["g0"].groupby(groups).mean().to_numpy()
        expected.append(exact(values, y[::3] if kind == "groups" else y, kind))
        studies[name] = st.Data(X, y, groups=groups)
    found = compared(studies).features.set_index("feature").loc["g0"]
    error = np.sqrt(max(expected) / (20 * 4 / 0.05))
    assert found["p_value"] == pytest.approx(4 * max(expected), abs=4 * (4 * error))
    assert 0.004 < found["p_value"] < 0.8


def request_of(X, y, selector):
    return make_request(selector, st.Data(X, y), None, scoring=[], resampling=st.Bootstrap())


def test_rare_values_in_a_small_class_do_not_mislead():
    y = np.array(["a"] * 52 + ["b"] * 8)
    X = np.zeros((60, 12))
    X[52:55, :2] = 100.0  # three of the eight rows: 1 of 611 placements of three values
    own = [_Own.of(name, request_of(X, y, "anova:k=2"), 12) for name in "AB"]
    assert [one.p_value for one in _features_of(own, range(12))] == pytest.approx([4 / 611] * 2, abs=0.006)


def test_of_what_one_study_has_alone_little_comes_back():
    """`python -m benchmarks.several_studies` counts it in more cases."""
    false = 0
    for seed in range(40):
        studies = {name: real(40, 10 * seed + place, shift=2 * (name == "A")) for place, name in enumerate("AB")}
        own = [_Own.of(name, request_of(*one, "anova:k=5"), 100) for name, one in studies.items()]
        false += any(one.comes_back for one in _features_of(own, range(100)))
    assert false <= 5  # at most 1 expected


def test_lists_directions_and_votes_by_hand():
    found = compared({"A": study([0, 1, 2]), "B": study([1, 2, 3], reversed_=[2], seed=1)})
    rows = found.features.set_index("feature")
    assert rows["studies"].to_dict() == {"g1": 2, "g2": 1, "g0": 1, "g3": 1}
    assert rows.loc["g2", ["direction: A", "direction: B"]].tolist() == ["higher in b", "higher in a"]
    assert rows.loc["g2", "effect: A"] > 1 > -1 > rows.loc["g2", "effect: B"]
    assert rows["comes_back"].to_dict() == {"g1": True, "g2": False, "g0": False, "g3": False}
    pair = found.pairs.iloc[0]
    assert (pair["common"], pair["same_direction"], pair["expected"]) == (2, 1, 0.9)
    # `marked` ignores the target, so that every permuted target has the same list.
    assert pair["p_value"] == 1.0
    findings = st.findings_of(found)
    said = findings.answer
    assert not [sentence for sentence in said if sentence in what_can_be_said(findings)]
    # A replication of so few rows would be refused, so it is not a next step.
    assert [step.how for step in box_of(findings).steps] == ["st.assess(selector, X, y)"]
    assert said[0].startswith("1 feature of 10 shared ones comes back: its effect is in both studies")
    assert "Selected in opposite directions, and therefore not counted together: g2." in said


def in_blocks(seed, effect=0.0, n=60, d=60, block=10):
    """Features that correlate by 0.8 within blocks; the first block has an effect."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n) % 2)
    common = np.repeat(random.normal(size=(n, d // block)), block, axis=1)
    X = np.sqrt(0.8) * common + np.sqrt(0.2) * random.normal(size=(n, d))
    X[:, :block] += effect * y[:, None]
    return X, y


def overlap_p_value(selector, first, second, **data):
    asked = requested_studies(selector, {"A": st.Data(*first, **data), "B": st.Data(*second, **data)})
    every = [_Own.of(name, one, len(asked.shared), asked.exchanges[name]) for name, one in asked.asked.items()]
    return _overlap_p_value(*every, {one.name: one.permuted_lists() for one in every}), every


def test_the_p_value_of_an_overlap_counts_permuted_lists_that_share_as_much():
    def best(X, y):  # the feature with the largest difference of sums
        return [int(np.argmax(np.abs(((2 * y - 1)[:, None] * np.asarray(X)).sum(axis=0))))]

    first, second = in_blocks(1, 3.0, d=20), in_blocks(2, 3.0, d=20)
    found, (a, b) = overlap_p_value(best, first, second)
    if a.chosen != b.chosen:
        assert found == 1.0
    hits = [sum(fixed.chosen == one for one in other.permuted_lists()) for fixed, other in ((a, b), (b, a))]
    assert found == (1 + max(hits) if a.chosen == b.chosen else 200) / 200


@pytest.mark.slow  # buys: the level of a p-value over 40 draws; and that it finds what is there
def test_the_p_value_of_an_overlap_holds_where_features_correlate(monkeypatch):
    from scipy.stats import hypergeom

    monkeypatch.setattr(compare, "PERMUTED_LISTS", 39)
    p_values, random_lists = [], []
    for seed in range(40):
        # One study has an effect, the other has none: what both select is chance.
        found, (a, b) = overlap_p_value("anova:k=10", in_blocks(2 * seed), in_blocks(2 * seed + 1, 1.5))
        p_values.append(found)
        random_lists.append(hypergeom.sf(len(a.chosen & b.chosen) - 1, 60, 10, 10))
    assert np.mean(np.array(p_values) <= 0.05) <= 0.125  # 5 of 40; more are seen with probability 1%
    assert np.mean(np.array(random_lists) <= 0.01) >= 0.075  # random lists are the wrong comparison
    assert overlap_p_value("anova:k=10", in_blocks(1, 2.0), in_blocks(2, 2.0))[0] == pytest.approx(1 / 40)


def batches(seed, n=80, d=40, pure=6):
    """Two classes that are rare in one batch each; six features follow the batch, and two the class."""
    random = np.random.default_rng(seed)
    batch = np.arange(n) % 2
    y = (random.random(n) < np.where(batch, 0.8, 0.2)).astype(int)
    X = random.normal(size=(n, d))
    X[:, :pure] += 2 * batch[:, None]
    X[:, pure : pure + 2] += 2.5 * y[:, None]
    return pd.DataFrame(X, columns=[f"g{f}" for f in range(d)]), y, batch


def test_features_of_a_batch_do_not_come_back_within_strata():
    back = {}
    for strata in (False, True):
        studies = {}
        for seed, name in enumerate("AB", 1):
            X, y, batch = batches(seed)
            studies[name] = st.Data(X, y, strata=batch if strata else None)
        asked = requested_studies("anova:k=8", studies)
        own = [_Own.of(name, one, 40, asked.exchanges[name]) for name, one in asked.asked.items()]
        back[strata] = {one.feature for one in _features_of(own, asked.shared) if one.comes_back}
    assert len(back[False] & {f"g{f}" for f in range(6)}) >= 4
    assert back[True] == {"g6", "g7"}


def test_strata_leave_rows_in_two_studies_to_be_seen_and_are_told():
    X, y, batch = batches(1)
    shared = st.Data(X, y, strata=batch)
    with pytest.raises(InputError, match="stand in"):
        requested_studies("anova:k=3", {"A": shared, "B": st.Data(X[::-1], y[::-1])})
    with pytest.raises(InputError, match=r"A: Only .* could exchange"):
        requested_studies("anova:k=3", {"A": st.Data(X, y, strata=y), "B": st.Data(*batches(2)[:2])})


def test_effects_are_those_of_a_hand_worked_difference():
    X = pd.DataFrame({"g0": [100.0, 102, 104, 106], "g1": [0.0, 1, 0, 2], "g2": [3.0, 1, 2, 0]})
    y = np.array(["a", "b", "a", "b"])
    found = compared({"A": (X, y), "B": (X + 1, y)})
    # means 102 and 104, squared deviations 8 + 8 over 2 degrees of freedom
    assert found.features["effect: A"].tolist() == pytest.approx([2 / np.sqrt(8)])


def test_few_rows_predict_nothing_and_that_is_told():
    found = compared({"A": study([0, 1, 2]), "B": study([1, 2, 3], seed=1)})
    assert found.pairs["predicted"].isna().all()
    assert set(found.pairs["verdict"]) == {""}
    assert sum("predicts no other study by its own resamples" in note for note in found.compared.notes) == 2
    assert any("could not be told" in line for line in st.findings_of(found).answer)


def test_features_are_matched_by_name_and_other_ones_are_left_out():
    X, y = study([1, 2, 3], seed=1)
    other = X[[f"g{f}" for f in (3, 2, 1, 4, 5, 6)]].assign(only=1.0 + np.arange(20))
    found = compared({"A": study([0, 1, 2]), "B": (other, y)})
    assert found.compared.n_features == 6
    assert set(found.features["feature"]) == {"g1", "g2", "g3"}
    assert found.studies["size"].tolist() == [2, 3]
    assert "Studies have different features (10 in A and 7 in B); 6 are shared, and compared." in found.compared.notes


def test_names_that_are_spelt_otherwise_are_told():
    X, y = study([1, 2], seed=1)
    found = compared({"A": study([1, 2]), "B": (X.rename(columns={"g0": " G0", "g1": "g1 "}), y)})
    assert "2 names more would match if case and spaces did not matter: spell them alike." in found.compared.notes


def test_a_target_that_is_coded_the_other_way_round_is_suspected():
    X, y = real(60, 1, shift=2)
    studies = {"A": real(60, 0, shift=2), "B": (X, 1 - y)}
    hint = "see whether one of them codes its target the other way round"

    def hinted(given):
        return any(hint in line for line in st.findings_of(compared(given, "anova:k=4", pairs=10)).answer)

    assert hinted(studies)
    assert not hinted(studies | {"B": (X, y)})
    assert not hinted({name: real(60, seed, shift=0) for seed, name in enumerate("ABC")})


def test_a_study_that_costs_most_features_is_named():
    X, y = study([1], seed=2)
    found = compared({"A": study([0, 1]), "B": study([1, 2], seed=1), "C": (X[["g1", "g2", "g3"]], y)})
    assert "Without C the others share 10 features." in found.compared.notes


def test_shifts_and_scales_of_a_study_do_not_keep_it_from_being_predicted():
    X, y = real(60, 1, shift=3)
    studies = {"A": real(60, 0, shift=3), "B": (1000 + 7 * X, y)}
    found = compared(studies, "anova:k=4", pairs=10)
    assert (found.studies["others"] > 0.9).all()
    assert found.studies["blind"].tolist() == [0.5, 0.5]
    assert sorted(found.features.query("comes_back")["feature"]) == ["x0", "x1", "x2", "x3"]


def test_studies_of_one_population_agree_as_predicted_and_a_permuted_one_does_not():
    X, y = real(60, 5, shift=2)
    permuted = np.random.default_rng(0).permutation(y)
    found = compared({"A": real(60, 3, shift=2), "B": real(60, 4, shift=2), "P": (X, permuted)}, "anova:k=4", pairs=20)
    pairs = found.pairs.set_index(["first", "second"])
    assert pairs.loc[("A", "B"), "verdict"] == pairs.loc[("B", "A"), "verdict"] == "as predicted"
    assert pairs.loc[("A", "P"), "verdict"] == pairs.loc[("B", "P"), "verdict"] == "fewer"
    assert pairs.loc[("A", "P"), "low"] > pairs.loc[("A", "P"), "common"]
    assert not found.features.query("comes_back")["selected: P"].any()
    said = " ".join(st.findings_of(found).answer)
    assert "the two differ by more than the draw of rows" in said


@pytest.mark.parametrize(("common", "verdict"), [(1, "fewer"), (2, "as predicted"), (4, "as predicted"), (5, "more")])
def test_verdicts(common, verdict):
    assert StudyPair("A", "B", 5, common, 0.5, common, 0.1, 3.0, 2.0, 4.0).verdict == verdict


def test_numbers_have_correlations():
    random = np.random.default_rng(0)
    studies = {}
    for name in "AB":
        X = random.normal(size=(40, 12))
        studies[name] = (X, X[:, 0] + 0.3 * random.normal(size=40))
    found = compared(studies, "t_test:k=2", pairs=10)
    first = found.features.iloc[0]
    assert first["feature"] == "x0"
    X, y = studies["A"]
    assert first["effect: A"] == pytest.approx(np.corrcoef(X[:, 0], y)[0, 1])
    assert found.compared.effect == "correlation"


@pytest.mark.parametrize(
    ("studies", "sentence"),
    [
        ({"A": study([1])}, "studies must be at least two studies"),
        ({"A": study([1]), "B": study([1])[0]}, "must be .X, y."),
        (
            {"A": study([1]), "B": (study([1])[0].rename(columns=str.upper), study([1])[1])},
            "10 names differ in case or spaces alone",
        ),
        ({"A": study([1]), "B": (study([1])[0], np.array(["a"] * 20))}, "^B: y has one distinct value only"),
        (
            {"A": study([1]), "B": (study([1])[0], np.array(["a", "c"])[np.arange(20) % 2])},
            "The classes of A are a and b",
        ),
        ({"A": study([1]), "B": (study([1])[0], np.linspace(0, 1, 20))}, "classes in A and a number in B"),
        (
            {"A": study([1]), "B": (study([1])[0].to_numpy(), study([1])[1])},
            "matched by name, and those of B have none",
        ),
        ({"A": study([1]), "B": st.Data(*study([1]), prepare="scale")}, "does not take .*prepare"),
    ],
)
def test_what_cannot_be_compared_is_refused(studies, sentence):
    with pytest.raises(InputError, match=sentence):
        compared(studies)


def test_several_selectors_and_failures_are_refused():
    studies = {"A": study([0, 1]), "B": study([1, 2])}
    with pytest.raises(InputError, match="pairs must be"):
        compared(studies, pairs=3)
    with pytest.raises(InputError, match="selector must be one selector"):
        compared(studies, ["anova:k=2", "lasso:k=2"])

    with pytest.raises(InputError, match="selects no feature in any study"):
        compared(studies, lambda X, y: [])

    def fails(X, y):
        raise ValueError("no reason")

    with pytest.raises(InputError, match="fails on A"):
        compared(studies, fails)


def test_the_command_compares_several_files_and_continues(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(("first", "second")):
        X, y = real(34, seed, shift=2, d=12)
        frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(12)])
        frame.assign(y=np.where(y, "case", "control")).to_csv(f"{name}.csv", index=False)
    command = ["replicate", "first.csv", "second.csv", "--target", "y", "--selector", "anova:k=4", "--pairs", "10"]
    assert run(command) == 0
    first = capsys.readouterr().out
    assert "What the studies select" in first
    assert "Predicted by the other studies, by accuracy" in first
    assert run([*command, "--resume"]) == 0
    assert capsys.readouterr().out == first
    assert run(["report", "first-replication", "--out", "r.md"]) == 0
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "Which features do the studies select alike?" in text
    assert "(Bogomolov and Heller 2018)" in text
    assert run(["replicate", "first.csv", "first.csv", "--target", "y", "--selector", "anova:k=4"]) == 2
    assert "given twice" in capsys.readouterr().err


def shared_rows():
    X, y = real(60, seed=4)
    return {
        "a copy": (X, y),
        "a part": (X[20:], y[20:]),
        "a part in another order": (X[40:10:-1], y[40:10:-1]),
        "scaled in another way": (np.arange(1, 101) * X[:45] + 3, y[:45]),
        "a part beside rows of its own": tuple(
            np.concatenate(both) for both in zip((X[:5], y[:5]), real(40, seed=5), strict=True)
        ),
    }


@pytest.mark.parametrize("kind", shared_rows())
def test_studies_that_share_rows_are_refused(kind):
    # They would agree, and the rows that both have would be the reason.
    with pytest.raises(InputError, match=r"\d+ rows of B stand in A too, by their values; .* leave these rows out"):
        compared({"A": real(60, seed=4), "B": shared_rows()[kind]}, "anova:k=4", pairs=20)


def test_rows_that_coarse_features_do_not_tell_apart_are_no_shared_rows():
    def items(seed):
        random = np.random.default_rng(seed)
        y = np.arange(40) % 2
        return random.integers(0, 2, size=(40, 6)) + np.outer(y, np.arange(6) < 1), y

    assert compared({"A": items(1), "B": items(2)}, "anova:k=1", pairs=20).compared.n_features == 6


def test_studies_that_share_too_few_features_for_a_choice_are_told_so():
    random, y = np.random.default_rng(0), np.arange(40) % 2
    a, b = (pd.DataFrame(random.normal(size=(40, 4)), columns=names) for names in (list("abcd"), list("efga")))
    with pytest.raises(InputError, match="A and B share only the feature a; a choice needs at least two"):
        st.compare_studies("anova:k=3", {"A": (a, y), "B": (b, y)})
    with pytest.raises(InputError, match=r"On the 2 features that the studies share, A: .* k must be at most 2"):
        st.compare_studies("anova:k=3", {"A": (a, y), "B": (b.rename(columns={"e": "b"}), y)})
