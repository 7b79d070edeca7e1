"""Do q-values of several studies hold where features are correlated? `python -m benchmarks.several_studies`.

The lists of the studies take whole blocks of features at random, as lists of perfectly correlated features do, beside
`true` features that every study lists. Directions, which make it harder to come back by chance, are left out. What is
counted is the mean share of false features among those that come back, which is to be at most 5%.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from steadyset.replications.studies import Q_LEVEL, chances

STUDIES, FEATURES, SIZES, BLOCKS, TRUE = (2, 3, 5, 8), (200, 1000, 5000), (10, 20, 50), (1, 2, 5, 10, 25), (0, 3)
DRAWS = 2000


def false_share(studies: int, d: int, k: int, block: int, true: int, random: np.random.Generator) -> float:
    """The mean share of false features among those that come back."""
    sizes, blocks = np.full(studies, k), (d - true) // block
    shares = []
    for _ in range(DRAWS):
        votes = np.zeros(blocks, np.int64)
        for _ in range(studies):
            votes[random.choice(blocks, (k - true) // block, replace=False)] += 1
        every = np.concatenate([np.full(true, studies), np.repeat(votes, block)])
        passing = np.flatnonzero(chances(sizes, d, every)[1] <= Q_LEVEL)
        line = max(2, passing[0]) if len(passing) else studies + 1
        listed = int((every >= line).sum())
        shares.append(((every[true:] >= line).sum() / listed) if listed else 0.0)
    return float(np.mean(shares))


def main() -> None:
    """Print the worst cases for each number of studies."""
    random = np.random.default_rng(32)
    for studies in STUDIES:
        cases = [case for case in product(FEATURES, SIZES, BLOCKS, TRUE) if case[2] <= case[1] - case[3]]
        found = sorted(((false_share(studies, *case, random), case) for case in cases), reverse=True)
        (worst, case), mean = found[0], np.mean([share for share, _ in found])
        error = np.sqrt(worst * (1 - worst) / DRAWS)
        what = "features {}, list {}, blocks of {}, true {}".format(*case)
        print(f"{studies} studies, {len(found)} cases: mean {mean:.3f}, worst {worst:.3f} (s.e. {error:.3f}; {what})")


if __name__ == "__main__":
    main()
