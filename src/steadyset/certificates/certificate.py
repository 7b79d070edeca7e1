"""What a certificate says: one verdict per property, with a counter-example that can be checked by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from steadyset.foundation.display import Display, Shown, Table, Words
from steadyset.foundation.text import counted, listed
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
    >>> [name for name, verdict in certificate.properties.items() if not verdict.holds]
    ['defined_at_limits', 'monotone_in_total', 'corrected', 'corrected_for_equal_sizes', 'adjusted']
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
