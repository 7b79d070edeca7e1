"""What sets of features share, exactly and under random selection."""
