# Everything needs only Python >= 3.10, Rust and make; what else is needed goes into .venv, which git ignores.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Compiled on import: most of the modules that come along are never imported.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
SOURCES := $(shell git ls-files --cached --others --exclude-standard 'crates/**' 'python/**' Cargo.toml Cargo.lock pyproject.toml 2>/dev/null)
export BYTEMILL_SHARED ?= ../shared
# The oldest C library that Rust's own library works with.
MANYLINUX ?= manylinux_2_17

# Tests share nothing but the processor, which many of them leave idle while they wait for a process of theirs.
PYTEST := $(BIN)/python -m pytest -q
PYTEST_PARALLEL := $(PYTEST) --numprocesses auto --maxprocesses 8 --dist worksteal

# What needs packages of its own has its own target.
LIGHT := not data and not web and not ray and not spark and not xgrammar

.DEFAULT_GOAL := help
.PHONY: help build release demo test test-rust test-python test-long test-all test-originals test-data test-web test-ray test-spark test-xgrammar test-transformers test-wheel test-interpreters test-freethreaded test-aarch64 test-musl test-valgrind package wheel fuzz campaign audit lint lint-workflows format differential matrix bench bench-check report code-report textbook-report sentencepiece-report surgery-report parts-report nanoseconds-report tables clean docs pictures

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) "maturin>=1.9,<2"

# One package is installed in .venv, of one of two builds; `.release` is there while it is the release build.
$(VENV)/.built: $(BIN)/python $(SOURCES)
	@rm -f $(VENV)/.release
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --profile quick --quiet
	@touch $@

$(VENV)/.release: $(BIN)/python $(SOURCES)
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --release --quiet
	@touch $(VENV)/.built $@

$(VENV)/.tools: $(BIN)/python requirements-test.txt bench/requirements.txt
	$(PIP) -r requirements-test.txt -r bench/requirements.txt
	@touch $@

$(VENV)/.linters: $(BIN)/python requirements-lint.txt
	$(PIP) -r requirements-lint.txt
	@touch $@

build: $(VENV)/.built ## compile the core, quickly, and install the package into .venv
release: $(VENV)/.release ## the same with the optimisations of a release, as the benchmarks need it

demo: $(VENV)/.built ## train on text found on this machine, encode it, show the result
	@$(BIN)/bytemill demo

test: test-rust test-python ## every behaviour once: what needs no shared models or corpora and ends in minutes

test-rust: export PROPTEST_CASES ?= 24
test-rust:
	cargo test --quiet --workspace

test-python: $(VENV)/.built $(VENV)/.tools
	$(PYTEST_PARALLEL) -m "not shared and not long and $(LIGHT)"

test-long: $(VENV)/.built $(VENV)/.tools ## what make test leaves out because it takes seconds or much memory
	$(PYTEST_PARALLEL) -m "long and not shared and $(LIGHT)"

test-all: export BYTEMILL_TESTS := all
test-all: $(VENV)/.built $(VENV)/.tools ## both, with every case of every property and all of what is exhaustive
	cargo test --quiet --workspace
	$(PYTEST_PARALLEL) -m "not shared and $(LIGHT)"

test-originals: $(VENV)/.built $(VENV)/.tools ## the tests that tiktoken, sentencepiece and tokenizers publish, with bytemill in their place
	$(BIN)/python -m tests.originals $(ONLY)

$(VENV)/.data: $(BIN)/python requirements-data.txt
	$(PIP) -r requirements-data.txt
	@touch $@

test-data: $(VENV)/.built $(VENV)/.tools $(VENV)/.data ## training data, with those who read it: pyarrow, polars, duckdb, datasets, datatrove
	$(PYTEST_PARALLEL) -m data

$(VENV)/.web: $(BIN)/python requirements-web.txt
	$(PIP) -r requirements-web.txt
	@touch $@

test-web: $(VENV)/.built $(VENV)/.tools $(VENV)/.web ## plots, and the playground in a browser (chromium)
	$(PYTEST) -m web

$(VENV)/.ray: $(BIN)/python requirements-ray.txt
	$(PIP) -r requirements-ray.txt
	@touch $@

# Ray listens on every interface: the tests start it where there is none but the loopback.
test-ray: $(VENV)/.built $(VENV)/.tools $(VENV)/.ray ## counting, training and encoding on Ray, with workers that are killed
	$(BIN)/python -m tests.engines.loopback $(PYTEST) -W ignore -m ray tests/engines

$(VENV)/.spark: $(BIN)/python requirements-spark.txt
	$(PIP) -r requirements-spark.txt
	@touch $@

test-spark: $(VENV)/.built $(VENV)/.tools $(VENV)/.spark ## the same on Spark, which needs Java
	$(BIN)/python -m tests.engines.loopback $(PYTEST) -W ignore -m spark tests/engines

# PyTorch takes five gigabytes, and what uses arrays where it is not there must be tried without it: so it has its own environment.
XGRAMMAR := .cache/xgrammar
$(XGRAMMAR)/.installed: requirements-xgrammar.txt
	$(PYTHON) -m venv $(XGRAMMAR)
	$(XGRAMMAR)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile -r requirements-xgrammar.txt
	@touch $@

test-xgrammar: $(VENV)/.built $(XGRAMMAR)/.installed ## the example with xgrammar, which needs PyTorch (5 GB); not part of CI
	PYTHONPATH=python $(XGRAMMAR)/bin/python -m pytest -q -W ignore -m xgrammar tests/xgrammar

$(VENV)/.transformers: $(BIN)/python requirements-transformers.txt
	$(PIP) -r requirements-transformers.txt
	@touch $@

test-transformers: export BYTEMILL_TRANSFORMERS := 1
test-transformers: $(VENV)/.built $(VENV)/.tools $(VENV)/.data $(VENV)/.transformers ## compare transformers on this engine with transformers as it is
	$(PYTEST_PARALLEL) tests/transformers

SECONDS ?= 60
SEED ?= 0
fuzz: $(VENV)/.built $(VENV)/.tools ## attack it at random for SECONDS from the round SEED on, and keep what is found in tests/fuzz/found
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS) --seed $(SEED) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(ONLY),--only $(ONLY)) $(if $(RECORD),--record $(RECORD))

RECORDS ?= tests/fuzz/record.jsonl
campaign: ## write docs/campaign.md from RECORDS of make fuzz, of any number of machines
	$(BIN)/python -m tests.fuzz.campaign $(RECORDS) > docs/campaign.md

PYTHONS ?= python3.10 python3.11 python3.12 python3.13 python3.14
test-interpreters: $(VENV)/.built ## the tests of what touches the interpreter's objects, on each of PYTHONS; writes docs/platforms.md
	$(BIN)/python -m tests.platforms.interpreters $(PYTHONS)
	$(BIN)/python -m tests.platforms.page > docs/platforms.md

FREETHREADED ?=
test-freethreaded: $(VENV)/.built ## the same and many threads, on FREETHREADED, which has no lock, or one that is compiled; writes docs/platforms.md
	$(BIN)/python -m tests.platforms.freethreaded $(FREETHREADED)
	$(BIN)/python -m tests.platforms.page > docs/platforms.md

test-aarch64: ## the tests of the core, compiled for 64-bit ARM, in an emulator; writes docs/platforms.md
	$(PYTHON) -m tests.platforms.machines aarch64
	$(PYTHON) -m tests.platforms.page > docs/platforms.md

test-musl: ## the same for Linux with the C library musl, on this machine
	$(PYTHON) -m tests.platforms.machines musl
	$(PYTHON) -m tests.platforms.page > docs/platforms.md

ROUNDS_OF_VALGRIND ?= 40
test-valgrind: $(VENV)/.built $(VENV)/.tools ## what fuzzing found, and some rounds of every attack, under valgrind; writes docs/platforms.md
	$(BIN)/python -m tests.platforms.valgrind $(ROUNDS_OF_VALGRIND)
	$(BIN)/python -m tests.platforms.page > docs/platforms.md

# The crates that others have written are compiled already, so that only what the source distribution brings is checked.
package: $(VENV)/.built ## into dist: a wheel of the quick build for this machine, and the source distribution, which must compile
	rm -rf dist
	$(BIN)/maturin sdist --out dist
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin build --profile quick --quiet --out dist
	rm -rf target/package && mkdir -p target/package && tar -xzf dist/*.tar.gz -C target/package --strip-components 1
	cargo check --quiet --locked --manifest-path target/package/Cargo.toml --target-dir target
	rm -rf target/package

# zig's C compiler links against the old C library that the tag promises, whatever this machine has. The wheel is built
# from the source distribution, which so is known to be whole.
wheel: $(BIN)/python ## an abi3 wheel of the release build, and the source distribution it was built from, into dist
	$(PIP) "ziglang==0.15.2"
	rm -rf dist
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/maturin build --release --sdist --zig --compatibility $(MANYLINUX) --out dist

test-wheel: ## install the wheel where there is neither Rust nor make, and run the README there
	$(PYTHON) -m tests.wheel dist/*.whl

differential: $(VENV)/.built $(VENV)/.tools ## compare with the other libraries on the shared corpora, a sample of each
	$(PYTEST_PARALLEL) -m shared

matrix: $(VENV)/.built $(VENV)/.tools ## the rest of them, all code points and longer strings, and write docs/matrix.md
	BYTEMILL_MATRIX=full $(PYTEST_PARALLEL) tests/differential
	$(BIN)/python -m tests.differential.matrix > docs/matrix.md

lint: $(VENV)/.built $(VENV)/.tools $(VENV)/.linters lint-workflows ## formatting, warnings and types
	cargo fmt --all --check
	cargo clippy --quiet --workspace --all-targets -- -D warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest bytemill._core --ignore-disjoint-bases

audit: $(VENV)/.built ## where the crates come from, their licences, those of the packages beside them, what was withdrawn; no network
	$(BIN)/python -m tests.audit

# actionlint has no package that pip can install without another download: it is run where somebody has it.
lint-workflows: $(VENV)/.linters ## the workflows of GitHub, by their schema and for unsafe habits
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline --no-progress --quiet .github/workflows
	@if command -v actionlint > /dev/null; then actionlint; else echo "actionlint is not on the PATH and was not run"; fi

format: $(VENV)/.linters ## format everything
	cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.release $(VENV)/.tools $(VENV)/.data $(VENV)/.transformers ## run all benchmarks (long) into bench/record/local
	$(BIN)/python -m bench.run

bench-check: $(VENV)/.built $(VENV)/.tools $(VENV)/.data $(VENV)/.transformers ## compare the ids of every engine in every benchmark; no timing
	$(BIN)/python -m bench.run --check

report: $(VENV)/.tools ## write the pages, charts and README numbers about speed from bench/record
	$(BIN)/python -m bench.report

code-report: $(VENV)/.release $(VENV)/.tools ## write docs/code-report.md: vocabularies, other opinions and speed on source code
	$(BIN)/python -m bench.code > docs/code-report.md

textbook-report: $(VENV)/.release $(VENV)/.tools ## write docs/textbook-report.md: the experiments of courses and textbooks
	$(BIN)/python -m bench.textbook > docs/textbook-report.md

sentencepiece-report: $(VENV)/.release $(VENV)/.tools ## write docs/sentencepiece-report.md: models trained here and by sentencepiece
	$(BIN)/python -m bench.sentencepiece_quality > docs/sentencepiece-report.md

surgery-report: $(VENV)/.built $(VENV)/.tools ## write docs/surgery-report.md: published tokenizers, edited
	$(BIN)/python -m bench.surgery > docs/surgery-report.md

parts-report: $(VENV)/.release ## write docs/parts.md: encode_iterable beside encode, for every shared model
	$(BIN)/python -m bench.parts > docs/parts.md

nanoseconds-report: $(VENV)/.release ## write docs/nanoseconds.md: what one piece of text costs, known and new
	$(BIN)/python -m bench.nanoseconds > docs/nanoseconds.md

tables: $(VENV)/.tools ## probe the Unicode classes of the tokenizers library again, and make what follows from them
	$(BIN)/python crates/bytemill/tables/probe.py
	$(BIN)/python crates/bytemill/tables/properties.py
	$(BIN)/python crates/bytemill/tables/scripts.py
	$(BIN)/python crates/bytemill/tables/folds.py
	cargo test --quiet -p bytemill --lib the_maps_are_written_again -- --ignored

$(VENV)/.docs: $(BIN)/python requirements-docs.txt
	$(PIP) -r requirements-docs.txt
	@touch $@

docs: $(VENV)/.docs ## build the documentation site into site/; a broken link is an error
	$(BIN)/zensical build --clean --strict
	$(BIN)/python -m tests.docs.offline site

pictures: $(VENV)/.built $(VENV)/.web ## make the pictures of the documentation again (needs chromium)
	$(BIN)/python -m bench.tokens_picture
	$(BIN)/python -m bench.see_pictures

clean: ## remove everything that was built
	rm -rf target dist site .cache $(VENV)
	find . -name __pycache__ -prune -exec rm -rf {} +
