"""Arguments of public calls: their types, their checks, and the messages for what is wrong with them."""
