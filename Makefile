# Every target sets up what it needs in .venv first. `make demo` and `make test` need Python >= 3.11, make and git only.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test lint bench clean

demo: .venv/runtime
	$(BIN)/rolebook check examples
	$(BIN)/rolebook compile examples/analyst --agent analyst
	$(BIN)/rolebook run examples/analyst "How did the quarter go?"
	$(BIN)/rolebook run examples/router "What's the weather in NYC?"
	$(BIN)/rolebook run examples/support "My login is broken."
	$(BIN)/rolebook run examples/compliance "Which fund should I buy?"

test: .venv/test
	$(BIN)/pytest

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-timing >.import-contracts.log || { cat .import-contracts.log; exit 1; }

clean:
	rm -rf .venv build dist

# A stamp file for each set of dependencies; the package itself is installed in place.
.venv/runtime: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) install --editable .
	touch $@

.venv/test: .venv/runtime
	$(PIP) install --editable '.[test]'
	touch $@

.venv/dev: .venv/test
	$(PIP) install --editable '.[dev]'
	touch $@
