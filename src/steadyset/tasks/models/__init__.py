"""Models that tasks need and scikit-learn lacks; imported when the first is made."""
