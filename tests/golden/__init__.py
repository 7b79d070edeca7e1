"""Numbers that stay: what steadyset computed on small inputs, recorded so that a change of the house changes none."""
