"""Which characteristics of a data set go with which selector being stable, or accurate?

Each selector selects on 20 random halves of the rows of each real data set with two classes; one run folder of `assess`
per data set and selector. A study of data sets has as many observations as data sets, whatever the number of runs.
The intervals and p-values are therefore over data sets, and the p-values are corrected for all questions asked.

    python -m benchmarks.characteristics FOLDER        # runs what FOLDER lacks, then writes the results and the page
    python -m benchmarks.characteristics FOLDER small  # the same with the data sets of at most a million numbers
    python -m benchmarks.characteristics page          # the page alone

Data are read from the folder that STEADYSET_DATA names. An interrupted run continues with the same command.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import rankdata

import steadyset as st
from benchmarks.coverage.report import table

RESULTS = Path(__file__).with_suffix(".json")
PAGE = Path(__file__).parents[1] / "docs" / "findings.md"
BEGIN, END = "<!-- study of characteristics -->", "<!-- end of the study of characteristics -->"
DATA = (
    *("heart", "congress", "spect", "breast", "parkinsons", "ionosphere", "sonar", "kc1-binary"),
    *("tecator", "lsvt", "krvskp", "alon", "spambase", "christensen", "gravier", "subramanian"),
    *("golub", "borovecki", "singh", "arcene", "gordon", "chowdary"),
)
SMALL_SIZE = 1_000_000  # numbers of a data set that is small
SELECTORS = ("anova", "kruskal", "mrmr", "lasso", "forest")
LARGEST_SIZE, SHARE_OF_FEATURES = 10, 3
RUNS, THRESHOLD = 20, 0.9
DRAWS, PERMUTATIONS, LEVEL = 2000, 5000, 0.05
CHARACTERISTICS = {
    "n": "rows",
    "p": "features",
    "n / p": "rows per feature",
    "larger class": "percentage of the rows in the larger class",
    "similar": "mean number of other features with a correlation of at least 0.9",
}
RESPONSES = ("stability", "accuracy")


class Association(NamedTuple):
    """Spearman's correlation over data sets, its bootstrap interval, and the p-value corrected for all questions."""

    rho: float
    low: float
    high: float
    p: float


def size_for(p: int) -> int:
    """Return the number of features to select: ten, or a third of fewer than thirty features."""
    return min(LARGEST_SIZE, max(2, p // SHARE_OF_FEATURES))


def data_of(name: str) -> pd.DataFrame:
    """Return a data set with its target."""
    return pd.read_parquet(Path(os.environ["STEADYSET_DATA"]) / f"{name}.parquet")


def characteristics_of(frame: pd.DataFrame) -> dict[str, float]:
    """Return the characteristics of a data set."""
    X, y = frame.drop(columns="target"), frame["target"]
    n, p = X.shape
    varies = X.loc[:, X.nunique() > 1]
    similar = st.FeatureSimilarity.from_data(varies, threshold=THRESHOLD)
    return {
        "n": float(n),
        "p": float(p),
        "n / p": n / p,
        "larger class": float(y.value_counts(normalize=True).iloc[0]),
        "similar": len(similar.neighbours.indices) / varies.shape[1],
    }


def assessed(frame: pd.DataFrame, selector: str, out: Path) -> dict[str, float]:
    """Return the stability and the accuracy of a selector on a data set; the run folder is kept."""
    X = frame.drop(columns="target")
    found = st.assess(
        f"{selector}:k={size_for(X.shape[1])}",
        X,
        frame["target"],
        resampling=st.Subsample(RUNS, fraction=0.5, stratified=True),
        scoring="accuracy",
        random_state=0,
        n_jobs=1,
        execution={"all_rows": False, "progress": False},
        out=out,
    )
    name = next(iter(found.selections))
    return {
        "stability": st.stability(found.selections[name], "nogueira"),
        "accuracy": float(found.scores["accuracy"].mean()),
    }


def run(folder: Path, *, small: bool) -> dict[str, Any]:
    """Compute what the folder lacks, and return the results of all data sets."""
    found: dict[str, Any] = {}
    for name in DATA:
        kept = folder / f"{name}.json"
        if not kept.exists():
            frame = data_of(name)
            if small and frame.size > SMALL_SIZE:
                continue
            one = {"characteristics": characteristics_of(frame)}
            one |= {selector: assessed(frame, selector, folder / f"{name}-{selector}") for selector in SELECTORS}
            kept.write_text(json.dumps(one, indent=1), encoding="utf-8")
            print(name, flush=True)
        found[name] = json.loads(kept.read_text(encoding="utf-8"))
    return found


def answers(found: dict[str, Any]) -> pd.DataFrame:
    """Return one row per data set: its characteristics, the mean of each response, and each selector less the mean."""
    rows = []
    for one in found.values():
        row: dict[str, float] = dict(one["characteristics"])
        for what in RESPONSES:
            values = {name: one[name][what] for name in SELECTORS}
            mean = sum(values.values()) / len(values)
            row[f"{what}, mean"] = mean
            row |= {f"{what}, {name}": value - mean for name, value in values.items()}
        rows.append(row)
    return pd.DataFrame(rows, index=list(found))


def associations(rows: pd.DataFrame, seed: int = 0) -> dict[tuple[str, str], Association]:
    """Return the association of every answer with every characteristic.

    The p-values are those of the largest correlation of all questions, with the data sets' answers permuted together:
    they hold for all questions at once, however the answers depend on each other.
    """
    random = np.random.default_rng(seed)
    asked = [name for name in rows.columns if name not in CHARACTERISTICS]
    given = list(CHARACTERISTICS)
    left, right = _ranks(rows[given].to_numpy()), _ranks(rows[asked].to_numpy())
    rho = _correlations(left, right)
    largest = [
        float(np.abs(_correlations(left, right[random.permutation(len(rows))])).max()) for _ in range(PERMUTATIONS)
    ]
    draws = []
    for _ in range(DRAWS):
        drawn = rows.iloc[random.integers(0, len(rows), len(rows))]
        draws.append(_correlations(_ranks(drawn[given].to_numpy()), _ranks(drawn[asked].to_numpy())))
    low, high = np.nanquantile(draws, [LEVEL / 2, 1 - LEVEL / 2], axis=0)
    p = (1 + (np.array(largest)[:, None, None] >= np.abs(rho) - 1e-12).sum(axis=0)) / (1 + PERMUTATIONS)
    return {
        (answer, characteristic): Association(*map(float, (rho[i, j], low[i, j], high[i, j], p[i, j])))
        for i, characteristic in enumerate(given)
        for j, answer in enumerate(asked)
    }


def _ranks(values: Any) -> Any:
    """Return the ranks of each column, centered and scaled to the length 1; a constant column is all nan."""
    ranks = rankdata(values, axis=0)
    centered = ranks - ranks.mean(axis=0)
    with np.errstate(invalid="ignore"):
        return centered / np.linalg.norm(centered, axis=0)


def _correlations(left: Any, right: Any) -> Any:
    return left.T @ right


def page(results: dict[str, Any]) -> str:
    """Return the text and the table of the page."""
    found = {(answer, name): Association(*values) for answer, name, *values in results["associations"]}
    shown = []
    for answer in dict.fromkeys(answer for answer, _ in found):
        cells = [_cell(found[answer, name]) for name in CHARACTERISTICS]
        shown.append([answer, *cells])
    sure = [(key, one) for key, one in found.items() if one.p < LEVEL]
    told = [f"{answer} and {name} ({one.rho:+.2f}, p = {one.p:.3f})" for (answer, name), one in sure]
    names = ", ".join(results["data"])
    missing = [name for name in DATA if name not in results["data"]]
    lines = [
        f"{len(results['data'])} data sets: {names}.",
        *([f"Not run: {', '.join(missing)}."] if missing else []),
        f"{RUNS} random halves of each; {LARGEST_SIZE} features, or a third of fewer than 30.",
        "",
        f"Significant after the correction for all {len(found)} questions: {'; '.join(told) or 'none'}.",
        "",
        table(["answer", *CHARACTERISTICS], shown),
    ]
    return "\n".join(lines)


def _cell(one: Association) -> str:
    mark = " *" if one.p < LEVEL else ""
    return f"{one.rho:+.2f} ({one.low:+.2f} to {one.high:+.2f}){mark}"


def write_page(results: dict[str, Any]) -> None:
    """Replace the part of the page that the study writes."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n{page(results)}\n{END}{after}", encoding="utf-8")


def main(words: list[str]) -> None:
    """Run the study, or write its page only."""
    if words == ["page"]:
        write_page(json.loads(RESULTS.read_text(encoding="utf-8")))
        return
    folder = Path(words[0])
    folder.mkdir(parents=True, exist_ok=True)
    found = run(folder, small=words[1:] == ["small"])
    rows = answers(found)
    results = {
        "data": found,
        "associations": [[*key, *one] for key, one in associations(rows).items()],
    }
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    write_page(results)


if __name__ == "__main__":
    main(sys.argv[1:])
