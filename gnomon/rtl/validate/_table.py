"""The accuracy table: live comparisons and recorded results."""

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
    """Compare with T13 measurements, dividers and the paper, and read the recorded results.

    Comparisons that need an RTL simulator or an external checkout are recorded: cocotb benches,
    lock-step and public suites. Rows are sorted by reference, live ones first.

    Args:
        steps: progress; gets each compared quantity.
        only: one live comparison, without records.
        cells: file of gnomon's cells, see :func:`check_published`.

    Raises:
        GnomonError: if measurements or records are missing (in a wheel), or a file is invalid.
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
