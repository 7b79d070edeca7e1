"""Files of permuted targets know their number and their shortlist; records are equal byte for byte."""

import json
import os
import shutil
import sqlite3

import numpy as np
import pytest
from tests.findings.test_damaged_answers import KINDS
from tests.fuzz.hostile import stopped_clock

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.io import beneath

QUIET = {"progress": False}
RANDOM = np.random.default_rng(5)
Y = np.arange(40) % 2
X = np.abs(RANDOM.normal(size=(40, 60)))
X[Y == 1, :3] += 1.5
OPTIONS = {"bases": ["filter"], "permutations": 20, "splits": 10, "outer": 0, "execution": QUIET}


def listed(out=None, X=X, **options):
    return st.shortlist(X, Y, **{**OPTIONS, **options}, out=out)


def said(found):
    return st.findings_of(found).to_json()


@pytest.fixture
def folder(tmp_path):
    listed(tmp_path / "out")
    return tmp_path / "out"


@pytest.mark.parametrize("source", [0, 3])
def test_a_file_of_another_target_is_computed_again(folder, source):
    expected = (folder / "targets" / "0007").read_bytes()
    shutil.copyfile(folder / "targets" / f"{source:04d}", folder / "targets" / "0007")
    assert said(listed(folder)) == said(listed())
    assert (folder / "targets" / "0007").read_bytes() == expected


def test_all_files_of_targets_in_the_place_of_one_change_nothing(folder):
    for number in range(1, 21):
        shutil.copyfile(folder / "targets" / "0000", folder / "targets" / f"{number:04d}")
    assert said(listed(folder)) == said(listed())


def test_a_target_of_another_shortlist_is_computed_again(folder, tmp_path):
    listed(tmp_path / "other", X=X[:, ::-1].copy())
    shutil.copyfile(tmp_path / "other" / "targets" / "0002", folder / "targets" / "0002")
    assert said(listed(folder)) == said(listed())


@pytest.mark.parametrize("damage", [lambda c: c[: len(c) // 2], lambda c: b"", lambda c: c[:40] + b"\0" + c[41:]])
def test_a_damaged_target_is_computed_again(folder, damage):
    path = folder / "targets" / "0004"
    path.write_bytes(damage(path.read_bytes()))
    assert said(listed(folder)) == said(listed())


def test_a_folder_is_not_continued_with_another_preparation(folder):
    data = st.Data(X, Y, prepare="log2=1")
    with pytest.raises(InputError, match="already holds a shortlist of other data or settings"):
        st.shortlist(data, **OPTIONS, out=folder)


def test_a_ranking_of_another_filter_is_made_again(tmp_path):
    space = {"filter": ["anova", "auc"], "fraction": [0.1, 0.2], "model": {"knn": {}}}
    options = {"resampling": st.KFold(3), "search": {"sampler": "grid"}, "execution": QUIET}
    whole = st.tune(space, X, Y, **options, out=tmp_path / "out")
    first, second = sorted((tmp_path / "out" / "rankings").iterdir())
    shutil.copyfile(first, second)
    (tmp_path / "out" / "trials.db").unlink()
    again = st.tune(space, X, Y, **options, out=tmp_path / "out")
    columns = [name for name in whole.frame if "seconds" not in name]
    assert again.frame[columns].equals(whole.frame[columns])


def records(path):
    """The files of a run folder; of a database, what was asked for and reached."""
    found = {}
    for file in sorted(path.rglob("*")):
        if file.name == "trials.db":
            with sqlite3.connect(file) as database:
                query = "select key, value_json from study_user_attributes order by key"
                found[file.name] = repr(database.execute(query).fetchall()).encode()
            database.close()
        elif file.is_file() and file.name not in ("lock", "trials.csv"):
            found[str(file.relative_to(path))] = file.read_bytes()
    return found


@pytest.mark.slow  # buys: every record of every kind of folder
@pytest.mark.parametrize("kind", KINDS)
def test_two_runs_write_the_same_records(kind, tmp_path):
    made = []
    for place in ("first", "second"):
        with stopped_clock():
            KINDS[kind](tmp_path / place, 0)
        made.append(records(tmp_path / place))
    first, second = made
    # Times to a configuration are measured.
    timed = {name for name in first if kind == "tune" and name.startswith(("rankings", "findings"))}
    assert set(first) == set(second)
    assert [name for name in first if first[name] != second[name] and name not in timed] == []


@pytest.mark.parametrize("prepare", [None, "transformer"])
def test_no_record_of_a_shortlist_or_an_assessment_holds_the_address_of_an_object(prepare, tmp_path):
    from sklearn.feature_selection import SelectKBest
    from sklearn.model_selection import KFold
    from sklearn.preprocessing import FunctionTransformer

    class Splitter(KFold):
        def __repr__(self):
            return object.__repr__(self)

    listed(tmp_path / "list", outer=5)
    given = FunctionTransformer(np.sqrt) if prepare else None
    st.assess(
        SelectKBest(lambda X, y: X.var(axis=0), k=2),
        st.Data(X, Y, prepare=given),
        resampling=Splitter(3),
        scoring=lambda estimator, X, y: 0.0,
        out=tmp_path / "runs",
        execution=QUIET,
    )
    for name in ("list", "runs"):
        written = (tmp_path / name / "assessment.json").read_text(encoding="utf-8")
        assert " at 0x" not in written
        assert json.loads(written)["details"]["selectors"]


def test_files_of_a_process_that_was_ended_are_removed_by_the_next_and_those_of_a_living_one_stay(folder):
    ended = beneath.part_name("0003").replace(f"-{os.getpid()}-", "-4194304999-")
    old = [folder / "targets" / ended, folder / "targets" / ".0009.1a2b3c4d.part", folder / ".shortlist.json.00.part"]
    alive = folder / "targets" / beneath.part_name("0001")
    for path in (*old, alive):
        path.write_bytes(b"cut off")
    listed(folder)
    assert [path.exists() for path in old] == [False] * 3
    assert alive.exists()
