"""The list comes first: it is certain before repeats and what would help are computed, and stays as it is."""

import json

import numpy as np
import pytest

import steadyset as st
from steadyset.cli import run
from steadyset.findings import findings_of
from steadyset.foundation.display import Telling
from steadyset.io.disk import CERTAIN_LIST, RECORDED_FINDINGS
from steadyset.shortlists.afterwards import PooledTargets
from steadyset.shortlists.procedure import Procedure, Watch, read_procedure

FEW = {"bases": ["filter"], "permutations": 20, "splits": 10}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(60, 40))
    y = np.where(np.arange(60) % 2, "ill", "well")
    X[y == "ill", :4] += 1.4
    return X, y


def test_the_list_that_comes_first_is_the_list(data, tmp_path):
    seen = []

    def at_once(found):
        recorded = findings_of(tmp_path / "list")
        seen.append((found, recorded.shortlist.names, (tmp_path / "list" / RECORDED_FINDINGS).exists()))

    result = st.shortlist(*data, **FEW, outer=2, out=tmp_path / "list", on_list=at_once)
    ((first, recorded, was_finished),) = seen
    assert first.selected == result.selected == recorded
    assert len(first.selected) >= 4
    assert not was_finished
    assert first.score is None
    assert first.stability is None
    assert result.stability is not None
    same = ["feature", "tier", "frequency", "effect", "q_value", "direction"]
    assert first.features[same].equals(result.features[same])
    assert not (tmp_path / "list" / CERTAIN_LIST).exists()
    assert findings_of(tmp_path / "list").shortlist.repeats is not None


def test_an_interrupted_shortlist_has_its_list(data, tmp_path):
    def stop(found):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        st.shortlist(*data, **FEW, outer=2, out=tmp_path / "list", on_list=stop)
    found = findings_of(tmp_path / "list")
    assert len(found.shortlist.names) >= 4
    assert any("not computed yet" in one for one in found.shortlist.left_out)
    again = st.shortlist(*data, **FEW, outer=2, out=tmp_path / "list")
    assert again.selected == found.shortlist.names


def test_what_receives_the_list_must_be_a_function_of_it(data):
    with pytest.raises(st.InputError, match="on_list"):
        st.shortlist(*data, **FEW, on_list=lambda: None)


def test_copies_void_the_numbers_of_the_first_list_too(data):
    X, y = data
    seen = []
    twice = np.r_[X, X], np.r_[y, y]
    st.shortlist(*twice, **FEW, outer=0, on_list=seen.append)
    assert seen[0].listed.void
    assert np.isnan([one.q_value for one in seen[0].listed.features]).all()


def written(data, folder):
    X, y = data
    lines = ["status," + ",".join(f"m{f}" for f in range(X.shape[1]))]
    lines += [f"{label}," + ",".join(f"{value:.5f}" for value in row) for label, row in zip(y, X, strict=True)]
    (folder / "x.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(folder / "x.csv")


COMMAND = ["--target", "status", "--base", "filter", "--permutations", "20", "--splits", "10"]


def test_the_command_prints_the_list_once_and_then_the_rest(data, tmp_path, capsys):
    out = str(tmp_path / "list")
    run(["shortlist", written(data, tmp_path), *COMMAND, "--outer", "2", "--out", out])
    printed, told = capsys.readouterr()
    before, _, after = printed.partition("Does it predict?")
    assert before.count("distinguish") + before.count("tell") == 1
    assert printed.count("Each listed feature alone") == 1
    assert "came back" in printed[printed.index("not computed yet") :]
    assert "came back" not in printed[: printed.index("not computed yet")]
    assert "Would it come out again?" in after
    # Short work has no line of progress; on a slow machine its first line is the time of the whole.
    assert all(line.startswith("This takes about ") for line in told.splitlines()[:1])


def test_quick_is_the_same_list_without_repeats(data, tmp_path, capsys):
    path = written(data, tmp_path)
    named = {}
    for name, more in (("quick", ["--quick"]), ("whole", ["--outer", "2"])):
        run(["shortlist", path, *COMMAND, *more, "--format", "json", "--out", str(tmp_path / name)])
        named[name] = json.loads(capsys.readouterr().out)["shortlist"]
    listed = {name: [one["feature"] for one in found["features"]] for name, found in named.items()}
    assert listed["quick"] == listed["whole"]
    assert named["quick"]["repeats"] is None
    assert named["quick"]["prediction"] is None
    assert named["quick"]["fewer_rows"] == []
    assert named["quick"]["power"]


def test_quick_and_repeats_exclude_each_other(data, tmp_path, capsys):
    assert run(["shortlist", written(data, tmp_path), *COMMAND, "--quick", "--outer", "3"])
    assert "--outer" in capsys.readouterr().err


class Noted(Telling):
    def __init__(self):
        super().__init__("steps")
        self.stages = []
        self.left = []

    def expect(self, stages):
        self.stages = list(stages)
        super().expect(stages)

    def _show(self, *, is_new):
        self.left.append((self.pace.what, self.pace.done, self.pace.total))


def test_all_stages_of_the_work_are_expected_and_then_seen(data):
    noted = Noted()
    st.shortlist(*data, **FEW, outer=2, execution=st.Execution(progress=noted))
    assert [(one.what, one.total) for one in noted.stages] == [
        ("targets", 21),
        ("smaller samples", 5),
        ("runs of repeats", 4),
    ]
    assert all(one.each > 0 for one in noted.stages)
    assert noted.pace.is_over
    assert {(one.what, one.total, one.total) for one in noted.stages} <= set(noted.left)


def test_more_permuted_targets_make_the_list_uncertain_again(data, tmp_path):
    def stop(*_):
        raise KeyboardInterrupt

    out = tmp_path / "list"
    with pytest.raises(KeyboardInterrupt):
        st.shortlist(*data, **FEW, outer=2, out=out, on_list=stop)
    assert findings_of(out).shortlist.names
    more = FEW | {"permutations": 40}
    with pytest.raises(KeyboardInterrupt):
        st.shortlist(*data, **more, outer=2, out=out, execution={"progress": stop})
    assert not (out / CERTAIN_LIST).exists()


def mostly_constant(n_columns=6_000, n_varying=10):
    """A survival target, and a table most of whose columns are constant."""
    rng = np.random.default_rng(3)
    X = np.zeros((60, n_columns))
    X[:, :n_varying] = rng.normal(size=(60, n_varying))
    y = np.column_stack([rng.exponential(np.exp(-X[:, 0])), np.ones(60)])
    return st.Data(X, y, task="survival")


@pytest.mark.parametrize("seed", [0, 1])
def test_the_answer_is_the_same_with_progress_if_most_columns_are_constant(seed):
    asked = {"bases": ["lasso"], "permutations": 20, "splits": 10, "outer": 0, "random_state": seed}
    quiet = st.shortlist(mostly_constant(), **asked, execution={"progress": False})
    shown = st.shortlist(mostly_constant(), **asked, execution={"progress": Noted()})
    assert shown.features.equals(quiet.features)
    assert shown.selected == quiet.selected


def test_a_time_that_cannot_be_estimated_changes_no_answer(data, monkeypatch):
    def refuse(*_):
        raise st.InputError("these columns cannot be ranked")

    asked = FEW | {"outer": 0}
    quiet = st.shortlist(*data, **asked, execution={"progress": False})
    # The trial ranks its columns by this name; the shortlist itself has another reference to it.
    monkeypatch.setattr("steadyset.shortlists.duration.compared_columns", refuse)
    noted = Noted()
    shown = st.shortlist(*data, **asked, execution=st.Execution(progress=noted))
    assert shown.features.equals(quiet.features)
    assert noted.stages == []


def test_no_target_of_smaller_samples_is_ranked_after_the_time(data, monkeypatch):
    ranked = []
    monkeypatch.setattr(Procedure, "permuted", lambda *asked: ranked.append(asked))
    result = st.shortlist(*data, **FEW, outer=5, minutes=1e-6)
    assert ranked == []
    assert result.listed.fewer_rows == ()
    assert any("no time to try everything" in one for one in result.listed.left_out)


def test_pooled_targets_stop_when_the_time_is_up(data):
    X, y = data
    procedure = read_procedure(1.0, None, ["filter"], 20, 10, 1)
    parts = [np.arange(0, 60, 3), np.arange(1, 60, 3)]
    given = procedure, X, y, "classes", [None, None, None], parts, 0
    assert PooledTargets.of_parts(*given, watch=Watch(0.0)) is None
    assert len(PooledTargets.of_parts(*given, watch=Watch()).orders) == 20
