"""Devices to measure: a core as RTL, or a machine of gnomon in its place."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import numpy as np

from gnomon.arch import Architecture, variants
from gnomon.base.errors import GnomonError
from gnomon.calibrate._core import CoreFile
from gnomon.isa import decode_word, encode, size_bytes
from gnomon.program import Program
from gnomon.rtl.bench import rendered
from gnomon.rtl.tools import Simulator, run, tool
from gnomon.sim import WAIT_CAUSES, Run, simulate

_MOST_SECONDS = 600
MOST_CYCLES = 200_000_000
_BUILD: Final = {
    "icarus": ("iverilog", "-g2012", "-s", "gnomon_core_bench", "-o", "bench.vvp"),
    # -O0: Verilator 5.006 with optimization executes jumps of Hazard3 wrongly.
    "verilator": ("verilator", "--binary", "--timing", "-O0", "-Wno-fatal", "-Wno-lint",
                  "-Wno-style", "--top-module", "gnomon_core_bench", "-CFLAGS", "-O1",
                  "--Mdir", "made", "-o", "bench"),
}  # fmt: skip
_RUN: Final = {"icarus": ("vvp", "bench.vvp"), "verilator": ("made/bench",)}


class Stopped(GnomonError):  # noqa: N818 - a result of a comparison, not an error of the user
    """Signal that a program does not terminate on a machine."""


class Retired(NamedTuple):
    """One instruction: its address, and the first cycle after its execute cycles, from any origin.

    The cycle is None if the device does not show it.
    """

    pc: int
    cycle: int | None


class Waits(NamedTuple):
    """Wait states of the memories for instructions and for data, in cycles."""

    instruction: int
    data: int

    def __str__(self) -> str:
        return f"waits ({self.instruction}, {self.data})"


class Device(Protocol):
    """A core that runs programs."""

    @property
    def isa(self) -> str:
        """Instruction set, as ``core.isa`` of a machine."""

    @property
    def start(self) -> int:
        """Address of the first instruction."""

    @property
    def waits(self) -> str:
        """``any``, or ``none`` if its memories have no wait states."""

    @property
    def sees_all(self) -> bool:
        """Whether the end of every instruction is seen; otherwise only that of stores."""

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        """Run a program and return the instructions from its entry to the store that ends it."""


@dataclass(frozen=True)
class RtlDevice:
    """An RTL core in a simulator."""

    core: CoreFile
    folder: Path
    simulator: Simulator = "icarus"

    @property
    def isa(self) -> str:
        return self.core.isa

    @property
    def start(self) -> int:
        return self.core.reset_pc

    @property
    def waits(self) -> str:
        return self.core.waits

    @property
    def sees_all(self) -> bool:
        return self.core.retire is not None

    def build(self) -> None:
        """Compile core and bench.

        Raises:
            GnomonError: if the simulator is missing or the core does not compile.
        """
        found = tool(self.simulator)
        if not found.path:  # a version too old for cocotb is accepted
            found.check()
        self.folder.mkdir(parents=True, exist_ok=True)
        bench = self.folder / "bench.v"
        bench.write_text(_render_bench(self.core), encoding="utf-8")
        options = [f"-D{name}" for name in self.core.defines]
        options += [f"-I{folder}" for folder in self.core.include]
        # The bench follows the sources: it names constants of their packages.
        command = [*_BUILD[self.simulator], *options, *self.core.sources, str(bench)]
        compiled = run(command, self.folder)
        if compiled.returncode:
            log = compiled.stderr.strip().splitlines()
            lines = [line for line in log if "error" in line.lower()][:6] or log[-6:]
            raise GnomonError(f"{self.core.name}: does not compile:\n" + "\n".join(lines))

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        """Run a program; see :class:`Device`. The first instruction jumps to the entry.

        Raises:
            GnomonError: if the simulation fails or times out, or no instruction retires.
        """
        image, log = self.folder / "image.hex", self.folder / "retired.txt"
        pieces = [(segment.address, segment.data) for segment in program.segments]
        if program.entry != self.start:
            jump = encode("jal", imm=program.entry - self.start)
            pieces.insert(0, (self.start, jump.to_bytes(4, "little")))
        with image.open("w") as lines:
            for address, data in pieces:
                words = np.frombuffer(data + bytes(-len(data) % 4), "<u4").tolist()
                lines.writelines(
                    [f"@{_word_index(address):x}\n", *(f"{word:08x}\n" for word in words)]
                )
        log.unlink(missing_ok=True)
        try:
            subprocess.run(
                [*_RUN[self.simulator], f"+image={image}", f"+log={log}",
                 f"+iwaits={waits.instruction}", f"+dwaits={waits.data}", f"+most={most_cycles}"],
                cwd=self.folder, capture_output=True, check=True, timeout=_MOST_SECONDS,
            )  # fmt: skip
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            raise GnomonError(f"{self.core.name}: the simulation failed: {error}") from None
        seen = [line.split() for line in log.read_text().splitlines()] if log.is_file() else []
        if not seen:
            raise GnomonError(
                f"{self.core.name}: no instruction retires: check clock, reset, reset-pc, inputs "
                "and retire"
            )
        if not self.sees_all:
            return _trace_stores(program, self.isa, [int(cycle) for cycle, _ in seen])
        try:
            retired = [Retired(int(pc, 16), int(cycle)) for cycle, pc in seen]
        except ValueError:
            raise GnomonError(
                f"{self.core.name}: retire.pc has unknown bits in a cycle with retire.valid 1"
            ) from None
        first = next((n for n, each in enumerate(retired) if each.pc == program.entry), 0)
        return retired[first:]


def _render_bench(core: CoreFile) -> str:
    """Return the Verilog bench of a core; it ends at a store to the exit or after inactivity."""
    ports = dict.fromkeys(core.clock, "clock")
    ports[core.reset.signal] = "~" * (core.reset.active == "low") + "held"
    ports |= {core.ports.get(name, name): name for name in core.bus.ports}
    ports |= {name: str(value) for name, value in core.inputs.items()}
    parameters = ", ".join(f".{name}({value})" for name, value in core.parameters.items())
    return rendered(
        Path(__file__).with_name("core_bench.v.j2"), bus=core.bus.text, top=core.top,
        parameters=f"#({parameters})" if parameters else "", retire=core.retire,
        connections=", ".join(f".{name}({value})" for name, value in ports.items()),
    )  # fmt: skip


def _word_index(address: int) -> int:
    """Return the index of an address in the memory of the bench, in 32-bit words."""
    return (address >> 20 & 1) << 16 | (address >> 2 & 0xFFFF)


def _trace_stores(program: Program, isa: str, cycles: Sequence[int]) -> list[Retired]:
    """Return the instructions of the simulated program, stores with their cycles on the bus."""
    machine = variants("rv32im")([f"core.isa={isa}"])
    trace = simulate(program, machine, trace=True, max_cycles=MOST_CYCLES).trace
    assert trace is not None
    seen, words = iter(cycles), trace["word"].tolist()
    known = {word: decode_word(word, compressed=True) for word in set(words)}
    stores = {word for word, each in known.items()
              if each is not None and each.instruction.timing_class == "store"}  # fmt: skip
    return [
        Retired(pc, next(seen, None) if word in stores else None)
        for pc, word in zip(trace["pc"].tolist(), words, strict=True)
    ]


def program_of(words: Sequence[int], start: int, *, compressed: bool = False) -> Program:
    """Return a program of instruction words that starts at the first one.

    Args:
        words: instruction words.
        start: address of the first instruction.
        compressed: whether compressed instructions take 16 bits.
    """
    sizes = (size_bytes(word) if compressed else 4 for word in words)
    data = b"".join(word.to_bytes(size, "little") for word, size in zip(words, sizes, strict=False))
    return Program("calibration", b"", start, ()).with_segment(start, data, executable=True)


@dataclass(frozen=True)
class MachineDevice:
    """An in-order machine of gnomon; ``variant`` returns it with changed keys."""

    variant: Callable[[Sequence[str]], Architecture]
    isa: str = "rv32im"
    start: int = 0
    waits: str = "any"
    sees_all: bool = True

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        """Run a program; see :class:`Device`.

        Raises:
            Stopped: if the program does not terminate.
        """
        overrides = [f"core.latency.instruction-waits={waits.instruction}",
                     f"core.latency.data-waits={waits.data}"]  # fmt: skip
        machine = self.variant(overrides if any(waits) else [])
        run = simulate(program, machine, trace=True, max_cycles=most_cycles)
        if run.halted != "exit":
            pcs = [0] if run.trace is None else run.trace["pc"].tolist()
            raise Stopped(f"the machine stops after {pcs[-1]:#x}: {run.reason}")
        return retired_of(run)


def retired_of(run: Run) -> list[Retired]:
    """Return the instructions of a traced run.

    A wait for an operand counts for the waiting instruction.
    """
    assert run.trace is not None
    assert run.waits is not None
    begun = run.trace["cycle"].copy()
    of_operand = run.waits[run.waits["cause"] == WAIT_CAUSES.index("wait.operand")]
    begun[of_operand["issue"]] -= of_operand["cycles"]
    pcs, ends = run.trace["pc"].tolist(), begun[1:].tolist()
    return [Retired(pc, cycle) for pc, cycle in zip(pcs, ends, strict=False)]
