"""Which reader a file of data needs, by its content and by what was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from steadyset.foundation.errors import Argument, InputError, MissingTargetError
from steadyset.io.data.joined import join_own_header, join_series, join_table
from steadyset.io.data.phenotypes import Phenotypes, read_phenotypes
from steadyset.io.data.plain_tables import possible_columns, read_plain, read_transposed
from steadyset.io.data.sources import Roles, Source, candidate_counts
from steadyset.io.files import File
from steadyset.io.formats.columns import Columns
from steadyset.io.formats.h5ad import read_h5ad
from steadyset.io.formats.record import PACKED, annotated_format, format_of
from steadyset.io.formats.series_matrix import read_series_matrix
from steadyset.io.formats.tables import TableFile


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

    @property
    def table(self) -> TableFile:
        """The file as one that holds a table."""
        return TableFile(self.path, self.delimiter, self.sheet, self.max_gb)

    def known(self) -> Phenotypes | None:
        """What the file of samples knows of them, if there is one."""
        if self.samples is None:
            return None
        known = read_phenotypes(self.samples, sheet=self.samples_sheet, max_gb=self.max_gb)
        return known.turned(self.roles.names) if self.roles.names else known

    def refuse(self, what: str, *arguments: str) -> None:
        """Refuse arguments that mean nothing for a file of this kind."""
        for name in arguments:
            if getattr(self, name) is not None:
                raise InputError(f"{self.path} is {what}, for which ", Argument(name), " means nothing; leave it out.")


def read_source(asked: Asked, drop: Sequence[str], keep: Sequence[str]) -> Source:
    """The data of a file, as one of the readers understands it."""
    path, roles = asked.path, asked.roles
    if roles.groups in roles.targets:
        raise InputError(f"{roles.groups!r} is the target and cannot name the groups too.")
    if asked.samples is None and asked.samples_sheet is not None:
        raise InputError(Argument("samples_sheet"), " belongs to ", Argument("samples"), ", which is not given.")
    inner = format_of(PurePath(path.name).stem) if path.suffix == PACKED else None
    if inner is not None and inner.load is not None and not inner.text:
        raise InputError(f"{path} is compressed as a whole; unpack it first.")
    annotated = annotated_format(path)
    if annotated is not None and annotated.load is not None:
        return annotated.load(asked)
    asked.refuse("no .h5ad file", "layer")
    known = asked.known()
    if known is not None and asked.samples is not None:
        return join_table(asked.table.columns(), known, path, asked.samples, roles, transpose=asked.transpose)
    return read_transposed(asked.table, roles) if asked.transpose else read_plain(asked.table, roles, drop, keep)


def load_h5ad(asked: Asked) -> Source:
    """The values and samples of an AnnData file."""
    asked.refuse("an .h5ad file", "samples", "transpose", "sheet", "delimiter")
    return read_h5ad(asked.path, asked.roles, layer=asked.layer, max_gb=asked.max_gb)


def load_series(asked: Asked) -> Source:
    """The values of a series matrix of GEO, whose samples its own header or another file knows."""
    asked.refuse("no .h5ad file", "layer")
    asked.refuse("a series matrix of GEO", "sheet", "delimiter")
    if asked.transpose is False:
        raise InputError(
            f"{asked.path} has genes in rows, as every series matrix; leave out ", Argument("transpose"), "."
        )
    source, header = read_series_matrix(asked.path, asked.max_gb)
    known = asked.known()
    if known is None or asked.samples is None:
        return join_own_header(source, Phenotypes.of_series(header), asked.path, asked.roles)
    return join_series(source, known, asked.path, asked.samples, asked.roles)


def table_of(asked: Asked) -> Columns | None:
    """The table of a file that holds everything in rows and columns; None for the others."""
    apart = asked.samples is not None or asked.transpose or annotated_format(asked.path) is not None
    return None if apart else asked.table.columns()


def possible_targets(asked: Asked, table: Columns | None) -> tuple[dict[str, int], str]:
    """The columns that may be predicted, with their numbers of distinct values, and the layout of the file in words."""
    if table is not None:
        return candidate_counts(possible_columns(table)), "one row per observation"
    try:
        read_source(asked, (), ())
    except MissingTargetError as error:
        found = dict(error.candidates)
    return found, "one column per observation" if asked.transpose else "values, and what is known of the samples"
