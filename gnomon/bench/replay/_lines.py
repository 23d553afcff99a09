"""Where in a trace file a call stands first, for messages."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.learn import Call


def first_line(path: Path, call: Call) -> int:
    """Number of the first line with a call, in a file that ``read_trace`` has accepted.

    Raises:
        ValueError: no line has it.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if path.suffix == ".csv":
            cells = [cell.strip() for cell in next(csv.reader([line]))]
            if cells[0] != call.kernel:
                continue
            shape = tuple(int(word) for word in cells[1].split("x"))
        else:
            fields = json.loads(line)
            if fields["kernel"] != call.kernel:
                continue
            shape = tuple(fields["shape"])
        if shape == call.shape:
            return number
    raise ValueError(f"{path} has no call {call}")
