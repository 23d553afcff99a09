"""Errors of C code: a run or its result on a machine, a function on the host."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import CheckFailed
from gnomon.base.isolation import SubprocessCrashError
from gnomon.base.tables import shown_path
from gnomon.program import Program
from gnomon.sim import Run
from gnomon.sim.crash import crash_of


def check_finished(
    title: str,
    run: Run,
    program: Program,
    *,
    any_code: bool = False,
    with_lines: Callable[[], Program] | None = None,
) -> None:
    """Check that a run ended regularly with exit code 0.

    Args:
        title: name of the run for the message.
        run: result of the run.
        program: the program that ran, to locate a trap.
        any_code: whether to accept exit codes other than 0; traps are always errors.
        with_lines: function that builds the program with debug information, to name the line of a
            trap.

    Raises:
        CheckFailed: if the run ended differently; the message states how.
    """
    if run.trapped:
        lined = program if with_lines is None else with_lines()
        # Operands are stored as data. A build with other options has its instructions elsewhere.
        alike = _instructions(lined) == _instructions(program)
        crash = crash_of(run, lined if alike else program)
        if crash is not None:
            raise CheckFailed(f"{title}: {crash}")
    if run.halted != "exit" or (run.exit_code != 0 and not any_code):
        end = run.reason or f"exit code 0x{run.exit_code:X}"
        raise CheckFailed(f"{title}: did not finish ({run.halted}): {end}")


def _instructions(program: Program) -> list[tuple[int, bytes]]:
    return [(each.address, each.data) for each in program.segments if each.executable]


def check_equal(title: str, result: npt.NDArray[np.int64], expected: npt.NDArray[np.int64]) -> None:
    """Check that a result equals that of its model.

    Raises:
        CheckFailed: if an element differs; the message names the first.
    """
    differing = np.argwhere(result != expected)
    if len(differing):
        at = tuple(int(i) for i in differing[0])
        raise CheckFailed(
            f"{title}: {len(differing)} of {expected.size} elements differ from the model; first"
            f" at [{', '.join(map(str, at))}]: {int(result[at])}, expected {int(expected[at])}"
        )


def function_error(title: str, function: str, sources: Iterable[Path], what: str) -> CheckFailed:
    """Return the error of a function, beginning with the ``file:line`` of its definition."""
    place = _place_of(function, sources)
    return CheckFailed(f"{f'{place}: ' if place else ''}{title}: {function} {what}")


def crash_error(
    title: str, function: str, sources: Iterable[Path], how: SubprocessCrashError
) -> CheckFailed:
    """Return the error of a function that ended its process."""
    return function_error(title, function, sources, f"crashed on the host, {how}")


def _place_of(function: str, sources: Iterable[Path]) -> str:
    """Return ``file:line`` of the definition of a C function; an empty text if there is none."""
    defined = re.compile(rf"^\w[^;{{}}()#]*\b{function}\s*\([^;{{}}]*\)\s*\{{", re.MULTILINE)
    for source in sources:
        text = source.read_text(encoding="utf-8", errors="replace")
        match = defined.search(text)
        if match is not None:
            line = text.count("\n", 0, text.index(function, match.start())) + 1
            return f"{shown_path(source)}:{line}"
    return ""
