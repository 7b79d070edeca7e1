"""Bommert (2020), chapter 4: the data sets, how many similar features they have, and how easily classes part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.metrics import balanced_accuracy_score
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from papers.framework import DataSet, Row, Run, item
from papers.framework.arrays import Floats
from papers.framework.text import listed, number
from steadyset import FeatureSimilarity

PAPER = "bommert-2020"
DATA_SETS = (
    *("sonar", "kc1-binary", "tecator", "har", "gina_agnostic", "dilbert"),
    *("lsvt", "christensen", "gravier", "eating", "arcene", "chiaretti"),
)
THRESHOLD = 0.9
EASY = ("tecator", "dilbert", "christensen", "chiaretti")
DIFFICULT = ("sonar", "kc1-binary", "lsvt", "gravier", "eating", "arcene")
OUTLYING = ("kc1-binary", "lsvt", "eating")
NEIGHBOURS = 5


def values_of(data: DataSet) -> tuple[Floats, Any]:
    """The features as numbers, and the classes."""
    return data.X.to_numpy(dtype=np.float64), data.y.to_numpy()


def chosen_sets(run: Run, small: Sequence[str]) -> list[str]:
    """The data sets at hand, in the fast version the small ones; where there is none, its absence ends the item."""
    names = [name for name in run.at_hand() if run.full or name in small]
    if not names:
        run.data(small[0])
    return names


@item(PAPER, "table-4.1", data=DATA_SETS, core=True, seconds=5)
def table_4_1(run: Run) -> Iterator[Row]:
    """Size, share of the larger class, and similar features of each data set at hand."""
    for name in run.at_hand():
        data = run.data(name)
        similarity = FeatureSimilarity.from_data(data.X, threshold=THRESHOLD)
        ours = {
            "p": float(data.X.shape[1]),
            "n": float(len(data.X)),
            "PP": float(data.y.value_counts(normalize=True).iloc[0]),
            "MHCF": len(similarity.neighbours.indices) / data.X.shape[1],
        }
        fat = f"Fat would give the share {_share_of_fat(data):.2f}." if name == "tecator" else ""
        for column, value in ours.items():
            yield run.row(run.published.cell(name, column), value, correction=fat if column == "PP" else "")


def _share_of_fat(data: DataSet) -> float:
    """Return the share of the larger class if fat is divided at its mean, as the text says."""
    fat = data.X["fat"]
    below = float((fat < fat.mean()).mean())
    return max(below, 1 - below)


@item(PAPER, "figures-4.1-and-4.2", data=DATA_SETS, core=True, seconds=10)
def principal_components(run: Run) -> Iterator[Row]:
    """How well the first two principal components part the classes, and how far single rows lie from the others."""
    parted, furthest = {}, {}
    for name in run.at_hand():
        X, y = values_of(run.data(name))
        planes = [PCA(2, random_state=0).fit_transform(part) for part in (X, StandardScaler().fit_transform(X))]
        parted[name] = max(_parted(plane, y) for plane in planes)
        radii = np.linalg.norm(planes[0], axis=1)
        furthest[name] = float(radii.max() / np.median(radii))
    run.size({"data sets": (len(parted), len(DATA_SETS))})
    cutoff = (
        f"easily: the {NEIGHBOURS} nearest rows in the plane of two components, of scaled or unscaled features, "
        "tell the class of a row better than on every data set where it is difficult"
    )
    yield _more(run, "separable", "balanced accuracy", parted, EASY, DIFFICULT, cutoff)
    cutoff = (
        "outlying: in the plane of unscaled features, the furthest row lies more times the median distance from the "
        "centre than on every other data set"
    )
    others = [name for name in DATA_SETS if name not in OUTLYING]
    yield _more(run, "outliers", "times the median distance", furthest, OUTLYING, others, cutoff)
    yield run.not_stated(run.published.claim("clusters"))
    yield run.missing(run.published.claim("original-classes"), ["christensen with its original classes"])


def _parted(plane: Floats, y: Any) -> float:
    """Balanced accuracy of nearest neighbours, each row by the others."""
    codes = np.unique(y, return_inverse=True)[1]
    near = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(plane).kneighbors(return_distance=False)
    return float(balanced_accuracy_score(codes, codes[near].mean(axis=1) > 0.5))


def _more(
    run: Run,
    claim: str,
    what: str,
    values: Mapping[str, float],
    these: Sequence[str],
    those: Sequence[str],
    cutoff: str,
) -> Row:
    """A claim that some data sets have larger values than all of the others."""
    for some in (these, those):
        if not set(some) & set(values):
            return run.missing(run.published.claim(claim), some)
    holds = min(values[one] for one in these if one in values) > max(values[one] for one in those if one in values)
    told = listed([f"{name} {number(value, 2)}" for name, value in values.items()])
    return run.claim(claim, holds, f"{what}: {told}", cutoff=cutoff)
