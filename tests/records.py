"""Options of many tests by name, sorted into the records that assess and tune take; filters without their selector."""

from dataclasses import fields

import steadyset as st
from steadyset.selectors.filters import ranked

RECORDS = {
    st.assess: {"cut": st.Cut, "n_runs": st.AutoRuns, "execution": st.Execution},
    st.tune: {"search": st.SearchOptions, "execution": st.Execution},
}
OF_DATA = ("features", "groups", "task", "impute")


def call(function, what, X, y=None, **options):
    """`function(what, X, y, ...)` where options that belong into a record stand beside the arguments."""
    known = {name: options.pop(name) for name in OF_DATA if name in options}
    for argument, kind in RECORDS[function].items():
        given = {one.name: options.pop(one.name) for one in fields(kind) if one.name in options}
        if given:
            options[argument] = kind(**given)
    return function(what, st.Data(X, y, **known) if known else X, None if known else y, **options)


def scores(name, X, y=None, weights=None, **options):
    """The scores of a filter: one row per resample."""
    return ranked(name, X, y, weights, **options).scores


def top_features(name, X, y=None, weights=None, *, k, **options):
    """The best features of each resample by a filter, best first."""
    return ranked(name, X, y, weights, k=k, **options).best(k)
