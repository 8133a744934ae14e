# Everything runs in .venv, which the first target makes (tools/setup.sh). `make help` lists the targets.
# PYTHON=python3.12 picks the Python of a new .venv; ARGS="-k loop" goes to pytest, the demo or the benchmark.

PY := .venv/bin/python
PYTEST := $(PY) -m pytest -n auto --dist worksteal
BASE := .venv/.base
DEV := .venv/.dev
CODE := orchestrator subagents memory hermes_ops tests tools $(wildcard bench)

# Set in some containers: every process would compile every module, half of the time that the tests take.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo demo-feishu setup test test-slow test-all nightly check weight format docs lock bench bench-scan bench-context build bundle clean
.DEFAULT_GOAL := help

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

demo: $(BASE) ## ask a question about a built-in incident; no key, no server, no network
	@.venv/bin/hermes-ops demo $(ARGS)

demo-feishu: $(DEV) ## chat with the bot about that incident, in a page of our own; no tenant
	@.venv/bin/hermes-ops demo-feishu $(ARGS)

setup: $(DEV) ## only make .venv with the development tools

test: $(DEV) ## the fast tests
	@$(PYTEST) -m "not slow" $(ARGS)

test-slow: $(DEV) ## the slow tests in their short form, as CI runs them
	@$(PYTEST) -m slow $(ARGS)

test-all: $(DEV) ## fast and slow tests, the latter in their short form
	@$(PYTEST) $(ARGS)

nightly: $(DEV) ## fast and slow tests in their full length
	@NIGHTLY=1 $(PYTEST) --timeout 3600 $(ARGS)

check: $(DEV) weight ## format, lint, types, and the rules of the house
	@$(PY) -m ruff format --check $(CODE)
	@$(PY) -m ruff check $(CODE)
	@$(PY) -m mypy
	@$(PY) -m mypy -p tools
	@$(PY) -m tools.check_house
	@$(PY) -m tools.map --check

weight: $(DEV) ## what the base install holds, package by package
	@$(PY) -m tools.check_weight $(ARGS)

format: $(DEV) ## let ruff rewrite what it can
	@$(PY) -m ruff format $(CODE)
	@$(PY) -m ruff check --fix $(CODE)

docs: $(DEV) ## renew the map of files, docs/MAP.md, and the sample in the READMEs
	@$(PY) -m tools.map
	@$(PY) -m tools.sample

lock: $(DEV) ## renew constraints.txt: the newest versions pyproject.toml allows
	@$(PY) -m tools.lock

bench: $(DEV) ## measure against the hand-written loop
	@$(PY) bench/run.py $(ARGS)

bench-scan: $(DEV) ## measure counting in large log files beside grep -c; ARGS="--mb 20,200,2000"
	@$(PY) bench/scan.py $(ARGS)

bench-context: $(DEV) ## measure prompt tokens with each tier of the context on and off
	@$(PY) bench/context.py $(ARGS)

build: $(DEV) ## a wheel in dist/
	@$(PY) -m pip --disable-pip-version-check wheel --quiet --no-deps --wheel-dir dist \
		--build-constraint constraints.txt .

bundle: $(DEV) ## every wheel that is needed, in dist/bundle, to install without an index; tried in an empty venv
	@$(PY) -m tools.bundle $(ARGS)

clean: ## remove .venv and everything generated
	rm -rf .venv dist build out .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find orchestrator subagents memory hermes_ops tests tools -name __pycache__ -prune -exec rm -rf {} +

$(BASE): pyproject.toml constraints.txt tools/setup.sh
	@sh tools/setup.sh base
	@touch $@

$(DEV): pyproject.toml constraints.txt tools/setup.sh
	@sh tools/setup.sh dev
	@touch $(BASE) $@
