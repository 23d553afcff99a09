"""The accuracy table: what can be compared at once, and what was recorded."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal, get_args

from gnomon.base.content import content
from gnomon.base.progress import Steps
from gnomon.rtl.validate._core import check_core
from gnomon.rtl.validate._laws import check_laws
from gnomon.rtl.validate._published import check_published
from gnomon.rtl.validate._record import Record, Truth, read_records

Live = Literal["rtl", "laws", "published"]
RECORDS = ("reports", "validation")


def accuracy_table(
    steps: Steps, only: Live | None = None, cells: Path | None = None
) -> tuple[Record, ...]:
    """Compare now with the T13 measurements, the dividers and the paper; read the other records.

    What needs a simulator of RTL or a checkout of others is recorded: cocotb benches, lock-step
    and public suites. Rows come by truth, live ones first.

    Args:
        steps: told what was compared.
        only: one of the comparisons, and no records.
        cells: of ours, as :func:`check_published` takes them.

    Raises:
        GnomonError: a wheel, which has neither measurements nor records, or an unusable file.
    """
    live: dict[Live, Callable[[], tuple[Record, ...]]] = {
        "rtl": partial(check_core, steps), "laws": check_laws,
        "published": partial(check_published, cells),
    }  # fmt: skip
    if only is not None:
        return live[only]()
    steps.plan(1)
    records = [record for compared in live.values() for record in compared()]
    records += read_records(content(*RECORDS))
    steps("divider laws, published cells, records")
    order = get_args(Truth)
    return tuple(sorted(records, key=lambda record: order.index(record.truth)))
