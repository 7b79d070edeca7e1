"""One path serves all penalties and sizes, and every model is the one that it would be alone."""

import numpy as np
import pytest

from steadyset.selectors import SparseLinear, SparseLogistic, shared_paths

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 90))
X[:, 40] = X[:, 3]  # a copy
X[:30, 50] = 0.0
SIGNAL = X[:, :4].sum(axis=1) + RNG.normal(size=60)
CLASSES = (SIGNAL > 0).astype(int)
WEIGHTS = np.stack([np.bincount(RNG.integers(60, size=60), minlength=60) for _ in range(6)]).astype(float)
SETTINGS = [
    *({"penalty": penalty} for penalty in (0.08, 0.4, 0.02, 0.0801, 30.0, 0.005)),
    *({"k": k} for k in (4, 12, 1, 5, 12)),
    {"penalty": 0.08},
]


def values(model):
    told = model.coef_, model.intercept_, model.importances_, model.penalty_, model.violation_, model.n_tied_
    return [np.asarray(part).tobytes() for part in told]


@pytest.mark.parametrize(
    ("selector", "y"),
    [(SparseLogistic(), CLASSES), (SparseLinear(), SIGNAL), (SparseLinear(l1_ratio=0.3), SIGNAL),
     (SparseLogistic(standardise=False, n_lambdas=30), CLASSES)],
    ids=["logistic", "linear", "elastic net", "as given"],
)  # fmt: skip
@pytest.mark.parametrize("room", [None, 0, 200_000], ids=["room", "no room", "little room"])
def test_models_along_a_shared_path_are_those_fitted_alone_to_the_last_bit(selector, y, room, monkeypatch):
    if room is not None:
        monkeypatch.setattr(shared_paths, "MOST_BYTES", room)
    share = selector.share_paths(X, y, WEIGHTS)
    for setting in SETTINGS:
        wanted = selector.__class__(**{**selector.get_params(), **setting})
        shared = [values(fitted()) for fitted in share(wanted)]
        assert shared == [values(wanted.fit(X, y, sample_weight=row)) for row in WEIGHTS]


def test_levels_are_solved_once_for_all_models(monkeypatch):
    solved = []
    real = shared_paths.Solving._walk
    monkeypatch.setattr(
        shared_paths.Solving, "_walk", lambda self, which, at: solved.extend(at.ravel()) or real(self, which, at)
    )
    share = SparseLinear().share_paths(X, SIGNAL, WEIGHTS)
    share(SparseLinear(0.01))
    first = len(solved)
    share(SparseLinear(0.0101))
    assert first > 4 * len(WEIGHTS)
    assert len(solved) - first == len(WEIGHTS)


def test_a_model_after_one_that_was_interrupted_is_still_the_one_fitted_alone(monkeypatch):
    share = SparseLogistic().share_paths(X, CLASSES, WEIGHTS)
    share(SparseLogistic(0.1))
    real = shared_paths.Solving._walk

    def interrupted(self, which, penalties):
        real(self, which, penalties)
        raise KeyboardInterrupt

    monkeypatch.setattr(shared_paths.Solving, "_walk", interrupted)
    with pytest.raises(KeyboardInterrupt):
        share(SparseLogistic(0.01))
    monkeypatch.undo()
    alone = [values(SparseLogistic(0.02).fit(X, CLASSES, sample_weight=row)) for row in WEIGHTS]
    assert [values(fitted()) for fitted in share(SparseLogistic(0.02))] == alone


def test_more_resamples_than_one_batch_holds_share_nothing():
    assert SparseLinear().share_paths(X, SIGNAL, np.ones((51, 60))) is None
