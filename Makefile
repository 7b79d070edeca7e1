# Everything happens in .venv in this folder; `make demo` and `make test` set it up themselves.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test lint types contracts pytest format lock performance clean

demo: $(READY)
	$(BIN)/python examples/demo.py

test: lint types contracts pytest

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

contracts: $(READY)
	$(BIN)/lint-imports

pytest: $(READY)
	$(BIN)/pytest -n 2

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

performance: $(READY)
	$(BIN)/python -m benchmarks

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "steadyset needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $(READY)

# Resolves pyproject.toml anew for every platform and pins each file by its hash.
lock:
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --upgrade --quiet \
	  --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-package steadyset -o requirements.lock

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
