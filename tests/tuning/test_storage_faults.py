"""What becomes of a tuning whose database is full or was altered: one sentence."""

import shutil
import sqlite3

import numpy as np
import pytest

from steadyset.foundation.errors import InputError
from steadyset.tuning import tune

X = np.random.default_rng(0).normal(size=(40, 6))
Y = (X[:, 0] > 0).astype(int)
SPACE = {"filter": ["anova", "auc"], "fraction": [0.2, 0.9], "model": {"knn": {}}}


def tuned(out, n_trials=3):
    return tune(SPACE, X, Y, n_trials=n_trials, out=out)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tuning")
    tuned(folder)
    return folder


@pytest.mark.parametrize(
    "alteration",
    [
        "update trial_params set param_value = 77",
        "update trial_params set param_value = 'x'",
        "update trial_params set distribution_json = '{'",
        "update trial_params set param_name = param_name || 'x'",
        "delete from trial_params",
        "update trial_user_attributes set value_json = '{' where key = 'result'",
        "update trial_user_attributes set value_json = '{}' where key = 'result'",
        "update trial_user_attributes set value_json = '7' where key = 'result'",
        """update trial_user_attributes set value_json = '{"accuracy": "x"}' where key = 'result'""",
        "delete from trial_user_attributes",
        "update study_user_attributes set value_json = '3'",
        "update study_user_attributes set value_json = '{'",
        "update trials set state = 'LOST'",
        "update trials set number = 'x'",
        "drop table trial_user_attributes",
        "drop table trials",
        "delete from trials",
        "delete from trials where number = 1",
    ],
)
def test_an_altered_database_is_a_sentence(finished, tmp_path, alteration):
    out = tmp_path / "altered"
    shutil.copytree(finished, out)
    with sqlite3.connect(out / "trials.db") as database:
        database.execute(alteration)
    database.close()
    with pytest.raises(InputError) as told:
        tuned(out)
    assert "\n" not in str(told.value)


def test_a_full_disk_is_a_sentence_and_what_was_finished_is_kept(small_disk):
    out = small_disk / "tuning"
    tuned(out, 1)
    (small_disk / "filling").write_bytes(bytes(shutil.disk_usage(small_disk).free))
    with pytest.raises(InputError, match=r"^The disk with .* is full"):
        tuned(out, 40)
    (small_disk / "filling").unlink()
    assert len(tuned(out, 2).frame) == 2


@pytest.mark.parametrize("out", ["a\0b", "", 3])
def test_what_cannot_be_a_folder_is_refused(out):
    with pytest.raises(InputError, match="out must be the path of a folder"):
        tuned(out)


def test_what_is_no_number_of_jobs_is_refused(tmp_path):
    with pytest.raises(InputError, match="n_jobs must be a number of jobs"):
        tune(SPACE, X, Y, n_trials=1, out=tmp_path / "t", n_jobs=0)
    assert not (tmp_path / "t").exists()
