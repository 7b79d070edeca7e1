"""Recorded selections: the layouts that they have in files, by name, and a room for each kind of them."""

WIDE, LONG, COLUMNS, ROWS = "wide", "long", "columns", "rows"
GMT, GMX, RANKS, IMPORTANCES = "gmt", "gmx", "ranks", "importances"
CELLS, BLOCKS, P_VALUES = "cells", "blocks", "p-values"
CARET, GLMNET, MLR3FSELECT, BORUTA = "caret", "glmnet", "mlr3fselect", "boruta"
R_LAYOUTS = (CARET, GLMNET, MLR3FSELECT, BORUTA)
READ_LAYOUTS = (WIDE, LONG, COLUMNS, ROWS, CELLS, BLOCKS, GMT, GMX, RANKS, IMPORTANCES, P_VALUES, *R_LAYOUTS)
LISTS = (COLUMNS, ROWS, GMT, GMX)
THOSE_NAMES = "universe: those names"
NO_VERDICT = "no verdict: the universe is unknown"
UNKNOWN_UNIVERSE = (
    "The universe is not known, so that the names that were selected count as all features there were. Chance "
    "agreement is then overstated: measures that correct for it, such as nogueira, come out too low (goh too high)"
)
