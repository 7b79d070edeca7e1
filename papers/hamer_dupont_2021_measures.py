"""The measures that Hamer and Dupont 2021 compare, under the names of the paper."""

from __future__ import annotations

from typing import Any

from steadyset import FeatureSimilarity, Selections, stability

PAPER = "hamer-dupont-2021"
OPTIONS: dict[str, dict[str, Any]] = {"phi_S": {"thresholded": False}}
MEASURES = {"phi": "nogueira", "phi_S": "sechidis", "phi_msi": "msi", "phi_pears": "pearson", "POGR": "pogr"}


def measured(selections: Selections, similar: FeatureSimilarity) -> dict[str, float]:
    """All of them; phi_S counts every similarity, POGR those from the threshold of `similar`."""
    return {
        name: stability(selections, measure, similarity=similar, **OPTIONS.get(name, {}))
        for name, measure in MEASURES.items()
    }
