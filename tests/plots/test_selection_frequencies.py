"""How often each feature is selected."""

import steadyset as st

RUNS = st.Selections.from_sets([["a", "b"], ["a", "b", "c"], ["a"], ["a", "c"]], features=list("abcde"))
OTHERS = st.Selections.from_sets([["a", "e"], ["e"], ["a", "e"]], features=list("abcde"))


def small():
    return st.plot.selection_frequencies({"lasso": RUNS, "jmi": OTHERS}, top=4, core=0.7)
