"""The archive that a workbook is: what it unpacks to is known, and bearable, before its cells are read.

An .xlsx or .ods file is a zip archive of XML. The reader of workbooks gets a copy that holds what the directory of the
archive claims, checked, so that no entry unpacks to more than that.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

from steadyset.errors import InputError
from steadyset.io.limits import refuse_size

ZIP = b"PK\x03\x04"
BULKY = (".png", ".jpg", ".jpeg", ".gif", ".emf", ".wmf", ".svg", ".tif", ".tiff", ".bmp", ".mp4")  # never read


def checked_archive(path: Path, max_gb: float) -> bytes:
    """The content of a workbook, unpacked where it is an archive."""
    content = path.read_bytes()
    if not content.startswith(ZIP):  # .xls is not compressed
        return content
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            return _unpacked(path, packed, max_gb)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is not a readable workbook: {error}; save it again as .xlsx or .csv.") from None


def _unpacked(path: Path, packed: zipfile.ZipFile, max_gb: float) -> bytes:
    entries = [entry for entry in packed.infolist() if not entry.filename.lower().endswith(BULKY)]
    refuse_size(path, sum(entry.file_size for entry in entries), max_gb)
    copy = io.BytesIO()
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_STORED) as plain:
        for entry in entries:
            plain.writestr(entry.filename, packed.read(entry))
    return copy.getvalue()
