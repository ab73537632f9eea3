"""The playground: a page on this machine that shows what tokenizers do with a text."""
