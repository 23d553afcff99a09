"""Rows of the accuracy table from a lock-step with the real core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.rtl.validate._row import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.rtl.klessydra import Result


def comparison_rows(results: Sequence[Result], entity: str) -> tuple[Row, ...]:
    """Issues, bus requests, words of memory and whole programs.

    A program counts with what was compared of it up to its first difference.
    """
    wrong = [each.compared.divergence for each in results if each.compared.divergence is not None]

    def row(what: str, compared: int, *kinds: str) -> Row:
        found = [each for each in wrong if each.kind in kinds]
        worst = f"cycle {found[0].cycle}: {found[0].summary}" if found else None
        return Row(f"{entity} in lock-step: {what}", "rtl", compared, len(found), worst)

    return (
        row("programs", len(results), "issue", "bus", "memory", "exit"),
        row("issues", sum(each.compared.issues for each in results), "issue"),
        row("bus requests", sum(each.compared.bus_requests for each in results), "bus"),
        row("words of memory", sum(each.compared.memory_words for each in results), "memory"),
    )
