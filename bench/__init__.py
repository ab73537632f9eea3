"""Benchmarks as data (`benchmarks.toml`), one adapter an engine, one process a measurement."""
