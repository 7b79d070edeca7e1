"""Options that subcommands share: those of the data for `assess` and `tune`, of measuring for `measure` and `compare`.

The aliases are read by typer; what they become is read by the functions below them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steadyset.arguments import wrong_argument
from steadyset.cli.naming import quoted
from steadyset.cli.output import Format
from steadyset.errors import InputError
from steadyset.io.labels import some_names
from steadyset.wording import counted

if TYPE_CHECKING:
    from steadyset.io.data_table import Data
    from steadyset.selections import Selections
    from steadyset.similarity import FeatureSimilarity

RUN = "run"  # the column of --data that names its rows

DataArgument = Annotated[
    Path,
    typer.Argument(help="The data: csv, tsv (also .gz), parquet or feather; one row per observation.", metavar="FILE"),
]
TargetColumn = Annotated[str, typer.Option("--target", "-t", metavar="COLUMN", help="The column to predict.")]
Drop = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Leave a column out; may be repeated.")]
Keep = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Use a column that looks like an identifier.")]
Impute = Annotated[
    str | None,
    typer.Option(metavar="median", help="Fill missing values within each run, by the medians of its training rows."),
]
OnWarning = Annotated[
    str,
    typer.Option(
        "--on-warning",
        metavar="record|fail",
        help="What happens when a selector warns: record it beside the result, or fail the run.",
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(metavar="C", help="What separates the columns of a csv file, such as ';' or tab. Default: a comma."),
]
MaxGb = Annotated[float, typer.Option("--max-gb", metavar="GB", help="Refuse files that need more memory than this.")]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Rows with the same value, such as one patient's, stay together when runs are drawn."
    ),
]
TaskOption = Annotated[
    str | None,
    typer.Option(
        "--task", metavar="classes|number", help="What the target is. Default: decided by its values, and printed."
    ),
]
Resume = Annotated[bool, typer.Option("--resume", help="Continue what is in the folder.")]
RunSeed = Annotated[int, typer.Option(metavar="N", help="Random seed; the same seed gives the same result.", min=0)]
CoreShare = Annotated[
    float, typer.Option("--core", metavar="SHARE", help="Share of the runs a feature needs to be in the steady core.")
]
Level = Annotated[float, typer.Option("--level", metavar="L", help="Confidence level of intervals and tests.")]
Form = Annotated[Format, typer.Option("--format", help="Output for people, or for programs.")]
SpreadsheetSafe = Annotated[
    bool,
    typer.Option(
        "--spreadsheet-safe",
        help="In csv, put an apostrophe before names that a spreadsheet would run as formulas (= + - @).",
    ),
]


def _load(names: list[str] | None) -> list[str] | None:
    if names:
        from steadyset.plugins import load

        for name in names:
            load(name)
    return names


Load = Annotated[
    list[str] | None,
    typer.Option(
        "--load",
        metavar="FILE|MODULE",
        callback=_load,
        help="A Python file, or an installed module, that registers your own measures, filters, resamplings, "
        "selectors, rules or pictures; may be repeated.",
    ),
]

Features = Annotated[
    int | None,
    typer.Option(metavar="N", help="Number of features to choose from, if a long table does not say."),
]
Transpose = Annotated[
    bool | None,
    typer.Option(
        "--transpose/--no-transpose",
        help="Tables of 0 and 1 have one row per feature and one column per run. Default: one row per run, and "
        "tables that look transposed are refused.",
        show_default=False,
    ),
]
Policy = Annotated[
    str,
    typer.Option(
        "--undefined",
        metavar="POLICY",
        help="How undefined pairs of runs are treated: nan (reported), raise (stop), or a number to use.",
    ),
]
Expected = Annotated[
    str,
    typer.Option(
        "--expectation",
        metavar="HOW",
        help="Correction for chance of measures without one: exact, monte_carlo (simulate where no exact form exists), "
        "none, or auto (each measure as published).",
    ),
]
Draws = Annotated[int, typer.Option("--draws", metavar="N", help="Number of random draws in a simulation.", min=2)]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the simulation.", min=0)]
DataFile = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="FILE",
        help="The data the features were selected from (csv, tsv, parquet, feather): the adjusted measures then "
        "count similar features as alike.",
    ),
]
Target = Annotated[
    str | None, typer.Option("--target", metavar="COLUMN", help="A column of --data that is not a feature.")
]
SimilarityFile = Annotated[
    Path | None,
    typer.Option(
        "--similarity",
        metavar="FILE",
        help="Similarities of the features, instead of --data: a square or a long table.",
    ),
]
Method = Annotated[
    str, typer.Option("--similarity-method", metavar="NAME", help="With --data: pearson, spearman or mutual_info.")
]
Threshold = Annotated[
    float, typer.Option("--threshold", metavar="T", help="Similarity from which two features count as alike.")
]


def read_data(
    file: Path,
    target: str,
    *,
    drop: list[str] | None,
    keep: list[str] | None,
    impute: str | None,
    delimiter: str | None,
    groups: str | None,
    people: bool,
    task: str | None = None,
    max_gb: float = 8.0,
) -> Data:
    """The data of `assess` and `tune`; people are told what was read, and what the target is taken for."""
    from steadyset.io.data_table import load_data

    data = load_data(
        file,
        target,
        drop=drop or (),
        keep=keep or (),
        impute=impute,
        delimiter=delimiter,
        groups=groups,
        max_gb=max_gb,
    )
    if people:
        n_groups = "" if data.groups is None else f", {len(set(data.groups))} groups by {groups!r}"
        typer.echo(f"{file}: {len(data.y)} rows, {counted(len(data.features), 'feature')}, target {target!r}{n_groups}")
        for note in data.notes:
            typer.echo(note)
        typer.echo(f"outcome: {_outcome(data.y, task)}")
    return data


def _outcome(y: Any, task: str | None) -> str:
    """What the target is taken for, and how to take it otherwise where that is possible."""
    from steadyset.task import NUMBER, has_fractions, target_in_words, task_of

    kind = task_of(y, task)
    words = target_in_words(y, kind)
    if task is not None or y.dtype.kind not in "fiu" or has_fractions(y):
        return words
    if kind == NUMBER:
        return f"{words}; --task classes treats them as classes"
    return f"{words}; --task number treats them as a number" if len(set(y.tolist())) > 2 else words


def undefined_policy(text: str) -> Any:
    """The policy that --undefined names."""
    if text in ("nan", "raise"):
        return text
    try:
        return float(text)
    except ValueError:
        raise wrong_argument("undefined", "nan, raise or a number", text) from None


def read_recorded(
    files: Sequence[Path],
    n_features: int | None,
    *,
    data: Path | None,
    target: str | None,
    similarity: Path | None,
    method: str,
    threshold: float,
    transpose: bool | None = None,
    max_gb: float = 8.0,
) -> tuple[list[Selections], FeatureSimilarity | None]:
    """Recorded selections, and the similarity of --data or --similarity, whose features and order the files follow.

    A file that does not say what there was to choose from, such as a long table, takes it from there.
    """
    from steadyset.errors import UndeclaredFeaturesError
    from steadyset.selections import Selections

    if data is not None and similarity is not None:
        raise InputError("--data and --similarity both define the similarity; give one of them.")
    if target is not None and data is None:
        raise InputError("--target names a column of --data, which is not given.")
    found: list[Selections | UndeclaredFeaturesError] = []
    for file in files:
        try:
            found.append(Selections.read(file, n_features=n_features, transpose=transpose, max_gb=max_gb))
        except UndeclaredFeaturesError as error:
            found.append(error)
    told = next((sel for sel in found if isinstance(sel, Selections)), None)
    alike = _load_similarity(told, data, target, similarity, method, threshold, max_gb)
    names = None if alike is None else alike.features
    recorded = []
    for file, one in zip(files, found, strict=True):
        if isinstance(one, UndeclaredFeaturesError):
            if names is None:
                raise InputError(*one.args[:-1], "give --features N, or the data with --data FILE.")
            one = Selections.read(file, names, max_gb=max_gb)
            typer.echo(f"{file}: the {len(names)} features are those of {data or similarity}", err=True)
        recorded.append(one if names is None else _in_order(one, names))
        if transpose is None:
            _offer_transpose(file, recorded[-1])
    return recorded, alike


def _offer_transpose(file: Path, selections: Selections) -> None:
    """Say how a table was read that does not name its rows and has far more of them than columns."""
    from steadyset.io.wide import far_more_runs

    n_runs, n_features = selections.n_runs, selections.n_features
    if file.suffix != ".json" and selections.labels is None and far_more_runs(n_runs, n_features):
        read = f"{file}: read as {n_runs:,} runs of {counted(n_features, 'feature')}"
        typer.echo(f"{read}; if its rows are the features, give --transpose.", err=True)


def _in_order(selections: Selections, names: tuple[str, ...]) -> Selections:
    """The features in the order of `names`; what has other features stays, to be refused with a sentence."""
    from steadyset.io.labels import AppearanceOrder

    used = {selections.features[f] for f in set(selections.indices.tolist())}
    same = set(selections.features) == set(names)
    by_appearance = isinstance(selections.features, AppearanceOrder) and used <= set(names)
    fits = selections.n_features == len(names) and (same or by_appearance)
    return selections.reordered(names) if fits and selections.features != names else selections


def _load_similarity(
    selections: Selections | None,
    data: Path | None,
    target: str | None,
    file: Path | None,
    method: str,
    threshold: float,
    max_gb: float,
) -> FeatureSimilarity | None:
    """The FeatureSimilarity of --data or --similarity, or None; it has to be that of the features selected from."""
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
