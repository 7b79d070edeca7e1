"""The sizes that the library promises: ten thousand runs over a million features."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.peak import PEAK, needs_peak

MEASURE = (
    PEAK
    + """
import numpy as np
import steadyset as st

M, d, k = 10_000, 1_000_000, 50
random = np.random.default_rng(0)
core = random.choice(d, 30, replace=False)
rows = []
for i in range(M):
    steady = core[random.random(30) < 0.7]
    rows.append(np.unique(np.concatenate([steady, random.integers(0, d, k - len(steady))])))
selections = st.Selections.from_sets(rows, n_features=d)
table = st.stability_table(selections)
estimate = table["estimate"]
assert abs(estimate["nogueira"] - estimate["kappa"]) < 1e-3, table
assert 0.1 < estimate["nogueira"] < 1, table
print(peak())
"""
)


@needs_peak
@pytest.mark.slow
def test_ten_thousand_runs_over_a_million_features_take_less_than_a_gigabyte_and_a_half():
    """Buys the promise that cost grows with what is selected: 50 million pairs, every measure of subsets."""
    done = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 1.5
