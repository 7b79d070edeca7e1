"""Linear and logistic models, and the small dense algebra below them."""
