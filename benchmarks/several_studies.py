"""Is what comes back from several studies false in at most 5% of the cases? `python -m benchmarks.several_studies`.

Each case draws studies of 200 features that list 10 by a filter each, and counts how often any feature without an
effect in two studies comes back; and, where ten features have one in all studies, which share of them does.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import steadyset as st
from steadyset.assessment.request import make_request
from steadyset.replications.compare import _features_of, _Own

D, TRUE, LISTED = 200, 10, 10
Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]
VALUES: dict[str, Draw] = {
    "normal": lambda random, size: random.normal(size=size),
    "in blocks of 10 that correlate by 0.9": lambda random, size: (
        np.repeat(random.normal(size=(size[0], size[1] // 10)), 10, axis=1) * 0.95 + 0.31 * random.normal(size=size)
    ),
    "log-normal": lambda random, size: np.exp(1.5 * random.normal(size=size)),
    "mostly 0": lambda random, size: (random.random(size) < 0.06) * random.normal(5, 1, size),
}
ROWS = {"30 and 30": (30, 30), "8 and 52": (8, 52)}  # of the classes
EFFECTS = {"nowhere": 0.0, "in one study": 1.5}


def comes_back(
    n: int, draw: Draw, rows: tuple[int, int], effect: float, seed: int, everywhere: bool = False
) -> list[int]:
    """The features that come back from n studies; the first ones have an effect in the first study, or everywhere."""
    every = []
    for study in range(n):
        random = np.random.default_rng([seed, study])
        y = np.repeat(np.array(["a", "b"]), rows)
        X = draw(random, (len(y), D))
        X[y == "b", :TRUE] += effect * (everywhere or study == 0)
        asked = make_request(f"anova:k={LISTED}", st.Data(X, y), None, scoring=[], resampling=st.Bootstrap())
        every.append(_Own.of(str(study), asked, D))
    return [int(one.feature) for one in _features_of(every, list(map(str, range(D)))) if one.comes_back]


def main(draws: int = 200) -> None:
    """Print the share of draws with anything false, and the share of true features that are found."""
    for n in (2, 3):
        for (what, draw), (sizes, rows), (where, effect) in (
            (a, b, c) for a in VALUES.items() for b in ROWS.items() for c in EFFECTS.items()
        ):
            false = np.mean([bool(comes_back(n, draw, rows, effect, seed)) for seed in range(draws)])
            error = np.sqrt(false * (1 - false) / draws)
            print(f"{n} studies, values {what}, rows {sizes}, effects {where}: {false:.3f} ({error:.3f})", flush=True)
        for size in (0.6, 0.9, 1.2):
            every = [comes_back(n, VALUES["normal"], (30, 30), size, seed, True) for seed in range(100)]
            true = np.mean([sum(f < TRUE for f in names) for names in every]) / TRUE
            false = np.mean([any(f >= TRUE for f in names) for names in every])
            print(
                f"{n} studies, effects of {size} in all: {true:.2f} of them come back, anything false {false:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
