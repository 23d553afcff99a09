"""The accuracy table: what can be compared at once, and what was recorded of the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from gnomon.base.content import content
from gnomon.rtl.validate._core import CORE_QUANTITIES, check_core
from gnomon.rtl.validate._figures import check_published
from gnomon.rtl.validate._laws import check_laws
from gnomon.rtl.validate._record import Record, read_records
from gnomon.rtl.validate._row import Truth

if TYPE_CHECKING:
    from collections.abc import Callable

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
