"""The table of features as a finding: its best rows, and how many more there are."""

from __future__ import annotations

from collections.abc import Iterable

from steadyset.assessment import Assessment
from steadyset.findings.parts import FeatureRows
from steadyset.foundation.text import shown_name
from steadyset.inference.feature_table import FeatureBlock

MOST_ROWS = 100  # of each block; the table itself has all


def rows_of(blocks: Iterable[FeatureBlock]) -> tuple[FeatureRows, ...]:
    """The first rows of each block."""
    return tuple(
        FeatureRows(block.name, tuple(block.rows(MOST_ROWS)), max(0, len(block.order) - MOST_ROWS)) for block in blocks
    )


def table_notes(assessment: Assessment) -> list[str]:
    """By which rule models select, what the table lacks, and why."""
    said = [f"{shown_name(name)} is a model: selected are {rule}." for name, rule in assessment.rules.items()]
    said += [
        f"The fit of {shown_name(name)} on all rows failed: {shown_name(cell.failure)}."
        for name, cell in assessment.on_all_rows.items()
        if cell.selected is None
    ]
    alike = assessment.alike
    if alike is None and assessment.path is not None:
        said.append("The run folder does not say which features are alike; resuming the assessment adds it.")
    if alike is not None and alike.note:
        said.append(f"Alike features: {alike.note}.")
    return said
