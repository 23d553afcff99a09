# `make study` and `make test` set up what they need in .venv; Python >= 3.11 is all they ask for.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: study test lint coverage nightly bench clean
study: $(READY)
	$(BIN)/gnomon study

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "gnomon needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

test: $(READY)
	$(BIN)/python -m pytest -m 'not nightly'

# Numba hides compiled code from coverage, so the engine's is taken with the compiler off.
coverage: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m coverage run -m pytest -q -m 'not nightly and not timing' \
	    -k 'not oracle and not fuzz' tests/exactness tests/robustness
	$(BIN)/python -m coverage report --include='gnomon/sim/*' --fail-under=90

nightly: $(READY)
	$(BIN)/python -m pytest

bench: $(READY)
	$(BIN)/python -m benchmarks

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
