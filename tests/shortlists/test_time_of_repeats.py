"""As many repeats start as the time limit has room for, with all that they compute."""

from types import SimpleNamespace

import numpy as np
import pytest

import steadyset as st
from steadyset.shortlists import procedure, run

N_TARGETS, PER_TARGET, PER_REPEAT = 21, 1.0, 2.3  # seconds of the clock below


class Clock:
    """A clock that only the work below moves."""

    def __init__(self):
        self.now = 0.0
        self.repeats = []

    def after(self, function, seconds):
        """Return the function, which takes so many seconds for its arguments."""

        def timed(*given, **options):
            result = function(*given, **options)
            self.now += seconds(*given, **options)
            return result

        return timed


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()

    def of_repeats(*given, **_):
        n_repeats, pooled = given[5], given[3]
        clock.repeats.append(n_repeats)
        return n_repeats * (PER_REPEAT if pooled is not None else N_TARGETS * PER_TARGET)

    time = SimpleNamespace(monotonic=lambda: clock.now)
    for module in (run, procedure):
        monkeypatch.setattr(module, "time", time)
    # The time of the lists within the repeats is a part of that of the repeats.
    ranked = clock.after(
        procedure.Procedure.run, lambda *_, kept=None, **__: N_TARGETS * PER_TARGET * (kept is not None)
    )
    monkeypatch.setattr(procedure.Procedure, "run", ranked)
    monkeypatch.setattr(run, "_repeats", clock.after(run._repeats, of_repeats))
    # What would help takes no time here.
    monkeypatch.setattr(run.afterwards, "fewer_rows", lambda *_: ())
    return clock


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(60, 20))
    y = np.arange(60) % 2
    X[y == 1, :3] += 1.5
    return X, y


def listed(data, minutes):
    asked = {"bases": ["filter"], "permutations": 20, "splits": 10, "outer": 10}
    return st.shortlist(*data, **asked, minutes=minutes, execution={"progress": False}).listed


def test_repeats_that_take_longer_than_their_targets_end_in_time(data, clock, monkeypatch):
    monkeypatch.setattr(run, "_pooled_targets", clock.after(run._pooled_targets, lambda *_: 20 * PER_TARGET))
    # A repeat ranks one target, in 1 s; by that estimate all 10 would fit.
    found = listed(data, 1.0)
    assert clock.repeats == [1, found.repeats.n_repeats]
    assert clock.now <= 60
    assert 5 <= found.repeats.n_repeats < 10
    assert any(f"time for {found.repeats.n_repeats} repeats of 10" in one for one in found.left_out)


def test_ample_time_needs_no_trial(data, clock):
    assert listed(data, 60.0).repeats.n_repeats == 10
    assert clock.repeats == [10]


def test_repeats_with_permuted_targets_of_their_own_take_that_many_times_as_long(data, clock, monkeypatch):
    monkeypatch.setattr(run, "_pooled_targets", lambda *_: None)
    assert listed(data, 1.0).repeats is None
    assert clock.repeats == []
