"""Recorded selections from the command line: what was understood is said, and folders are read too."""

import json
import zipfile

import numpy as np
import pytest

import steadyset as st
from steadyset.cli import run

THREE = "Smith,Jones,Lee\nTP53,BRCA1,TP53\nBRCA1,EGFR,KRAS\nEGFR,,MYC\n"
SETS = [["TP53", "BRCA1", "EGFR"], ["BRCA1", "EGFR"], ["TP53", "KRAS", "MYC"]]
GENES = ["TP53", "BRCA1", "EGFR", "KRAS", "MYC", "ALK", "RB1", "PTEN"]
ONE = ("-m", "nogueira", "--format", "json")  # measure, for programs


@pytest.fixture
def lists(tmp_path):
    path = tmp_path / "lists.csv"
    path.write_text(THREE, encoding="utf-8")
    return path


def estimate(capsys, measure="nogueira"):
    rows = json.loads(capsys.readouterr().out)["measures"]
    return next(row["estimate"] for row in rows if row["measure"] == measure)


def test_the_line_stands_with_the_table_and_apart_from_what_programs_read(lists, capsys):
    line = (
        "3 runs from 3 columns with a heading; 5 distinct names; universe: those names; give --features N or --universe"
    )
    assert run(["measure", str(lists)]) == 0
    told = capsys.readouterr()
    assert line in told.out
    assert "Chance agreement is then overstated" in told.out
    for form in ("csv", "json"):
        assert run(["measure", str(lists), "-m", "phi", "--format", form]) == 0
        told = capsys.readouterr()
        assert line in told.err
        assert line not in told.out


def test_a_universe_from_a_list_a_table_or_the_header_of_the_data(lists, tmp_path, capsys):
    wanted = st.stability(st.Selections.from_sets(SETS, GENES))
    files = {
        "names.txt": "\n".join(GENES),
        "headed.txt": "gene\n" + "\n".join(GENES),
        "annotation.csv": "symbol,chromosome\n" + "\n".join(f"{gene},{i}" for i, gene in enumerate(GENES)),
        "data.csv": ",".join(GENES) + "\n" + ",".join(map(str, range(8))) + "\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert run(["measure", str(lists), "--universe", str(tmp_path / name), *ONE]) == 0
        assert estimate(capsys) == pytest.approx(wanted), name
    assert run(["measure", str(lists), "--features", "8", *ONE]) == 0
    assert estimate(capsys) == pytest.approx(wanted)
    (tmp_path / "names.txt").write_text("\n".join(GENES[1:]), encoding="utf-8")
    assert run(["measure", str(lists), "--universe", str(tmp_path / "names.txt")]) == 2
    assert "names.txt does not name 'TP53', which the runs select; its lines have 7 names." in capsys.readouterr().err
    assert run(["measure", str(lists), "--universe", str(tmp_path / "data.csv"), "--features", "8"]) == 2
    assert "give one of them" in capsys.readouterr().err


def test_a_universe_that_is_too_small_never_makes_corrected_measures_larger(tmp_path, capsys):
    rng = np.random.default_rng(0)
    for _ in range(3):
        sets = [[f"g{f}" for f in rng.choice(15, rng.integers(1, 9), replace=False)] for _ in range(4)]
        union = len({name for names in sets for name in names})
        few, many = (st.stability_table(st.Selections.from_sets(sets, n_features=d)) for d in (union + 1, 500))
        defined = few["estimate"].notna() & many["estimate"].notna() & (few.index != "goh")
        assert (many["estimate"] >= few["estimate"] - 1e-9)[defined].all()


def test_files_with_one_list_each_are_the_runs_of_one_procedure(tmp_path, capsys):
    files = []
    for name, names in zip(("Smith", "Jones", "Lee"), SETS, strict=True):
        (tmp_path / f"{name}.txt").write_text("\n".join(names), encoding="utf-8")
        files.append(str(tmp_path / f"{name}.txt"))
    assert run(["measure", *files, "--features", "8", *ONE]) == 0
    wanted = st.stability(st.Selections.from_sets(SETS, GENES))
    assert estimate(capsys) == pytest.approx(wanted)
    folder = tmp_path / "lists"
    folder.mkdir()
    for file in tmp_path.glob("*.txt"):
        file.rename(folder / file.name)
    assert run(["measure", str(folder), "--features", "8", *ONE]) == 0
    assert estimate(capsys) == pytest.approx(wanted)


def test_options_decide_what_cannot_be_told(tmp_path, capsys):
    path = tmp_path / "runs.csv"
    path.write_text("who,what\na,p\nb,q\na,q\nb,p\n", encoding="utf-8")
    assert run(["measure", str(path)]) == 2
    assert "give --runs who or --runs what." in capsys.readouterr().err
    assert run(["measure", str(path), "--runs", "who", "-m", "jaccard", "--format", "json"]) == 0
    assert estimate(capsys, "jaccard") == 1
    path.write_text("a,b,c,d\n0.5,0.3,-1,0.1\n0.1,0.2,-1,0.4\n", encoding="utf-8")
    assert run(["measure", str(path), "--top", "1", "-m", "jaccard", "--format", "json"]) == 0
    assert estimate(capsys, "jaccard") == 1
    assert run(["measure", str(path), "--layout", "wide"]) == 2
    assert "for importances give --layout importances" in capsys.readouterr().err
    assert run(["measure", str(path), "--layout", "nonsense"]) == 2
    assert "--layout must be one of wide, long, columns" in capsys.readouterr().err


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("assessed") / "runs"
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6))
    y = (X[:, 0] + 0.5 * rng.normal(size=40) > 0).astype(int)
    selectors = {"few": st.FilterSelector("anova", k=1), "more": st.FilterSelector("anova", k=3)}
    return out, st.assess(selectors, X, y, resampling=st.Bootstrap(6), out=out, random_state=0)


def test_a_run_folder_is_measured_by_its_selectors(run_folder, capsys):
    out, result = run_folder
    assert run(["measure", str(out), "-m", "nogueira", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["measures"]
    wanted = {f"{out}: {name}": st.stability(sel) for name, sel in result.selections.items()}
    assert {row["name"]: row["estimate"] for row in rows} == pytest.approx(wanted)


def test_the_paragraphs_of_a_run_folder_are_written_for_word(run_folder, tmp_path, capsys):
    out, _ = run_folder
    assert run(["methods", str(out), "--docx", str(tmp_path / "paper.docx")]) == 0
    with zipfile.ZipFile(tmp_path / "paper.docx") as archive:
        text = archive.read("word/document.xml").decode()
    said = capsys.readouterr().out
    assert "The data comprised 40 rows and 6 features." in text
    assert "The data comprised 40 rows and 6 features." in said
    assert "References" in text


def test_the_paragraphs_of_a_run_folder_are_written_as_pdf(run_folder, tmp_path):
    pypdf = pytest.importorskip("pypdf")
    assert run(["methods", str(run_folder[0]), "--pdf", str(tmp_path / "paper.pdf")]) == 0
    text = " ".join(page.extract_text() for page in pypdf.PdfReader(tmp_path / "paper.pdf").pages)
    assert "The data comprised 40 rows and 6 features." in text
    assert "References" in text
    assert "For specialists" not in text


def test_a_run_folder_is_compared_by_its_selectors(run_folder, capsys):
    out, result = run_folder
    assert run(["compare", str(out), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in found["summary"]] == list(result.selections)
    test = st.test_difference(*result.selections.values())
    assert found["differences"][0]["tests"][0]["p_value"] == pytest.approx(test.p_value)


def test_lists_are_compared_over_all_their_names(tmp_path, capsys):
    first = [["a", "b"], ["a", "c"], ["a", "b"], ["a", "b"]]
    second = [["d", "a"], ["e", "d"], ["d", "b"], ["d", "c"]]
    for name, sets in (("first", first), ("second", second)):
        (tmp_path / f"{name}.json").write_text(json.dumps(sets), encoding="utf-8")
    files = [str(tmp_path / "first.json"), str(tmp_path / "second.json")]
    assert run(["compare", *files, "--format", "json"]) == 0
    told = capsys.readouterr()
    found = {row["name"]: row["stability"] for row in json.loads(told.out)["summary"]}
    for name, sets in (("first", first), ("second", second)):
        assert found[name] == pytest.approx(st.stability(st.Selections.from_sets(sets, features=list("abcde"))))
    assert "Chance agreement is then overstated" in told.err


def test_what_is_no_feature_is_left_out_of_the_header_of_the_data(lists, tmp_path, capsys):
    wanted = st.stability(st.Selections.from_sets(SETS, GENES))
    data = tmp_path / "data.csv"
    for outcome in ("case", "1"):
        rows = [f"P{i},{outcome}," + ",".join(f"{i}.5" for _ in GENES) for i in range(3)]
        data.write_text("\n".join(["Patient_ID,outcome," + ",".join(GENES), *rows]), encoding="utf-8")
        target = ["--target", "outcome"] if outcome == "1" else []
        assert run(["measure", str(lists), "--universe", str(data), *target, "--format", "json"]) == 0
        told = capsys.readouterr()
        found = {row["measure"]: row["estimate"] for row in json.loads(told.out)["measures"]}
        assert found["nogueira"] == pytest.approx(wanted)
        assert f"the 8 features are those of the header of {data}, without 'Patient_ID', 'outcome'" in told.err
    for command in ("measure", "methods"):
        assert run([command, str(lists), "--universe", str(data), "--target", "grade"]) == 2
        assert "has no column 'grade'" in capsys.readouterr().err
        assert run([command, str(lists), "--target", "outcome"]) == 2
        assert "which is not given" in capsys.readouterr().err


def test_a_column_of_text_that_was_selected_is_a_feature(lists, tmp_path, capsys):
    data = tmp_path / "data.csv"
    data.write_text("sex,TP53,BRCA1,EGFR,KRAS,MYC,site\nm,1,2,3,4,5,a\nf,1,2,3,4,5,b\n", encoding="utf-8")
    lists.write_text(lists.read_text(encoding="utf-8").replace("KRAS", "sex"), encoding="utf-8")
    assert run(["measure", str(lists), "--header", "--universe", str(data)]) == 0
    assert f"the 6 features are those of the header of {data}, without 'site'" in capsys.readouterr().out


@pytest.mark.parametrize("ending", ["txt", "csv"])
def test_every_command_reads_a_folder_of_lists(tmp_path, ending, capsys):
    folder = tmp_path / "lists"
    folder.mkdir()
    for name, names in zip(("Smith", "Jones", "Lee"), SETS, strict=True):
        (folder / f"{name}.{ending}").write_text("\n".join(names), encoding="utf-8")
    for arguments in (
        ["measure"],
        ["methods"],
        ["consensus", "--each-list"],
        ["report", "-o", str(tmp_path / "p.html")],
    ):
        assert run([*arguments, str(folder)]) == 0, arguments
        told = capsys.readouterr()
        assert f"3 runs from 3 .{ending} files" in told.out + told.err


@pytest.mark.parametrize("command", ["measure", "methods", "consensus", "report"])
@pytest.mark.parametrize("name", ["missing", "missing.csv", "missing.xlsx"])
def test_what_does_not_exist_is_said_not_to_exist(tmp_path, command, name, capsys):
    assert run([command, str(tmp_path / name)]) == 2
    assert f"{name} does not exist." in capsys.readouterr().err
