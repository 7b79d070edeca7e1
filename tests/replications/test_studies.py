"""Several studies: what comes back beyond chance, what their own rows predict of that, and how well they predict."""

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.cli import run
from steadyset.foundation.errors import InputError
from steadyset.replications.studies import StudyPair, chances

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


def test_chances_of_two_lists_by_hand():
    # Lists of 1 and 2 of 4 features: both have a feature with 1/4 * 2/4, one of them with 1 - 3/4 * 2/4.
    p, q = chances(np.array([1, 2]), 4, np.array([2, 1]))
    np.testing.assert_allclose(p, [1, 0.625, 0.125])
    # Expected: 2.5 features in a list and 0.5 in both; seen: 2 and 1.
    np.testing.assert_allclose(q, [1, 1, 0.5])


def test_chances_are_the_poisson_binomial_law_and_the_adjustment_of_benjamini_and_hochberg():
    stats = pytest.importorskip("scipy.stats")
    if not hasattr(stats, "poisson_binom"):
        pytest.skip("this version of SciPy has no Poisson binomial law")
    sizes, d = np.array([12, 20, 7, 15]), 60
    votes = np.random.default_rng(1).integers(0, 5, size=d)
    p, q = chances(sizes, d, votes[votes > 0])
    np.testing.assert_allclose(p, [1.0, *stats.poisson_binom.sf(np.arange(4), sizes / d)])
    np.testing.assert_allclose(q[votes], stats.false_discovery_control(p[votes]), rtol=1e-12)


def test_random_lists_of_correlated_features_rarely_come_back():
    random = np.random.default_rng(0)
    d, block, blocks, draws = 200, 5, 4, 2_000
    sizes = np.full(3, block * blocks)
    false = 0
    for _ in range(draws):
        chosen = [random.permutation(d // block)[:blocks] for _ in sizes]
        votes = np.repeat(np.bincount(np.concatenate(chosen), minlength=d // block), block)
        _, q = chances(sizes, d, votes[votes > 0])
        false += bool((q[votes[votes > 1]] <= 0.05).any())
    assert false / draws <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / draws)


def test_lists_directions_and_votes_by_hand():
    found = compared({"A": study([0, 1, 2]), "B": study([1, 2, 3], reversed_=[2], seed=1)})
    rows = found.features.set_index("feature")
    assert rows["studies"].to_dict() == {"g1": 2, "g2": 1, "g0": 1, "g3": 1}
    assert rows.loc["g2", ["direction: A", "direction: B"]].tolist() == ["higher in b", "higher in a"]
    assert rows.loc["g2", "effect: A"] > 1 > -1 > rows.loc["g2", "effect: B"]
    assert rows.loc["g1", "p_value"] == pytest.approx(0.09)
    assert rows.loc["g1", "q_value"] == pytest.approx(0.9)
    assert not rows["comes_back"].any()
    pair = found.pairs.iloc[0]
    assert (pair["common"], pair["same_direction"], pair["expected"]) == (2, 1, 0.9)
    # 2 or 3 of 3 in common: (C(3,2) C(7,1) + 1) / C(10,3)
    assert pair["p_value"] == pytest.approx(22 / 120)
    said = st.findings_of(found).answer
    assert said[0].startswith("No feature comes back beyond chance: 1 is selected by both studies in the same")
    assert "Selected in opposite directions, and therefore not counted together: g2." in said


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
    assert "(Benjamini and Hochberg 1995)" in text
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
