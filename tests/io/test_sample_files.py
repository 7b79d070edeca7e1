"""Values and samples in two files: joined by names in either direction, mismatches told, doubtful joins refused."""

import numpy as np
import pandas as pd
import pytest

from steadyset.foundation.errors import InputError
from steadyset.io.data.data_table import load_data

N, D = 12, 5
NAMES = [f"TCGA-0{i % 3}-A{i:03d}" for i in range(N)]
GENES = [f"gene{j}" for j in range(D)]


@pytest.fixture
def expression():
    return pd.DataFrame(np.random.default_rng(1).normal(size=(D, N)).round(3), index=GENES, columns=NAMES)


@pytest.fixture
def place(tmp_path, expression):
    """A folder with genes in rows, samples in rows, and what is known of the samples in another order."""
    expression.to_csv(tmp_path / "genes.csv")
    expression.T.rename_axis("sample").to_csv(tmp_path / "rows.csv")
    known(NAMES)[::-1].to_csv(tmp_path / "known.csv", index=False)
    return tmp_path


def known(names):
    patients = [f"p{i // 2}" for i in range(N)]
    return pd.DataFrame({"code": range(N), "sample": names, "outcome": ["ill", "well"] * 6, "patient": patients})


@pytest.mark.parametrize(("name", "transpose"), [("genes.csv", None), ("genes.csv", True), ("rows.csv", False)])
def test_both_directions_give_the_same_data(place, expression, name, transpose):
    data = load_data(place / name, "outcome", samples=place / "known.csv", groups="patient", transpose=transpose)
    np.testing.assert_array_equal(data.X, expression.to_numpy().T)
    assert list(data.features) == GENES
    assert list(data.rows) == NAMES
    assert data.y.tolist() == ["ill", "well"] * 6
    assert data.groups.tolist() == [f"p{i // 2}" for i in range(N)]
    assert "not used as features: 'code' of known.csv" in data.notes
    layout = "" if name == "rows.csv" else " (genes in rows)"
    assert data.understood == (
        f"12 rows, 5 features{layout}, target 'outcome' from known.csv, joined by 'sample', 6 groups by 'patient'"
    )


def r_names(names):
    return [name.replace("-", ".") for name in names]


@pytest.mark.parametrize(
    ("in_data", "in_samples"),
    [
        (r_names(NAMES), NAMES),
        (NAMES, [f" {name.lower()} " for name in NAMES]),
        ([f"X{100 + i}" for i in range(N)], [str(100 + i) for i in range(N)]),
        ([f"{i:03d}" for i in range(N)], [str(i) for i in range(N)]),
    ],
)
def test_names_that_tools_have_changed_are_matched_and_told(tmp_path, expression, in_data, in_samples):
    expression.set_axis(in_data, axis=1).to_csv(tmp_path / "genes.csv")
    known(in_samples).drop(columns="code").to_csv(tmp_path / "known.csv", index=False)
    data = load_data(tmp_path / "genes.csv", "outcome", samples=tmp_path / "known.csv")
    assert data.y.tolist() == ["ill", "well"] * 6
    told = f"names matched without regard to case, marks and R's leading X: {in_data[0]!r} is {in_samples[0].strip()!r}"
    assert told in data.notes


def test_samples_without_a_partner_are_left_out_and_counted(tmp_path, expression):
    expression.iloc[:, :10].assign(extra=1.5).to_csv(tmp_path / "genes.csv")
    known(NAMES).to_csv(tmp_path / "known.csv", index=False)
    data = load_data(tmp_path / "genes.csv", "outcome", samples=tmp_path / "known.csv")
    assert list(data.rows) == NAMES[:10]
    assert "left out, because known.csv does not know them: 1 column ('extra') of genes.csv" in data.notes
    assert f"without values in genes.csv: 2 samples ({NAMES[10]!r}, {NAMES[11]!r}) of known.csv" in data.notes


def test_repeated_genes_are_kept_and_numbered_and_other_columns_told(tmp_path, expression):
    table = expression.set_axis(["TP53", "TP53", "EGFR", "2-Sep", "TP53"]).rename_axis("symbol")
    table.insert(0, "description", [f"words {j}" for j in range(D)])
    table.to_csv(tmp_path / "genes.csv")
    known(NAMES).to_csv(tmp_path / "known.csv", index=False)
    data = load_data(tmp_path / "genes.csv", "outcome", samples=tmp_path / "known.csv")
    assert data.features == ("TP53", "TP53.1", "EGFR", "2-Sep", "TP53.2")
    for note in (
        "features named by the column 'symbol'",
        "left out: 'description' (neither samples nor the names of the features)",
        "1 name occurs more than once ('TP53'); all are kept, numbered, the second 'TP53' as 'TP53.1'",
        "1 name is a date ('2-Sep' among the features), which a spreadsheet may have made of a gene such as SEPT2: "
        "check the source",
    ):
        assert note in data.notes


def test_genes_without_any_value_are_left_out_and_told(tmp_path, expression):
    expression.loc["gene2"] = np.nan
    expression.to_csv(tmp_path / "genes.csv")
    known(NAMES).to_csv(tmp_path / "known.csv", index=False)
    data = load_data(tmp_path / "genes.csv", "outcome", samples=tmp_path / "known.csv")
    assert "gene2" not in data.features
    assert "left out: 1 feature has no value in any sample ('gene2')" in data.notes


@pytest.mark.parametrize(
    ("change", "options", "sentence"),
    [
        ({}, {}, r"give target.*'outcome' \(2 values\), 'patient' \(6 values\), 'code' \(12 values\)"),
        ({}, {"target": "Outcome"}, "known.csv has no column 'Outcome'; did you mean 'outcome'?"),
        ({}, {"target": "x"}, r"known.csv has no column 'x'; candidates are 'outcome' \(2 values\)"),
        ({}, {"target": "outcome", "groups": "outcome"}, "'outcome' is the target and cannot name the groups too"),
        ({}, {"target": "outcome", "transpose": False}, "if genes are in rows, leave out transpose"),
        ({}, {"target": "outcome", "drop": ["gen1"]}, "has no feature 'gen1', .* did you mean 'gene1'?"),
        (
            {"sample": [NAMES[0], *NAMES[:-1]]},
            {"target": "outcome"},
            "known.csv has rows of the same name .'TCGA-00-A000'",
        ),
        (
            {"sample": [name[:-1] for name in NAMES]},
            {"target": "outcome"},
            "'sample' are the beginnings of those in the",
        ),
        (
            {"sample": [f"{name}.CEL" for name in NAMES]},
            {"target": "outcome"},
            "the data are the beginnings of those in",
        ),
        ({"sample": [f"s{i}" for i in range(N)]}, {"target": "outcome"}, "No column of .*known.csv holds the names"),
        (
            {"sample": [*NAMES[:4], *(f"s{i}" for i in range(8))]},
            {"target": "outcome"},
            "knows 4 of the 12 samples of .*; expected at least half of them, and two. It does not know 'TCGA-01-A004'",
        ),
        ({"outcome": ["a", "b", *[None] * 10]}, {"target": "outcome"}, "'outcome' is known for 2, fewer than half"),
    ],
)
def test_what_cannot_be_joined_is_one_sentence(place, change, options, sentence):
    known(NAMES).assign(**change).to_csv(place / "known.csv", index=False)
    with pytest.raises(InputError, match=sentence):
        load_data(place / "genes.csv", **options, samples=place / "known.csv")


def test_two_samples_of_one_name_in_the_data_are_refused(tmp_path, expression):
    expression.T.set_axis([NAMES[0], *NAMES[:-1]]).rename_axis("sample").to_csv(tmp_path / "rows.csv")
    known(NAMES).to_csv(tmp_path / "known.csv", index=False)
    with pytest.raises(InputError, match="has samples of the same name"):
        load_data(tmp_path / "rows.csv", "outcome", samples=tmp_path / "known.csv")


def test_a_plus_and_a_minus_are_classes_and_a_minus_among_numbers_is_missing(place):
    marks = known(NAMES).assign(er=["+", "-"] * 6, size=[*["1.5", "2"] * 5, "-", "3"])
    marks.to_csv(place / "known.csv", index=False)
    assert load_data(place / "genes.csv", "er", samples=place / "known.csv").y.tolist() == ["+", "-"] * 6
    data = load_data(place / "genes.csv", "size", samples=place / "known.csv")
    assert data.y.tolist() == [*[1.5, 2.0] * 5, 3.0]
    assert "left out: 1 sample without 'size'" in data.notes


def test_the_target_may_be_a_row(tmp_path, expression):
    table = expression.astype(object)
    table.loc["class"] = ["ill", "well"] * 6
    table.loc["site"] = ["north", "south", "east"] * 4
    table.to_csv(tmp_path / "genes.csv")
    data = load_data(tmp_path / "genes.csv", "class", transpose=True)
    np.testing.assert_array_equal(data.X, expression.to_numpy().T)
    assert data.y.tolist() == ["ill", "well"] * 6
    assert data.notes == ("left out: rows that hold text ('site')",)
    with pytest.raises(InputError, match=r"has no column 'class' and a row of that name; .* give transpose=True"):
        load_data(tmp_path / "genes.csv", "class")
    with pytest.raises(InputError, match=r"no row 'Class'; did you mean 'class'. What may be predicted: 'class'"):
        load_data(tmp_path / "genes.csv", "Class", transpose=True)


def test_a_target_that_is_nowhere_is_sought_in_another_file(place):
    with pytest.raises(InputError, match=r"has no column 'outcome'; it has .* If it is in another file, give samples"):
        load_data(place / "rows.csv", "outcome")


@pytest.mark.parametrize("form", ["row names", "R", "columns", "semicolons"])
def test_files_of_samples_in_other_forms_are_understood(place, form):
    table = known(NAMES).assign(dose=[f"{i},5" for i in range(N)])
    path = place / "other.txt"
    if form == "row names":
        table.set_index("sample").rename_axis(None).to_csv(path)
    elif form == "R":
        lines = [f'"{row.sample}" "{row.outcome}" {row.code}' for row in table.itertuples()]
        path.write_text("\n".join(['"outcome" "code"', *lines]) + "\n", encoding="utf-8")
    elif form == "columns":
        table.set_index("sample").T.to_csv(path)
    else:
        table.to_csv(path, sep=";", index=False)
        assert load_data(place / "genes.csv", "dose", samples=path).y.tolist() == [i + 0.5 for i in range(N)]
    data = load_data(place / "genes.csv", "outcome", samples=path)
    assert data.y.tolist() == ["ill", "well"] * 6
    by = {"columns": "'header'", "semicolons": "'sample'"}.get(form, "its first column")
    assert data.understood.endswith(f"from other.txt, joined by {by}")


def test_a_table_of_the_broad_institute_is_understood(place, expression):
    table = expression.rename_axis("NAME")
    table.insert(0, "Description", "na")
    (place / "x.gct").write_text(f"#1.2\n{D}\t{N}\n{table.to_csv(sep=chr(9))}", encoding="utf-8")
    data = load_data(place / "x.gct", "outcome", samples=place / "known.csv")
    np.testing.assert_array_equal(data.X, expression.to_numpy().T)


def test_a_column_that_gives_the_target_away_is_refused(place, expression):
    expression.T.assign(outcome=[0, 1] * 6).rename_axis("sample").to_csv(place / "rows.csv")
    options = {"target": "outcome", "samples": place / "known.csv"}
    with pytest.raises(InputError, match=r"has a column 'outcome' too, which may give .* drop=..outcome"):
        load_data(place / "rows.csv", **options)
    assert list(load_data(place / "rows.csv", **options, drop=["outcome"]).features) == GENES


def test_target_and_groups_stand_in_one_file(place, expression):
    expression.T.assign(site=["a", "b"] * 6).rename_axis("sample").to_csv(place / "rows.csv")
    with pytest.raises(InputError, match=r"known.csv has no column 'site', which .*rows.csv has; put it there"):
        load_data(place / "rows.csv", "site", samples=place / "known.csv", groups="patient")


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_tables_of_arrow_are_joined_too(place, expression, ending):
    getattr(expression.rename_axis("gene").reset_index(), f"to_{ending}")(place / f"genes.{ending}")
    getattr(known(NAMES), f"to_{ending}")(place / f"known.{ending}")
    data = load_data(place / f"genes.{ending}", "outcome", samples=place / f"known.{ending}")
    np.testing.assert_array_equal(data.X, expression.to_numpy().T)
    with pytest.raises(InputError, match="no row can be the target; put it into another file, samples"):
        load_data(place / f"genes.{ending}", "outcome", transpose=True)


def test_two_sheets_of_a_workbook_are_two_files(place, expression):
    with pd.ExcelWriter(place / "book.xlsx") as book:
        expression.to_excel(book, sheet_name="values")
        known(NAMES).to_excel(book, sheet_name="samples", index=False)
    path = place / "book.xlsx"
    data = load_data(path, "outcome", samples=path, sheet="values", samples_sheet="samples")
    np.testing.assert_array_equal(data.X, expression.to_numpy().T)
    with pytest.raises(InputError, match=r"2 sheets with cells .*; choose one with samples_sheet="):
        load_data(place / "genes.csv", "outcome", samples=path)
    with pytest.raises(InputError, match="samples_sheet belongs to samples, which is not given"):
        load_data(path, "outcome", sheet="values", samples_sheet="samples")


def test_samples_may_be_numbered(tmp_path, expression):
    expression.T.set_axis(range(1, N + 1)).rename_axis("sample").to_csv(tmp_path / "rows.csv")
    known([f"{i:02d}" for i in range(1, N + 1)]).drop(columns="code").to_csv(tmp_path / "known.csv", index=False)
    data = load_data(tmp_path / "rows.csv", "outcome", samples=tmp_path / "known.csv")
    np.testing.assert_array_equal(data.X, expression.to_numpy().T)
    assert data.y.tolist() == ["ill", "well"] * 6


def test_counts_that_are_also_numbers_of_samples_name_nothing(tmp_path):
    counts = pd.DataFrame({name: range(i, i + 40) for i, name in enumerate(NAMES)}, index=[f"g{j}" for j in range(40)])
    counts.to_csv(tmp_path / "genes.csv")
    more = pd.DataFrame({"sample": [f"other{i}" for i in range(60)], "outcome": "ill"})  # of a larger study
    both = pd.concat([known(NAMES), more], ignore_index=True)
    both.assign(code=range(len(both))).to_csv(tmp_path / "known.csv", index=False)
    data = load_data(tmp_path / "genes.csv", "outcome", samples=tmp_path / "known.csv")
    np.testing.assert_array_equal(data.X, counts.to_numpy().T)
    assert data.understood.endswith("(genes in rows), target 'outcome' from known.csv, joined by 'sample'")
