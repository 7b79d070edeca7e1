"""Hostile inputs: whatever comes in, the answer is sound or one sentence, and it comes soon."""
