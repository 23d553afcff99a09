"""One instruction in the execute stage: results, next pc, extra cycles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.oracle import integer, lsu, traps
from tests.oracle.config import OracleConfig, OracleUnit, UnmodelledError
from tests.oracle.csrs import EXTRA_CYCLES as CSR_EXTRA_CYCLES
from tests.oracle.csrs import AccessDenied, CsrFile
from tests.oracle.decode import OP, Decoded
from tests.oracle.memory import SWI_FIRST, is_swi
from tests.oracle.vcu import Vcu

if TYPE_CHECKING:
    from tests.oracle.buses import Buses
    from tests.oracle.lsu import Lsu
    from tests.oracle.scratchpads import Scratchpads
    from tests.oracle.vcu_timing import VcuTiming

_MASK = 0xFFFF_FFFF
_SWI_EXTRA_CYCLES = 2
# These go to the load/store or vector unit and do not look at pending interrupts.
_NOT_INTERRUPTIBLE = {"load", "store", "amo", "kmem", "kdsp"}


@dataclass(slots=True)
class Outcome:
    next_pc: int
    extra_cycles: int = 0
    misaligned: bool = False


class Executor:
    def __init__(
        self,
        config: OracleConfig,
        csrs: CsrFile,
        load_store: Lsu,
        spms: Scratchpads,
        vcu_timing: VcuTiming,
        buses: Buses,
    ) -> None:
        self._config, self._csrs, self._lsu, self._buses = config, csrs, load_store, buses
        self._vcu = Vcu(config, csrs, spms, vcu_timing, buses)
        self.registers = [[0] * 32 for _ in range(config.harts)]
        self._msip_target: int | None = None  # set by CSR accesses and software-interrupt stores

    def execute(self, d: Decoded, hart: int, pc: int, issue: int) -> Outcome:
        regs = self._csrs.hart[hart]
        self._buses.pc = pc
        if traps.interrupt_pending(regs):
            if d.name == "sw":
                return self._interrupted_store(d, hart, pc, issue)
            if d.kind not in _NOT_INTERRUPTIBLE:
                return Outcome(traps.enter_interrupt(regs, pc, in_wfi=d.name == "wfi"))
        try:
            return self._dispatch(d, hart, pc, issue)
        except traps.Trap as trap:
            handler = traps.enter_exception(regs, pc, trap.cause)
            return Outcome(handler, trap.extra_cycles, trap.cause in traps.MISALIGNED)

    def _interrupted_store(self, d: Decoded, hart: int, pc: int, issue: int) -> Outcome:
        """The word goes out on the bus and the interrupt is taken too; it is stored again later."""
        x = self.registers[hart]
        address = (x[d.rs1] + d.imm) & _MASK
        if address % 4:
            raise UnmodelledError("misaligned sw with an interrupt pending")
        self._buses.integer(d, x, pc, by_register=False)
        self._lsu.store(d, address, x[d.rs2], issue)
        handler = traps.enter_interrupt(self._csrs.hart[hart], pc, in_wfi=False)
        return Outcome(handler, self._config.waits_at(address))

    def _dispatch(self, d: Decoded, hart: int, pc: int, issue: int) -> Outcome:
        x = self.registers[hart]
        outcome = Outcome((pc + 4) & _MASK)
        happens = self._csrs.counters.events.happens
        result: int | None = None
        if self._config.vcu or d.kind != "kmem":
            self._buses.integer(d, x, pc, by_register=d.opcode == OP)
        match d.kind:
            case "nop":
                pass
            case "alu":
                operand = x[d.rs2] if d.opcode == OP else d.imm & _MASK
                result = integer.alu(d.name, x[d.rs1], operand)
            case "muldiv":
                result, outcome.extra_cycles = integer.muldiv(d.name, x[d.rs1], x[d.rs2])
            case "lui":
                result = d.imm
            case "auipc":
                result = (pc + d.imm) & _MASK
            case "jal":
                happens("jump", issue)
                result, outcome.next_pc = outcome.next_pc, (pc + d.imm) & _MASK
            case "jalr":
                happens("jump", issue)
                target = (x[d.rs1] + d.imm) & _MASK & ~1
                result, outcome.next_pc = outcome.next_pc, target
            case "branch":
                happens("branch", issue)
                if integer.branch_taken(d.name, x[d.rs1], x[d.rs2]):
                    happens("taken", issue)
                    outcome.next_pc = (pc + d.imm) & _MASK
            case "load":
                address = (x[d.rs1] + d.imm) & _MASK
                result = self._lsu.load(d, address, issue)
                outcome.extra_cycles = lsu.LOAD_EXTRA_CYCLES + self._config.waits_at(address)
            case "store":
                outcome.extra_cycles = self._store(d, hart, issue)
            case "amo":
                result = self._lsu.amoswap(d, x[d.rs1], x[d.rs2], issue)
                outcome.extra_cycles = (
                    lsu.AMOSWAP_EXTRA_CYCLES if d.rd else lsu.AMOSWAP_X0_EXTRA_CYCLES
                ) + (2 if d.rd else 1) * self._config.waits_at(x[d.rs1])
            case "csr":
                result = self._csr(d, hart, issue)
                outcome.extra_cycles = CSR_EXTRA_CYCLES
            case "system":
                outcome.next_pc = self._system(d, hart, pc)
            case "illegal" if (unit := self._unit_of(d)) is not None:
                result, outcome.extra_cycles = self._unit(unit, d, hart)
            case "kmem" if self._config.vcu:
                self._lsu.transfer(d, hart, (x[d.rd], x[d.rs1], x[d.rs2]), issue)
            case "kdsp" if self._config.vcu:
                self._vcu.start(d, hart, (x[d.rd], x[d.rs1], x[d.rs2]), issue, x[d.word >> 27])
            case _:
                raise traps.Trap(traps.ILLEGAL)
        if result is not None and d.rd:
            x[d.rd] = result
            self._buses.put("write_back", result)
        return outcome

    def _unit_of(self, d: Decoded) -> OracleUnit | None:
        found = (each for each in self._config.units if d.word & each.mask == each.match)
        return next(found, None)

    def _unit(self, unit: OracleUnit, d: Decoded, hart: int) -> tuple[int, int]:
        x = self.registers[hart]
        a, b = (x[getattr(d, field)] if field in unit.reads else 0 for field in ("rs1", "rs2"))
        third = {"rs3": x[d.word >> 27], "rd": x[d.rd], "imm": d.imm & _MASK}
        operands = hart, a, b, third.get(unit.third, 0)
        extra = unit.cycles(*operands) - 1
        return unit.compute(*operands) & _MASK, extra

    def _store(self, d: Decoded, hart: int, issue: int) -> int:
        x = self.registers[hart]
        address, value = (x[d.rs1] + d.imm) & _MASK, x[d.rs2]
        interrupt = d.name == "sw" and is_swi(address)
        try:
            self._lsu.store(d, address, value, issue)
        except traps.Trap as trap:
            if interrupt:  # misaligned: no store, yet the interrupt register acts on its old target
                if self._msip_target == hart:
                    raise UnmodelledError("the trap takes the CSR request away") from None
                self._raise_msip(None, value)
                self._write_back(d, hart)
                trap.extra_cycles = _SWI_EXTRA_CYCLES
            raise
        waits = self._config.waits_at(address)
        if not interrupt:
            return waits
        index = (address - SWI_FIRST) // 4
        self._raise_msip(index if index < self._config.harts else None, value)
        self._write_back(d, hart)
        return waits + _SWI_EXTRA_CYCLES

    def _write_back(self, d: Decoded, hart: int) -> None:
        """The store waits for the CSR unit as CSR instructions do, and is written back like them.

        Where they have rd, a store has the low bits of its offset.
        """
        register = d.imm & 31
        if register:
            self.registers[hart][register] = self._csrs.hart[hart].last_read

    def _raise_msip(self, target: int | None, value: int) -> None:
        """Set MSIP of a hart; None means the target that the hardware still holds."""
        if target is not None:
            self._msip_target = target
        if self._msip_target is None:
            raise UnmodelledError("software interrupt to no hart before the first CSR access")
        regs = self._csrs.hart[self._msip_target]
        regs.last_read = regs.msip << 3
        regs.msip = value >> 3 & 1

    def _csr(self, d: Decoded, hart: int, issue: int) -> int:
        immediate = d.funct3 >= 5
        operand = d.rs1 if immediate else self.registers[hart][d.rs1]
        writes = d.name == "rw" or d.rs1 != 0
        self._msip_target = hart
        try:
            return self._csrs.access(
                hart, d.word >> 20, d.name, operand, writes=writes, cycle=issue
            )
        except AccessDenied:
            raise traps.Trap(traps.ILLEGAL, CSR_EXTRA_CYCLES) from None

    def _system(self, d: Decoded, hart: int, pc: int) -> int:
        regs = self._csrs.hart[hart]
        match d.name:
            case "ecall":
                raise traps.Trap(traps.ECALL)
            case "mret":
                return traps.leave(regs)
            case "wfi":
                return pc if regs.mie else (pc + 4) & _MASK
        raise UnmodelledError("ebreak enters debug mode, which is not modelled")
