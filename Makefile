# Two commands matter to a newcomer: `make demo` and `make test`. Both set everything up first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
ARGS   ?=

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev screenshots demo test check format lint types imports bench lock clean

help: ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/' | sort

$(VENV)/.runtime: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Team Drills needs Python 3.11 or newer: call make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

setup: $(VENV)/.runtime ## Make .venv with the locked packages; the command is then .venv/bin/drills

setup-dev: $(VENV)/.dev ## The same, with what tests and checks need

demo: setup ## A team's week in about a minute, watched in the terminal and on a local page
	$(BIN)/drills demo $(ARGS)

# Tests wait for clocks and sockets half of their time: one more of them at once than there are cores.
test: export PYTEST_XDIST_AUTO_NUM_WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
test: setup-dev ## All tests
	$(BIN)/python -m pytest $(ARGS)

check: setup-dev format lint types imports test ## Format, lint, strict types, import law, tests

format: setup-dev ## Is every file formatted?
	$(BIN)/ruff format --check .

lint: setup-dev
	$(BIN)/ruff check .

types: setup-dev ## Strict types
	$(BIN)/mypy

imports: setup-dev ## The import law of docs/architecture.md
	$(BIN)/lint-imports

bench: setup-dev ## Benchmarks: ratios against a floor measured in the same run
	$(BIN)/python -m benchmarks $(ARGS)

screenshots: setup-dev ## Pictures of every kind of message, from the playground (needs a Chromium)
	$(BIN)/python -m tests.web.gallery docs/pictures/messages

lock: setup-dev ## Resolve pyproject.toml again into the hashed lock files
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --extra dev pyproject.toml -o requirements-dev.lock

clean: ## Remove what was made here
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
