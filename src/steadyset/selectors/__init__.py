"""Feature selectors in the manner of scikit-learn: fit(X, y, sample_weight), get_support()."""
