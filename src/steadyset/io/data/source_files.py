"""Which reader a file of data needs, by its content and by what was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steadyset.foundation.errors import Argument, InputError, MissingTargetError
from steadyset.io.data.joined import join_own_header, join_series, join_table
from steadyset.io.data.phenotypes import Phenotypes, read_phenotypes
from steadyset.io.data.plain_tables import possible_columns, read_plain, read_transposed
from steadyset.io.data.sources import Roles, Source, candidate_counts
from steadyset.io.files import File
from steadyset.io.formats.columns import Columns
from steadyset.io.formats.h5ad import read_h5ad
from steadyset.io.formats.series_matrix import is_series_matrix, read_series_matrix
from steadyset.io.formats.tables import read_columns


@dataclass(frozen=True)
class Asked:
    """The file, and how it is to be understood; None where nobody said."""

    path: File
    roles: Roles
    samples: File | None
    transpose: bool | None
    sheet: str | int | None
    samples_sheet: str | int | None
    layer: str | None
    delimiter: str | None
    max_gb: float


def read_source(asked: Asked, drop: Sequence[str], keep: Sequence[str]) -> Source:
    """The data of a file, as one of the readers understands it."""
    path, roles = asked.path, asked.roles
    if roles.groups in roles.targets:
        raise InputError(f"{roles.groups!r} is the target and cannot name the groups too.")
    if asked.samples is None and asked.samples_sheet is not None:
        raise InputError(Argument("samples_sheet"), " belongs to ", Argument("samples"), ", which is not given.")
    if path.name.lower().endswith(".h5ad.gz"):
        raise InputError(f"{path} is compressed as a whole; unpack it first.")
    if path.suffix == ".h5ad":
        _refuse_unused(asked, "an .h5ad file", "samples", "transpose", "sheet", "delimiter")
        return read_h5ad(path, roles, layer=asked.layer, max_gb=asked.max_gb)
    _refuse_unused(asked, "no .h5ad file", "layer")
    if is_series_matrix(path):
        _refuse_unused(asked, "a series matrix of GEO", "sheet", "delimiter")
        return _from_series(asked)
    if asked.samples is not None:
        known = _known(asked, asked.samples)
        table = read_columns(path, delimiter=asked.delimiter, sheet=asked.sheet, max_gb=asked.max_gb)
        return join_table(table, known, path, asked.samples, roles, transpose=asked.transpose)
    if asked.transpose:
        return read_transposed(path, roles, sheet=asked.sheet, delimiter=asked.delimiter, max_gb=asked.max_gb)
    return read_plain(path, roles, drop, keep, sheet=asked.sheet, delimiter=asked.delimiter, max_gb=asked.max_gb)


def table_of(asked: Asked) -> Columns | None:
    """The table of a file that holds everything in rows and columns; None for the others."""
    if asked.path.suffix == ".h5ad" or asked.samples is not None or asked.transpose or is_series_matrix(asked.path):
        return None
    return read_columns(asked.path, delimiter=asked.delimiter, sheet=asked.sheet, max_gb=asked.max_gb)


def possible_targets(asked: Asked, table: Columns | None) -> tuple[dict[str, int], str]:
    """The columns that may be predicted, with their numbers of distinct values, and the layout of the file in words."""
    if table is not None:
        return candidate_counts(possible_columns(table)), "one row per observation"
    try:
        read_source(asked, (), ())
    except MissingTargetError as error:
        found = dict(error.candidates)
    return found, "one column per observation" if asked.transpose else "values, and what is known of the samples"


def _from_series(asked: Asked) -> Source:
    if asked.transpose is False:
        raise InputError(
            f"{asked.path} has genes in rows, as every series matrix; leave out ", Argument("transpose"), "."
        )
    source, header = read_series_matrix(asked.path, asked.max_gb)
    if asked.samples is None:
        return join_own_header(source, Phenotypes.of_series(header), asked.path, asked.roles)
    return join_series(source, _known(asked, asked.samples), asked.path, asked.samples, asked.roles)


def _known(asked: Asked, samples: File) -> Phenotypes:
    known = read_phenotypes(samples, sheet=asked.samples_sheet, max_gb=asked.max_gb)
    names = asked.roles.names
    return known.turned(names) if names else known


def _refuse_unused(asked: Asked, what: str, *arguments: str) -> None:
    """Arguments that mean nothing for a file of this kind."""
    for name in arguments:
        if getattr(asked, name) is not None:
            raise InputError(f"{asked.path} is {what}, for which ", Argument(name), " means nothing; leave it out.")
