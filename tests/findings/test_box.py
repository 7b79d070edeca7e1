"""The answer box: a headline with the answer in it, features with how often and which direction, never "none" alone."""

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.findings.box import box_of, question


def assessed(X, y, selectors="anova:k=3", **more):
    execution = st.Execution(engine="serial")
    resampling = st.Bootstrap(12)
    return st.findings_of(st.assess(selectors, X, y, resampling=resampling, execution=execution, **more))


def table(n=60, d=20, shift=3.0, seed=0):
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.standard_normal((n, d)), columns=[f"g{i}" for i in range(d)])
    y = np.where(np.arange(n) % 2, "sick", "well")
    X.loc[y == "sick", ["g0", "g1", "g2"]] += shift
    return X, y


def test_features_that_come_out_each_time_and_predict_are_the_headline():
    found = assessed(*table())
    box = box_of(found)
    assert question(found) == "What tells well from sick?"
    assert box.headline.startswith("anova:k=3 chooses 3 features in at least 90% of the repeats")
    assert box.headline.endswith("and what it chooses tells well from sick.")
    assert [(line.heading, line.features) for line in box.names] == [("Higher in sick", ("g0", "g1", "g2"))]
    assert box.names[0].shares == ("100%", "100%", "100%")
    assert box.facts["Does it predict?"].startswith("Yes: accuracy 1.00")


def test_a_permuted_target_is_not_said_to_be_told_apart_and_the_closest_are_named():
    X, y = table(shift=0.0)
    box = box_of(assessed(X, np.random.default_rng(1).permutation(y)))
    assert "shown to" in box.headline
    assert "; most often chosen: " in box.headline
    assert all(line.heading.startswith("Closest") for line in box.names)
    assert sum(len(line.features) for line in box.names) == 5
    assert next(step.how for step in box.steps) == "st.shortlist(X, y)"


def test_a_step_is_a_job_with_what_it_changes():
    job = {"command": "assess", "options": {"file": "a.csv", "target": "y", "selector": ["anova:k=3"], "out": "runs"}}
    found = assessed(*table())
    found.settings["details"]["job"] = job
    stated, more, wider = box_of(found).steps
    assert (stated.command, dict(stated.options)) == ("shortlist", {"file": "a.csv", "target": "y"})
    assert more.how.startswith("steadyset assess a.csv --target y --selector anova:k=3 --out runs --runs ")
    assert wider.options == {"file": "a.csv", "target": "y", "selector": ["anova:k=6"]}


def test_more_features_than_there_are_is_no_next_step():
    X, y = table()
    assert len(box_of(assessed(X, y)).steps) == 3
    n_more = X.shape[1] // 2
    assert len(box_of(assessed(X, y, f"anova:k={n_more}")).steps) == 2


@pytest.mark.parametrize(("n_rows", "n_steps"), [(25, 1), (40, 2)])
def test_a_study_too_small_to_replicate_is_no_next_step(n_rows, n_steps):
    random = np.random.default_rng(0)
    studies = {name: (random.standard_normal((n_rows, 6)), np.arange(n_rows) % 2) for name in ("one", "two")}
    found = st.findings_of(st.compare_studies("anova:k=2", studies))
    steps = box_of(found).steps
    assert [step.how for step in steps][-1] == "st.assess(selector, X, y)"
    assert len(steps) == n_steps


def test_without_scores_nothing_is_said_of_prediction():
    box = box_of(assessed(*table(), scoring=[]))
    assert box.headline == "anova:k=3 chooses 3 features in at least 90% of the repeats."
    assert "Does it predict?" not in box.facts


def test_a_number_goes_with_features():
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 10))
    found = assessed(X, X[:, 0] + 0.1 * random.standard_normal(60), "anova:k=1")
    assert question(found) == "What goes with the target?"
    assert box_of(found).headline.endswith("and what it chooses goes with the target.")
    assert box_of(found).names[0].heading == "Rises with y"


def test_classes_of_unequal_size_are_the_caution():
    X, y = table()
    X = pd.concat([X + 0.01 * copy for copy in range(5)], ignore_index=True)
    y = np.array(["rare"] * 6 + ["common"] * (len(X) - 6))
    assert "of the rows are of the class common" in box_of(assessed(X, y)).facts["Caution"]


@pytest.mark.parametrize(
    ("lists", "headline"),
    [
        ([["a", "b", "c"], ["a", "b"], ["a"]], "a is in all 3 lists, 1 more is in 2."),
        ([["a", "b"], ["a", "c"], ["d"]], "a is in 2 of 3 lists; no name is in all."),
        ([["a", "b", "c"], ["a", "b", "c"]], "3 names are in all 2 lists."),
        ([["a"], ["b"], ["c"]], "No name is in two of the 3 lists."),
    ],
)
def test_lists_are_answered_by_who_is_in_most(lists, headline):
    found = st.findings_of(st.Selections.from_sets(lists, features=list("abcdefgh")))
    assert box_of(found).headline == headline
    assert question(found) == f"What do {len(lists)} lists share?"
    assert box_of(found).names


def test_two_lists_share_as_many_names_as_counted_and_chance_is_that_of_their_sizes():
    runs = st.Selections.from_sets(
        [["a", "b", "c"], ["a", "b"], ["c", "d"]], features=[f"{i}" for i in range(16)] + list("abcd")
    )
    pairs = [2, 1, 0]
    chance = np.mean([3 * 2, 3 * 2, 2 * 2]) / 20
    said = box_of(st.findings_of(runs)).facts["In words"]
    assert said.startswith(
        f"Two lists share {np.mean(pairs):g} name on average, where random lists of these sizes share {chance:.2g}"
    )


def test_a_tuning_recommends_nothing_that_predicts_no_better_than_no_features():
    space = {"filter": ["none"], "fraction": [0.5], "model": {"lasso": {"penalty": [0.05, 0.1]}}}
    X, y = table()
    good = st.findings_of(st.tune(space, X, y, n_trials=2, resampling=st.KFold(4)))
    assert box_of(good).headline.startswith("Recommended is configuration ")
    assert good.summary[0].scores["accuracy"].blind == pytest.approx(0.5, abs=0.1)
    noise = st.findings_of(st.tune(space, *table(shift=0.0), n_trials=2, resampling=st.KFold(4)))
    headline = box_of(noise).headline
    assert headline.startswith("No configuration predicts significantly better than no features (accuracy ")
    assert all(
        one.chosen for one in noise.front if one.objectives["accuracy"] <= noise.summary[0].scores["accuracy"].blind
    )
