"""What a tuning has finished can be read from its folder by others."""

import numpy as np

import steadyset as st
from steadyset.tuning.search import recorded_trials


def test_the_folder_of_a_tuning_tells_what_was_tried(tmp_path):
    random = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = random.normal(size=(40, 8))
    X[:, 0] += y
    result = st.tune(
        None, X, y, n_trials=2, resampling=st.KFold(3), out=tmp_path / "tuned", execution=st.Execution(progress=False)
    )
    found = recorded_trials(tmp_path / "tuned")
    assert found.objectives == result.objectives
    assert found.directions == result.directions
    assert [(number, params) for number, params, _ in found.trials] == [
        (number, params) for number, params, _ in result.trials
    ]
    columns = list(result.objectives)
    np.testing.assert_allclose(found.frame[columns], result.frame[columns])
