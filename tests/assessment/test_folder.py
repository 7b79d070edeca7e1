"""Run folders: what was altered is refused, what cannot belong to them too; and selectors can be added."""

import json

import numpy as np
import pytest
from tests.assessment.test_assess import SETTINGS

from steadyset.assessment import Assessment, assess
from steadyset.assessment.folder import RunFolder
from steadyset.assessment.written import cell_json, cells_json, write_json
from steadyset.foundation.errors import InputError
from steadyset.resampling.drawn import Bootstrap
from steadyset.runner.run import Cell

X = np.random.default_rng(0).normal(size=(40, 6))
Y = (X[:, 0] > 0).astype(int)
CELLS = [
    Cell(0, 0, "bootstrap:0:1", (0, 2), (0.5, -1.0), {"auc": 0.75, "accuracy": float("nan")}, 0.25, 0.125),
    Cell(0, 1, "bootstrap:0:2", None, None, failure="ValueError: no", warnings=("slow",)),
]


@pytest.fixture
def folder(tmp_path):
    """Two cells, one of them packed."""
    made = RunFolder(tmp_path / "runs")
    made.create(SETTINGS)
    made.add(CELLS[0])
    made.pack()
    made.add(CELLS[1])
    return made


@pytest.mark.slow  # buys: every fifth byte; cut files are refused in make test
@pytest.mark.parametrize("name", ["assessment.json", "cells.json", "finished/0-1.json"])
def test_no_flipped_bit_is_accepted_with_other_content(folder, name):
    path = folder.path / name
    content, sound = path.read_bytes(), (repr(folder.settings()), repr(folder.cells()))
    refused = 0
    for place in range(0, len(content), 5):
        flipped = bytearray(content)
        flipped[place] ^= 1 << place % 8
        path.write_bytes(flipped)
        try:
            assert (repr(folder.settings()), repr(folder.cells())) == sound, place
        except InputError:
            refused += 1
    assert refused > len(range(0, len(content), 5)) / 2


@pytest.mark.parametrize("share", [0.0, 0.3, 0.999])
@pytest.mark.parametrize("name", ["assessment.json", "cells.json", "finished/0-1.json"])
def test_a_file_that_was_cut_short_is_refused(folder, name, share):
    path = folder.path / name
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(InputError, match="is damaged"):
        folder.cells()


def test_finished_runs_without_what_was_asked_for_are_refused(folder):
    (folder.path / "assessment.json").unlink()
    with pytest.raises(
        InputError, match=r"holds finished runs, but assessment\.json, which describes them, is missing"
    ):
        assess("anova:k=2", X, Y, resampling=Bootstrap(2), out=folder.path)
    assert not folder.exists


@pytest.mark.parametrize(
    "cell",
    [
        Cell(1, 0, "b", (0,), None),
        Cell(-1, 0, "b", (0,), None),
        Cell(0, -2, "b", (0,), None),
        Cell(0, 0, "b", (1, 2), None, signs=(1,)),
        Cell(0, 0, "b", (1, 2), None, signs=(1, 2)),
        Cell(0, 0, "b", (4,), None),
        Cell(0, 0, "b", (-1,), None),
        Cell(0, 0, "b", (2, 1), None),
        Cell(0, 0, "b", (1, 1), None),
        Cell(0, 0, "b", (1, 2), (1.0,)),
        Cell(0, 0, "b", None, (1.0,), failure="x"),
        Cell(0, 0, "b", None, None),
        Cell(0, 0, "b", (1,), None, {"r2": 1.0}),
        Cell(0, 0, "b", (1,), None, tied=2),
    ],
)
def test_a_cell_that_cannot_be_one_of_the_assessment_is_refused(folder, cell):
    for name, content in (
        (f"finished/{cell.selector}-{cell.run}.json", cell_json(cell)),
        ("cells.json", cells_json([cell])),
    ):
        path = folder.path / name
        path.write_bytes(content)
        with pytest.raises(InputError, match="is damaged"):
            folder.cells()
        path.unlink()


def test_a_cell_under_the_name_of_another_is_refused(folder):
    (folder.path / "finished" / "0-5.json").write_bytes(cell_json(CELLS[1]))
    with pytest.raises(InputError, match=r"0-5\.json is damaged: it is the cell of 0-1\.json"):
        folder.cells()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("selectors", {}),
        ("selectors", ["a"]),
        ("features", ["a", "a", "c", "d"]),
        ("features", ["a"]),
        ("n_features", 5),
        ("n_rows", -1),
        ("seed", True),
        ("task", "ranks"),
        ("scoring", "auc"),
        ("data_sha256", "0"),
        ("resampling", None),
    ],
)
def test_settings_out_of_their_range_are_refused(folder, key, value):
    content = json.loads((folder.path / "assessment.json").read_bytes())
    del content["sha256"]
    (folder.path / "assessment.json").write_bytes(write_json({**content, key: value}))
    with pytest.raises(InputError, match="is damaged"):
        folder.settings()
    del content[key]
    (folder.path / "assessment.json").write_bytes(write_json(content))
    with pytest.raises(InputError, match=f"it has no {key}"):
        folder.settings()


@pytest.mark.parametrize("version", [1, 2, 99])
def test_another_schema_version_is_no_damage_but_refused(folder, version):
    path = folder.path / "assessment.json"
    path.write_bytes(path.read_bytes().replace(b'"schema_version": 5', b'"schema_version": %d' % version))
    with pytest.raises(InputError, match=f"has schema version {version}; this version of steadyset reads 5"):
        folder.settings()


def test_selectors_can_be_added_and_finished_runs_stay(tmp_path):
    first = assess(["anova:k=2"], X, Y, resampling=Bootstrap(3), out=tmp_path)
    seen = []
    both = assess(
        ["auc:k=1", "anova:k=2"],
        X,
        Y,
        resampling=Bootstrap(3),
        out=tmp_path,
        execution={"progress": lambda *at: seen.append(at)},
    )
    assert seen[0] == (3, 6)
    assert both.selectors == ("anova:k=2", "auc:k=1")
    assert both.selections["anova:k=2"] == first.selections["anova:k=2"]
    alone = assess(["auc:k=1"], X, Y, resampling=Bootstrap(3))
    assert both.selections["auc:k=1"] == alone.selections["auc:k=1"]
    assert Assessment.open(tmp_path).selections == both.selections


def test_the_order_of_selectors_does_not_matter_to_resume(tmp_path):
    first = assess(["anova:k=2", "anova:k=3"], X, Y, resampling=Bootstrap(2), out=tmp_path)
    again = assess(["anova:k=3", "anova:k=2"], X, Y, resampling=Bootstrap(4), out=tmp_path)
    assert set(first.selections["anova:k=3"].sizes) == {3}
    assert set(again.selections["anova:k=3"].sizes) == {3}
    assert set(again.selections["anova:k=2"].sizes) == {2}


def test_selectors_cannot_be_removed_or_changed(tmp_path):
    from sklearn.feature_selection import SelectKBest

    assess({"a": SelectKBest(k=1), "b": SelectKBest(k=2)}, X, Y, resampling=Bootstrap(2), out=tmp_path)
    with pytest.raises(InputError, match="other selectors: the selector 'b' as well"):
        assess({"a": SelectKBest(k=1)}, X, Y, resampling=Bootstrap(2), out=tmp_path)
    with pytest.raises(InputError, match="other selectors: the selector 'b' is another one there"):
        assess({"a": SelectKBest(k=1), "b": SelectKBest(k=3)}, X, Y, resampling=Bootstrap(2), out=tmp_path)


def test_an_added_selector_that_cannot_run_leaves_the_folder_as_it_was(tmp_path):
    from sklearn.feature_selection import SelectKBest

    a = {"a": SelectKBest(k=1)}
    before = assess(a, X, Y, resampling=Bootstrap(2), out=tmp_path)
    with pytest.raises(InputError, match="'b' would fail in every run"):
        assess({**a, "b": SelectKBest(k=-5)}, X, Y, resampling=Bootstrap(2), out=tmp_path)
    assert Assessment.open(tmp_path).selectors == ("a",)
    assert assess(a, X, Y, resampling=Bootstrap(2), out=tmp_path).selections == before.selections
