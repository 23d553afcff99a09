"""The heavy groups: what each proves, the inputs that its proof depends on, and how it runs."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from tests.heavy.digests import IMPORTS, ROOT
from tests.sanitizers import sanitized

_EVERY = ("tests/conftest.py", "tests/rows.py", "tests/heavy/__init__.py", "tests/heavy/plugin.py")
"""Inputs of every group: they select the tests, and decide what passes."""
_ENGINE = ("gnomon/base", "gnomon/sim", "gnomon/isa", "gnomon/arch", "gnomon/program", "arch")
_RTL = tuple(
    f"gnomon/rtl/{name}"
    for name in (
        "__init__.py", "bare_metal.py", "bench.py", "designs.py", "listed.py", "observed.py",
        "setting.py", "sources.py", "sources_yaml.py", "synthesis.py", "tools.py",
    )
)  # fmt: skip
_STUDIES = ("kernels", "algorithms", "models", "reports")


@dataclass(frozen=True)
class Step:
    """One run of pytest: its selection, its environment, and what must be done before it."""

    name: str
    select: tuple[str, ...]  # paths and options of pytest; empty: all of tests/
    heavy: str = ""  # the group whose marked tests run; empty: the tests of `make test`
    environment: Callable[[], dict[str, str]] = dict  # added to that of the runner
    wrap: tuple[str, ...] = ()  # before `-m pytest`, such as `-m coverage run`
    python: str = ""  # the interpreter; empty: this one
    fresh: tuple[str, ...] = ()  # commands of a shell before a first run, not before a resumed one


@dataclass(frozen=True)
class Group:
    """Tests that are too slow for `make test`."""

    name: str
    about: str
    own_inputs: tuple[str, ...]
    steps: tuple[Step, ...]
    programs: tuple[str, ...] = ()  # outside programs without which the group is not run
    checkouts: tuple[str, ...] = ()  # repositories of the user's that some of its cases need
    finish: tuple[str, ...] = ()  # commands of a shell after the cases
    sliced: bool = True  # a part of it is a check by itself

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """What its proof depends on: its own inputs, and those of every group."""
        names = dict.fromkeys((*self.own_inputs, *_EVERY))
        return tuple(name for name in names if not _is_below(name, names))


def _is_below(name: str, folders: Iterable[str]) -> bool:
    return any(name.startswith(f"{folder}/") for folder in folders)


def _shipped() -> tuple[str, ...]:
    """Return the folders outside gnomon that a wheel holds."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return tuple(project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"])


def _blocks_forced() -> dict[str, str]:
    return {"GNOMON_BLOCKS": "force"}


def _counted() -> dict[str, str]:
    return {"GNOMON_NATIVE": "coverage"}


def _dependencies(which: str, python: str, order: int, *resolution: str) -> Step:
    """Return the step that runs the suite with one set of releases, in a random order."""
    folder = f"out/{which}"
    return Step(
        which,
        # What releases say of each other, such as that a name will go, is not checked here.
        select=("tests", "-W", "ignore::DeprecationWarning", f"--order={order}"),
        python=f"{folder}/bin/python",
        fresh=(
            "{python} -m pip install --quiet uv",
            f"{{python}} -m uv venv --seed --clear --python {python} {folder}",
            " ".join(["{python} -m uv pip install", *resolution, f"--python {folder}/bin/python",
                      "-e '.[dev]'"]),
        ),
    )  # fmt: skip


GROUPS = {
    group.name: group
    for group in (
        Group(
            "oracle",
            "The engine and its translated tier equal the slow, readable simulators.",
            own_inputs=(*_ENGINE, "benchmarks", "tests/benchmarks", "tests/oracle", "tests/arch",
                        "tests/exactness", "tests/inorder", "tests/sim", "tests/robustness",
                        "tests/reference", "tests/program", "tests/sanitizers.py",
                        "tests/commands.py", "tests/units", "units", *_RTL, "gnomon/rtl/machine",
                        "gnomon/rtl/lockstep", "examples/tick", "examples/kernel"),
            steps=(
                Step("cases", (), heavy="oracle"),
                # The other tests of exactness run on translated blocks by themselves.
                Step("blocks", ("tests/exactness/test_differential.py", "tests/inorder",
                                "tests/sim", "tests/robustness"), environment=_blocks_forced),
            ),
        ),
        Group(
            "rtl",
            "Our RTL and the simulator agree cycle by cycle; seeded bugs of the RTL are found.",
            own_inputs=(*_ENGINE, *_RTL, "gnomon/rtl/machine", "gnomon/rtl/lockstep",
                        "gnomon/rtl/validate", "gnomon/klessydra", "gnomon/calibrate", "units",
                        "rtl_tests", "models",
                        "tests/rtl", "tests/dividers", "tests/exactness", "tests/oracle",
                        "tests/units", "tests/calibrate",
                        "tests/reference", "tests/cli/test_validate_records.py",
                        "reports/validation/rtl-dividers.csv", "reports/validation/rtl-vector.csv",
                        "reports/validation/coverage"),
            steps=(Step("cases", (), heavy="rtl"),),
            programs=("iverilog", "verilator", "yosys", "ghdl"),
            checkouts=("t13x", "picorv32", "cve2"),
        ),
        Group(
            "calibrate",
            "Calibration finds the timing of random machines and of small cores.",
            own_inputs=(*_ENGINE, *_RTL, "gnomon/calibrate", "tests/calibrate",
                        "tests/rtl/conftest.py"),
            steps=(Step("cases", (), heavy="calibrate"),),
            programs=("iverilog",),
        ),
        Group(
            "firmware",
            "Firmware of other projects runs unchanged: FreeRTOS, riscv-tests.",
            own_inputs=(*_ENGINE, "tests/firmware"),
            steps=(Step("cases", (), heavy="firmware"),),
            programs=("riscv64-unknown-elf-gcc",),
            checkouts=("freertos", "riscv_tests", "riscv_test_env"),
        ),
        Group(
            "gates",
            "Netlists of our RTL equal the simulator; their energy equals another computation.",
            own_inputs=(*_ENGINE, *_RTL, "gnomon/gates", "gnomon/rtl/machine", "gnomon/cost",
                        "gnomon/calibrate", "tests/calibrate/tiny.v", "gnomon/klessydra",
                        "gnomon/observe", "rtl_tests/hdl", "rtl_tests/area", "rtl_tests/klessydra",
                        "models", "tests/rtl", "tests/energy", "units",
                        "tests/trace/test_opensta.py", "tests/units", "tests/commands.py"),
            steps=(Step("cases", (), heavy="gates"),),
            programs=("iverilog", "verilator", "yosys"),
            checkouts=("opensta",),
        ),
        Group(
            "studies",
            "Studies give their committed tables, pages and pictures again.",
            own_inputs=("gnomon", *_STUDIES, "arch", "examples", "tests/report", "tests/fixedpoint",
                        "tests/instructions", "tests/learners", "tests/learn", "tests/kernels",
                        "tests/once", "tests/explain", "tests/deploy",
                        "tests/explore", "tests/energy", "tests/test_gallery.py",
                        "tests/test_examples.py", "tests/trace", "tests/contract.py",
                        "tests/rtl/conftest.py", "tests/cli", "tests/commands.py"),
            steps=(Step("cases", (), heavy="studies"),),
        ),
        Group(
            "wheels",
            "The wheel of each system is complete, and works in a fresh environment.",
            own_inputs=("pyproject.toml", "hatch_build.py", "gnomon", *_shipped(), "reports/paper",
                    "tests/test_packaging.py", "tests/test_stranger.py", "tests/wheels.py",
                    "tests/test_emulated.py", "tests/report/paper/test_quick.py",
                    "tests/report/browser.py", "tests/report/conftest.py", "tests/report/kinds.py",
                    "tests/report/sweep/conftest.py", "tests/report/test_by_line.py"),
            steps=(Step("cases", (), heavy="wheels"),),
            checkouts=("aarch64",),
        ),
        Group(
            "browser",
            "Pages work in a browser, on a desktop and on a phone.",
            own_inputs=("gnomon/report", "gnomon/cli", "reports", "tests/report",
                        "examples", "tests/commands.py"),
            steps=(Step("cases", (), heavy="browser"),),
        ),
        Group(
            "coverage",
            "`make test` runs 90 % of the lines of Python and 95 % of the lines of C.",
            own_inputs=("gnomon", "tests"),
            steps=(
                Step("cases", ("tests", "--order=1", "-ptests.c_coverage"),
                     environment=_counted, wrap=("-m", "coverage", "run"), fresh=(
                    "rm -rf .coverage .coverage.*",
                    "{python} -m tests.c_coverage --clear",
                )),
            ),
            programs=("gcc",),
            finish=(
                "{python} -m tests.c_coverage 95",
                "{python} -m coverage combine -q",
                "{python} -m coverage report --include='gnomon/*' --fail-under=90",
            ),
            sliced=False,
        ),
        Group(
            "sanitize",
            "No access outside an array and no undefined behavior in the engine.",
            own_inputs=(*_ENGINE, "kernels", "algorithms", "tests/exactness", "tests/oracle",
                        "tests/reference", "tests/robustness", "tests/kernels", "tests/learners",
                        "tests/program", "tests/sanitizers.py"),
            steps=(
                Step("exactness", ("tests/exactness", "tests/robustness/test_fuzz.py"),
                     environment=sanitized),
                Step("cases", (), heavy="sanitize"),
            ),
            programs=("gcc",),
        ),
        Group(
            "dependencies",
            "`make test` passes with the lowest and the newest release of each dependency.",
            own_inputs=("pyproject.toml", IMPORTS),
            steps=(
                _dependencies("lowest", "3.11", 2, "--resolution lowest-direct"),
                _dependencies("newest",
                              "$({python} -m uv python list --only-installed"
                              " | awk 'NR == 1 {{print $2}}')", 3),
            ),
            sliced=False,
        ),
        Group(
            "fuzz",
            "Damaged inputs of every format end in a message, within a second and 1 GiB.",
            own_inputs=("gnomon", *_shipped(), "examples", "tests/fuzz", "tests/once",
                        "tests/calibrate", "tests/energy", "tests/program", "tests/reference",
                        "tests/rtl/conftest.py", "tests/rtl/gates", "tests/trace",
                        "tests/report/test_bundle.py", "tests/report/conftest.py",
                        "tests/report/browser.py", "tests/report/kinds.py",
                        "tests/report/sweep/conftest.py", "tests/report/test_by_line.py",
                        "tests/commands.py"),
            steps=(Step("cases", (), heavy="fuzz"),),
        ),
        Group(
            "kills",
            "Long commands that are killed at random times give the same bytes when run again.",
            own_inputs=("gnomon/base", "gnomon/explore", "gnomon/program", "gnomon/report",
                        "gnomon/cli", "tests/cache", "tests/clusters.py", "tests/kills",
                        "tests/explore", "tests/signals.py", "tests/reference",
                        "tests/calibrate/tiny.v", "examples/scale_add.c"),
            steps=(Step("cases", (), heavy="kills"),),
        ),
    )
}  # fmt: skip
"""Every group by its name."""
