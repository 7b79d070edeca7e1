"""The command with intervals, similarities and comparisons."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.cli import run
from steadyset.foundation.text import p_value


@pytest.fixture
def recorded(tmp_path):
    """Two procedures on the same 12 resamples of data in which x0 and x1 are copies but for noise."""
    random = np.random.default_rng(0)
    X = random.standard_normal((50, 6))
    X[:, 1] = X[:, 0] + 0.01 * random.standard_normal(50)
    features = [f"x{i}" for i in range(6)]
    pd.DataFrame(X, columns=features).assign(y=X[:, 0] > 0).to_csv(tmp_path / "data.csv", index=False)
    labels = [f"boot {i}" for i in range(12)]
    swapping = st.Selections.from_sets([[i % 2, 2] for i in range(12)], features, labels=labels)
    random_sets = [random.choice(6, size=2, replace=False) for _ in range(12)]
    shaky = st.Selections.from_sets(random_sets, features, labels=labels)
    swapping.write(tmp_path / "swapping.csv")
    shaky.write(tmp_path / "shaky.csv")
    st.Selections.from_sets([["a", "b"], ["a", "c"]], list("abcdef")).write(tmp_path / "other.json")
    return tmp_path, swapping, shaky, st.FeatureSimilarity.from_data(X, features=features)


def rows_of(capsys):
    """The measures, or the tests, of what is printed."""
    found = json.loads(capsys.readouterr().out)
    return found["measures"] or found["differences"][0]["tests"]


def test_intervals_are_those_of_the_library(recorded, capsys):
    folder, swapping, _, _ = recorded
    assert run(["measure", str(folder / "swapping.csv"), "-m", "nogueira", "--level", "0.9", "--format", "json"]) == 0
    row = rows_of(capsys)[0]
    interval = st.confidence_interval(swapping, level=0.9)
    assert (row["estimate"], row["low"], row["high"]) == (interval.estimate, interval.low, interval.high)


def test_data_make_similar_features_count_as_alike(recorded, capsys):
    folder, swapping, _, similarity = recorded
    arguments = ["measure", str(folder / "swapping.csv"), "--data", str(folder / "data.csv"), "--target", "y"]
    assert run([*arguments, "--format", "json", "--seed", "0"]) == 0
    rows = {row["measure"]: row for row in rows_of(capsys)}
    assert rows["intersection_count"]["estimate"] == pytest.approx(1.0)
    assert rows["unadjusted"]["estimate"] < 0.7
    assert rows["sechidis"]["estimate"] == pytest.approx(st.stability(swapping, "sechidis", similarity=similarity))
    assert run([*arguments, "--similarity-method", "spearman", "--threshold", "0.5", "-m", "yu"]) == 0


def test_a_similarity_file_does_the_same(recorded, capsys):
    folder, swapping, _, similarity = recorded
    matrix = similarity.block(np.arange(6), np.arange(6))
    pd.DataFrame(matrix, columns=swapping.features).to_csv(folder / "similarity.csv", index=False)
    arguments = ["measure", str(folder / "swapping.csv"), "-m", "yu", "--format", "json"]
    assert run([*arguments, "--similarity", str(folder / "similarity.csv")]) == 0
    assert rows_of(capsys)[0]["estimate"] == pytest.approx(st.stability(swapping, "yu", similarity=similarity))


def test_compare_pairs_by_labels_and_names_the_groups(recorded, capsys):
    folder, swapping, shaky, _ = recorded
    files = [str(folder / "swapping.csv"), str(folder / "shaky.csv")]
    assert run(["compare", *files, "--format", "json"]) == 0
    row = rows_of(capsys)[0]
    test = st.test_difference(swapping, shaky)
    assert row["paired"] is True
    assert row["p_value"] == pytest.approx(test.p_value)
    assert run(["compare", *files, "--independent", "--format", "json"]) == 0
    assert rows_of(capsys)[0]["paired"] is False
    assert run(["compare", *files]) == 0
    out = capsys.readouterr().out
    assert "swapping" in out
    assert "Procedures that share a letter show no significant difference at 5%." in out
    assert p_value(test.p_value) in out
    assert run(["compare", *files, "--format", "latex"]) == 0
    assert "\\begin{tabular}" in capsys.readouterr().out
    assert run(["compare", *files, "--format", "markdown"]) == 0
    assert "| procedure |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["measure", "{f}/swapping.csv", "-m", "yu"],
            "yu needs the similarity of the features; give --data, to compute it, or --similarity.",
        ),
        (["measure", "{f}/swapping.csv", "--target", "y"], "which is not given"),
        (["measure", "{f}/swapping.csv", "--data", "{f}/data.csv", "--target", "z"], "has no column 'z'"),
        (
            ["measure", "{f}/swapping.csv", "--data", "{f}/data.csv"],
            "'y' is not among the features: leave out .* --target y.",
        ),
        (["compare", "{f}/swapping.csv", "{f}/shaky.csv", "--data", "{f}/data.csv"], "--target y."),
        (["measure", "{f}/other.json", "--data", "{f}/data.csv"], "7 columns for the 6 features .* --target COLUMN."),
        (["measure", "{f}/swapping.csv", "--data", "{f}/a.csv", "--similarity", "{f}/b.csv"], "give one of them"),
        (["measure", "{f}/swapping.csv", "--data", "{f}/absent.csv"], "does not exist"),
        (["measure", "{f}/swapping.csv", "--level", "95"], "--level must be a number between 0 and 1"),
        (["compare", "{f}/swapping.csv"], "at least two"),
        (["compare", "{f}/swapping.csv", "{f}/swapping.csv"], "given twice"),
    ],
)
def test_bad_requests_are_one_sentence(recorded, arguments, sentence, capsys):
    assert run([a.replace("{f}", str(recorded[0])) for a in arguments]) == 2
    err = capsys.readouterr().err
    assert re.search(sentence, err)
    assert err.count("\n") == 1


def test_long_files_name_their_features_in_any_order_and_may_lack_a_run(tmp_path, capsys):
    rng = np.random.default_rng(0)
    for name, order, missing in (("a", 1, None), ("b", -1, 7)):
        lines = ["run,feature"]
        for run_number in range(1, 21):
            chosen = {0, 1, *rng.choice(10, 2)}
            lines += [f"{run_number},g{f}" for f in sorted(chosen)[::order] if run_number != missing]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines), encoding="utf-8")
    files = [str(tmp_path / f"{name}.csv") for name in "ab"]
    assert run(["compare", *files, "--features", "12", "--format", "json"]) == 0
    (row,) = rows_of(capsys)
    assert row["paired"]
    assert row["note"] == "paired over 19 shared runs; 1 run that only one side has is left out"
    assert run(["compare", *files, "--features", "12", "--format", "table"]) == 0


def test_the_json_of_a_comparison_is_what_the_library_finds(recorded, capsys):
    folder, swapping, shaky, _ = recorded
    files = [str(folder / "swapping.csv"), str(folder / "shaky.csv")]
    assert run(["compare", *files, "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    expected = st.findings_of(st.compare({"swapping": swapping, "shaky": shaky})).to_dict()
    for part in ("kind", "about", "measure", "level", "answer", "differences"):
        assert printed[part] == expected[part]
    assert {row["name"]: row["size"] for row in printed["summary"]} == {
        "swapping": swapping.sizes.mean(),
        "shaky": shaky.sizes.mean(),
    }
    assert printed["cores"][0]["features"] == [
        f for f, share in zip(swapping.features, swapping.frequencies, strict=True) if share >= 0.9
    ]
    assert run(["compare", *files]) == 0
    assert expected["answer"][0] in capsys.readouterr().out


def test_infinity_is_null_in_json():
    from steadyset.cli.terminal import print_rows

    with pytest.MonkeyPatch.context() as patch:
        said = []
        patch.setattr("builtins.print", said.append)
        print_rows([{"value": float("inf"), "other": float("nan")}], "json")
    assert json.loads(said[0]) == [{"value": None, "other": None}]


def test_row_names_of_the_data_are_no_feature_and_the_limit_holds_for_the_data_too(tmp_path, capsys):
    rng = np.random.default_rng(0)
    (tmp_path / "runs.csv").write_text("a,b,c\n1,0,1\n1,1,0\n1,0,0\n", encoding="utf-8")
    data = pd.DataFrame(rng.normal(size=(20, 3)), columns=list("abc"), index=[f"p{i}" for i in range(20)])
    data.to_csv(tmp_path / "data.csv")
    command = ["measure", str(tmp_path / "runs.csv"), "-m", "intersection_count", "--data", str(tmp_path / "data.csv")]
    assert run(command) == 0
    (tmp_path / "data.csv").write_text(data.to_csv() + "".join(f"q{i},1,2,3\n" for i in range(9_000)), encoding="utf-8")
    assert run([*command, "--max-gb", "0.0001"]) == 2
    assert "data.csv would take more than" in capsys.readouterr().err
