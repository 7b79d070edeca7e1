"""From data to a list of features with a stated error: see `steadyset.shortlists.standing` for how it is judged."""
