# Comanda. `make` without a target lists the targets.
.PHONY: help setup run test lint types format check test-citus chaos bench bench-growth translations lock reset demo screenshots agent-executable clients

PY := .venv/bin/python
ARGS ?=
PACKAGES := $(filter-out migrations tests,$(patsubst %/__init__.py,%,$(wildcard */__init__.py)))

# Installed packages are compiled at their first import. Keep the result; otherwise every process
# would spend seconds on it at every start.
unexport PYTHONDONTWRITEBYTECODE

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

run: setup ## Start the whole service here; PORT=8001 changes the port, Ctrl-C stops it
	@exec $(PY) -m deploy.local run

test: setup ## Run the tests; ARGS="-k people" selects some
	@$(PY) -m tests $(ARGS)

lint: setup ## Check style
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check -q . || { echo "Type \`make format\` to lay these out."; exit 1; }

types: setup ## Check types
	@$(PY) -m mypy $(PACKAGES) wsgi.py

format: setup ## Format the code and apply automatic fixes
	@$(PY) -m ruff check --fix -q . || true
	@$(PY) -m ruff format -q .

check: lint types test ## Run all checks that a change must pass

test-citus: setup ## Run the tests that use the database on a Citus cluster of this machine; CITUS_BIN names its programs
	@$(PY) -m tests.citus $(ARGS)

chaos: setup ## Test with killed, frozen and disconnected processes; ONLY=name runs one case
	@$(PY) -m tests.chaos $(ONLY)

bench: setup ## Run the benchmarks and compare with baseline servers; writes bench/results.json; ARGS="send_sync_16 drain" selects some
	@$(PY) -m bench $(ARGS)

bench-growth: setup ## Measure queries with 10 k, 1 M and 10 M messages; ARGS="10000 1000000" selects sizes
	@$(PY) -m bench.message_growth $(ARGS)
	@$(PY) -m bench.contact_growth
	@$(PY) -m bench.contact_import

translations: setup ## Collect new texts into core/i18n/translations and compile them
	@$(PY) -m deploy.local translations

lock: setup ## Lock the dependencies in pyproject.toml; UPGRADE=1 upgrades all of them
	@$(PY) -m deploy.local lock

demo: setup ## Delete and reload the two demo tenants in the running service; other data stays
	@$(PY) -m flask --app wsgi demo reset

screenshots: setup ## Take the screenshots for the guides from a separate demo; needs Chromium
	@$(PY) -m tests.browser.screenshots $(ARGS)

clients: setup ## Make the typed parts of the TypeScript and PHP clients from the OpenAPI document
	@$(PY) -m deploy.clients

agent-executable: setup ## Build the print agent for computers without Python; needs PyInstaller (pip install pyinstaller)
	@$(PY) -m deploy.print_agent.executable $(ARGS)

reset: setup ## Delete the local database and all local data after a confirmation; YES=1 skips it
	@$(PY) -m deploy.local reset

setup: ## Install the dependencies without starting anything
	@sh deploy/local/setup.sh
