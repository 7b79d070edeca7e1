"""What papers say about the properties of measures, as data: the certificates put it beside what is computed."""

from __future__ import annotations

from collections.abc import Mapping

from steadyset.measures.record import Measure

Claims = Mapping[str, Mapping[str, bool]]


def claims_of(measure: Measure) -> Claims:
    """By paper and property, what is claimed of a measure; a record may bring its own claims."""
    if measure.claims:
        return measure.claims
    name = "davis_alpha" if measure.name == "davis" and measure.params["alpha"] > 0 else measure.name
    return {paper: claims[name] for paper, claims in CLAIMS.items() if name in claims}


def _table(columns: str, rows: str) -> dict[str, dict[str, bool]]:
    """One row per kind of measure: its ticks as 1 and 0, then the names that share them."""
    claims: dict[str, dict[str, bool]] = {}
    for row in rows.strip().splitlines():
        ticks, *names = row.split()
        said = {column: tick == "1" for column, tick in zip(columns.split(), ticks, strict=True)}
        claims.update(dict.fromkeys(names, said))
    return claims


# Table 4.1; the last row is chapter 5, which says that the new measure has all five.
NOGUEIRA_2018 = _table(
    "fully_defined monotone bounded maximum corrected",
    """
    11110 hamming jaccard dice ochiai pog
    01111 kuncheva
    11101 lustgarten
    11001 wald
    11011 npog
    10100 goh davis davis_alpha
    00010 krizek
    00111 guzman
    11100 somol
    01110 lausser
    11111 nogueira
    """,
)

# Table 6.1
BOMMERT_2020 = _table(
    "fully_defined monotone corrected bounded maximum adjusted adjusted_monotone maximum_for_equal_sizes",
    """
    11011011 jaccard dice ochiai hamming novovicova
    11110010 lustgarten wald
    11111011 unadjusted kappa phi nogueira
    10011001 davis
    10010000 davis_alpha
    11010010 somol
    10010111 zucknick
    10000110 sechidis
    10100110 yu
    10100111 intersection_mbm intersection_greedy intersection_count intersection_mean
    """,
)

# Table 1 of the paper on the corrected Lustgarten measure, and its text, which gives that measure every property.
SEN_2021 = _table(
    "fully_defined bounded extremes monotone corrected symmetric",
    """
    111101 jaccard dice ochiai hamming
    111100 pog
    011111 kuncheva
    110111 lustgarten
    101111 wald
    101110 npog
    111111 nogueira_brown corrected_lustgarten
    """,
)

CLAIMS: Mapping[str, Claims] = {
    "nogueira_2018": NOGUEIRA_2018,
    "bommert_2020": BOMMERT_2020,
    "sen_2021": SEN_2021,
}
