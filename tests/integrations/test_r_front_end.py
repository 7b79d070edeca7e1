"""The R front end: the numbers are those of Python, and what goes wrong is an R error with the command's sentence."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.options.table import TABLE

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "integrations" / "r" / "steadyset.R"
RSCRIPT = shutil.which("Rscript")
NAMES = ['a "quoted", name', "=x", "Größe", "γ-tocopherol", "run", "back\\slash", "outcome", "g 8"]

pytestmark = pytest.mark.skipif(RSCRIPT is None, reason="R (Rscript) is not installed")


def r(code, folder, *, fails=False):
    """What R code prints after the front end was sourced, with the command of this Python."""
    command = f"options(steadyset.command = c({json.dumps(sys.executable)}, '-m', 'steadyset'))"
    script = folder / "with space.R"
    script.write_text(f"source({json.dumps(str(SCRIPT))})\n{command}\n{code}\n", encoding="utf-8")
    environment = dict(os.environ)
    if "UTF-8" not in (environment.get("LC_ALL") or environment.get("LANG") or ""):
        environment["LC_ALL"] = "C.UTF-8"  # R prints names of any alphabet in such a locale only
    done = subprocess.run(
        [RSCRIPT, "--vanilla", script.name],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr if fails else done.stdout


def numbers(text):
    return [float(word) for word in text.split()]


def r_lists(runs):
    rows = [f"c({', '.join(map(str, run))})" if run else "integer()" for run in runs]
    return f"list({', '.join(rows)})"


def test_stabm_lists_give_the_values_of_stabm(tmp_path):
    cases = json.loads((ROOT / "tests" / "oracles" / "stabm_random.json").read_text(encoding="utf-8"))["cases"]
    plain = ["nogueira", "somol", "phi", "kappa", "wald", "lustgarten"]
    values = [{one["measure"]: one["value"] for one in case["results"]} for case in cases]
    known = [i for i, found in enumerate(values) if None not in found.values()][:1]  # a command each
    expected = [values[i][name] for i in known for name in plain]
    code = "show <- function(...) writeLines(sprintf('%.17g', steadyset_measure(..., quiet = TRUE)$estimate))\n"
    for case in (cases[i] for i in known):
        runs = r_lists([[f + 1 for f in run] for run in case["features"]])
        code += f"show({runs}, features = {case['p']}, measures = c({', '.join(map(json.dumps, plain))}))\n"
    assert numbers(r(code, tmp_path)) == pytest.approx(expected, abs=1e-14)


@pytest.mark.slow  # buys: several calls from R; an assessment from R is in make test
def test_names_matrices_and_similarities_give_the_numbers_of_python(tmp_path):
    Z = np.array([[1, 0, 1, 1, 0, 0, 1, 0], [1, 1, 1, 0, 0, 0, 0, 0], [1, 0, 0, 1, 0, 1, 1, 0]])
    W = Z * np.linspace(0.1, 2.4, 24).reshape(3, 8)
    C = np.full((8, 8), 1 / 3) + np.eye(8) * 2 / 3
    C[0, 3] = C[3, 0] = 0.95
    alike = st.FeatureSimilarity.from_matrix(C, threshold=0.9, features=NAMES)
    sel = st.Selections.from_matrix(Z, NAMES)
    measures = ["nogueira", "jaccard", "sechidis"]
    table = st.stability_table(sel, measures, similarity=alike, level=0.9)
    code = f"""
    names <- c({", ".join(json.dumps(name, ensure_ascii=False) for name in NAMES)})
    Z <- matrix(c({", ".join(map(str, Z.ravel()))}), 3, byrow = TRUE, dimnames = list(NULL, names))
    W <- Z * matrix(seq(0.1, 2.4, length.out = 24), 3, byrow = TRUE)
    C <- matrix(1 / 3, 8, 8) + diag(8) * 2 / 3
    C[1, 4] <- C[4, 1] <- 0.95
    sets <- lapply(1:3, function(i) names[Z[i, ] == 1])
    measures <- c("nogueira", "jaccard", "sechidis")
    show <- function(table, keys = c("estimate", "low", "high")) writeLines(sprintf("%.17g", unlist(table[keys])))
    show(steadyset_measure(Z, measures = measures, similarity = C, threshold = 0.9, level = 0.9, quiet = TRUE))
    show(steadyset_measure(sets, names, measures, similarity = C, threshold = 0.9, level = 0.9, quiet = TRUE))
    show(steadyset_measure(W, measures = "pearson", quiet = TRUE), "estimate")
    """
    given = numbers(r(code, tmp_path))
    expected = [value for key in ("estimate", "low", "high") for value in table[key]]
    assert given[:9] == expected
    assert given[9:18] == expected
    assert given[18] == pytest.approx(st.stability(st.Selections.from_weights(W, NAMES), "pearson"), rel=1e-14)


@pytest.mark.slow  # buys: several calls from R; an assessment from R is in make test
def test_procedures_are_compared_under_the_names_that_the_caller_gave(tmp_path):
    first, second = [[1, 2], [1, 2], [1, 3], [1, 2]], [[1, 2], [3, 4], [5, 6], [1, 5]]
    code = f"""
    procedures <- list("a.b" = {r_lists(first)}, "Größe/2" = {r_lists(second)})
    found <- steadyset_compare(procedures, features = 9, quiet = TRUE)
    writeLines(c(found$procedures$name, found$tests$first, found$tests$second, found$answer[[1]]))
    writeLines(sprintf("%.17g", found$procedures$stability))
    """
    said = r(code, tmp_path).splitlines()
    assert said[:4] == ["a.b", "Größe/2", "a.b", "Größe/2"]
    assert said[4].startswith("The steadiest procedure is a.b: stability 0.")
    sets = [st.Selections.from_sets([[f - 1 for f in run] for run in runs], n_features=9) for runs in (first, second)]
    assert [float(x) for x in said[5:]] == [st.stability(one) for one in sets]


def test_an_assessment_has_the_numbers_of_python(tmp_path):
    X, y = _data()
    pd.DataFrame(X, columns=NAMES).to_csv(tmp_path / "X.csv", index=False, float_format="%.17g")
    code = f"""
    X <- as.matrix(read.csv("X.csv", check.names = FALSE, encoding = "UTF-8", numerals = "no.loss"))
    rownames(X) <- paste("sample", seq_len(nrow(X)))
    y <- setNames(factor(c({", ".join(map(str, y))}), labels = c("well", "ill")), rownames(X))
    found <- steadyset_assess(X, y, c("anova:k=3", "lasso:k=3"), runs = 6, seed = 5, out = "the runs")
    print(found)
    stopifnot(identical(steadyset_features("the runs"), found$features), nrow(found$differences) == 2)
    writeLines("---")
    writeLines(sprintf("%.17g", c(found$summary$stability, found$summary$low, found$summary$accuracy)))
    writeLines(found$features$feature[1:3])
    """
    printed, given = r(code, tmp_path).split("---\n")
    states, drawn = np.where(y, "ill", "well"), st.Bootstrap(6)
    result = st.assess(["anova:k=3", "lasso:k=3"], st.Data(X, states, features=NAMES), resampling=drawn, random_state=5)
    table = result.summary()
    assert numbers(" ".join(given.splitlines()[:6])) == [*table["stability"], *table["low"], *table["accuracy"]]
    assert set(given.splitlines()[6:]) <= set(NAMES)
    assert "y is taken as classes." in printed
    assert "The steadiest selector is" in printed


WRONG = {
    'options(steadyset.command = "/nowhere/steadyset"); steadyset_version()': "/nowhere/steadyset does not exist",
    'options(steadyset.command = NULL); Sys.setenv(PATH = "/usr/bin:/bin"); steadyset_version()': "was not found",
    'steadyset_measure(list("a", "b"), 5, "nonsense")': "There is no measure called 'nonsense'",
    "steadyset_measure(list(1:3, 4:6))": "The runs are numbers; give features",
    "steadyset_measure(list(1:3, 0:2), 9)": "whole numbers from 1",
    'steadyset_measure(list("a", "z"), letters[1:3])': "selects 'z', not among features",
    "steadyset_assess(matrix(1:12, 4), 1:5)": "X has 4 rows and 3 columns, but y has 5 values",
    "steadyset_assess(matrix(1:12, 4), c(1, 1, 0, 0), 'anova', on_warnings = 1)": (
        "steadyset_assess has no argument on_warnings. The closest argument is on_warning."
    ),
    "steadyset_shortlist(data.frame(a = c(NA, 2:40), b = 1:40), rep(0:1, 20))": 'fill with impute = "median", or',
    "steadyset_assess(iris[1:4], iris$Species, force = 1:150)": "force has no names of covariates.",
    "steadyset_assess(iris[1:4], iris$Species, force = data.frame(age = 1:3))": "force has 3 values of 'age' for 150",
    "steadyset_assess(iris[1:4], iris$Species, force = 'age')": "X has no column 'age'.",
    "steadyset_assess(iris[1:4], iris$Species, force = iris[1] + 1)": "force and X both have a column 'Sepal.Length'",
    "steadyset_consensus(list(a = list('x')), features = 9)": "A consensus needs at least two",
    "steadyset_report(3)": "A result of steadyset, or its folder, is needed (got numeric).",
    "steadyset_assess(data.frame(a = Sys.Date() + 1:4), 1:4)": "'a' holds Date values",
    "steadyset_assess(matrix(1:4, 4, dimnames = list(letters[1:4], 'x')), c(a = 1, b = 2, c = 1, e = 2))": (
        "The names of y are not the names of the samples in X ('e', 'd')"
    ),
}


def test_what_goes_wrong_is_an_r_error_with_one_sentence(tmp_path):
    attempt = "tryCatch({{ {}; '' }}, error = function(e) gsub('\\n', ' ', conditionMessage(e)))"
    code = "before <- options()['steadyset.command']; path <- Sys.getenv('PATH'); Sys.unsetenv('STEADYSET')\n"
    for wrong in WRONG:
        code += f"writeLines({attempt.format(wrong)}); options(before); Sys.setenv(PATH = path)\n"
    said = r(code, tmp_path).splitlines()
    assert len(said) == len(WRONG)
    for sentence, expected in zip(said, WRONG.values(), strict=True):
        assert expected in sentence


def test_json_is_read_alike_with_and_without_jsonlite(tmp_path):
    texts = ["", 'q"\\/', "\b\f\n\r\t", "Größe", "\U0001f600 é", "a,b:{c}[d]", "\\u0041", "\x1f"]
    values = [0, -1.5, 1e-300, 0.1, 123456789012, -7, 2147483647, 2147483648, 3.0, 1e5]
    content = {"texts": texts, "numbers": values, "rest": [True, False, None, {}, [], [[1]]]}
    for name, ascii_only in (("one.json", True), ("two.json", False)):
        (tmp_path / name).write_text(json.dumps(content, ensure_ascii=ascii_only), encoding="utf-8")
    code = """
    lines <- function(file) readLines(file, encoding = "UTF-8", warn = FALSE)
    read <- function(file) .steadyset_parse_json(paste(lines(file), collapse = "\\n"))
    found <- read("one.json")
    stopifnot(identical(found, read("two.json")))
    if (requireNamespace("jsonlite", quietly = TRUE)) {
      stopifnot(identical(found, .steadyset_read_json(paste(lines("one.json"), collapse = "\\n"))))
    }
    stopifnot(identical(found$rest, list(TRUE, FALSE, NULL, setNames(list(), character()), list(), list(list(1L)))))
    stopifnot(is.integer(found$numbers[[1]]), is.double(found$numbers[[9]]))
    writeLines(vapply(found$texts, function(text) paste(utf8ToInt(text), collapse = " "), ""))
    writeLines(sprintf("%.17g", unlist(found$numbers)))
    """
    lines = r(code, tmp_path).splitlines()
    assert ["".join(map(chr, map(int, line.split()))) for line in lines[:8]] == texts
    assert [float(x) for x in lines[8:]] == content["numbers"]


SAME_DATA = """
X <- matrix(sin(1:90), 15, dimnames = list(letters[1:15], paste("gene", 1:6)))
y <- setNames(factor(rep(c("ill", "well", "ill"), 5)), rownames(X))
plain <- .steadyset_data(X, unname(y), NULL, TRUE)
same <- function(...) stopifnot(identical(.steadyset_data(..., NULL, TRUE)[["X"]], plain$X))
"""


def test_what_holds_the_data_does_not_matter(tmp_path):
    code = """
    same(t(X), y)
    same(data.frame(X, state = y, check.names = FALSE), "state")
    same(as.data.frame(X), data.frame(state = y))
    turned <- .steadyset_data(X, rev(y), NULL, TRUE)
    stopifnot(identical(unname(turned$y), unname(y)), identical(turned$X, plain$X))
    """
    r(SAME_DATA + code, tmp_path)


def test_a_missing_batch_is_missing_and_no_batch_of_its_own(tmp_path):
    code = """
    batch <- factor(c(rep(c("1", "2"), 7), NA))
    study <- .steadyset_study(X, unname(y), NULL, 1:15, NULL, batch, TRUE)
    values <- setNames(lapply(study$roles, `[[`, "values"), vapply(study$roles, `[[`, "", "option"))
    stopifnot(identical(values$block, c(rep(c("block 1", "block 2"), 7), NA)))
    stopifnot(identical(values$groups, paste("group", 1:15)))
    """
    r(SAME_DATA + code, tmp_path)


def test_an_expression_set_has_its_samples_in_columns(tmp_path):
    if subprocess.run([RSCRIPT, "-e", "library(Biobase)"], capture_output=True).returncode:
        pytest.skip("the R package Biobase is not installed")
    code = """
    suppressMessages(library(Biobase))
    pheno <- data.frame(state = y, row.names = rownames(X))
    same(ExpressionSet(t(X), AnnotatedDataFrame(pheno)), "state")
    same(ExpressionSet(t(X)), y)
    """
    r(SAME_DATA + code, tmp_path)


def _data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 8))
    return X, (X[:, 0] + X[:, 2] + rng.normal(size=40) / 2 > 0).astype(int)


def test_no_is_said_as_the_command_says_it():
    said = dict(
        re.findall(
            r'(\w+) = "(--[\w-]+)"', re.search(r"STEADYSET_NO <- c\((.*)\)", SCRIPT.read_text(encoding="utf-8"))[1]
        )
    )
    other = {option.name: option.no for option in TABLE if option.no and option.no != f"--no-{option.flag[2:]}"}
    assert said == other


def test_options_without_a_value_are_those_of_the_command():
    written = re.search(r"STEADYSET_FLAGS <- c\((.*?)\)", SCRIPT.read_text(encoding="utf-8"), re.DOTALL)[1]
    called = {"assess", "shortlist", "tune", "replicate", "why", "measure", "compare", "consensus", "report", "methods"}
    flags = {option.name for option in TABLE if option.kind is bool and called & set(option.commands.split())}
    assert set(re.findall(r'"(\w+)"', written)) == flags


SENTENCES = {
    ("shortlist", "give --false 2, or --fdr 0.1"): "give false = 2, or fdr = 0.1",
    ("assess", "leave the rows out with --known-only."): "leave the rows out with known_only = TRUE.",
    ("compare", "give --independent; --no-header"): "give paired = FALSE; header = FALSE",
    ("assess", "classes; --task number treats"): 'classes; task = "number" treats',
    ("assess", "give the file and --selector."): "give the file and selectors.",
    ("replicate", "take --selector lasso:k=20."): 'take selector = "lasso:k=20".',
    ("measure", "give --features N or --top 10"): "give features = N or top = 10",
    ("measure", "--measure jaccard --level 0.95 shows"): "measures jaccard level = 0.95 shows",
    ("tune", "No such option: --strata"): "steadyset_tune has no argument strata.",
    ("assess", '--drop "a b" --drop "c d" --drop "e"'): 'drop = c("a b", "c d", "e")',
    ("assess", "`steadyset tune ... --resume` and `steadyset serve --open`"): (
        "steadyset_tune(..., resume = TRUE) and `steadyset serve --open`"
    ),
    ("assess", "list: `steadyset shortlist`, or st.shortlist in Python."): "list: steadyset_shortlist(...).",
    (
        "why",
        "No such option: --fdr. It is an option of `steadyset shortlist`. `steadyset why --help` lists the options "
        "of this command.",
    ): "steadyset_why has no argument fdr. It is an argument of steadyset_shortlist(...).",
    ("why", "kept in x. To continue, run: steadyset why a.csv --resume"): (
        "kept in x. To continue, give the same out and resume = TRUE."
    ),
    ("assess", "a well--known word, and -1 to 2 -- no option"): "a well--known word, and -1 to 2 -- no option",
}


def test_sentences_name_arguments_of_r(tmp_path):
    code = ""
    for command, sentence in SENTENCES:
        code += f"writeLines(.steadyset_in_r({json.dumps(sentence)}, {json.dumps(command)}))\n"
    assert r(code, tmp_path).splitlines() == list(SENTENCES.values())


def test_a_shortlist_has_listed_features_apart_from_candidates(tmp_path):
    X, y = _data()
    table = pd.DataFrame(X, columns=[f"g{j}" for j in range(7)] + ["age"]).round(4)
    table.assign(state=np.where(y, "ill", "well")).to_csv(tmp_path / "data.csv", index=False)
    code = """
    d <- read.csv("data.csv")
    age <- d["age"][40:1, , drop = FALSE]
    rownames(d) <- paste("s", 1:40)
    rownames(age) <- paste("s", 40:1)
    small <- list(permutations = 20, splits = 10, outer = 0, seed = 1, out = "listed")
    found <- do.call(steadyset_shortlist, c(list(d, "state", false = 2, force = age), small))
    numbers <- c("effect", "effect_low", "effect_high", "uncorrected_effect", "p_value", "q_value", "frequency")
    stopifnot(vapply(found$features[numbers], is.numeric, NA), vapply(found$candidates[numbers], is.numeric, NA))
    stopifnot(is.data.frame(found$features), found$features$tier == "listed", found$candidates$tier == "candidate")
    writeLines(c(paste(found$features$feature, collapse = " "), paste(found$candidates$feature, collapse = " ")))
    writeLines(sprintf("%.17g", found$features$effect))
    writeLines("---")
    print(found)
    """
    values, printed = r(code, tmp_path).split("---\n")
    data = st.Data(table.iloc[:, :7], np.where(y, "ill", "well"), force=table[["age"]])
    one = st.Execution(engine="serial", progress=False)
    python = st.shortlist(data, false=2, permutations=20, splits=10, outer=0, random_state=1, execution=one)
    listed = python.features[python.features["tier"] == "listed"]
    lines = values.splitlines()
    assert lines[0].split() == list(listed["feature"])
    assert lines[1].split() == list(python.candidates["feature"])
    assert len(lines[0].split()) > 0
    assert len(lines[1].split()) > 0
    assert [float(x) for x in lines[2:]] == pytest.approx(list(listed["effect"]), rel=1e-12)
    assert not re.search(r"\d\.\d{4}", printed)
    about = (tmp_path / "listed" / "findings.json").read_text(encoding="utf-8")
    assert "after accounting for age" in about
    assert "age.1" not in about


@pytest.mark.slow  # buys: five calls from R; the shortlist is in make test
def test_tunings_replications_sources_consensus_and_methods_are_plain_tables(tmp_path):
    X, y = _data()
    pd.DataFrame(X, columns=list("abcdefgh")).assign(y=np.where(y, "ill", "well")).to_csv(
        tmp_path / "data.csv", index=False
    )
    code = """
    d <- read.csv("data.csv")
    show <- function(...) writeLines(sprintf("%.17g", c(...)))
    tuned <- steadyset_tune(d, "y", trials = 3, space = "bommert:model=lasso,filter=mim,most=4",
      resampling = "kfold:n_splits=4", out = "tuned", quiet = TRUE)
    show(tuned$choices$accuracy, tuned$configurations$accuracy)
    replicated <- steadyset_replicate(d, "y", "anova:k=2", pairs = 10, out = "replicated", quiet = TRUE)
    show(replicated$studies$agreement, replicated$sizes$agreement)
    split <- steadyset_why(d, "y", c("anova:k=2", "lasso:k=2"), resampling = "bootstrap:n_runs=20",
      out = "split", quiet = TRUE)
    show(split$sources$share)
    agreed <- steadyset_consensus(list("a/b" = list(c("x", "y"), c("x", "z")), two = list(c("x", "y"), c("x", "w"))),
      features = 20, quiet = TRUE)
    paragraphs <- steadyset_methods(tuned, quiet = TRUE)
    stopifnot(
      is.data.frame(tuned$front), is.data.frame(tuned$features), is.data.frame(split$samples),
      is.na(tuned$recommended) == (nrow(tuned$features) == 0), sum(tuned$choices$recommended) <= 1,
      identical(agreed$features$feature[1:2], c("x", "y")), agreed$features$methods[1:2] == 2,
      identical(agreed$features[["frequency_a/b"]][1:2], c(1, 0.5)),
      grepl("Optuna|drawn at random", paste(paragraphs$paragraphs, collapse = " ")),
      "bergstra2012" %in% paragraphs$references$id, !anyDuplicated(paragraphs$references$id)
    )
    writeLines("---")
    for (one in list(tuned, replicated, split, agreed, paragraphs)) print(one)
    """
    values, printed = r(code, tmp_path).split("---\n")

    def written(folder):
        return json.loads((tmp_path / folder / "findings.json").read_text(encoding="utf-8"))

    tuned, replicated = written("tuned"), written("replicated")["replication"]
    expected = [choice["objectives"]["accuracy"] for choice in tuned["choices"]]
    expected += [one["reached"]["accuracy"] for one in tuned["trials"]["tried"]]
    expected += [one["agreement"] for part in ("studies", "measured") for one in replicated[part]]
    expected += [one["share"] for one in written("split")["sources"]["parts"]]
    assert numbers(values) == expected
    assert "--" not in printed
    assert not re.search(r" \d\.0*[1-9]\d{3,}", printed)  # at most three significant digits behind the point


def test_times_covariates_and_preparation_reach_the_command(tmp_path):
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(60, 4)).round(3), columns=["a", "b", "c", "d"])
    time = np.ceil(100 * random.exponential(np.exp(-X["a"])))
    age, event = random.integers(40, 80, 60), (random.random(60) < 0.8).astype(int)
    X.assign(days=time, dead=event, age=age).to_csv(tmp_path / "data.csv", index=False)
    code = """
    d <- read.csv("data.csv")
    y <- structure(cbind(time = d$days, status = d$dead), class = "Surv", type = "right")
    assess <- function(...) steadyset_assess(d[1:4], y, "anova:k=2", runs = 4, seed = 1, quiet = TRUE, ...)
    found <- assess(force = d["age"], prepare = "scale", out = "from_r")
    cat(found$task, found$summary$harrell, "\\n")
    small <- list(permutations = 20, splits = 10, outer = 0, seed = 1, quiet = TRUE)
    listed <- do.call(steadyset_shortlist, c(list(d[1:4], y, force = d["age"], out = "listed"), small))
    cat(listed$features$feature, "\\n")
    attr(y, "type") <- "counting"
    cat(conditionMessage(tryCatch(assess(), error = identity)), "\\n")
    """
    told, features, refused = r(code, tmp_path).splitlines()
    covariates = st.Data(X, st.Survival(time, event), force={"age": age}, prepare="scale")
    resampling, one = st.Bootstrap(4), st.Execution(engine="serial", progress=False)
    python = st.assess(["anova:k=2"], covariates, resampling=resampling, random_state=1, execution=one)
    assert told.split()[0] == "survival"
    assert float(told.split()[1]) == pytest.approx(python.scores["harrell"].mean(), rel=1e-6)
    assert "a" in features.split()
    assert "after accounting for age" in (tmp_path / "listed" / "findings.json").read_text(encoding="utf-8")
    assert refused.strip() == "y is a Surv of type counting; only right censoring is modelled."
