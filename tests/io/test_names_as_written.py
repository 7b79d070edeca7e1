"""Names, labels and groups that look like numbers, dates or marks stay as they are written, in every reader."""

import json

import h5py
import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.io.data.data_table import load_data
from steadyset.io.formats import h5ad as hdf5_files
from steadyset.io.numbers import group_values, number_frame, target_values

NUMBERS = ["00123", "2.7", "1e5", "12345678901234567890", "1.10", "1.1", "0012", "12", "-0", "3"]
WHOLE = ["00123", "123", "12345678901234567890", "12345678901234567891", "0012", "12", "-0", "0"]
TIMES = ["12:30", "12:31", "01:02", "00:00"]
DATES = ["2024-01-02", "2024-01-02 10:00", "2024-1-3", "01.02.2024"]
LABELS = [[*NUMBERS, "TRUE", "1,5", "01.02.2024"], NUMBERS, WHOLE, TIMES, DATES]  # what is inferred depends on company
NAMES = [[*LABELS[0], "NA", "nan"], *LABELS[1:], ["00123", "2.7", "NA", "12", "nan"]]  # a label "NA" is a missing one
FORMATS = [".csv", ".xlsx", ".parquet"]
UNTYPED = FORMATS[:2]
N_WIDE = 1_100  # columns, for which csv files have a reader of their own

names_of = pytest.mark.parametrize("names", NAMES, ids=["all", "numbers", "whole", "times", "dates", "gaps"])
labels_of = pytest.mark.parametrize("labels", LABELS, ids=["all", "numbers", "whole", "times", "dates"])
ending_of = pytest.mark.parametrize("ending", FORMATS)


def values(n_rows, n_columns):
    return np.random.default_rng(1).normal(size=(n_rows, n_columns)).round(3)


def written(frame, path):
    write = {".csv": frame.to_csv, ".tsv": frame.to_csv, ".xlsx": frame.to_excel}.get(path.suffix)
    if write is None:
        (frame.to_parquet if path.suffix == ".parquet" else frame.to_feather)(path)
    else:
        write(path, index=False, **({"sep": "\t"} if path.suffix == ".tsv" else {}))
    return path


def outcome(n):
    return (["ill", "well"] * n)[:n]


@names_of
@pytest.mark.parametrize("ending", [*FORMATS, ".tsv", ".feather"])
@pytest.mark.parametrize("heading", ["gene", ""])
def test_genes_in_rows_keep_their_names(tmp_path, names, ending, heading):
    heading = heading if ending in UNTYPED else "gene"
    samples = [f"s{i}" for i in range(12)]
    table = pd.DataFrame(values(len(names), 12), columns=samples)
    table.insert(0, heading, names)
    known = written(pd.DataFrame({"sample": samples, "y": outcome(12)}), tmp_path / f"known{ending}")
    assert load_data(written(table, tmp_path / f"x{ending}"), "y", samples=known).features == tuple(names)


@names_of
def test_genes_in_rows_keep_their_names_where_columns_are_many(tmp_path, names):
    samples = [f"s{i}" for i in range(N_WIDE)]
    table = pd.DataFrame(values(len(names), N_WIDE), columns=samples)
    table.insert(0, "gene", names)
    known = written(pd.DataFrame({"sample": samples, "y": outcome(N_WIDE)}), tmp_path / "known.csv")
    assert load_data(written(table, tmp_path / "x.csv"), "y", samples=known).features == tuple(names)


@names_of
@pytest.mark.parametrize("ending", UNTYPED)
def test_genes_above_and_beside_their_target_keep_their_names(tmp_path, names, ending):
    table = pd.DataFrame(values(6, len(names)), columns=names).assign(y=outcome(6))
    assert load_data(written(table, tmp_path / f"x{ending}"), "y").features == tuple(names)
    turned = table.astype(object).T.reset_index().set_axis(["gene", *"abcdef"], axis=1)
    assert load_data(written(turned, tmp_path / f"x{ending}"), "y", transpose=True).features == tuple(names)


@names_of
@ending_of
@pytest.mark.parametrize("place", ["rows", "second column", "header"])
def test_samples_are_joined_by_their_names_as_written(tmp_path, names, ending, place):
    n = len(names)
    table = pd.DataFrame(values(n, 3), columns=["a", "b", "c"])
    table.insert(int(place == "second column"), "sample", names)
    if place == "header":
        table = pd.DataFrame(values(3, n), columns=names)
        table.insert(0, "gene", ["a", "b", "c"])
    known = pd.DataFrame({"sample": names[::-1], "y": [f"class {i % 2}" for i in range(n)][::-1]})
    known = written(known, tmp_path / f"known{ending}")
    data = load_data(written(table, tmp_path / f"x{ending}"), "y", samples=known)
    assert list(data.rows) == names
    assert data.y.tolist() == [f"class {i % 2}" for i in range(n)]
    assert not any("matched without regard" in note for note in data.notes)


@labels_of
@ending_of
def test_groups_and_classes_are_as_written(tmp_path, labels, ending):
    labels, n = labels * 4, 4 * len(labels)
    table = pd.DataFrame(values(n, 3), columns=["a", "b", "c"]).assign(patient=labels, y=outcome(n))
    assert load_data(written(table, tmp_path / f"x{ending}"), "y", groups="patient").groups.tolist() == labels
    table = table.drop(columns="patient")
    assert load_data(written(table.assign(y=labels), tmp_path / f"x{ending}"), "y").y.tolist() == labels
    table["sample"] = samples = [f"s{i}" for i in range(n)]
    x = written(table.drop(columns="y"), tmp_path / f"x{ending}")
    known = pd.DataFrame({"sample": samples, "y": labels, "patient": labels, "z": outcome(n)})
    known = written(known, tmp_path / f"known{ending}")
    assert load_data(x, "z", samples=known, groups="patient").groups.tolist() == labels
    assert load_data(x, "y", samples=known).y.tolist() == labels


@labels_of
def test_groups_and_classes_are_as_written_where_columns_are_many_or_in_rows(tmp_path, labels):
    labels, n = labels * 4, 4 * len(labels)
    table = pd.DataFrame(values(n, N_WIDE)).add_prefix("x").assign(patient=labels, y=outcome(n))
    assert load_data(written(table, tmp_path / "x.csv"), "y", groups="patient").groups.tolist() == labels
    table = table.drop(columns="patient").assign(y=labels)
    assert load_data(written(table, tmp_path / "x.csv"), "y").y.tolist() == labels
    rows = [["patient", *labels], ["y", *outcome(n)], *([f"g{i}", *row] for i, row in enumerate(values(3, n)))]
    turned = pd.DataFrame(rows, columns=["name", *(f"s{i}" for i in range(n))])
    data = load_data(written(turned, tmp_path / "x.csv"), "y", groups="patient", transpose=True)
    assert data.groups.tolist() == labels
    assert load_data(tmp_path / "x.csv", "patient", transpose=True).y.tolist() == labels


@names_of
@pytest.mark.parametrize("ending", UNTYPED)
def test_row_names_are_as_written(tmp_path, names, ending):
    table = pd.DataFrame(values(len(names), 3), columns=["a", "b", "c"]).assign(y=outcome(len(names)))
    table.insert(0, "", names)
    assert list(load_data(written(table, tmp_path / f"x{ending}"), "y").rows) == names


def test_a_series_matrix_keeps_probes_and_characteristics_as_written(tmp_path):
    probes, groups = NAMES[0], NUMBERS * 2
    samples = [f"GSM{i}" for i in range(20)]
    lines = [
        ["!Series_title", "x"],
        ["!Sample_geo_accession", *samples],
        ["!Sample_characteristics_ch1", *(f"patient: {group}" for group in groups)],
        ["!Sample_characteristics_ch1", *(f"state: {state}" for state in outcome(20))],
        ["!series_matrix_table_begin"],
        ["ID_REF", *samples],
        *([probe, *map(str, row)] for probe, row in zip(probes, values(len(probes), 20), strict=True)),
        ["!series_matrix_table_end"],
    ]
    path = tmp_path / "x_series_matrix.txt"
    path.write_text("\n".join("\t".join(line) for line in lines) + "\n", encoding="utf-8")
    data = load_data(path, "state", groups="patient:ch1")
    assert list(data.features) == probes
    assert data.groups.tolist() == groups
    assert load_data(path, "patient").y.tolist() == groups


def test_anndata_keeps_names_and_columns_as_written(tmp_path, monkeypatch):
    monkeypatch.setattr(hdf5_files, "refuse_what_does_not_end", lambda *_: None)
    names, cells = NAMES[0], [*NAMES[0], *(f"c{i}" for i in range(5))]
    groups = (NUMBERS * 2)[: len(cells)]
    with h5py.File(tmp_path / "x.h5ad", "w") as file:
        file["X"] = values(len(cells), len(names))
        for part, index in (("obs", cells), ("var", names)):
            file.create_group(part).attrs["_index"] = "name"
            file[part]["name"] = index
        file["obs"]["patient"], file["obs"]["y"] = groups, outcome(len(cells))
    data = load_data(tmp_path / "x.h5ad", "y", groups="patient")
    assert (list(data.features), list(data.rows), data.groups.tolist()) == (names, cells, groups)
    assert load_data(tmp_path / "x.h5ad", "patient").y.tolist() == groups


@labels_of
def test_names_of_frames_and_labels_in_memory_stay_text(labels):
    assert number_frame(pd.DataFrame(values(3, len(labels)), columns=labels), "X")[1] == labels
    for kind in (list, pd.Series, pd.Categorical, lambda cells: np.array(cells, dtype=object)):
        assert target_values(kind(labels), None).tolist() == labels
        assert group_values(kind(labels), None).tolist() == labels


@pytest.mark.parametrize("typed", [False, True])
def test_a_number_that_excel_wrote_still_finds_its_sample(tmp_path, typed):
    """12 became 12.0, or lost its leading zeros: matched where nothing is matched better, and told."""
    names = [f"{i:04d}" for i in range(8, 16)]
    table = pd.DataFrame(values(8, 3), columns=["a", "b", "c"])
    table.insert(0, "sample", names)
    numbers = [float(name) for name in names]
    known = pd.DataFrame({"sample": numbers if typed else map(str, numbers), "y": outcome(8)})
    known = written(known, tmp_path / ("known.parquet" if typed else "known.csv"))
    data = load_data(written(table, tmp_path / "x.csv"), "y", samples=known)
    assert list(data.rows) == names
    assert f"'0008' is {'8' if typed else '8.0'!r}" in " ".join(data.notes)


@pytest.mark.parametrize(
    ("cells", "known"),
    [
        (["1", "2.50"] * 6, [1, 2.5]),
        (["1", "1.0", "0", "0.0"] * 3, [1, 1, 0, 0]),  # as programs write one number
        (["1,5", "2"] * 6, [1.5, 2]),
        (
            [f"{i}.{j}0" for i in range(5) for j in range(5)] + ["0.1", "1.1"],
            [i + j / 10 for i in range(5) for j in range(5)],
        ),
        (["01", "02"] * 6, ["01", "02"]),
        (["TRUE", "FALSE"] * 6, ["TRUE", "FALSE"]),
    ],
)
def test_a_target_is_a_number_where_it_is_written_like_one(tmp_path, cells, known):
    n = len(cells)
    table = pd.DataFrame({"a": range(n), "b": range(n, 2 * n)}).assign(y=cells)
    table.to_csv(tmp_path / "x.csv", index=False, sep=";")
    y = load_data(tmp_path / "x.csv", "y").y
    assert y[: len(known)].tolist() == known


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (["1.1", "1.10", "2"] * 4, "'y' holds '1.1' and '1.10', which are one number and may be two labels"),
        (["100", "1e2", "3"] * 4, "'y' holds '100' and '1e2', which are one number"),
        (["1,234", "2,345"] * 6, "'y' holds '1,234', which may have a decimal comma or a separator of thousands"),
    ],
)
def test_a_target_that_reads_in_two_ways_is_refused(tmp_path, cells, sentence):
    table = pd.DataFrame({"a": range(12), "b": range(12, 24)}).assign(y=cells)
    table.to_csv(tmp_path / "x.csv", index=False, sep=";")
    table.assign(s=[f"s{i}" for i in range(12)]).to_csv(tmp_path / "known.csv", index=False, sep=";")
    table.drop(columns="y").assign(s=[f"s{i}" for i in range(12)]).to_csv(tmp_path / "data.csv", index=False)
    for options in ({}, {"samples": tmp_path / "known.csv"}):
        with pytest.raises(InputError, match=sentence):
            load_data(tmp_path / ("data.csv" if options else "x.csv"), "y", **options)


def test_a_label_with_leading_zeros_is_told(tmp_path):
    table = pd.DataFrame({"a": range(12), "b": range(12, 24)}).assign(y=["01", "1", "2"] * 4)
    data = load_data(written(table, tmp_path / "x.csv"), "y")
    assert set(data.y) == {"01", "1", "2"}
    assert "'y' is read as labels, as '01' has leading zeros" in data.notes


# ---- recorded selections -----------------------------------------------------------------------------------------


def chosen(names):
    """What five runs select: some of the names each, the first run all of them."""
    keep = np.random.default_rng(2).random((5, len(names))) < 0.6
    keep[0], keep[:2, 0], keep[2, 0] = True, True, False
    return keep


def sets_of(selections):
    table = selections.to_frame()[list(selections.features)].to_numpy()
    return [{selections.features[f] for f in np.flatnonzero(row)} for row in table]


@labels_of
@ending_of
def test_runs_and_features_of_tables_are_as_written(tmp_path, labels, ending):
    keep, path = chosen(labels), tmp_path / f"x{ending}"
    sets = [{name for name, kept in zip(labels, row, strict=True) if kept} for row in keep]
    if ending != ".xlsx":  # numbers alone in the first row of a sheet are asked about
        assert sets_of(st.Selections.read(written(pd.DataFrame(keep.astype(int), columns=labels), path))) == sets
    folds = [f"fold{i}" for i in range(5)]
    importances = np.where(keep, values(5, len(labels)) + 0.0005, 0)
    for heading in ("gene", "name"):
        for cells in (keep.astype(int), importances):
            table = pd.DataFrame(cells.T, columns=folds)
            table.insert(0, heading, labels)
            assert sets_of(st.Selections.read(written(table, path))) == sets
    for headings in (("run", "feature"), ("fold", "gene")):
        pairs = [(f"r{i}", name) for i, names in enumerate(sets) for name in sorted(names)]
        assert sets_of(st.Selections.read(written(pd.DataFrame(pairs, columns=headings), path))) == sets
        pairs = [(label, name) for i, label in enumerate(labels) for name in ("a", f"b{i % 3}")]
        found = st.Selections.read(written(pd.DataFrame(pairs, columns=headings), path))
        assert list(found.labels) == labels
    for heading in ("run", "fold"):
        table = pd.DataFrame(np.tile([[1, 0, 1], [0, 1, 1]], (7, 1))[: len(labels)], columns=["a", "b", "c"])
        table.insert(0, heading, labels)
        assert list(st.Selections.read(written(table, path)).labels) == labels


def test_rows_are_as_written_where_columns_are_many(tmp_path):
    table = pd.DataFrame(np.eye(len(WHOLE), N_WIDE, dtype=int)).add_prefix("x")
    table.insert(0, "fold", WHOLE)
    assert list(st.Selections.read(written(table, tmp_path / "x.csv")).labels) == WHOLE


@labels_of
def test_lists_are_as_written(tmp_path, labels):
    labels = [label for label in labels if "," not in label]  # which separates the names of a line
    sets = [[name for name, kept in zip(labels, row, strict=True) if kept] for row in chosen(labels)]
    (tmp_path / "x.gmt").write_text(
        "".join("\t".join([f"s{i}", "na", *names, "\n"]) for i, names in enumerate(sets)), encoding="utf-8"
    )
    (tmp_path / "x.json").write_text(json.dumps(sets), encoding="utf-8")
    (tmp_path / "lists").mkdir()
    for i, names in enumerate(sets):
        (tmp_path / "lists" / f"{i}.txt").write_text("\n".join(names), encoding="utf-8")
    columns = pd.DataFrame({f"fold {i}": [*names, *[""] * (len(labels) - len(names))] for i, names in enumerate(sets)})
    written(columns, tmp_path / "columns.csv")
    cells = pd.DataFrame({"fold": range(5), "genes": [";".join(names) for names in sets]})
    written(cells, tmp_path / "cells.csv")
    for name in ("x.gmt", "x.json", "lists", "columns.csv", "cells.csv"):
        assert sets_of(st.Selections.read(tmp_path / name)) == [set(names) for names in sets], name
