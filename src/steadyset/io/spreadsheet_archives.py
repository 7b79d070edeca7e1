"""The archive that a workbook is: what it unpacks to is known, and bearable, before its cells are read.

An .xlsx or .ods file is a zip archive of XML. The reader of workbooks gets a copy that holds what the directory of the
archive claims, checked, so that no entry unpacks to more than that.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from steadyset.foundation.errors import InputError
from steadyset.io.limits import first_line, refuse_claim, refuse_size
from steadyset.io.spreadsheet_extents import ods_extent, shared_texts, xlsx_extent
from steadyset.io.text_forms import OLE, ZIP

PARTS = (".xml", ".rels")  # the others are pictures, macros and settings of printers
ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
MIMETYPE, ODS_CONTENT = "mimetype", "content.xml"
XLSX_TEXTS = "xl/sharedstrings.xml"


class Archive(NamedTuple):
    """A workbook as the reader of workbooks gets it, and the parts that it was packed from, if it was."""

    content: bytes
    parts: Mapping[str, bytes]


def checked_archive(path: Path, max_gb: float) -> Archive:
    """The content of a workbook, unpacked where it is an archive."""
    refuse_size(path, path.stat().st_size, max_gb)
    content = path.read_bytes()
    if content.startswith(OLE) and ENCRYPTED in content:
        raise InputError(f"{path} is protected by a password; save it without one.")
    if not content.startswith(ZIP):  # .xls is not compressed
        return Archive(content, {})
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            parts = _unpacked(path, packed, max_gb)
    # zipfile raises NotImplementedError for ways of packing that it does not know, RuntimeError for passwords.
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(
            f"{path} is not a readable workbook: {first_line(error)}; save it again as .xlsx or .csv."
        ) from None
    _refuse_extents(path, parts, max_gb)
    return Archive(_packed_again(parts), parts)


def _unpacked(path: Path, packed: zipfile.ZipFile, max_gb: float) -> dict[str, bytes]:
    entries = [
        entry for entry in packed.infolist() if entry.filename.lower().endswith(PARTS) or entry.filename == MIMETYPE
    ]
    # The copy takes as much again.
    refuse_size(path, 2 * sum(entry.file_size for entry in entries), max_gb)
    return {entry.filename: packed.read(entry) for entry in entries}


def _refuse_extents(path: Path, parts: Mapping[str, bytes], max_gb: float) -> None:
    texts = [length for name, part in parts.items() if name.lower() == XLSX_TEXTS for length in shared_texts(part)]
    for name, part in parts.items():  # a sheet may be in any part
        if b"\0" in part[:4]:
            raise InputError(f"{path} is not a readable workbook: {name} is not UTF-8; save it again as .xlsx or .csv.")
        if b"<!ENTITY" in part:  # texts that unfold to others, which no spreadsheet program writes
            raise InputError(f"{path} defines entities in {name}, which are not read; it is forged.")
        extent = ods_extent(part) if name == ODS_CONTENT else xlsx_extent(part, texts, max_gb * 2**30)
        refuse_claim(path, extent.n_rows, extent.n_columns)
        refuse_size(path, extent.n_bytes, max_gb)


def _packed_again(parts: Mapping[str, bytes]) -> bytes:
    copy = io.BytesIO()
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as plain:
        for name, part in parts.items():
            plain.writestr(name, part)
    return copy.getvalue()
