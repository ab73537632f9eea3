"""Training data: token files written and read, and how many tokens there will be."""
