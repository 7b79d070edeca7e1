"""Formulas of which an Excel file holds no result, because no spreadsheet program has computed them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from xml.etree import ElementTree

WORKBOOK, RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
UNCALCULATED = re.compile(
    rb"<c\s[^>]*?r=\"([A-Z]+[0-9]+)\"[^>]*>\s*<f(?:\s[^>]*)?(?:/>|>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>"
)


def uncalculated(parts: Mapping[str, bytes], sheet: str) -> list[str]:
    """The cells of a sheet with a formula but no value."""
    part = parts.get(_part(parts, sheet), b"")
    return [cell.decode() for cell in UNCALCULATED.findall(part)] if b"<f" in part else []


def _part(parts: Mapping[str, bytes], sheet: str) -> str:
    """Where in the archive a sheet is; nowhere, if the archive is no Excel file or does not say."""
    try:
        sheets = ElementTree.fromstring(parts[WORKBOOK]).iter()
        relations = ElementTree.fromstring(parts[RELATIONS]).iter()
    except (LookupError, ValueError, ElementTree.ParseError):
        return ""
    identity = next((one.get(RELATION_ID) for one in sheets if one.get("name") == sheet and one.get(RELATION_ID)), None)
    target = next((one.get("Target", "") for one in relations if one.get("Id") == identity), "")
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(posixpath.join("xl", target))
