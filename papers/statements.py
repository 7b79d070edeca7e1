"""The theorems, lemmas, corollaries, properties and proofs of the papers: which items judge them.

`docs/properties.md` lists their claims with page and verdict; a new item of statements is named here.
"""

from __future__ import annotations

STATEMENTS: dict[str, tuple[str, ...]] = {
    "nogueira-2018": ("theorems", "lemmas", "appendix-B", "appendix-B.5"),
    "nogueira-brown-2016": (
        "theorem-1",
        "theorem-2",
        "theorem-3",
        "equation-3",
        "section-3.2",
        "section-4",
        "section-4.1",
    ),
    "bommert-2020": ("section-3.3.2", "appendix-B.1", "appendix-B.2", "appendices-B.3-to-B.5"),
    "hamer-dupont-2021": ("section-5", "sections-2-and-3"),
    "sen-mandal-chakraborty": ("sections-3-and-4", "section-5.1"),
}
