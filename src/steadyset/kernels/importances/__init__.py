"""How alike runs weigh and rank the features."""
