"""Certificates: each property of a measure decided by computation, with a counter-example where it fails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from steadyset.certificates.certificate import CLAIMS, Certificate, CounterExample, Verdict, claims_of
from steadyset.certificates.evidence import Evidence
from steadyset.certificates.properties import PROPERTIES, definition
from steadyset.measures.evaluate import chosen_measures
from steadyset.measures.record import Measure, get_measure

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["PROPERTIES", "Certificate", "CounterExample", "Verdict", "certificate_table", "certify", "definition"]


def certify(measure: str | Measure, **measure_params: Any) -> Certificate:
    """Decide the properties of a measure, also of one that you registered.

    Every small collection of sets is tried up to the order of runs and features, then larger ones at random; what a
    random one breaks is made small again. The answer is the same each time. "Holds" means that no counter-example
    was found in what `searched` tells, and "does not hold" comes with a counter-example to check by hand.

    Parameters
    ----------
    measure : str or Measure
        Name, alias or record of the measure.
    **measure_params : Any
        Parameters of the measure, such as ``alpha=1`` for davis.

    Returns
    -------
    Certificate
        A verdict on each property, beside what papers claim.

    Examples
    --------
    >>> import steadyset as st
    >>> verdict = st.certify("wald").properties["maximum"]
    >>> verdict.holds
    False
    >>> print(verdict)
    {0,1} {0} (d=3) has the value 1, the largest of all collections with as many runs and features, but the sets differ.
    """
    record = get_measure(measure).with_params(measure_params)
    if "rankings" in record.needs:
        reason = "the properties are about selected sets, and this measure compares rankings"
        return Certificate(
            record.specification, dict.fromkeys(PROPERTIES, Verdict(None, None, reason)), claims_of(record)
        )
    evidence = Evidence(record)
    return Certificate(
        record.specification,
        {name: evidence.decide(check) for name, check in PROPERTIES.items()},
        claims_of(record),
    )


def certificate_table(measures: str | Sequence[str | Measure] = "all") -> pd.DataFrame:
    """The certificates of many measures beside what papers claim.

    Parameters
    ----------
    measures : str or sequence of str or Measure, default="all"
        Which measures.

    Returns
    -------
    pandas.DataFrame
        One row per measure and property: holds, one column per paper (None: it says nothing), disagrees (the papers
        that say otherwise) and reason.

    Examples
    --------
    >>> import steadyset as st
    >>> table = st.certificate_table(["jaccard", "kuncheva"])
    >>> table["holds"].unstack().loc["kuncheva", ["bounded", "corrected_for_equal_sizes"]].to_dict()
    {'bounded': True, 'corrected_for_equal_sizes': True}
    """
    import pandas as pd

    certificates = [certify(record) for record in chosen_measures(measures)]
    papers = dict.fromkeys([*CLAIMS, *(paper for certificate in certificates for paper in certificate.claims)])
    columns = ["holds", *papers, "disagrees", "reason"]
    return pd.concat({c.measure: c.table().reindex(columns=columns) for c in certificates}, names=["measure"])
