"""Looking at tokenizers: comparisons, findings, sizes, pages for a browser."""
