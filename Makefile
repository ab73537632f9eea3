# Everything needs only Python >= 3.10, Rust and make; what else is needed goes into .venv, which git ignores.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell git ls-files --cached --others --exclude-standard 'crates/**' 'python/**' Cargo.toml Cargo.lock pyproject.toml 2>/dev/null)
export BYTEMILL_SHARED ?= ../shared

.DEFAULT_GOAL := help
.PHONY: help build demo test test-rust test-python lint format differential matrix bench bench-check report code-report sentencepiece-report tables clean docs pictures

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "maturin>=1.9,<2" "numpy>=1.23" "click>=8.1" "rich>=13"

$(VENV)/.built: $(BIN)/python $(SOURCES)
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --quiet
	@touch $@

$(VENV)/.tools: $(BIN)/python requirements-test.txt bench/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-test.txt -r bench/requirements.txt
	@touch $@

build: $(VENV)/.built ## compile the core and install the package into .venv

demo: $(VENV)/.built ## train on text found on this machine, encode it, show the result
	@$(BIN)/bytemill demo

test: test-rust test-python ## every test that needs no shared models or corpora

test-rust:
	cargo test --quiet --workspace

test-python: $(VENV)/.built $(VENV)/.tools
	$(BIN)/python -m pytest -q -m "not shared"

differential: $(VENV)/.built $(VENV)/.tools ## compare with the other libraries on the shared corpora, a sample of each
	$(BIN)/python -m pytest -q -m shared

matrix: $(VENV)/.built $(VENV)/.tools ## the rest of them, all code points and longer strings, and write docs/matrix.md
	BYTEMILL_MATRIX=full $(BIN)/python -m pytest -q tests/differential
	$(BIN)/python -m tests.differential.matrix > docs/matrix.md

lint: $(VENV)/.built $(VENV)/.tools ## formatting, warnings and types
	cargo fmt --all --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest bytemill._core --ignore-disjoint-bases

format: $(VENV)/.tools ## format everything
	cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.built $(VENV)/.tools ## run all benchmarks (long) into bench/record/local
	$(BIN)/python -m bench.run

bench-check: $(VENV)/.built $(VENV)/.tools ## compare the ids of every engine in every benchmark; no timing
	$(BIN)/python -m bench.run --check

report: $(VENV)/.tools ## write the pages, charts and README numbers about speed from bench/record
	$(BIN)/python -m bench.report

code-report: $(VENV)/.built $(VENV)/.tools ## write docs/code-report.md: vocabularies, other opinions and speed on source code
	$(BIN)/python -m bench.code > docs/code-report.md

sentencepiece-report: $(VENV)/.built $(VENV)/.tools ## write docs/sentencepiece-report.md: models trained here and by sentencepiece
	$(BIN)/python -m bench.sentencepiece_quality > docs/sentencepiece-report.md

tables: $(VENV)/.tools ## probe the Unicode classes of the tokenizers library again, and make what follows from them
	$(BIN)/python crates/bytemill/tables/probe.py
	$(BIN)/python crates/bytemill/tables/properties.py
	$(BIN)/python crates/bytemill/tables/scripts.py
	$(BIN)/python crates/bytemill/tables/folds.py
	cargo test --quiet -p bytemill --lib the_maps_are_written_again -- --ignored

clean: ## remove everything that was built
	rm -rf target $(VENV) site .cache
	find . -name __pycache__ -prune -exec rm -rf {} +

$(VENV)/.docs: $(BIN)/python requirements-docs.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-docs.txt
	@touch $@

docs: $(VENV)/.built $(VENV)/.docs ## build the documentation site into site/; a broken link is an error
	$(BIN)/zensical build --clean --strict
	$(BIN)/python -m tests.docs.offline site

pictures: $(VENV)/.built ## draw the tokens of docs/assets/tokens.svg again
	$(BIN)/python -m bench.tokens_picture
