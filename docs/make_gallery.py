"""Draws every registered picture from data that ships with scikit-learn, and writes gallery/README.md:
python docs/make_gallery.py [NAME ...]
"""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

import steadyset as st
from steadyset.findings import Findings, findings_of
from steadyset.plots import Picture, RegisteredPicture, get_picture, list_pictures

FOLDER = Path(__file__).with_name("gallery")
MOST_BYTES = 100_000
BEGINNING = """# Gallery

Every picture of steadyset, drawn from the breast cancer data that ships with scikit-learn, times to event from
generated data. `make gallery` draws them anew. A picture is a frame first (`picture.data`);
`picture.save("figure.pdf", figure="single")` writes it at the width of a journal's column.
"""


def data() -> tuple[Any, Any]:
    return load_breast_cancer(return_X_y=True, as_frame=True)


@cache
def assessment() -> st.Assessment:
    selectors = ["lasso:k=8", "elastic_net:k=8", "jmi:k=8", "anova:k=8"]
    return st.assess(selectors, *data(), resampling=st.Bootstrap(40), scoring=["accuracy", "auc"], n_jobs=2)


@cache
def tuning() -> st.Tuning:
    X, y = data()
    return st.tune("bommert", X[::2], y[::2], n_trials=30, n_jobs=2)


@cache
def stability_selection() -> st.StabilitySelection:
    return st.StabilitySelection(rule="calibrated", n_runs=100, n_lambdas=15, random_state=0).fit(*data())


@cache
def shortlist() -> st.Shortlist:
    return st.shortlist(*data(), outer=0, n_jobs=2)


@cache
def replication() -> st.Replication:
    return st.replication("lasso:k=8", *data())


@cache
def studies() -> st.StudyComparison:
    X, y = data()
    return st.compare_studies("anova:k=6", {name: (X[part::3], y[part::3]) for part, name in enumerate("ABC")})


@cache
def sources() -> st.VarianceSplit:
    return st.variance_split(["forest:k=8", "lasso:k=8", "anova:k=8"], *data())


@cache
def few_rows() -> st.Assessment:
    """A tenth of the rows, with what each run predicts for them: pictures that show every row stay small."""
    X, y = data()
    kept = st.Execution(predictions=True)
    return st.assess(["lasso:k=8"], X[::10], y[::10], resampling=st.Bootstrap(40), execution=kept)


@cache
def times() -> st.Assessment:
    """Times until something happens, sooner where the first features are large; two rows of five are lost before."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 20))
    until, followed = random.exponential(np.exp(-X[:, :3].sum(axis=1))), random.exponential(1.5, size=200)
    y = st.Survival(np.minimum(until, followed), until <= followed)
    return st.assess(["lasso:k=5"], X, y, resampling=st.Subsample(40), n_jobs=2)


# What pictures are drawn from: the first result that a picture is made for, or else the first whose findings it shows.
RESULTS: tuple[Callable[[], Any], ...] = (
    assessment,
    tuning,
    stability_selection,
    shortlist,
    replication,
    studies,
    sources,
)
WITH_FINDINGS = (assessment, tuning, few_rows, times)


def lasso() -> st.Selections:
    return assessment().selections["lasso:k=8"]


def first_lists() -> st.Selections:
    """What each method selects in the first run."""
    runs = assessment().selections
    sets = [[one.features[f] for f in one.selected(0)] for one in runs.values()]
    return st.Selections.from_sets(sets, lasso().features, labels=[name.split(":")[0] for name in runs])


@cache
def similarity() -> st.FeatureSimilarity:
    return st.FeatureSimilarity.from_data(data()[0])


# Those that take something else, or are too large otherwise.
EXAMPLES: dict[str, Callable[[], Picture]] = {
    "feature_values": lambda: st.plot.feature_values(few_rows(), top=6),
    "heat_map": lambda: st.plot.heat_map(few_rows()),
    "hyperparameter": lambda: st.plot.hyperparameter(
        {k: st.assess([f"lasso:k={k}"], *data(), resampling=st.Bootstrap(20)) for k in (2, 4, 8, 16)}, "k"
    ),
    "importance_flow": lambda: st.plot.importance_flow(lasso(), similarity()),
    # Runs of different sizes: of equal ones most measures say the same.
    "measure_agreement": lambda: st.plot.measure_agreement(
        stability_selection().selections_.take(range(12)), ("phi", "jaccard", "pog", "hamming")
    ),
    "sample_map": lambda: st.plot.sample_map(few_rows()),
    "shared_names": lambda: st.plot.shared_names(first_lists()),
    "stability_by_measure": lambda: st.plot.stability_by_measure(lasso()),
    "stability_by_threshold": lambda: st.plot.stability_by_threshold(
        {name: assessment().selections[name] for name in ("lasso:k=8", "anova:k=8")}, similarity()
    ),
    "stability_map": lambda: st.plot.stability_map(lasso().take(range(20)), similarity()),
}


@cache
def found(result: Callable[[], Any]) -> Findings:
    return findings_of(result())


def example(record: RegisteredPicture) -> Picture:
    """The picture as the gallery shows it."""
    if record.name in EXAMPLES:
        return EXAMPLES[record.name]()
    for result in RESULTS:
        if record.draws(result()):
            return record.build(result())
    for result in WITH_FINDINGS if record.needs else ():
        if record.can_show(found(result)):
            return next(iter(record.of(found(result)).values()))
    raise LookupError(f"The picture {record.name} has no example; add one to EXAMPLES in {Path(__file__).name}.")


def small_svg(picture: Picture) -> str:
    """The drawing without the words of each mark for screen readers: on a page, an image has one text."""
    return re.sub(r' (aria-[a-z]+|role)="[^"]*"', "", picture.svg())


def page(names: list[str]) -> str:
    """The text of the gallery, one section per picture."""
    return BEGINNING + "".join(map(_section, names))


def _section(name: str) -> str:
    record = get_picture(name)
    says = (inspect.getdoc(record.build) or record.caption).split("\n\n")[0]
    words = " ".join(says.split())
    return f"\n## {record.title}\n\n`st.plot.{name}`: {words}\n\n![{record.title}]({name}.svg)\n"


def main(asked: list[str]) -> None:
    warnings.simplefilter("ignore")
    FOLDER.mkdir(exist_ok=True)
    names = sorted(list_pictures().index)
    missing = []
    for name in asked or names:
        target = FOLDER / f"{name}.svg"
        try:
            target.write_text(small_svg(example(get_picture(name))), encoding="utf-8")
        except LookupError as error:
            missing.append(str(error))
            continue
        size = target.stat().st_size
        print(f"{target.name}: {size / 1000:.0f} kB{'; too large' if size > MOST_BYTES else ''}")
    for old in FOLDER.glob("*.svg"):
        if old.stem not in names:
            old.unlink()
    (FOLDER / "README.md").write_text(page(names), encoding="utf-8")
    sys.exit("\n".join(missing) or None)


if __name__ == "__main__":
    main(sys.argv[1:])
