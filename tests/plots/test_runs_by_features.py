"""Which run selected what."""

import steadyset as st

RUNS = st.Selections.from_sets([["a", "b"], ["c"], ["a", "b", "c"], [], ["a", "c"]], features=list("abcde"))


def small():
    return st.plot.runs_by_features(RUNS)
