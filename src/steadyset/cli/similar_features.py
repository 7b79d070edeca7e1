"""The similarity of the features for `measure` and `compare`: its options, and reading it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from steadyset.cli.naming import quoted
from steadyset.foundation.conventions import ALIKE
from steadyset.foundation.errors import InputError
from steadyset.io.columns import RUN
from steadyset.io.labels import some_names

if TYPE_CHECKING:
    from steadyset.selections import Selections
    from steadyset.similarity import FeatureSimilarity

PANEL = "Similar features"

DataFile = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="FILE",
        help="The data the features were selected from, one row per observation: the adjusted measures then "
        "count similar features as alike.",
        rich_help_panel=PANEL,
    ),
]
SimilarityFile = Annotated[
    Path | None,
    typer.Option(
        "--similarity",
        metavar="FILE",
        help="Similarities of the features, instead of --data: a square or a long table.",
        rich_help_panel=PANEL,
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--similarity-method",
        metavar="NAME",
        help="With --data: pearson, spearman or mutual_info.",
        rich_help_panel=PANEL,
    ),
]
Threshold = Annotated[
    float,
    typer.Option(
        "--threshold",
        metavar="T",
        help="Similarity from which two features count as alike.",
        rich_help_panel=PANEL,
    ),
]


class Alike(NamedTuple):
    """Where the similarity of the features comes from: options of the subcommands whose measures need it."""

    data: DataFile = None
    similarity: SimilarityFile = None
    similarity_method: Method = "pearson"
    threshold: Threshold = ALIKE


NO_SIMILARITY = Alike()


def load_similarity(
    alike: Alike, selections: Selections | None, *, target: str | None, max_gb: float
) -> FeatureSimilarity | None:
    """The FeatureSimilarity of --data or --similarity, or None; its features are those of the selections, if any."""
    data, file, method, threshold = alike
    if data is None and file is None:
        return None
    from steadyset.similarity import FeatureSimilarity

    if file is not None:
        return FeatureSimilarity.read(file, threshold=threshold, max_gb=max_gb)
    assert data is not None
    from steadyset.io.table_files import read_columns

    apart = {RUN} if target is None else {RUN, target}
    read = read_columns(data, apart=tuple(apart), labels=True, max_gb=max_gb)
    if target is not None and target not in read.names:
        raise InputError(f"{data} has no column {target!r}.")
    if selections is not None:
        _refuse_other_columns(data, [name for name in read.names if name != target], selections)
    texts = [read.names[f] for f in read.others if read.names[f] not in apart]
    if texts:
        raise InputError(f"{data} has columns that hold no numbers ({some_names(texts)}); encode or remove them.")
    names = [read.names[f] for f in read.numeric]
    try:
        return FeatureSimilarity.from_data(
            read.X,
            method=method,  # type: ignore[arg-type]
            threshold=threshold,
            features=names,
        )
    except InputError as error:
        raise error.after(f"{data}: ") from None


def _refuse_other_columns(data: Path, columns: Sequence[str], selections: Selections) -> None:
    """Name the columns that are no features, such as a target that nobody named."""
    d = selections.n_features
    n_columns = len(columns) - (RUN in columns)
    if n_columns <= d:
        return
    features = {RUN, *selections.features}
    extra = [name for name in columns if name not in features]
    known = len(extra) == n_columns - d
    which = f"{some_names(extra)} {'is' if len(extra) == 1 else 'are'} not among the features: " if known else ""
    target = quoted(extra[0]) if known and len(extra) == 1 else "COLUMN"
    raise InputError(
        f"{data} has {n_columns} columns for the {d} features that were selected from; {which}leave out what is not a "
        f"feature, a target with --target {target}."
    )
