"""Contract checks of one thing in one test: all run, and those that fail are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError
from gnomon.program import unchanging_files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gnomon.base.errors import Check


def failures(checks: Iterable[Check]) -> list[str]:
    """Run checks; return a line for each that does not hold."""
    found = []
    with unchanging_files({}):
        for check in checks:
            try:
                check.run()
            except GnomonError as error:
                found.append(f"{check.of}, {check.name}: {error}")
    return found
