"""`steadyset tune`: from a data file to configurations that are accurate, steady and small, and one of them."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from steadyset.cli import options as shared
from steadyset.cli.assess import progress_bar
from steadyset.cli.interruption import resumable
from steadyset.cli.output import Format, print_rows

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.tuning import Tuning

CHOSEN = "chosen.csv"
NAMED = 20  # features that are named on the screen


def tune(
    file: shared.DataArgument,
    target: shared.TargetColumn,
    space: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE",
            help="What to try: bommert (filters x classifiers), or a json file with filter, fraction, model.",
        ),
    ] = "bommert",
    trials: Annotated[int, typer.Option(metavar="N", help="How many configurations to try.", min=1)] = 200,
    objectives: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="What is wanted: scores (accuracy, auc, ...; r2, rmse), stability, size, time.",
        ),
    ] = "accuracy,stability,size",
    choose: Annotated[
        str,
        typer.Option(
            metavar="RULE[:NUMBER,...]", help="How one is chosen: epsilon, best, one_se, weighted, harmonic, knee."
        ),
    ] = "epsilon:0.025,0.1",
    sampler: Annotated[str, typer.Option(metavar="NAME", help="random, grid, nsga2 or tpe.")] = "random",
    resampling: Annotated[
        str, typer.Option(metavar="NAME[:PARAM=VALUE,...]", help="How the runs are drawn.")
    ] = "kfold:n_splits=10",
    measure: Annotated[
        str, typer.Option(metavar="NAME", help="The stability measure; adjusted ones use Pearson correlations.")
    ] = "nogueira",
    drop: shared.Drop = None,
    keep: shared.Keep = None,
    impute: shared.Impute = None,
    delimiter: shared.Delimiter = None,
    groups: shared.Groups = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", help="Threads; -1 uses every core.")] = -1,
    storage: Annotated[
        str | None, typer.Option(metavar="URL", help="A database that many processes share. Without it: SQLite in DIR.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="The folder. Without it: FILE's name + -tuning.")
    ] = None,
    resume: shared.Resume = False,
    seed: shared.RunSeed = 0,
    form: shared.Form = Format.table,
) -> None:
    """Try configurations on the same resamples and show the best trade-offs of accuracy, stability and size.

    Every finished configuration is kept at once: after Ctrl-C or a power cut, --resume goes on.
    """
    from steadyset.assessment.folder import write_durably
    from steadyset.resampling import resampling_by_name
    from steadyset.tuning import check_rule
    from steadyset.tuning import tune as run_tuning

    check_rule(choose)
    people = form is Format.table
    data = shared.read_data(
        file, target, drop=drop, keep=keep, impute=impute, delimiter=delimiter, groups=groups, people=people
    )
    folder = out if out is not None else Path(f"{file.name.split('.')[0]}-tuning")
    place = folder if storage is None else "the storage"  # whose address may hold a password
    kept = f"the finished configurations are in {place}, and the same command with --resume goes on."
    with resumable(kept) as stop, progress_bar(people, "configurations") as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what failed is told below
        result = run_tuning(
            space,
            data.X,
            data.y,
            features=data.features,
            groups=data.groups,
            objectives=[name.strip() for name in objectives.split(",") if name.strip()],
            n_trials=trials,
            storage=storage,
            sampler=sampler,
            resampling=resampling_by_name(resampling),
            measure=measure,
            out=folder,
            resume=resume or storage is not None,
            n_jobs=jobs,
            random_state=seed,
            progress=stop.between(progress),
        )
    chosen = result.choose(choose)
    print_rows(front_rows(result, chosen), form, title="The Pareto front" if people else "", wide=("parameters",))
    with resumable(kept):
        features = result.features(chosen)
        write_durably(folder / CHOSEN, features.to_csv(index=False).encode())
    if people:
        typer.echo(f"{len(result.frame)} configurations were tried, {len(result.front)} are on the front.")
        for sentence in _left_out(result):
            typer.echo(sentence)
        typer.echo(f"Chosen by {choose}: configuration {chosen}. All of them: {folder / 'trials.csv'}")
        typer.echo(f"{_selected(features)} How often the resamples select them: {folder / CHOSEN}")


def front_rows(result: Tuning, chosen: int) -> list[dict[str, Any]]:
    """The front and the chosen configuration as plain rows: what it is, its objectives, how sure its place is."""
    probability = result.front_probability()
    params = {number: drawn for number, drawn, _ in result.trials}
    values = {number: found for number, _, found in result.trials}
    numbers = list(result.front.index)
    if chosen not in numbers:
        numbers.append(chosen)
    return [
        {
            "configuration": int(number),
            "filter": params[number]["filter"],
            "model": params[number]["model"],
            **{name: float(values[number][name]) for name in result.objectives},
            "on_front": float(probability[number]),
            "parameters": ", ".join(
                f"{name.rpartition('__')[2].rpartition('.')[2]}={_short(value)}"
                for name, value in params[number].items()
                if name not in ("filter", "model")
            ),
            "chosen": "yes" if number == chosen else "",
        }
        for number in numbers
    ]


def _left_out(result: Tuning) -> list[str]:
    """What became of configurations that could not be on the front."""
    frame, said = result.frame, []
    failed = frame["n_features"].isna()
    undefined = int((frame[list(result.objectives)].isna().any(axis=1) & ~failed).sum())
    if failed.any():
        reason = next((text for text in frame.loc[failed, "reason"] if text), "no run was left")
        said.append(f"{int(failed.sum())} failed in every run, the first because {reason.rstrip('.')}.")
    if undefined:
        said.append(f"{undefined} have an undefined objective (such as the stability of selecting everything).")
    return said


def _selected(features: pd.DataFrame) -> str:
    """The features that the chosen configuration selects, the most often selected first."""
    names = features.loc[features["selected"], "feature"].tolist()
    if not names:
        return "On all rows it selects no feature."
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"On all rows it selects {len(names)}: {', '.join(names[:NAMED])}{more}."


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
