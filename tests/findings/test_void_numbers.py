"""What the program knows not to hold is not said: numbers of false features where rows repeat others."""

import csv
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import steadyset as st
from steadyset.findings import findings_of, shortlist_words
from steadyset.findings.box import box_of
from steadyset.io.data.sources import giving_away, repeated_rows
from steadyset.shortlists.listed import ListedGroup

FEW = {"bases": ["filter"], "permutations": 20, "splits": 10}


def copied(n=40, d=30, n_copies=20):
    """Rows, of which the first are there twice."""
    X, y = np.random.default_rng(0).normal(size=(n, d)), np.arange(n) % 2
    X[y == 1, 0] += 1.5
    return np.vstack([X, X[:n_copies]]), np.append(y, y[:n_copies])


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    out = tmp_path_factory.mktemp("void") / "list"
    return st.shortlist(*copied(), **FEW, outer=0, out=out), out


def test_the_headline_says_why_the_number_of_false_features_is_not_known(found):
    result, _ = found
    headline = "how many may be false is not known, because 20 rows repeat another row in every feature."
    findings = findings_of(result)
    whole = " ".join(str(result).split())
    assert box_of(findings).headline.endswith(headline)
    assert findings.answer[0].endswith(headline)
    assert headline in whole
    assert not any(word in whole for word in ("about 1", "it may be false", "at most 1 false"))
    assert any("20 rows repeat" in one for one in findings.answer)


def test_files_and_methods_do_not_state_the_number_either(found):
    result, out = found
    findings = findings_of(result)
    assert "how many of them are false is not known" in findings.methods.text()
    assert findings.to_dict()["shortlist"]["void"].startswith("20 rows")
    assert all(one["q_value"] is None for one in findings.to_dict()["shortlist"]["features"])
    with open(next(out.glob("*.csv")), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert "q_value" not in rows[0]
    assert all("20 rows repeat" in row["note"] for row in rows)


def test_copies_that_groups_hold_together_leave_the_number_as_it_is():
    X, y = copied()
    groups = np.append(np.arange(40), np.arange(20))
    result = st.shortlist(st.Data(X, y, groups=groups), **FEW, outer=0)
    assert not result.listed.void
    assert result.features["q_value"].notna().all()


def test_an_assessment_of_copies_does_not_promise_a_number_of_false_features():
    steps = box_of(findings_of(st.assess(["anova:k=1"], *copied(), n_runs=4))).steps
    assert not any("may be false" in one.words for one in steps)


def test_replication_says_that_disjoint_parts_share_copies():
    findings = findings_of(st.replication("anova:k=3", *copied(), pairs=10))
    assert findings.answer[0].startswith("What another study would select is not known, because 20 rows repeat")
    assert "is not known" in box_of(findings).headline
    assert "is not known" in findings.methods.text()


def test_stability_selection_tells_of_copies_leaks_and_tiny_classes():
    def said(X, y):
        return str(st.StabilitySelection(pfer=1, threshold=0.8, n_runs=20, random_state=0).fit(X, y).result_)

    assert "How many selections are false is not known, because 20 rows repeat" in " ".join(said(*copied()).split())
    X, y = np.random.default_rng(1).normal(size=(60, 20)), np.arange(60) % 2
    assert "is not known" not in said(X, y)
    X[:, 4] = 3 - y
    assert "From x4 the target can be read" in said(X, y)
    tiny = np.where(np.arange(60) < 3, 1, 0)
    assert "The class 1 (3 rows) has fewer than 8 rows" in " ".join(said(X[:, 5:], tiny).split())


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix])
def test_copies_and_leaks_are_found_in_sparse_features_as_in_dense_ones(make):
    X, y = copied()
    X[:, 5:] *= np.random.default_rng(2).random((1, 25)) < 0.5
    X[:, 4] = 2 * y
    X[np.abs(X) < 0.4] = 0.0
    assert repeated_rows(make(X), None) == repeated_rows(X, None) == 20
    assert giving_away(make(X), y) == giving_away(X, y) == [4]
    coarse = np.rint(X[:, :3])
    assert repeated_rows(make(coarse), None) == repeated_rows(coarse, None) == 0
    wide = np.hstack([np.zeros((60, 700)), X])
    assert giving_away(make(wide), y) == [704]
    selector = st.StabilitySelection("anova", pfer=2, q=3, n_runs=20, random_state=0)
    assert selector.fit(make(X), y).result_.void.startswith("20 rows repeat")


def test_replications_comparisons_and_splits_have_the_cautions_of_a_list():
    X, y = np.random.default_rng(1).normal(size=(60, 20)), np.arange(60) % 2
    leaky = X.copy()
    leaky[:, 4] = 3 - y
    few = np.where(np.arange(60) < 6, 1, 0)
    caution = "Caution: From x4 the target can be read without a single error."
    results = [
        st.shortlist(leaky, y, **FEW, outer=0),
        st.replication("anova:k=3", leaky, y, pairs=10),
    ]
    for result in results:
        findings = findings_of(result)
        assert any(one.startswith(caution) for one in findings.answer)
        assert not any("From x4" in one for one in findings.notes)
        assert "Caution: From x4" in " ".join(str(result).split())
    rare = "The class 1 (6 rows) has fewer than 8 rows"
    for result in (st.shortlist(X, few, **FEW, outer=0), st.replication("anova:k=3", X, few, pairs=10)):
        assert any(one.startswith(rare) for one in findings_of(result).notes)
    assert not any("fewer than 8 rows" in one for one in findings_of(results[0]).notes)


def test_a_comparison_names_the_study_whose_rows_or_features_are_doubtful():
    """Also if the pooled rows of all studies show nothing of it."""
    random = np.random.default_rng(3)
    y = np.arange(60) % 2
    leaky = random.normal(size=(60, 20))
    leaky[:, 4] = 3 - y
    studies = {
        "plain": (random.normal(size=(60, 20)), y),
        "leaky": (leaky, y),
        "copies": copied(d=20),
        "rare": (random.normal(size=(60, 20)), np.where(np.arange(60) < 7, 1, 0)),
    }
    findings = findings_of(st.compare_studies("anova:k=3", studies, pairs=10))
    cautions = [one for one in findings.answer if one.startswith("Caution: ")]
    expected = ["In leaky, from x4 the target", "In copies, 20 rows repeat", "In rare, the class 1 (7 rows) has"]
    assert [one.startswith(f"Caution: {start}") for one, start in zip(cautions, expected, strict=True)] == [True] * 3


def test_listed_groups_are_held_against_permuted_targets_as_features_are():
    """Also where no feature is listed beside them."""
    X, y = np.random.default_rng(1).normal(size=(60, 20)), np.arange(60) % 2
    listed = st.shortlist(X, y, **FEW, outer=0).listed
    nothing = tuple(replace(one, tier="candidate") for one in listed.features)
    group = ListedGroup(("x0", "x1"), 0.6, 0.4)
    alone = replace(listed, features=nothing, groups=(group,), n_clusters=1, null_groups=(1,) * 5 + (0,) * 15)
    assert "5 of 20 permuted targets list as many groups or more" in " ".join(shortlist_words.answer(alone))
    rare = replace(alone, null_groups=(0,) * 20)
    assert "Caution" not in " ".join(shortlist_words.answer(rare))


def test_features_that_are_all_copies_of_one_column_have_a_caution():
    """Also if they are listed themselves; not if their list predicts, or if few permuted targets list a group."""
    X, y = np.random.default_rng(1).normal(size=(60, 20)), np.arange(60) % 2
    listed = st.shortlist(X, y, **FEW, outer=0).listed
    rows = tuple(replace(one, tier="listed", group=3) for one in listed.features[:5])
    copies = replace(listed, features=rows, null_counts=(1,) * 20, null_groups=(1,) * 5 + (0,) * 15)
    assert "the 5 listed features form 1 group of look-alikes, and 5 of 20 permuted targets list as many" in " ".join(
        shortlist_words.answer(copies)
    )
    assert "Caution" not in " ".join(shortlist_words.answer(replace(copies, null_groups=(0,) * 20)))
    apart = tuple(replace(one, group=place) for place, one in enumerate(rows))
    assert "Caution" not in " ".join(shortlist_words.answer(replace(copies, features=apart)))


def test_copies_of_rows_leave_no_power(found):
    result, _ = found
    assert result.listed.power == ()
    assert "Power" not in str(result)


def test_what_stability_selection_prints_has_the_names_of_the_columns():
    X, y = np.random.default_rng(1).normal(size=(60, 20)), np.arange(60) % 2
    X[:, 4] += 2 * y
    frame = pd.DataFrame(X, columns=[f"gene {j}" for j in range(20)])
    selector = st.StabilitySelection(pfer=1, threshold=0.8, n_runs=20, random_state=0)
    assert "gene 4" in str(selector.fit(frame, y).result_)
    assert "gene 4" in str(selector.select(pfer=2))
    assert "x4" in str(selector.fit(X, y).result_)


@pytest.mark.slow  # buys: the number of false groups, of features that are copies of one column
def test_copies_of_one_column_of_noise_are_seldom_a_listed_group():
    random = np.random.default_rng(0)
    n_listed = []
    for seed in range(30):
        X = random.normal(size=(60, 100))
        X[:, :50] = X[:, :1] + 0.05 * random.normal(size=(60, 50))
        y = random.permutation(np.arange(60) % 2)
        n_listed.append(st.shortlist(X, y, **FEW, outer=0, random_state=seed).listed.n_clusters)
    assert np.mean(n_listed) <= 1 + 3 * np.std(n_listed) / np.sqrt(len(n_listed))
