"""What a certificate says: one verdict per property, with a counter-example to check by hand, and what papers claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from steadyset.foundation.display import Display, Shown, Table, Words
from steadyset.foundation.text import counted, listed
from steadyset.measures.record import Measure
from steadyset.selections import Selections
from steadyset.similarity import FeatureSimilarity

if TYPE_CHECKING:
    import pandas as pd


MARKS = {True: "yes", False: "no", None: "-"}


@dataclass(frozen=True)
class CounterExample:
    """Collections that break a property, what the measure says of each, and one sentence that says why.

    `values[c]` is the value of `selections[c]`; for a property of random selection it is the mean over all
    collections with these sizes. `similarities[c]` goes with it for measures that need one.
    """

    selections: tuple[Selections, ...]
    values: tuple[float, ...]
    sentence: str
    similarities: tuple[FeatureSimilarity, ...] = ()

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Verdict:
    """Whether a property holds (None: it does not apply), a counter-example if not, and what was searched."""

    holds: bool | None
    counterexample: CounterExample | None = None
    searched: str = ""

    def __str__(self) -> str:
        if self.counterexample is not None:
            return str(self.counterexample)
        return self.searched


@dataclass(frozen=True)
class Certificate(Shown):
    """The verdicts on one measure, beside what papers claim of it: what `certify` answers.

    Attributes
    ----------
    measure : str
        The name of the measure.
    properties : Mapping
        A verdict by property: whether it `holds`, and what was searched or a counter-example.
    claims : Mapping
        What papers claim, by paper and property.

    Examples
    --------
    >>> import steadyset as st
    >>> certificate = st.certify("jaccard")
    >>> [name for name, verdict in certificate.properties.items() if not verdict.holds][:3]
    ['defined_at_limits', 'defined_by_convention', 'monotone_in_total']
    """

    measure: str
    properties: Mapping[str, Verdict]
    claims: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)

    def disagreements(self) -> dict[str, tuple[str, ...]]:
        """Where papers say otherwise than the verdicts.

        Returns
        -------
        dict
            By property, the papers that disagree.
        """
        found = {
            name: tuple(paper for paper, said in self.claims.items() if said.get(name, verdict.holds) != verdict.holds)
            for name, verdict in self.properties.items()
            if verdict.holds is not None
        }
        return {name: papers for name, papers in found.items() if papers}

    def table(self) -> pd.DataFrame:
        """The verdicts as a frame.

        Returns
        -------
        pandas.DataFrame
            One row per property: holds, what each paper says (None: nothing), who disagrees, and the reason.
        """
        import pandas as pd

        disagree = self.disagreements()
        rows = {
            name: {
                "holds": verdict.holds,
                **{paper: said.get(name) for paper, said in self.claims.items()},
                "disagrees": ", ".join(disagree.get(name, ())),
                "reason": str(verdict),
            }
            for name, verdict in self.properties.items()
        }
        return pd.DataFrame.from_dict(rows, orient="index", dtype=object).rename_axis("property")

    def __repr__(self) -> str:
        return f"Certificate({self.measure})"

    def _display(self) -> Display:
        """What is shown: the properties that do not hold, or of which a paper says otherwise, and why."""
        disagree = self.disagreements()
        told = {name: one for name, one in self.properties.items() if one.holds is False or name in disagree}
        rows = [
            (_spoken(name), MARKS[one.holds], ", ".join(disagree.get(name, ())), Words(str(one)))
            for name, one in told.items()
        ]
        others = {
            "Holds": [_spoken(name) for name, one in self.properties.items() if one.holds and name not in told],
            "Does not apply": [_spoken(name) for name, one in self.properties.items() if one.holds is None],
        }
        known = [one.holds for one in self.properties.values() if one.holds is not None]
        summary = f"{self.measure}, {sum(known)} of {counted(len(known), 'property', 'properties')} hold"
        notes = [f"{words}: {listed(names)}." for words, names in others.items() if names]
        header = ("property", "holds", "otherwise in", "why")
        return Display("Certificate", summary, tables=[Table(header, rows)], notes=notes)


def _spoken(name: str) -> str:
    return name.replace("_", " ")


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
    10000110 sechidis sechidis_thresholded
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

CLAIMS: Mapping[str, Claims] = {"nogueira_2018": NOGUEIRA_2018, "bommert_2020": BOMMERT_2020, "sen_2021": SEN_2021}
