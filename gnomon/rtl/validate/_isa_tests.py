"""Finds the tests of public RISC-V suites in checkouts that the user has built in place.

Nothing is built here. A test counts by its source, so that one that was not built is an error
and not a test less. The two layouts, both as the suites' own make leaves them:

* riscv-tests: ``isa/GROUP/TEST.S``, built as ``isa/GROUP-p-TEST``;
* riscv-arch-test, framework 2.x: ``riscv-test-suite/rv32i_m/GROUP/src/TEST.S``, its signature
  ``references/TEST.reference_output`` beside ``src``, built as ``work/rv32i_m/GROUP/TEST.elf``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

# What RV32IM machines have; the other groups test extensions.
RISCV_TESTS_GROUPS = ("rv32ui", "rv32um")
ARCH_TEST_GROUPS = ("I", "M")
_SHOWN_NAMES = 8


@dataclass(frozen=True, slots=True)
class IsaTest:
    """One test: its group and name, the program, and its expected signature if it has one.

    Without ``reference`` the test judges itself.
    """

    group: str
    name: str
    elf: Path
    reference: Path | None

    @property
    def title(self) -> str:
        """Group and name, as ``--except`` takes it."""
        return f"{self.group}/{self.name}"


def riscv_tests(checkout: Path) -> list[IsaTest]:
    """The self-checking tests of a riscv-tests checkout.

    Raises:
        GnomonError: the path is not a checkout.
    """
    return [
        IsaTest(group, name, checkout / "isa" / f"{group}-p-{name}", None)
        for group in RISCV_TESTS_GROUPS
        for name in _sources(checkout, f"isa/{group}", "riscv-tests")
    ]


def arch_tests(checkout: Path) -> list[IsaTest]:
    """The signature tests of a riscv-arch-test checkout.

    Raises:
        GnomonError: the path is not a checkout, or it has no signatures.
    """
    suite = "riscv-test-suite/rv32i_m"
    tests = []
    for group in ARCH_TEST_GROUPS:
        for name in _sources(checkout, f"{suite}/{group}/src", "riscv-arch-test"):
            reference = checkout / suite / group / "references" / f"{name}.reference_output"
            if not reference.is_file():
                raise GnomonError(
                    f"{reference}: no such file; revisions from 3.0 on keep no signatures,"
                    " check out branch old-framework-2.x"
                )
            elf = checkout / "work/rv32i_m" / group / f"{name}.elf"
            tests.append(IsaTest(f"rv32i_m-{group}", name, elf, reference))
    return tests


def select(tests: Sequence[IsaTest], exceptions: Collection[str]) -> list[IsaTest]:
    """The tests without the exceptions; what remains must be built.

    Raises:
        GnomonError: an exception that names no test, or tests that are not built.
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
            f" built ({names}{rest}): build the suite in place, or leave out what cannot be built"
            " with --except GROUP/NAME"
        )
    return selected


def _sources(checkout: Path, folder: str, suite: str) -> list[str]:
    if not checkout.is_dir():
        raise GnomonError(f"{checkout}: no such folder; give the path of a {suite} checkout")
    names = sorted(path.stem for path in (checkout / folder).glob("*.S"))
    if not names:
        raise GnomonError(
            f"{checkout}: not a {suite} checkout: there are no sources {folder}/*.S in it"
        )
    return names
