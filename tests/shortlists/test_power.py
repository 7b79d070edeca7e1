"""The power of a shortlist is the probability that an effect on the values is listed."""

import numpy as np
import pytest

import steadyset as st
from steadyset.shortlists.afterwards import with_effect
from steadyset.shortlists.exchange import exchange_of
from steadyset.shortlists.procedure import read_procedure
from steadyset.tasks import SURVIVAL


def columns(kind, random, n=70, d=150):
    if kind == "normal":
        return random.normal(size=(n, d))
    if kind == "lognormal":
        return np.exp(1.2 * random.normal(size=(n, d)))
    return random.poisson(0.25, size=(n, d)) * random.integers(1, 6, size=(n, d)).astype(float)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "lognormal", "counts"])
def test_the_stated_power_is_the_rate_at_which_such_effects_are_listed(kind):
    options = {"bases": ["filter"], "permutations": 20, "outer": 0}
    stated = []
    listed = []
    for seed in range(6):
        random = np.random.default_rng([seed, 3])
        X = columns(kind, random)
        y = np.arange(70) % 2
        power = st.shortlist(X, y, **options).listed.power
        for one in power[-2:]:
            changed = random.choice(150, 5, replace=False)
            planted = X.copy()
            planted[:, changed] += one.effect * X[:, changed].std(axis=0) * y[:, None]
            names = st.shortlist(planted, y, **options).selected
            stated.append(one.share)
            listed.append(np.mean([f"x{column}" in names for column in changed]))
    assert np.mean(stated) == pytest.approx(np.mean(listed), abs=0.2)


def test_planted_hazards_have_the_hazard_ratio_that_is_stated_and_the_values_of_the_column():
    random = np.random.default_rng(8)
    n = 400
    X = random.normal(3.0, 2.0, size=(n, 30))
    y = np.column_stack([random.exponential(size=n), random.random(n) < 0.7]).astype(float)
    exchange = exchange_of(y, SURVIVAL)
    procedure = read_procedure(1.0, None, ["filter"], 20, 10, 1)
    judged = procedure.run(X, SURVIVAL, exchange, 0, groups=False)
    planted = with_effect(judged, X, y, 2.0, random)
    standard = planted / planted.std(axis=0)
    fitted = [st.CoxModel(penalty=0.0).fit(standard[:, [j]], y).coef_[0] for j in range(30)]
    assert np.mean(fitted) == pytest.approx(np.log(2.0), abs=0.05)
    original = (X - X.mean(axis=0)) / X.std(axis=0)
    assert np.sort(standard, axis=0) == pytest.approx(np.sort(original, axis=0))
