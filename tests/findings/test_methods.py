"""The methods paragraphs: every sentence depends on what was done, and what was used is cited."""

import json
import re
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.records import call

import steadyset as st
from steadyset.cli import run

ROWS = 60


def table(missing=False):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(ROWS, 12)), columns=[f"g{i}" for i in range(12)])
    y = pd.Series(np.where(X["g0"] + X["g1"] + rng.normal(size=ROWS) / 2 > 0, "ill", "well"), name="outcome")
    if missing:
        X.iloc[:3, 2] = np.nan
    return X, y


@cache
def usual():
    return assessed(random_state=7)


def assessed(selectors=("anova:k=3", "lasso:k=3"), *, missing=False, **options):
    X, y = table(missing)
    given = {"resampling": st.Subsample(6, fraction=0.8), "n_jobs": 1, "engine": "serial", "random_state": 7} | options
    return call(st.assess, selectors if callable(selectors) else list(selectors), X, y, **given)


def keys_of(result):
    return {item["id"] for item in json.loads(st.methods_text(result, format="csl"))}


def test_the_numbers_are_those_of_the_assessment():
    said = st.methods_text(usual())
    assert "The data comprised 60 rows and 12 features." in said
    counts = table()[1].value_counts()
    assert f"The target, outcome, had 2 classes (ill: {counts['ill']}, well: {counts['well']})." in said
    assert "6 random subsamples of 80% of the rows, drawn without replacement, with the random seed 7." in said
    assert "anova:k=3 (a filter by the F statistic of an analysis of variance, with k=3)" in said
    assert f"steadyset {st.__version__}" in said
    assert f"NumPy {np.__version__}" in said
    assert "(95%)" in said
    assert "at least 90% of its runs" in said
    assert "(99%)" in (other := st.methods_text(usual(), level=0.99, core=0.5))
    assert "significance level was 1%" in other
    assert "at least 50% of its runs" in other


def test_imputation_is_told_where_something_was_missing_and_filled():
    for whole in (usual(), assessed(["anova:k=3"], impute="median")):
        assert "missing" not in st.methods_text(whole)
    said = st.methods_text(assessed(["anova:k=3"], missing=True, impute="median"))
    assert "Of all values 3 (0.4%) were missing, in 1 feature" in said
    assert "each run replaced missing values by the medians of its training rows" in said


@pytest.mark.parametrize(
    ("selector", "keys"),
    [
        ("lasso", {"tibshirani1996", "friedman2010"}),
        ("elastic_net", {"zou2005", "friedman2010"}),
        ("relieff", {"kononenko1994", "robnik2003"}),
        ("jmi", {"yang1999"}),
        (st.StabilitySelection(base="anova", rule="calibrated", n_runs=10), {"bodinier2023", "meinshausen2010"}),
        (SelectKBest(k=2), {"pedregosa2011"}),
    ],
    ids=["lasso", "elastic_net", "relieff", "jmi", "stability_selection", "select_k_best"],
)
def test_each_selector_brings_its_references_and_no_others(selector, keys):
    found = keys_of(assessed([selector]))
    assert keys <= found
    others = {"tibshirani1996", "zou2005", "kononenko1994", "yang1999", "bodinier2023"} - keys
    assert not others & found
    assert not {"holm1979", "zou2008", "akiba2019"} & found  # nothing was compared or tuned


def test_comparisons_and_scores_are_told_only_where_there_are_some():
    both, alone = usual(), assessed(["anova:k=3"], scoring=[])
    assert {"holm1979", "nadeau2003"} <= keys_of(both)
    assert "Pairs of selectors were compared in stability by paired t-tests" in st.methods_text(both)
    said = st.methods_text(alone)
    assert "compared" not in said
    assert "judged" not in said
    assert "scikit-learn" not in said  # it had nothing to do
    assert not {"holm1979", "nadeau2003", "pedregosa2011"} & keys_of(alone)


def test_the_resampling_is_told_with_its_reference():
    assert "efron1979" in keys_of(assessed(["anova:k=3"], resampling=st.Bootstrap(5)))
    said = st.methods_text(assessed(["anova:k=3"], resampling=st.KFold(3, repeats=2, stratified=True)))
    assert "6 training sets of stratified 3-fold cross-validation, repeated 2 times (Stone 1974)" in said
    groups = np.arange(ROWS) // 2
    assert "The rows belonged to 30 groups" in st.methods_text(assessed(["anova:k=3"], groups=groups))


def test_runs_that_failed_and_warned_are_told():
    def fickle(X, y):
        import warnings

        if X.iloc[0, 0] > 0:
            raise ValueError("no luck")
        warnings.warn("beware", stacklevel=1)
        return ["g0", "g1"]

    result = assessed(fickle, resampling=st.Bootstrap(12))
    lost = int((result.failures["reason"].str.contains("no luck")).sum())
    said = st.methods_text(result)
    assert 0 < lost < 12
    assert f"Of 12 runs, {lost} made no selection and were left out (fickle: {lost})." in said
    assert f"Of 12 runs, {12 - lost} gave warnings (fickle: {12 - lost})." in said
    assert "the function fickle" in said


def test_an_unfinished_assessment_is_told(tmp_path):
    class EnoughError(Exception):
        pass

    def stop(done, total):
        if done == 5:
            raise EnoughError

    with pytest.raises(EnoughError):
        assessed(out=tmp_path / "runs", progress=stop)
    assert "The assessment is not finished: 5 of 12 runs had been made." in st.methods_text(tmp_path / "runs")
    assessed(out=tmp_path / "runs")
    assert "not finished" not in st.methods_text(tmp_path / "runs")


def test_nothing_is_measured_where_every_run_failed():
    def hopeless(X, y):
        raise RuntimeError("never")

    with pytest.warns(FitFailedWarning):
        said = st.methods_text(assessed(hopeless))
    assert "Of 6 runs, 6 made no selection and were left out (hopeless: 6)." in said
    told = said.split("References")[0]
    assert not [words for words in ("measure", "interval", "poor", "core", "judged") if words in told]
    assert "Results\nhopeless made no selection in any run." in said


def test_what_others_wrote_is_told_as_it_prints_itself():
    pipeline = make_pipeline(StandardScaler(), SelectKBest(k=2))
    forest = RandomForestClassifier(n_estimators=5)
    splits = RepeatedKFold(n_splits=3, n_repeats=1)
    said = st.methods_text(assessed([pipeline], resampling=splits, predictor=forest, scoring=["auc"]))
    assert "a pipeline of StandardScaler, SelectKBest(k=2) of scikit-learn" in said
    assert "3 training sets drawn by RepeatedKFold(n_repeats=1, n_splits=3, random_state=None)" in said
    assert "judged by the area under the ROC curve of RandomForestClassifier(n_estimators=5)" in said


def test_runs_added_until_intervals_are_narrow_are_told(tmp_path):
    result = assessed(["anova:k=3"], resampling=st.Subsample(fraction=0.8), width=0.4, max_runs=40)
    said = st.methods_text(result)
    assert "runs were added until the 95% confidence interval of the stability of each was narrower than 0.4" in said
    assert "not finished" not in said


def test_a_folder_without_details_tells_what_it_knows(tmp_path):
    from steadyset.assessment.folder import RunFolder

    assessed(out=tmp_path / "runs")
    folder = RunFolder(tmp_path / "runs")
    settings = {key: value for key, value in folder.settings().items() if key != "details"}
    folder.write_settings({key: value for key, value in settings.items() if not key.startswith("schema")})
    said = st.methods_text(tmp_path / "runs")
    assert "60 rows and 12 features" in said
    assert "lasso:k=3: ElasticNetSelector(grouped=False, k=3, " in said
    assert "Subsample(fraction=0.8, stratified=False)" in said


def test_recorded_selections_tell_only_how_they_were_measured(tmp_path):
    sel = st.Selections.from_sets([["a", "b"], ["a", "c"], ["a", "b"]] * 3, features=list("abcdef"))
    sel.write(tmp_path / "mine.csv")
    said = st.methods_text(tmp_path / "mine.csv")
    assert said.startswith("The features that 9 runs selected over 6 features were compared as recorded.")
    assert keys_of(sel) == {"nogueira2018", "efron1981", "wilson1927", "steadyset"}


def test_formats_hold_the_same_paragraphs(tmp_path, capsys):
    result = assessed(out=tmp_path / "runs")
    told = json.loads(st.methods_text(result, format="json"))
    text = st.methods_text(result)
    assert len(told["paragraphs"]) == 2
    assert text.startswith("\n\n".join(told["paragraphs"]) + f"\n\nResults\n{told['results']}\n\nReferences\n")
    bib, csl = tmp_path / "refs.bib", tmp_path / "refs.json"
    assert run(["methods", str(tmp_path / "runs"), "--format", "latex", "--bibtex", str(bib), "--csl", str(csl)]) == 0
    latex = capsys.readouterr().out
    cited = {key for keys in re.findall(r"\\cite\{([^}]*)\}", latex) for key in keys.split(",")}
    assert (
        cited
        == {item["id"] for item in json.loads(csl.read_text(encoding="utf-8"))}
        == {item["id"] for item in told["references"]}
    )
    assert all(f"{{{key}," in bib.read_text(encoding="utf-8") for key in cited)
    assert "thebibliography" not in latex
    assert r"80\% of the rows" in latex
    markdown = st.methods_text(result, format="markdown", keys=True)
    assert set(re.findall(r"@(\w+)", markdown)) == cited


def test_the_results_are_the_numbers_of_the_findings():
    result = usual()
    found, said = st.findings_of(result), st.findings_of(result).methods.results_text()
    for row in found.summary:
        span = f"(95% confidence interval {row.low:.2f} to {row.high:.2f})"
        assert f"{row.name} selected 3 of 12 features in each of 6 runs, with a stability" in said
        assert f"of {row.stability:.2f} {span}." in said
        score = row.scores["accuracy"]
        half = t.ppf(0.975, 5) * score.se
        ends = f"{max(0, score.mean - half):.3f} to {min(1, score.mean + half):.3f}"
        assert f"{score.mean:.3f} for {row.name} (95% confidence interval {ends}; as many random features: " in said
    assert "The steady core of anova:k=3 holds 2 features: g0 (higher in ill) and g1 (higher in ill)." in said
    for one in found.differences:
        test = one.tests[0]
        verdict = "significant" if test.told_apart else "not significant"
        assert f"lasso:k=3 minus anova:k=3 {test.difference:.3f} (95% confidence interval" in said
        assert f", {verdict})" in said
    assert not re.search("prefer|best|as good|trust", said)


def test_results_of_noise_claim_nothing():
    rng = np.random.default_rng(1)
    noise = st.assess(
        ["anova:k=2", "lasso:k=2"], rng.normal(size=(40, 30)), np.repeat([0, 1], 20), resampling=st.Bootstrap(8)
    )
    said = st.findings_of(noise).methods.results_text()
    assert "The steady core of anova:k=2 is empty." in said
    assert re.search(r"Differences in accuracy: .* adjusted p = [\d.]+, not significant\)\.", said)


def test_each_sentence_names_the_items_of_tripod_ai_that_it_serves():
    told = json.loads(st.methods_text(assessed(missing=True, impute="median"), format="json"))
    items = {one["sentence"]: one["items"] for one in told["tripod_ai"]}
    assert " ".join(items) == " ".join([*told["paragraphs"], told["results"]])
    served = {item for some in items.values() for item in some}
    assert served == {"8a", "11", "12a", "12b", "12c", "12e", "20b", "21", "23a"}
    by_start = {sentence[:20]: some for sentence, some in items.items()}
    assert by_start["The data comprised 6"] == ["21"]
    assert by_start["Of all values 3 (0.4"] == ["11", "20b"]
    assert by_start["Each selector was ru"] == ["12a", "12c"]
    assert by_start["The mean accuracy on"] == ["23a"]
    said = st.methods_text(usual())
    assert "Items of TRIPOD+AI that each sentence serves: Collins GS, Moons KGM" in said
    assert "\n12c: Each selector was also run on all rows.\n" in said


def test_the_rule_by_which_models_select_is_told():
    forest, sparse = (
        RandomForestClassifier(5, random_state=0),
        LogisticRegression(l1_ratio=1, solver="liblinear", C=0.5),
    )
    models = {"forest": forest, "sparse": sparse, "filter": "anova:k=3"}
    result = st.assess(models, *table(), resampling=st.KFold(3), scoring=[])
    said = st.methods_text(result)
    rules = "importances above their mean (forest); coefficients that are not 0 (sparse)"
    assert f"Of models, the following counted as selected: {rules}." in said
    assert "forest is a model: selected are importances above their mean." in st.findings_of(result).notes
    assert "counted as selected" not in st.methods_text(usual())
    top = st.assess({"forest": forest}, *table(), resampling=st.KFold(3), scoring=[], cut=st.Cut(top=2))
    assert "counted as selected: the 2 largest importances (forest)." in st.methods_text(top)


@pytest.mark.parametrize(
    "model", [RandomForestClassifier, GradientBoostingClassifier, LinearSVC, DecisionTreeClassifier]
)
def test_no_markup_of_a_docstring_stands_as_a_reference(model):
    keys = {"RandomForestClassifier": {"breiman2001"}}.get(model.__name__, set())
    result = st.assess(
        {"it": model()}, *table(), resampling=st.KFold(2), scoring=[], execution=st.Execution(all_rows=False)
    )
    for form in ("text", "markdown", "latex", "bibtex"):
        assert not re.search(r"\.\. \[|:doi:|`", st.methods_text(result, format=form)), form
    usual_keys = {"nogueira2018", "efron1981", "wilson1927", "steadyset", "stone1974", "pedregosa2011"}
    assert keys_of(result) - usual_keys - {"harris2020", "virtanen2020"} == keys


def test_nogueira_is_corrected_for_chance_where_sizes_are_equal():
    assert "and is corrected for chance where sizes are equal." in st.methods_text(usual())


def test_names_of_strangers_are_escaped():
    X, y = table()
    y.name = "out_come & <b>{x}"
    result = st.assess({"a_b$": "anova:k=3"}, X, y, resampling=st.KFold(3), n_jobs=1)
    assert r"out\_come \& \textless{}b\textgreater{}\{x\}" in st.methods_text(result, format="latex")
    assert r"out\_come & \<b\>\{x\}" in st.methods_text(result, format="markdown")


def test_the_report_and_the_findings_hold_the_paragraphs(tmp_path):
    result = usual()
    page = st.report(result, tmp_path / "page.html").read_text(encoding="utf-8")
    found = st.findings_of(result)
    assert "<h3>Methods</h3>" in page
    assert "with the random seed 7" in page
    assert found.to_dict()["methods"]["paragraphs"] == found.methods.texts()


SPACE = {"filter": ["none", "jmi"], "fraction": [0.5], "model": {"lasso": {"penalty": [0.05, 0.1]}}}


def test_a_tuning_tells_its_space_and_its_rule_with_their_references():
    X, y = table()
    tuned = st.tune(SPACE, X, y, n_trials=3, resampling=st.KFold(3))
    said = st.methods_text(tuned)
    assert "Configurations of a filter and a model (3), drawn at random (Bergstra and Bengio 2012)" in said
    assert "within 0.025 of the best accuracy" in said
    assert {"yang1999", "tibshirani1996", "bommert2020", "akiba2019"} <= keys_of(tuned)
    assert not {"holm1979", "deb2002", "das1999", "breiman2001"} & keys_of(tuned)
    assert "the knee of the Pareto front (Das 1999)" in st.methods_text(tuned, choose="knee")


def test_the_folder_of_a_tuning_tells_what_the_command_did(tmp_path, capsys, monkeypatch):
    X, y = table()
    monkeypatch.chdir(tmp_path)
    X.assign(outcome=y).to_csv("data.csv", index=False)
    (tmp_path / "space.json").write_text(json.dumps(SPACE), encoding="utf-8")
    tune = [
        "tune",
        "data.csv",
        "-t",
        "outcome",
        "--space",
        "space.json",
        "--trials",
        "2",
        "--choose",
        "best",
        "-j",
        "1",
    ]
    assert run([*tune, "--resampling", "kfold:n_splits=3", "-o", "tuned"]) == 0
    capsys.readouterr()
    assert run(["methods", "tuned"]) == 0
    said = capsys.readouterr().out
    assert "The target, outcome, had 2 classes" in said
    assert "the best in accuracy. It was not recommended." in said
    assert run(["methods", "tuned", "--core", "0.5"]) == 2
    assert "--core is that of the tuning in tuned" in capsys.readouterr().err
    recorded = tmp_path / "tuned" / "findings.json"
    whole = recorded.read_text(encoding="utf-8")
    recorded.unlink()
    assert run(["methods", "tuned"]) == 2
    assert "tuned holds a tuning whose methods are not written yet (no findings.json)" in capsys.readouterr().err
    recorded.write_text(whole.replace("best in accuracy", "worst in accuracy"), encoding="utf-8")
    assert run(["methods", "tuned"]) == 2
    assert "findings.json is damaged" in capsys.readouterr().err


def test_a_wrong_format_gets_a_sentence(tmp_path, capsys):
    with pytest.raises(st.InputError, match="format must be"):
        st.methods_text(usual(), format="word")
    assert run(["methods", str(tmp_path)]) == 2
    assert "is not a run folder" in capsys.readouterr().err
