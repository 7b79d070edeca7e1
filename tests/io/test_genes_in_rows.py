"""Genes in rows are recognized by the names of rows and columns; files that hold no table are one sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.foundation.errors import InputError

SYMBOLS = ["TP53", "MYC", "BRCA1", "EGFR", "KRAS", "C1orf112"]
RANDOM = np.random.default_rng(2)


def written(path, genes, samples, facts=None, heading=""):
    frame = pd.DataFrame(RANDOM.normal(size=(len(genes), len(samples))).round(3), genes, samples)
    if facts is not None:
        frame = pd.concat([pd.DataFrame([facts], ["class"], samples), frame.astype(str)])
    frame.to_csv(path, index_label=heading)
    return path


@pytest.mark.parametrize(
    "genes",
    [
        SYMBOLS,
        [f"ENSG0000012{i:04}" for i in range(6)],
        ["1007_s_at", "1053_at", "117_at", "121_at", "1255_g_at", "1294_at"],
        [f"ILMN_17{i:05}" for i in range(6)],
        [f"gene{i}" for i in range(6)],
    ],
)
@pytest.mark.parametrize(
    "samples",
    [
        [f"GSM{100 + i}" for i in range(8)],
        [f"TCGA-AB-{100 + i}-01" for i in range(8)],
        [f"S{i}" for i in range(8)],
        ["ctrl_1", "ctrl_2", "ctrl_3", "ctrl_4", "case_1", "case_2", "case_3", "case_4"],
    ],
)
def test_genes_in_rows_are_recognized_and_the_file_of_samples_asked_for(tmp_path, genes, samples):
    path = written(tmp_path / "array.csv", genes, samples)
    for target in (None, "class"):
        with pytest.raises(InputError, match=r"seems to have genes in rows.*with samples"):
            st.load_data(path, target)
    found = st.inspect(path)
    assert found.layout.startswith("genes in rows")
    assert found.targets == {}
    known = tmp_path / "samples.csv"
    pd.DataFrame({"id": samples, "class": ["ill", "well"] * 4}).to_csv(known, index=False)
    assert st.inspect(path, samples=known).targets == {"class": 2}
    assert st.load_data(path, "class", samples=known).features == tuple(genes)


def test_a_row_of_classes_above_the_genes_is_offered_as_the_target(tmp_path):
    path = written(tmp_path / "array.csv", SYMBOLS, [f"S{i}" for i in range(8)], ["ill", "well"] * 4, "gene")
    with pytest.raises(InputError, match='transpose=True and target="class"'):
        st.load_data(path)
    assert st.load_data(path, "class", transpose=True).features == tuple(SYMBOLS)


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([f"S{i}" for i in range(8)], SYMBOLS),
        ([f"GSM{i}" for i in range(8)], [f"ENSG0000012{i:04}" for i in range(6)]),
        (["Ann", "Bob", "Cem", "Dan"], ["age", "bmi", "ldl"]),
    ],
)
def test_samples_in_rows_are_not_taken_for_genes(tmp_path, rows, columns):
    path = written(tmp_path / "table.csv", rows, columns)
    assert st.inspect(path).layout == "one row per observation"


def test_a_workbook_offers_its_tables_and_not_its_notes(tmp_path):
    path = tmp_path / "study.xlsx"
    samples = [f"S{i}" for i in range(12)]
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"Notes": ["made by Ann", "see the paper", "2019"]}).to_excel(
            book, sheet_name="Read me", index=False
        )
        pd.DataFrame({"id": samples, "class": ["a", "b"] * 6}).to_excel(book, sheet_name="Samples", index=False)
        pd.DataFrame(RANDOM.normal(size=(12, 4)), samples, list("abcd")).to_excel(book, sheet_name="Values")
    with pytest.raises(InputError, match=r'choose one with sheet="Values" or sheet="Samples"\.$'):
        st.load_data(path, "class")
    known = {"samples": path, "samples_sheet": "Samples"}
    assert st.load_data(path, "class", sheet="Values", **known).features == tuple("abcd")


PROSE = [
    "Dear colleague,\n\nthis is the data from our study. Please find it below, I hope it is fine.\n"
    "The first batch was measured in 2019, and the second one in 2020.\n\nBest wishes\nAnn\n",
    "This file was moved.\nSee the web page of our group for more.\n",
]


@pytest.mark.parametrize("text", PROSE)
def test_a_text_that_is_no_table_is_one_sentence(tmp_path, text):
    (tmp_path / "letter.txt").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="seems to be text for people rather than a table"):
        st.load_data(tmp_path / "letter.txt")


def test_a_table_of_six_rows_is_read_and_a_shortlist_of_it_is_refused_in_a_sentence(tmp_path):
    frame = pd.DataFrame({"a": RANDOM.normal(size=6), "b": RANDOM.normal(size=6), "y": list("pqpqpq")})
    frame.to_csv(tmp_path / "six.csv", index=False)
    data = st.load_data(tmp_path / "six.csv", "y")
    assert data.X.shape == (6, 2)
    with pytest.raises(InputError, match="needs at least 4 of each"):
        st.shortlist(data)


def test_what_is_prepared_is_counted_with_its_missing_cells(tmp_path):
    frame = pd.DataFrame({"a": [1.5, np.nan, 2.5, 0.5], "city": ["x", "y", None, "x"], "blood": list("ABAB")})
    frame.assign(y=list("pqpq")).to_csv(tmp_path / "x.csv", index=False)
    data = st.load_data(tmp_path / "x.csv", "y", prepare="impute=median")
    assert data.features == ("a", "city", "blood")
    assert data.understood.startswith("4 rows, 3 features")
    assert any(note.startswith("2 values are missing, in 2 of 3 columns ('a', 'city')") for note in data.notes)


PROTEINS = [
    f"{first}{i}{letter}{j}X{j};Q1234{i}" for i, (first, letter) in enumerate(["PA", "Q0", "O9"] * 3) for j in "37"
]
NAMES_OF_ROWS = {
    "entries of UniProt": [f"sp|P{i:05}|GENE{i}_HUMAN" for i in range(20)],
    "groups of proteins": PROTEINS,
    "symbols with numbers": [f"{name}|{number}" for number, name in enumerate(SYMBOLS, 7157)],
    "taxa": [f"k__Bacteria;p__Firmicutes;g__Genus{i}" for i in range(20)],
}


@pytest.mark.parametrize("genes", NAMES_OF_ROWS.values(), ids=NAMES_OF_ROWS)
def test_names_of_several_parts_are_recognized_in_rows(tmp_path, genes):
    samples = [f"GSM{i}" for i in range(1000, 1012)]
    pd.DataFrame(RANDOM.normal(size=(len(genes), 12)), genes, samples).to_csv(tmp_path / "x.csv", index_label="")
    with pytest.raises(InputError, match="seems to have genes in rows"):
        st.load_data(tmp_path / "x.csv")


def test_patients_in_rows_that_are_called_like_proteins_are_no_genes(tmp_path):
    patients = [f"P{i:05}" for i in range(40)]
    frame = pd.DataFrame(RANDOM.normal(size=(40, 5)), patients, [f"x{i}" for i in range(5)])
    frame.assign(y=list("pq") * 20).to_csv(tmp_path / "x.csv", index_label="")
    with pytest.raises(InputError, match="candidates: 'y'") as found:
        st.load_data(tmp_path / "x.csv")
    assert "genes in rows" not in str(found.value)


def test_rows_of_any_names_without_a_class_may_be_features(tmp_path):
    masses = [f"{100 + 1.01 * i:.3f}_{i % 9}" for i in range(20)]
    frame = pd.DataFrame(RANDOM.normal(size=(20, 6)), masses, ["Anna", "Bert", "Carl", "Dora", "Emil", "Fred"])
    frame.to_csv(tmp_path / "x.csv", index_label="mz")
    with pytest.raises(InputError, match="If its rows are features rather than samples"):
        st.load_data(tmp_path / "x.csv")
