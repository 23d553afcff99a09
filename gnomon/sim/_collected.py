"""Records that a run writes into the engine's small buffers, collected in order."""

from bisect import bisect_left
from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.sim._machine import Machine
from gnomon.sim._run import BUS_DTYPE, OPERANDS_DTYPE, SPAN_DTYPE, TRACE_DTYPE, WAIT_DTYPE
from gnomon.sim._spool import Spool

Array = npt.NDArray[np.int64]
Records = npt.NDArray[np.void]

_CONSOLE_ROW = 1 << 32  # of memory.c: a character, not a word
_WAITS = ("wait_lsu", "wait_vcu", "wait_operand", "wait_fetch", "trap")  # as in a trace row


class Collected:
    """The buffers of one run, emptied repeatedly."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.printed: list[int] = []
        self.console = bytearray()
        self._traces, self._extra = Spool(TRACE_DTYPE), Spool(np.dtype(np.uint32))
        self._waits = Spool(WAIT_DTYPE)
        self._spans: list[Records] = []
        self._bus: list[Records] = []
        self.start_trace()

    def start_trace(self) -> None:
        """Count waits from now on."""
        account = self._machine.acct
        self._waited = np.column_stack([account[name] for name in _WAITS])
        self._waited[:, _WAITS.index("wait_fetch")] += account["wait_icache"]

    def take(self) -> int:
        """Empty the buffers; return the number of recorded issues."""
        st, arrays = self._machine.st, self._machine.arrays
        printed = arrays["printed"][: st["printed"]]
        words = printed < _CONSOLE_ROW
        self.printed += printed[words].tolist()
        self.console += (printed[~words] & 0xFF).astype(np.uint8).tobytes()
        rows = int(st["traced"])
        if rows:
            self._take_trace(arrays["trace"][:rows].copy())
        if st["spans"]:
            self._spans.append(arrays["spans"][: st["spans"]].copy())
        if st["bus_rows"]:
            self._bus.append(arrays["bus"][: st["bus_rows"]].copy())
        st["printed"] = st["traced"] = st["spans"] = st["bus_rows"] = 0
        return rows

    def _take_trace(self, rows: Records) -> None:
        waits = np.zeros((len(rows), len(_WAITS)), dtype=np.int64)
        for h in range(len(self._waited)):
            mine = np.flatnonzero(rows["hart"] == h)
            if len(mine):
                sums = rows["waits"][mine]
                waits[mine] = np.diff(sums, axis=0, prepend=self._waited[h : h + 1])
                self._waited[h] = sums[-1]
        issue, cause = np.nonzero(waits)
        found = np.zeros(len(issue), dtype=WAIT_DTYPE)
        found["issue"], found["cause"] = issue + len(self._traces), cause
        found["cycles"] = waits[issue, cause]
        self._waits.add(found)
        self._traces.add(_join([rows], TRACE_DTYPE))
        self._extra.add(rows["extra"].astype(np.uint32))

    def traced(self, first_cycle: int) -> dict[str, Any]:
        """Return the fields of a run that come from its trace.

        Args:
            first_cycle: of the window. One earlier issue, then in execute, is included.
        """
        # Not searchsorted, which would read and copy all rows of a file.
        issues, extra = self._traces.array(), self._extra.array()
        early = max(0, bisect_left(issues["cycle"], first_cycle) - 1)
        waits = self._waits.array()
        if early:
            waits = waits[bisect_left(waits["issue"], early) :].copy()
            waits["issue"] -= early
        return {
            "trace": issues[early:],
            "extra_cycles": extra[early:],
            "waits": waits,
            "spans": _join(self._spans, SPAN_DTYPE),
            "span_operands": _join(self._spans, OPERANDS_DTYPE),
        }

    def bus(self, last_cycle: int) -> Records:
        """Return the requests on the data bus.

        A transfer is recorded at its issue; its requests after the end of the run are excluded.
        """
        requests = _join(self._bus, BUS_DTYPE)
        requests = requests[np.argsort(requests["cycle"], kind="stable")]
        return requests[requests["cycle"] <= last_cycle]


def _join(parts: list[Records], dtype: np.dtype[np.void]) -> Records:
    """Return rows as records of a run: the fields of the same names."""
    records = np.zeros(sum(len(part) for part in parts), dtype=dtype)
    if parts:
        for name in dtype.names or ():
            records[name] = np.concatenate([part[name] for part in parts])
    return records
