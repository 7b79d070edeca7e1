"""One path serves all penalties and sizes, and every model is the one that it would be alone."""

import numpy as np
import pytest

from steadyset.selectors import ElasticNetSelector
from steadyset.selectors import paths as solving_paths

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
    [(ElasticNetSelector(), CLASSES), (ElasticNetSelector(), SIGNAL), (ElasticNetSelector(l1_ratio=0.3), SIGNAL),
     (ElasticNetSelector(standardise=False, n_lambdas=30), CLASSES)],
    ids=["logistic", "linear", "elastic net", "as given"],
)  # fmt: skip
@pytest.mark.parametrize("room", [None, 0, 200_000], ids=["room", "no room", "little room"])
def test_models_along_a_shared_path_are_those_fitted_alone_to_the_last_bit(selector, y, room, monkeypatch):
    if room is not None:
        monkeypatch.setattr(solving_paths, "MAX_BYTES", room)
    share = selector.share_paths(X, y, WEIGHTS)
    for setting in SETTINGS:
        wanted = selector.__class__(**{**selector.get_params(), **setting})
        shared = [values(fitted()) for fitted in share(wanted)]
        assert shared == [values(wanted.fit(X, y, sample_weight=row)) for row in WEIGHTS]


@pytest.mark.parametrize("task", ["classes", "number"])
def test_models_that_got_more_places_and_fewer_again_are_those_fitted_alone(task, monkeypatch):
    monkeypatch.setattr(solving_paths, "LEAST_PLACES", 0)
    few, weights = X[:20], WEIGHTS[:, :20].copy()
    y = CLASSES[:20] if task == "classes" else SIGNAL[:20]
    weights[:, [CLASSES[:20].argmin(), CLASSES[:20].argmax()]] = 1.0
    selector = ElasticNetSelector(l1_ratio=0.02, task=task)
    share, largest = selector.share_paths(few, y, weights), selector.largest_penalty(few, y)
    sizes = []
    for part in (0.8, 0.002, 0.5, 0.0005, 0.7, 0.001, 0.6, 0.002):
        wanted = ElasticNetSelector(part * largest, l1_ratio=0.02, task=task)
        models = [fitted() for fitted in share(wanted)]
        sizes.append(max(model.get_support().sum() for model in models))
        assert [values(model) for model in models] == [values(wanted.fit(few, y, sample_weight=row)) for row in weights]
    assert max(sizes) > 60


def test_a_state_from_before_there_were_more_places_has_each_of_them_once(monkeypatch):
    monkeypatch.setattr(solving_paths, "LEAST_PLACES", 0)
    batches = solving_paths.read_batches(
        X[:20], SIGNAL[:20], np.ones((1, 20)), family="linear", l1_ratio=0.02, standardise=True, tol=1e-10
    )
    paths = solving_paths.SharedPaths(batches, lambda solving: [solving.largest[0] * np.array([0.5, 0.001])])
    (state,) = paths._states
    before = state.M.shape[1]
    paths.solve([0], [paths.largest[0] * np.array([0.5, 0.001])])
    slot = state.M[solving_paths.solver.SLOT]
    assert len(slot) > before
    slot[:] = slot[::-1].copy()  # as if most features had left and others come
    paths._held[0] = None
    paths._bring_to(0, ())
    np.testing.assert_array_equal(np.sort(state.M[solving_paths.solver.SLOT]), np.arange(len(slot)))


def test_levels_are_solved_once_for_all_models(monkeypatch):
    solved = []
    real = solving_paths.Solving._walk
    monkeypatch.setattr(
        solving_paths.Solving, "_walk", lambda self, state, at, stop: solved.extend(at) or real(self, state, at, stop)
    )
    share = ElasticNetSelector().share_paths(X, SIGNAL, WEIGHTS)
    share(ElasticNetSelector(0.01))
    first = len(solved)
    share(ElasticNetSelector(0.0101))
    assert first > 4 * len(WEIGHTS)
    assert len(solved) - first == len(WEIGHTS)


def test_a_model_after_one_that_was_interrupted_is_still_the_one_fitted_alone(monkeypatch):
    share = ElasticNetSelector().share_paths(X, CLASSES, WEIGHTS)
    share(ElasticNetSelector(0.1))
    real = solving_paths.Solving._walk

    def interrupted(self, state, penalties, stop_size):
        real(self, state, penalties, stop_size)
        self._workspace.F[:] = 1  # as the features of a model are in the midst of a kernel
        raise KeyboardInterrupt

    monkeypatch.setattr(solving_paths.Solving, "_walk", interrupted)
    with pytest.raises(KeyboardInterrupt):
        share(ElasticNetSelector(0.01))
    monkeypatch.undo()
    alone = [values(ElasticNetSelector(0.02).fit(X, CLASSES, sample_weight=row)) for row in WEIGHTS]
    assert [values(fitted()) for fitted in share(ElasticNetSelector(0.02))] == alone


def test_more_resamples_than_one_batch_holds_share_nothing():
    assert ElasticNetSelector().share_paths(X, SIGNAL, np.ones((51, 60))) is None
