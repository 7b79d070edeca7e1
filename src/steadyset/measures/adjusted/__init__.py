"""The measures of pairs of sets that count similar features as alike: their scores, and the object of the family."""
