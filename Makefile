# `make study` and `make test` install what they need in .venv; Python >= 3.11 and git are all they ask for.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: study test heavy lint bench models reports reference docs wheels clean

# Where this is set, as in most containers, each process would compile hundreds of modules again.
unexport PYTHONDONTWRITEBYTECODE

# The paper reproduced: a part of it in minutes, laid over the committed rows, or all of it.
STUDY_quick := --quick --out out/study
STUDY_full  := --out out/paper
SIZE ?= quick
study: $(VENV)/.installed
	$(if $(STUDY_$(SIZE)),,$(error SIZE is quick or full, not $(SIZE)))
	$(BIN)/gnomon report paper $(STUDY_$(SIZE))

# The study needs gnomon and the compiler of the committed figures; the tests need more.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "gnomon needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -e '.[study]'
	$(BIN)/python -m compileall -q gnomon
	@touch $@

$(READY): $(VENV)/.installed
	$(INSTALL) -e '.[dev]'
	@touch $@

# Each process is one thread: BLAS threads of several processes wait for each other.
PARALLEL := -n auto --dist worksteal
test: export OPENBLAS_NUM_THREADS = 1
test: $(READY)
	$(BIN)/python -m pytest -q $(PARALLEL)
	@$(BIN)/python -m tests.heavy --status

# Slow proofs, each with a row in reports/validation/suite/heavy.csv: GROUP names them, else the
# stale ones run. CHECKOUTS="name=folder ..." gives repositories that some cases need.
GROUP ?=
CHECKOUTS ?=
heavy: $(READY)
	$(BIN)/python -m tests.heavy $(CHECKOUTS:%=--checkout %) $(GROUP)

bench: $(READY)
	$(BIN)/python -m benchmarks

# Power tables from the published tables and our own activity; the same input gives the same bytes.
POWER_SOURCE := Angioli et al., Efficient Implementation of LinearUCB, Tables 2 and 3: energy over \
time; dynamic power of core and memories from switching activity after implementation (Kintex-7)
FIT = $(BIN)/gnomon power fit models/power/sources/t13-activity.csv models/power/sources/t13-power.csv \
    --clock '100 MHz' --draws 64 --seed 0 --activity-table t13x --activity-data sparse \
    --source "$(POWER_SOURCE)" --library 'Kintex-7 XC7K325T' --static 'not included: the source gives dynamic power only'
models: $(READY)
	$(BIN)/gnomon report energy --sources models/power/sources
	$(FIT) --out models/power/t13.yaml --title 'Klessydra-T13, from all 32 cells'
	$(FIT) --out models/power/t13-table2.yaml --select table2/ --title 'Klessydra-T13, from Table 2'
	$(FIT) --out models/power/t13-table3.yaml --select table3/ --title 'Klessydra-T13, from Table 3'

# The pages that follow from committed tables, made of them: nothing is measured. The paper's comes
# last, as it shows what the others write. A study is one of these if it takes --pages.
PAGES := correction flash hyperdimensional once unit-gallery platforms choose learners paper
reports: $(READY)
	$(foreach study,$(PAGES),$(BIN)/gnomon report $(study) --pages &&) true

# docs/reference, from the code that reads the keys and options; what the tutorial's commands print.
reference: $(READY)
	$(BIN)/python -m gnomon.cli.reference docs/reference
	$(BIN)/python -m tests.docs.test_tutorial

# docs/, README and reports as a site, out/site; a link that leads nowhere is an error.
docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# For each system a wheel that carries the C libraries, and one for the rest.
SYSTEMS := x86_64-linux aarch64-linux x86_64-macos aarch64-macos
wheels: $(READY)
	$(foreach system,$(SYSTEMS) '',GNOMON_WHEEL=$(system) $(BIN)/python -m hatchling build -t wheel &&) true

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
