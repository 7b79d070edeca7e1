"""Whether another study would select the same features: pairs of disjoint parts of the rows, and what follows."""
