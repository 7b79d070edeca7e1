"""Selections to click on: small inputs of each kind that the page measures."""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """A title, what is shown by it, and what goes into the form."""

    title: str
    words: str
    first: str
    second: str = ""
    n_features: str = ""


_STEADY = """\
a,b,c,d,e,f,g,h
1,1,1,0,0,0,0,0
1,1,0,1,0,0,0,0
1,1,1,0,0,0,0,0
1,1,1,0,0,0,0,0
1,1,0,0,1,0,0,0
1,1,1,0,0,0,0,0
"""
_UNSTEADY = """\
a,b,c,d,e,f,g,h
1,0,1,0,0,1,0,0
0,1,0,1,0,0,1,0
1,0,0,0,1,0,0,1
0,0,1,1,0,1,0,0
1,1,0,0,0,0,1,0
0,0,1,0,1,0,0,1
"""
_LISTS = """\
run 1,run 2,run 3,run 4
TP53,TP53,BRCA1,TP53
BRCA1,EGFR,TP53,BRCA1
EGFR,BRCA1,KRAS,EGFR
KRAS,MYC,EGFR,PTEN
"""
_LONG = """\
run,feature
1,age
1,glucose
1,bmi
2,age
2,glucose
3,age
3,glucose
3,pressure
4,age
4,bmi
4,glucose
"""
_RANKS = """\
run,age,glucose,bmi,pressure,insulin
1,1,2,3,4,5
2,1,3,2,4,5
3,2,1,3,5,4
4,1,2,3,4,5
"""

EXAMPLES = (
    Example("0/1 matrix", "one row per run, one column per feature", _STEADY),
    Example("Two procedures", "a steady one and an unsteady one, compared", _STEADY, _UNSTEADY),
    Example("Lists of genes", "one column per run, out of 20,000 genes", _LISTS, n_features="20000"),
    Example("Long table", "one row per run and feature, out of 8", _LONG, n_features="8"),
    Example("Ranks", "every feature ranked in every run", _RANKS),
)
