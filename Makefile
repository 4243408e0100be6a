# Comanda. `make` alone lists what there is.
.PHONY: help setup run test lint types format check chaos bench bench-growth translations lock reset demo screenshots agent-executable

PY := .venv/bin/python
ARGS ?=
PACKAGES := $(filter-out migrations tests,$(patsubst %/__init__.py,%,$(wildcard */__init__.py)))

# What is installed is compiled when it is first imported; without keeping that, every process
# would spend seconds on it at every start.
unexport PYTHONDONTWRITEBYTECODE

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

run: setup ## Start everything here; PORT=8001 make run for another port, Ctrl-C stops it
	@exec $(PY) -m deploy.local run

test: setup ## Run the tests; ARGS="-k people" chooses among them
	@$(PY) -m tests $(ARGS)

lint: setup ## Check style
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check -q . || { echo "Type \`make format\` to lay these out."; exit 1; }

types: setup ## Check types
	@$(PY) -m mypy $(PACKAGES) wsgi.py

format: setup ## Lay out the code and mend what can be mended
	@$(PY) -m ruff check --fix -q . || true
	@$(PY) -m ruff format -q .

check: lint types test ## Everything a change must pass

chaos: setup ## Kill, freeze and cut things while messages flow; ONLY=name runs one row
	@$(PY) -m tests.chaos $(ONLY)

bench: setup ## Measure beside the floors; writes bench/results.json; ARGS="send_sync_16 drain" chooses
	@$(PY) -m bench $(ARGS)

bench-growth: setup ## The same questions to businesses with 10 k, 1 M and 10 M messages; ARGS="10000 1000000" chooses
	@$(PY) -m bench.message_growth $(ARGS)
	@$(PY) -m bench.contact_growth
	@$(PY) -m bench.contact_import

translations: setup ## Collect new texts into portal/translations and compile them
	@$(PY) -m deploy.local translations

lock: setup ## Lock what pyproject.toml names; UPGRADE=1 takes the newest of everything
	@$(PY) -m deploy.local lock

demo: setup ## Load the demo's two businesses afresh into the running service; nothing else is touched
	@$(PY) -m flask --app wsgi demo reset

screenshots: setup ## Take the pictures of the guides from a demo of its own; needs a Chromium
	@$(PY) -m tests.browser.screenshots $(ARGS)

agent-executable: setup ## Build the print agent for computers without Python; needs PyInstaller (pip install pyinstaller)
	@$(PY) -m deploy.print_agent.executable $(ARGS)

reset: setup ## Delete the local database and all local data (asks first; YES=1 does not ask)
	@$(PY) -m deploy.local reset

setup: ## Install what is needed here, and start nothing
	@sh deploy/local/setup.sh
