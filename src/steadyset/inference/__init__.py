"""How sure a stability is: intervals, tests, comparisons, planning, and where instability comes from."""
