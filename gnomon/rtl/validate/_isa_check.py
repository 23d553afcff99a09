"""Public suites: their tests in checkouts that the user has built in place, and a report on them.

The module builds nothing. Tests are listed by their sources, so a test that was not built is an
error and is not silently omitted. The two layouts are the results of the suites' own make:

* riscv-tests: ``isa/GROUP/TEST.S``, built as ``isa/GROUP-p-TEST``;
* riscv-arch-test, framework 2.x: ``riscv-test-suite/rv32i_m/GROUP/src/TEST.S``, its signature
  ``references/TEST.reference_output`` next to ``src``, built as ``work/rv32i_m/GROUP/TEST.elf``.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.rtl.tools import git
from gnomon.rtl.validate._isa_run import IsaResult, IsaTest, run_test
from gnomon.rtl.validate._record import Record


@dataclass(frozen=True, slots=True)
class IsaReport:
    """All results on one machine, the tests left out on request, and the checkouts."""

    machine: str
    results: tuple[IsaResult, ...]
    excepted: tuple[str, ...]
    overrides: tuple[str, ...]
    checkouts: Mapping[str, Path | None]

    @property
    def rows(self) -> tuple[Record, ...]:
        """One row per group of tests; the counts are tests, not cases within them."""
        groups: dict[str, list[IsaResult]] = defaultdict(list)
        for result in self.results:
            groups[result.test.group].append(result)
        rows = []
        for group, results in groups.items():
            failed = [f"{each.test.name}: {each.failure}" for each in results if each.failure]
            worst = failed[0] if failed else None
            rows.append(Record(group, "isa", len(results), len(failed), worst))
        return tuple(rows)

    @property
    def failures(self) -> tuple[IsaResult, ...]:
        return tuple(result for result in self.results if result.failure is not None)

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gnomon validate isa --json`` prints."""
        return {
            "arch": self.machine,
            "rows": [row.counts() for row in self.rows],
            "tests": [result.to_json() for result in self.results],
            "excepted": list(self.excepted),
        }

    def records(self) -> tuple[Record, ...]:
        given = [name for name, path in self.checkouts.items() if path is not None]
        options = {"riscv-tests": " --riscv-tests", "riscv-arch-test": " --arch-test"}
        suites = "".join(f"{options[name]} CHECKOUT" for name in given)
        left_out = "".join(f" --except {title}" for title in self.excepted)
        changed = "".join(f' --set "{change}"' for change in self.overrides)
        command = f"gnomon validate isa --arch {self.machine}{suites}{changed}{left_out}"
        records = []
        for row in self.rows:
            suite = "riscv-arch-test" if row.quantity.startswith("rv32i_m-") else "riscv-tests"
            quantity = f"{self.machine}: tests of {suite} {row.quantity}"
            tool = f"{suite} {_revision(self.checkouts[suite])}"
            records.append(replace(row, quantity=quantity, command=command, tool=tool))
        return tuple(records)


def check_isa(
    machine: str,
    *,
    riscv_tests_path: Path | None = None,
    arch_test_path: Path | None = None,
    overrides: Sequence[str] = (),
    exceptions: Sequence[str] = (),
) -> IsaReport:
    """Run built checkouts of riscv-tests and riscv-arch-test (2.x) on a machine.

    Args:
        machine: name of a shipped machine or path of a YAML file.
        riscv_tests_path: checkout of riscv-tests, built in place.
        arch_test_path: checkout of riscv-arch-test with signatures, built in place.
        overrides: changes to the machine, ``dotted.path=value``.
        exceptions: tests to leave out, ``GROUP/NAME``.

    Raises:
        GnomonError: if no suite is given, or a path, machine, exception or file is not usable.
    """
    compressed = load_architecture(machine, overrides).core.alignment_bytes == 2
    tests = []
    if riscv_tests_path is not None:
        tests += riscv_tests(riscv_tests_path, compressed=compressed)
    if arch_test_path is not None:
        tests += arch_tests(arch_test_path, compressed=compressed)
    if not tests:
        raise GnomonError(
            "nothing to check: give a built checkout with --riscv-tests PATH or --arch-test PATH"
        )
    selected = select(tests, exceptions)
    results = tuple(run_test(test, machine, overrides) for test in selected)
    checkouts = {"riscv-tests": riscv_tests_path, "riscv-arch-test": arch_test_path}
    excepted = tuple(sorted(set(exceptions)))
    return IsaReport(machine, results, excepted, tuple(overrides), checkouts)


def _revision(checkout: Path | None) -> str:
    """Return the commit of a checkout.

    An unpacked archive, even one inside another repository, has no known revision.
    """
    output = checkout and git(checkout, "rev-parse", "--show-toplevel", "--short=8", "HEAD")
    top, revision, *_ = (output or "\n").split("\n")
    if checkout is None or not top or Path(top).resolve() != checkout.resolve():
        return "of no known revision"
    return revision


# Groups for RV32IM machines, then the group for RV32C; other groups test further extensions.
RISCV_TESTS_GROUPS = ("rv32ui", "rv32um", "rv32uc")
ARCH_TEST_GROUPS = ("I", "M", "C")
_SHOWN_NAMES = 8


def riscv_tests(checkout: Path, *, compressed: bool) -> list[IsaTest]:
    return [
        IsaTest(group, name, checkout / "isa" / f"{group}-p-{name}", None)
        for group in RISCV_TESTS_GROUPS[: 2 + compressed]
        for name in _list_sources(checkout, f"isa/{group}", "riscv-tests")
    ]


def arch_tests(checkout: Path, *, compressed: bool) -> list[IsaTest]:
    suite = "riscv-test-suite/rv32i_m"
    tests = []
    for group in ARCH_TEST_GROUPS[: 2 + compressed]:
        for name in _list_sources(checkout, f"{suite}/{group}/src", "riscv-arch-test"):
            reference = checkout / suite / group / "references" / f"{name}.reference_output"
            if not reference.is_file():
                raise GnomonError(
                    f"{reference}: no such file; revisions from 3.0 on have no signatures,"
                    " check out branch old-framework-2.x"
                )
            elf = checkout / "work/rv32i_m" / group / f"{name}.elf"
            tests.append(IsaTest(f"rv32i_m-{group}", name, elf, reference))
    return tests


def select(tests: Sequence[IsaTest], exceptions: Collection[str]) -> list[IsaTest]:
    """Return the tests without the exceptions.

    Raises:
        GnomonError: if an exception names no test, or a remaining test is not built.
    """
    titles = [test.title for test in tests]
    for title in exceptions:
        if title not in titles:
            raise GnomonError(
                f"--except {title}: no such test; write GROUP/NAME, such as"
                f" {titles[0]}{did_you_mean(title, titles)}"
            )
    selected = [test for test in tests if test.title not in exceptions]
    missing = [test for test in selected if not test.elf.is_file()]
    if missing:
        names = ", ".join(test.title for test in missing[:_SHOWN_NAMES])
        more = len(missing) - _SHOWN_NAMES
        rest = f" and {more} more" if more > 0 else ""
        raise GnomonError(
            f"{missing[0].elf}: no such file; {len(missing)} of {len(selected)} tests are not"
            f" built ({names}{rest}): build the suite in place, or leave out tests with"
            " --except GROUP/NAME"
        )
    return selected


def _list_sources(checkout: Path, folder: str, suite: str) -> list[str]:
    if not checkout.is_dir():
        raise GnomonError(f"{checkout}: no such folder; give the path of a {suite} checkout")
    names = sorted(path.stem for path in (checkout / folder).glob("*.S"))
    if not names:
        raise GnomonError(f"{checkout}: not a {suite} checkout: it has no sources {folder}/*.S")
    return names
