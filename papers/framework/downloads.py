"""Data sets from OpenML, as the papers use them, each verified before it is kept.

data_sets.json says for each set its number on OpenML, what has to be done to have the set of the papers, and how it is
recognised (`papers.framework.data_sets`). OpenML gives the checksum of each file, which scikit-learn verifies.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import URLError

from papers.framework.data_sets import TARGET, MissingDataError, downloads_folder, known_sets, what_differs
from steadyset import InputError

if TYPE_CHECKING:
    import pandas as pd

SERVICE = "OpenML"
MISSING = "?"  # a missing value among codes
RETRIES, PAUSE = 2, 1.0  # after how many seconds


def download(name: str) -> Path:
    """Download a data set, verify and keep it; one that is kept already is not asked for again."""
    file = downloads_folder() / f"{name}.parquet"
    if file.is_file():
        return file
    record = known_sets().get(name, {})
    if "openml" not in record:
        raise MissingDataError(f"{SERVICE} is not known to have the data of {name}; put {name}.parquet into a folder.")
    frame = as_published(_fetched(name, record["openml"]), record)
    if why := what_differs(frame, record):
        raise MissingDataError(f"What {SERVICE} has as {name} is not the set of the papers: {why}.")
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    frame.to_parquet(beside)
    beside.replace(file)
    return file


def _fetched(name: str, number: int) -> pd.DataFrame:
    """The set as OpenML has it, the target last."""
    from sklearn.datasets import fetch_openml

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a request is made again, that an old version is asked for
            found = fetch_openml(
                data_id=number,
                as_frame=True,
                data_home=downloads_folder(),
                parser="auto",
                n_retries=RETRIES,
                delay=PAUSE,
            )
    except (URLError, TimeoutError, ConnectionError) as error:
        why = getattr(error, "reason", error)
        raise InputError(
            f"{SERVICE} cannot be reached for the data of {name}: {why}; give a folder with --data."
        ) from None
    except (ValueError, OSError) as error:  # OpenML's own error, and a checksum that does not fit
        raise MissingDataError(f"The data of {name} cannot be had from {SERVICE}: {error}") from None
    return found.data.assign(**{TARGET: found.target})  # type: ignore[no-any-return]


def as_published(raw: pd.DataFrame, record: Mapping[str, Any]) -> pd.DataFrame:
    """The set as the papers use it: some classes or rows only, words as numbers, without constant columns."""
    import pandas as pd

    frame = raw
    if "classes" in record:
        frame = frame[frame[TARGET].astype(str).isin(record["classes"])]
    if "largest_classes" in record:
        frame = frame[frame[TARGET].isin(frame[TARGET].value_counts().index[: record["largest_classes"]])]
    if "first_rows" in record:
        frame = frame.iloc[: record["first_rows"]]
    X = frame.drop(columns=TARGET).apply(_numbers, codes=record.get("codes"))
    if record.get("drop_constant"):
        X = X.loc[:, X.nunique() > 1]
    y = frame[TARGET]
    target = y.astype(float) if record.get("task") == "number" else y.astype(str)
    return pd.concat([X, target.rename(TARGET)], axis=1).reset_index(drop=True)


def _numbers(column: pd.Series, codes: Mapping[str, float] | None) -> pd.Series:
    """A column as numbers: words by given codes, else as they read, else by their alphabetical places."""
    import pandas as pd

    if codes is not None and not pd.api.types.is_numeric_dtype(column):
        return column.astype(object).where(column.notna(), MISSING).map(codes).astype(float)
    read = pd.to_numeric(column.astype(object), errors="coerce")
    if bool((read.isna() & column.notna()).any()):
        places = {word: place for place, word in enumerate(sorted(column.dropna().astype(str).unique()))}
        return column.astype(str).map(places).astype(float)
    return read.astype(float)
