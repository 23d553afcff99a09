# `make study` and `make test` set up what they need in .venv; Python >= 3.11 is all they ask for.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: study test lint coverage sanitize fuzz kills dependencies nightly validation bench models reports reference docs wheels clean

# Where this is set, as on many CI systems, each of the processes that tests start compiles a hundred
# modules from their source, NumPy's and pandas' among them, which the installation leaves to them.
unexport PYTHONDONTWRITEBYTECODE

# The paper reproduced: a part of it in minutes, laid over the committed rows, or all of it.
STUDY_quick := --quick --out out/study
STUDY_full  := --out out/paper
SIZE ?= quick
study: $(VENV)/.installed
	$(if $(STUDY_$(SIZE)),,$(error SIZE is quick or full, not $(SIZE)))
	$(BIN)/gnomon report paper $(STUDY_$(SIZE))

# What gnomon itself needs, for the study; what its tests need besides. Python compiles what it
# imports when it does.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "gnomon needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -e .
	@touch $@

$(READY): $(VENV)/.installed
	$(INSTALL) -e '.[dev]'
	@touch $@

# A file stays in one process: what its tests share is made once. Each process is one thread: BLAS
# threads of several processes wait for each other.
PARALLEL := -n auto --dist loadfile
# `make test COVERAGE=1` also notes which lines run, of Python and of the C (GCC is needed), for
# `make coverage`.
COUNTS = $${GNOMON_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/gnomon}/native/coverage-*
test: export OPENBLAS_NUM_THREADS = 1
test: $(READY)
	$(if $(COVERAGE),rm -rf .coverage .coverage.* $(COUNTS))
	$(if $(COVERAGE),GNOMON_NATIVE=coverage) $(BIN)/python $(if $(COVERAGE),-m coverage run) -m pytest $(PARALLEL) -m 'not nightly$(if $(COVERAGE), and not timing)'

coverage: $(READY)
	$(BIN)/python -m tests.c_coverage 95
	$(BIN)/python -m coverage combine -q
	$(BIN)/python -m coverage report --include='gnomon/*' --fail-under=90

# The exactness tests and damaged programs with the sanitizers of GCC.
sanitize: $(READY)
	env $$($(BIN)/python -m tests.sanitizers) $(BIN)/python -m pytest -q $(PARALLEL) -p no:cacheprovider \
	    -m 'not nightly' tests/exactness tests/robustness/test_fuzz.py

# Damaged inputs of every format; what goes wrong is kept in out/fuzz.
COUNT ?= 1000
fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --count $(COUNT)

# Long commands killed at random times; what was seen is added to a record.
KILLS ?= 25
kills: $(READY)
	$(BIN)/python -m tests.kills --count $(KILLS) --record reports/validation/fuzz/kills.csv

# The suite with the lowest release of every dependency on the lowest Python, and with the newest on
# the newest Python that is installed; each by its name as well. The result goes on record.
LOWEST_lowest := --resolution lowest-direct
PYTHON_lowest ?= 3.11
PYTHON_newest ?= "$$($(BIN)/uv python list --only-installed | awk 'NR == 1 {print $$2}')"
SETS := dependencies-lowest dependencies-newest
.PHONY: $(SETS)
dependencies: $(SETS)
$(SETS): dependencies-%: $(READY)
	$(INSTALL) uv
	$(BIN)/uv venv --seed --clear --python $(PYTHON_$*) out/$*
	$(BIN)/uv pip install --python out/$*/bin/python $(LOWEST_$*) -e '.[dev]'
	OPENBLAS_NUM_THREADS=1 out/$*/bin/python -m tests.dependencies $*

nightly: $(READY)
	$(BIN)/python -m pytest
	GNOMON_BLOCKS=force $(BIN)/python -m pytest $(PARALLEL) tests/exactness tests/inorder tests/sim tests/robustness

# What the benches of our RTL found, in the large size; Icarus Verilog needed.
validation: $(READY)
	$(BIN)/gnomon validate dividers --random 100000 --seed 20261122 \
	    --out reports/validation/rtl-dividers.csv
	$(BIN)/gnomon validate vector --vectors 100000

bench: $(READY)
	$(BIN)/python -m benchmarks

# Power tables from the published tables and our own activity; the same input gives the same bytes.
POWER_SOURCE := Angioli et al., Efficient Implementation of LinearUCB, Tables 2 and 3: energy over \
time; dynamic power of core and memories from switching activity after implementation (Kintex-7)
FIT = $(BIN)/gnomon power fit models/power/sources/t13-activity.csv models/power/sources/t13-power.csv \
    --clock '100 MHz' --draws 64 --seed 0 --activity-table t13x --activity-data sparse \
    --source "$(POWER_SOURCE)" --static 'not included: the source gives dynamic power only'
models: $(READY)
	$(BIN)/gnomon report energy --sources models/power/sources
	$(FIT) --out models/power/t13.yaml --title 'Klessydra-T13, from all 32 cells'
	$(FIT) --out models/power/t13-table2.yaml --select table2/ --title 'Klessydra-T13, from Table 2'
	$(FIT) --out models/power/t13-table3.yaml --select table3/ --title 'Klessydra-T13, from Table 3'

# The pages that follow from committed tables, made of them: nothing is measured. The paper's comes
# last, as it shows what the others write. A study is one of these if it takes --pages.
PAGES := correction platforms choose paper
reports: $(READY)
	$(foreach study,$(PAGES),$(BIN)/gnomon report $(study) --pages &&) true

# docs/reference, from the code that reads the keys and options; what the tutorial's commands print.
reference: $(READY)
	$(BIN)/python -m gnomon.cli.reference docs/reference
	$(BIN)/python tests/docs/test_tutorial.py

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
