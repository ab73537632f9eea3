"""The interfaces of others, for code that was written for them."""
