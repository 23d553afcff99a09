"""The accuracy table: what can be compared at once, what was recorded, rows of a lock-step."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from gnomon.base.content import content
from gnomon.rtl.validate._core import CORE_QUANTITIES, check_core
from gnomon.rtl.validate._figures import check_published
from gnomon.rtl.validate._laws import check_laws
from gnomon.rtl.validate._record import Record, Row, Truth, read_records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


RECORDS = ("reports", "validation")
TABLE_STEPS = len(CORE_QUANTITIES) + 1
"""How often ``accuracy_table`` calls ``done``."""


def accuracy_table(done: Callable[[str], None] = lambda _: None) -> tuple[Record, ...]:
    """Compare now with the T13 measurements, the dividers and the paper; read the other records.

    What needs a simulator of RTL or a checkout of others is recorded: cocotb benches, lock-step
    and public suites. Rows come by truth, live ones first.

    Args:
        done: called with what was compared.

    Raises:
        GnomonError: a wheel, which has neither measurements nor records, or an unusable file.
    """
    records = [*check_core(done), *check_laws(), *check_published()]
    records += read_records(content(*RECORDS))
    done("divider laws, published cells, records")
    order = get_args(Truth)
    return tuple(sorted(records, key=lambda record: order.index(record.row.truth)))
