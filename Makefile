# `make demo` runs everything on this machine; `make test` runs every test. Both set up first what is missing.

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PEERS := $(VENV)/peers
# Wheels only: nothing here needs a compiler, and where a wheel is missing pip says so at once.
PIP := $(RUN) -m pip install --quiet --progress-bar off --disable-pip-version-check --only-binary :all: --log $(VENV)/pip.log

.PHONY: setup demo test lint bench bench-pages shots

setup: $(VENV)/.installed

demo: setup
	@$(RUN) manage.py up

test: $(VENV)/.installed-dev
	@$(RUN) -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder

lint: $(VENV)/.installed-dev
	@$(RUN) -m ruff format --check .
	@$(RUN) -m ruff check .
	@$(RUN) -m mypy

shots: $(VENV)/.installed-dev
	@$(RUN) -m pytest tests/shots/shots.py --quiet -p no:randomly
	@echo "The pictures are in $$($(RUN) -m tests.shots)."

bench: $(VENV)/.installed $(PEERS)/.installed
	@$(RUN) -m bench

# Half an hour: it makes two million runs first.
bench-pages: $(VENV)/.installed
	@$(RUN) -m bench.at_size

$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Leaseboard needs Python 3.11 or later as $(PYTHON): install it, or name one with PYTHON=/path/to/python3." >&2; \
		exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "Python's venv is missing: install it with \`apt-get install python3-venv\` as root, then run make again." >&2; \
		exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)

$(VENV)/.installed: requirements.txt | $(VENV)/bin/pip
	@echo "Installing into $(VENV), about a minute the first time."
	@$(PIP) -r requirements.txt || { $(pip_failed) }
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt $(VENV)/.installed
	@echo "Installing what the tests need."
	@$(PIP) -r requirements-dev.txt || { $(pip_failed) }
	@touch $@

# In an environment of their own: what the peers bring along is not to stand beside what Leaseboard runs on.
$(PEERS)/.installed: bench/requirements.txt $(VENV)/.installed
	@echo "Installing the peers that the benchmarks compare with."
	@$(RUN) -m venv --clear $(PEERS)
	@$(subst $(RUN),$(PEERS)/bin/python,$(PIP)) -r bench/requirements.txt || { $(pip_failed) }
	@touch $@

define pip_failed
echo "pip could not install the packages: mend what its last line names (a network, a package index, or a system \
without wheels: Linux with glibc on x86-64 or arm64 has them all; the whole story is in $(VENV)/pip.log)." >&2; exit 1;
endef
