"""A vector instruction from its registers to its effect: checks, schedule, results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracle import traps
from tests.oracle.config import OracleConfig, UnmodelledError
from tests.oracle.vcu_semantics import execute
from tests.oracle.vector_isa import VECTOR_OPS, VectorOp, check_vector

if TYPE_CHECKING:
    from tests.oracle.buses import Buses
    from tests.oracle.csrs import CsrFile
    from tests.oracle.decode import Decoded
    from tests.oracle.scratchpads import Scratchpads
    from tests.oracle.vcu_timing import VcuTiming

_ELEMENT_BITS = {0: 8, 1: 16, 2: 32}


class Vcu:
    def __init__(
        self,
        config: OracleConfig,
        csrs: CsrFile,
        spms: Scratchpads,
        timing: VcuTiming,
        buses: Buses,
    ) -> None:
        self._config, self._csrs, self._spms, self._timing = config, csrs, spms, timing
        self._buses = buses

    def start(
        self, d: Decoded, hart: int, operands: tuple[int, int, int], issue: int, rs3: int
    ) -> None:
        """Start a vector instruction on an idle accelerator. Raises Trap."""
        unit = self._config.vector_unit(d.word)
        op = VECTOR_OPS.get(d.funct7) if unit is None else unit.op
        third = {"rs3": rs3, "imm": d.imm & 0xFFFF_FFFF}.get(unit.third if unit else "", 0)
        if op is None:
            raise traps.Trap(traps.ILLEGAL)
        regs = self._csrs.hart[hart]
        accelerator = self._config.accelerator(hart)
        if regs.mvsize_bytes == 0:
            self._timing.start_nothing(accelerator, op, issue)
            return
        if regs.mvtype not in _ELEMENT_BITS:
            raise UnmodelledError("MVTYPE is 3")
        try:
            job = check_vector(
                self._spms,
                op,
                size_bytes=regs.mvsize_bytes,
                element_bits=_ELEMENT_BITS[regs.mvtype],
                operands=operands,
                mpsclfac=regs.mpsclfac,
                third=third,
            )
        except traps.Trap:
            self._timing.start_nothing(accelerator, op, issue)
            raise
        if job.element_bits not in op.widths:
            raise UnmodelledError(f"{op.name} with elements of {job.element_bits} bits")
        if self._hangs(op, hart, job.size_bytes, job.element_bits):
            self._timing.hang(accelerator, issue)
            return
        schedule = self._timing.start(accelerator, job, issue)
        lane_masks = self._config.sharing != "multithreaded" or hart == 0
        words = self._spms.words[accelerator]
        self._buses.vector_operands(words, job, accelerator, self._config.simd)
        execute(words, job, schedule, self._config.simd, lane_masks=lane_masks)
        self._buses.vector_result(words, job, accelerator, self._config.simd)

    def _hangs(self, op: VectorOp, hart: int, size_bytes: int, element_bits: int) -> bool:
        """Whether the first beat's width, taken from hart 0, keeps the instruction from ending."""
        if self._config.sharing != "shared" or not op.half_rate_8bit:
            return False
        narrow = element_bits == 8
        if narrow == (self._csrs.hart[0].mvtype == 0):
            return False
        if narrow and size_bytes > 2 * self._config.simd:
            return True
        raise UnmodelledError(
            f"{op.name} by hart {hart}: hart 0 uses elements of another width, the data are unknown"
        )
