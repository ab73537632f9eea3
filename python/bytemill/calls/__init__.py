"""What a tokenizer can do beside encoding and decoding texts, a file for each kind of thing it is done with."""
