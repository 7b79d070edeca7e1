"""Which features are similar."""
