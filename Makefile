# Everything happens in .venv in this folder; `make demo` and `make test` set it up themselves.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
READY := .venv/.ready
DEMO_READY := .venv/.demo-ready
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# uv takes a third of pip's time; pip follows where uv finds nothing, for example behind a mirror that only pip was told of.
# Modules are compiled once for all processes, as pip does it.
UV := $(PIP) uv && VIRTUAL_ENV=$(CURDIR)/.venv $(BIN)/uv pip install --quiet --compile-bytecode

.PHONY: demo serve serve-pictures start-pictures readme-picture gallery map docs reproduce reproduce-large reproduction-page
.PHONY: test test-all test-costs test-oldest lint checks types contracts pytest slow fuzz format performance changelog dist lock clean

# It needs a quarter of the packages, and compiles what it calls only.
demo: $(DEMO_READY)
	PYTHONPATH=src $(BIN)/python examples/demo.py

# The page on the folder of the demonstration, which is made first if it is missing.
serve: $(READY)
	test -d demo-output || $(BIN)/python examples/demo.py
	$(BIN)/steadyset serve demo-output

# The pictures of docs/serve.md; they need Chromium.
serve-pictures: $(READY)
	$(BIN)/python docs/make_serve_pictures.py

# The pictures of docs/start.md: the report that the page makes; they need Chromium.
start-pictures: $(READY)
	$(BIN)/python docs/make_start_pictures.py

# The README's picture is the first screen of the report of the demonstration; it needs Chromium.
readme-picture: demo
	$(BIN)/python docs/make_readme_picture.py

# The map of the house in CONTRIBUTING.md, from the import contract.
map: $(READY)
	$(BIN)/python docs/make_map.py

# docs/gallery: every picture that there is.
gallery: $(READY)
	$(BIN)/python docs/make_gallery.py

# The site, into site/: sources in docs/, the reference from the code. It asks nobody for anything, and a warning is an error.
docs: $(READY)
	rm -rf site
	$(BIN)/sphinx-build -b html -W --keep-going -j 2 -q -d build/doctrees docs site
	@echo The site is in site/index.html

# Tables and figures of papers again, in their fast versions; fails if a verdict is not the recorded one. Those that need
# real data use the folder that STEADYSET_DATA names, or are said to be not decidable without it.
reproduce: $(READY)
	$(BIN)/python -m papers all --jobs 2 --out build/reproduction

# The same, written to docs/reproduction.md beside the full versions that were made before.
reproduction-page: $(READY)
	$(BIN)/python -m papers all --jobs 2 --out build/reproduction --summary docs/reproduction.md

# The large versions of chapters 6 to 8 of Bommert (2020): an hour on two free cores. Interrupted, the same command
# continues. For the full versions, which take days, replace --large by --full.
reproduce-large: $(READY)
	$(BIN)/python -m papers bommert-2020/figures-6.4-to-6.7 bommert-2020/table-7.1 bommert-2020/figures-7.1-to-7.5 \
		bommert-2020/figures-8.2-to-8.4 --large --resume --jobs 2 --out build/reproduction-large --summary docs/reproduction.md

# What a change usually breaks: lint, then types and import contracts beside all tests that are not slow.
test: lint
	$(MAKE) --no-print-directory -j 2 checks pytest

# And the slow rest: browser, clusters, killed processes, hostile inputs, wheel, site, every golden number.
test-all: test slow

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

checks: types contracts

types: $(READY)
	$(BIN)/mypy

contracts: $(READY)
	$(BIN)/lint-imports

# Two processes have two cores: threads of the arithmetic libraries would wait for each other.
pytest slow: export OMP_NUM_THREADS ?= 1
pytest: $(READY)
	$(BIN)/pytest -n 2 --dist worksteal -m 'not slow' $(PYTEST)

slow: $(READY)
	$(BIN)/pytest -n 2 --dist worksteal -m slow $(PYTEST)

# The costs in tests/README.md, from the results of both.
test-costs:
	$(MAKE) --no-print-directory pytest PYTEST=--junit-xml=build/fast.xml
	$(MAKE) --no-print-directory slow PYTEST=--junit-xml=build/slow.xml
	$(BIN)/python -m tests.costs build/fast.xml build/slow.xml

# The core tests (tests/conftest.py says which) with the oldest versions that pyproject.toml allows, in an environment and with a
# kernel cache of their own.
test-oldest:
	test -x .venv-oldest/bin/python || $(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check uv
	VIRTUAL_ENV=$(CURDIR)/.venv-oldest .venv-oldest/bin/uv pip install --quiet --resolution lowest-direct -e '.[all,test]'
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-oldest/kernels .venv-oldest/bin/pytest --core -n 2

# Hostile inputs with new seeds, for an hour; make fuzz STEADYSET_FUZZ_SECONDS=600 for ten minutes.
fuzz: export STEADYSET_FUZZ_SECONDS ?= 3600
fuzz: $(READY)
	$(BIN)/pytest tests/fuzz -k other_seeds

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# docs/performance.md; with BASE=commit instead whether a kernel is slower than there: HEAD=commit, or the working tree.
performance: $(READY)
	$(BIN)/python -m benchmarks$(if $(BASE),.compare $(BASE) $(HEAD))

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "steadyset needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv

$(DEMO_READY): requirements-demo.lock | $(BIN)/python
	@echo "Installing what the demonstration needs into .venv (40 packages, once) ..."
	$(UV) --require-hashes -r requirements-demo.lock || $(PIP) --require-hashes -r requirements-demo.lock
	@echo "Compiling what the demonstration calls (once) ..."
	PYTHONPATH=src $(BIN)/python -c 'from steadyset.warming import warm_up; warm_up(selectors=["lasso", "forest", "jmi", "anova"], tasks=["classes"])'
	touch $@

$(READY): requirements.lock pyproject.toml | $(BIN)/python
	@echo "Installing everything that tests and documentation need into .venv (150 packages, once) ..."
	$(UV) --require-hashes -r requirements.lock || $(PIP) --require-hashes -r requirements.lock
	$(PIP) --no-deps --no-build-isolation -e .
	@echo "Compiling the kernels (once) ..."
	$(BIN)/steadyset warm-up
	touch $(DEMO_READY) $@

# At a release: what lies in changelog.d goes into CHANGELOG.md under its version. make changelog VERSION=0.2.0
changelog: $(READY)
	$(BIN)/python docs/make_changelog.py $(VERSION)

# Wheel and sdist into dist/; the tests look at what these very files hold, and install the wheel without extras.
dist: $(READY)
	rm -rf dist
	$(BIN)/python -m hatchling build
	STEADYSET_DIST=dist $(BIN)/pytest -q tests/test_distribution.py

# Resolves pyproject.toml anew for every platform and pins each file by its hash; the lock of the demonstration is a part of
# the whole one.
LOCK := uv pip compile pyproject.toml --universal --python-version 3.11 --quiet --generate-hashes --no-header \
  --no-annotate --no-emit-index-url --no-emit-package steadyset
lock: | $(BIN)/python
	$(PIP) uv
	$(BIN)/$(LOCK) --all-extras --upgrade -o requirements.lock
	$(BIN)/$(LOCK) --extra report --constraint requirements.lock --upgrade -o requirements-demo.lock
	$(BIN)/$(subst pyproject.toml,integrations/snakemake/requirements.in,$(LOCK)) --upgrade \
	  -o integrations/snakemake/requirements.lock

clean:
	rm -rf .venv .venv-oldest build dist site .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
