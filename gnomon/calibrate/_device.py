"""Devices to measure: a core as RTL, or a machine of gnomon in its place."""

import subprocess
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import count, takewhile
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture, variants
from gnomon.arch.units import Unit
from gnomon.base.errors import GnomonError
from gnomon.calibrate._core import CoreFile
from gnomon.calibrate._unit_ports import UNIT_PORTS
from gnomon.isa import Instruction, decode_word, encode, size_bytes
from gnomon.program import Program
from gnomon.rtl.bare_metal import EXIT_ADDRESS, li
from gnomon.rtl.bench import rendered
from gnomon.rtl.tools import Simulator, run, tool
from gnomon.sim import WAIT_CAUSES, Run, simulate
from gnomon.sim.debugged import DebugSession

_MOST_SECONDS = 600
_FIRST_SECONDS = 60  # for a program of a few instructions
MOST_CYCLES = 200_000_000
_BUILD: Final = {
    "icarus": ("iverilog", "-g2012", "-s", "gnomon_core_bench", "-o", "bench.vvp"),
    # -O0: Verilator 5.006 with optimization executes jumps of Hazard3 wrongly.
    "verilator": ("verilator", "--binary", "--timing", "-O0", "-Wno-fatal", "-Wno-lint",
                  "-Wno-style", "--top-module", "gnomon_core_bench", "-CFLAGS", "-O1",
                  "--Mdir", "made", "-o", "bench"),
}  # fmt: skip
_RUN: Final = {"icarus": ("vvp", "-N", "bench.vvp"), "verilator": ("made/bench",)}
_UNDEFINED_AT_RUN: Final = ("--x-assign", "unique", "--x-initial", "unique")
"""Options of Verilator, which has no undefined values, for runs that choose them."""
_UNDEFINED: Final = 2
_CHOICES: Final[Mapping[str, Sequence[tuple[str, ...]]]] = {
    "icarus": ((),),
    "verilator": (("+verilator+rand+reset+0",), ("+verilator+rand+reset+1",),
                  ("+verilator+rand+reset+2", "+verilator+seed+1")),
}  # fmt: skip
"""Values for undefined ones: all 0, all 1, random. A port that depends on them is undefined."""


class Stopped(GnomonError):  # noqa: N818 - a result of a comparison, not an error of the user
    """Signal that a program does not terminate on a machine."""


class Retired(NamedTuple):
    """One instruction: its address, and the first cycle after its execute cycles, from any origin.

    The cycle is None if the device does not show it.
    ``written``: the register that it writes, 0 for none, and the value, None if some of its bits
    are undefined; None if the device shows no results.
    """

    pc: int
    cycle: int | None
    written: tuple[int, int | None] | None = None


class Stored(NamedTuple):
    """One store on the bus; None if some of its bits are undefined.

    ``lanes`` has a bit for each byte of the word that the store writes.
    """

    address: int | None
    lanes: int | None
    value: int | None


class Observed(NamedTuple):
    """What the bench of a core shows of a program."""

    retired: list[Retired]
    stores: list[Stored]


class Place(NamedTuple):
    """Addresses with wait states of their own."""

    base: int
    size_bytes: int
    waits: int

    def __str__(self) -> str:
        return f"{self.waits} at {self.base:#x}..{self.base + self.size_bytes - 1:#x}"


class Waits(NamedTuple):
    """Wait states of the memories for instructions and for data, in cycles."""

    instruction: int
    data: int
    places: tuple[Place, ...] = ()
    """Addresses with further wait states of each fetch, load and store; none elsewhere."""

    @property
    def most(self) -> int:
        """The wait states of a fetch and an access together, at most."""
        further = max((each.waits for each in self.places), default=0)
        return self.instruction + self.data + 2 * further

    def __str__(self) -> str:
        further = f" and {', '.join(map(str, self.places))}" if self.places else ""
        return f"waits ({self.instruction}, {self.data}){further}"


WAITS_BY_ADDRESS: Final = "waits_at("
"""The function of the bench that a bus adapter must call."""
MOST_PLACES: Final = 16
_AT_REST: Final = Waits(0, 0)
Progress = Callable[[str, int, int | None], None]
"""Function to call with the current work, the rounds done, and their total if it is known."""


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

    @property
    def sees_values(self) -> bool:
        """Whether the result of every instruction is seen."""

    @property
    def excluded(self) -> frozenset[str]:
        """Instructions that no program contains."""

    @property
    def unit_port(self) -> str | None:
        """Port at which it has units; None: it has no port."""

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        """Run a program and return the instructions from its entry to the store that ends it."""


@dataclass(frozen=True)
class RtlDevice:
    """An RTL core in a simulator, with units at its port.

    ``recorded``: ports whose values :meth:`record` returns, with their widths in bits.
    """

    core: CoreFile
    folder: Path
    simulator: Simulator = "icarus"
    units: tuple[Unit, ...] = ()
    recorded: tuple[tuple[str, int], ...] = ()
    progress: Progress = field(default=lambda *_: None, compare=False)
    _runs: Iterator[int] = field(default_factory=lambda: count(1), compare=False, repr=False)

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

    @property
    def sees_values(self) -> bool:
        return self.core.retire is not None and self.core.retire.rd is not None

    @property
    def excluded(self) -> frozenset[str]:
        return frozenset(self.core.exclude)

    @property
    def unit_port(self) -> str | None:
        return self.core.unit_port

    def build(self) -> None:
        """Compile core, units and bench, and run a few instructions.

        Raises:
            GnomonError: if the simulator is missing, core or units do not compile, or the
                simulation makes no progress.
        """
        self.progress(f"compile with {self.simulator}", 0, None)
        found = tool(self.simulator)
        if not found.path:  # a version too old for cocotb is accepted
            found.check()
        self.folder.mkdir(parents=True, exist_ok=True)
        bench = self.folder / "bench.v"
        bench.write_text(_render_bench(self.core, self.recorded), encoding="utf-8")
        options = [f"-D{name}" for name in self.core.defines]
        options += [f"-I{folder}" for folder in self.core.include]
        # The units come first, as directives of the core would change them, unless they need its
        # types. The bench follows the sources: it names constants of their packages.
        units, port = self._write_units(), self.core.unit_port
        last = port is not None and UNIT_PORTS[port].types
        sources = [*self.core.sources, *units] if last else [*units, *self.core.sources]
        sources.append(str(bench))
        if self.recorded and self.simulator == "verilator":
            options += _UNDEFINED_AT_RUN
        command = [*_BUILD[self.simulator], *options, *sources]
        compiled = run(command, self.folder)
        if compiled.returncode:
            log = compiled.stderr.strip().splitlines()
            lines = [line for line in log if "error" in line.lower()][:6] or log[-6:]
            hint = self._other_simulator("reads more of SystemVerilog")
            raise GnomonError(f"{self.core.name}: does not compile{hint}:\n" + "\n".join(lines))
        end = [*li(5, EXIT_ADDRESS), encode("sw", rs1=5, rs2=0), *[encode("addi")] * 16]
        self._simulate(program_of(end, self.start), _AT_REST, 10_000, most_seconds=_FIRST_SECONDS)

    def _other_simulator(self, why: str) -> str:
        """Return the advice to try the other simulator, if this is Icarus."""
        return f" (try --simulator verilator, which {why})" * (self.simulator == "icarus")

    def _write_units(self) -> list[str]:
        """Write the SystemVerilog of the units and of their port; return its files."""
        if self.core.unit_port is None:
            return []
        texts = [("units.sv", UNIT_PORTS[self.core.unit_port].text(self.units))]
        for unit in self.units:
            assert unit.rtl is not None  # else it has no module at the port
            texts += [(f"{unit.name}/{name}", text) for name, text in unit.rtl.files]
        files = []
        for name, text in texts:
            path = self.folder / "units" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            files.append(str(path))
        return files

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        """Run a program; see :class:`Device` and :meth:`observe`."""
        return self.observe(program, waits, most_cycles).retired

    def _simulate(
        self, program: Program, waits: Waits, most_cycles: int, *options: str,
        most_seconds: int = _MOST_SECONDS,
    ) -> Path:  # fmt: skip
        """Run a program and return the log of the bench, which may be missing."""
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
        if waits.places:
            options = (*options, *self._write_places(waits.places))
        try:
            subprocess.run(
                [*_RUN[self.simulator], f"+image={image}", f"+log={log}",
                 f"+iwaits={waits.instruction}", f"+dwaits={waits.data}", f"+most={most_cycles}",
                 *options],
                cwd=self.folder, capture_output=True, check=True, timeout=most_seconds,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            hint = self._other_simulator("is faster, and evaluates loops of signals otherwise")
            words = len(program.segments[0].data) // 4
            raise GnomonError(
                f"{self.core.name}: a program of {words} instructions does not end within "
                f"{most_seconds} s of simulation{hint}"
            ) from None
        except subprocess.CalledProcessError as error:
            raise GnomonError(f"{self.core.name}: the simulation failed: {error}") from None
        return log

    def _write_places(self, places: Sequence[Place]) -> list[str]:
        """Write the wait states by address for the bench; return its options.

        Raises:
            GnomonError: if the bus adapter does not ask for them.
        """
        if WAITS_BY_ADDRESS not in self.core.bus.text:
            raise GnomonError(
                f"{self.core.name}: its bus adapter has no wait states by address: let it wait for "
                f"{WAITS_BY_ADDRESS}address) cycles more (as gnomon/calibrate/adapters/*.v)"
            )
        path = self.folder / "places.hex"
        rows = (f"{each.base:x} {each.size_bytes:x} {each.waits:x}\n" for each in places)
        path.write_text("".join(rows), encoding="utf-8")
        return [f"+places={path}", f"+count={len(places)}"]

    def observe(self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES) -> Observed:
        """Run a program; the first instruction jumps to its entry.

        Raises:
            GnomonError: if the simulation fails or times out, or no instruction retires.
        """
        self.progress("programs on the RTL", next(self._runs), None)
        log = self._simulate(program, waits, most_cycles)
        stores: list[list[str]] = []
        retired: list[Retired] = []
        try:
            for fields in _read_fields(log):
                if fields[1] == "store":
                    stores.append(fields)
                elif self.sees_all:
                    retired.append(_parse_retired(*fields))
        except ValueError:
            raise GnomonError(
                f"{self.core.name}: retire.pc has unknown bits in a cycle with retire.valid 1"
            ) from None
        if not (retired if self.sees_all else stores):
            raise GnomonError(
                f"{self.core.name}: no instruction retires: check clock, reset, reset-pc, inputs "
                f"and retire{self._other_simulator('starts registers at 0')}"
            )
        on_bus = [Stored(*map(_parse_bits, fields)) for _, _, *fields in stores]
        if not self.sees_all:
            cycles = [int(each[0]) for each in stores]
            return Observed(_trace_stores(program, self.isa, cycles), on_bus)
        first = next((n for n, each in enumerate(retired) if each.pc == program.entry), 0)
        # The pipeline may show the address of the entry before its instruction.
        again = takewhile(lambda each: each.pc == program.entry, retired[first + 1 :])
        return Observed(retired[first + len(list(again)) :], on_bus)

    def record(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> npt.NDArray[np.uint8]:
        """Return the recorded ports in every cycle, at its end: 0, 1, or 2 and 3 if undefined.

        The first cycle is that of the first clock edge, in reset. The last one is that of the store
        that ends the program. Columns are the bits of the ports in their order, bit 0 first. Under
        Verilator, all bits of a port are undefined if one is; their lowest bit is that of the run
        that is compared.

        Raises:
            GnomonError: if the simulation fails or times out, the program does not end, or its
                length depends on undefined values.
        """
        first, *others = (
            self._record(program, waits, most_cycles, *chosen)
            for chosen in _CHOICES[self.simulator]
        )
        undefined = np.zeros_like(first)
        for other in others:
            if len(other) != len(first):
                raise GnomonError(
                    f"{program.name}: takes {len(first):,} cycles on the RTL if undefined values "
                    f"are 0, and {len(other):,} if they are others"
                )
            undefined |= first ^ other
        start = 0
        for _, bits in self.recorded:  # three runs may agree by chance in a bit, not in a word
            port = undefined[:, start : start + bits]
            port |= port.any(axis=1, keepdims=True)
            start += bits
        return first | undefined * np.uint8(_UNDEFINED)

    def _record(
        self, program: Program, waits: Waits, most_cycles: int, *chosen: str
    ) -> npt.NDArray[np.uint8]:
        rows = self.folder / "rows.txt"
        rows.unlink(missing_ok=True)
        self._simulate(program, waits, most_cycles, f"+rows={rows}", *chosen)
        width = sum(bits for _, bits in self.recorded)
        text = np.frombuffer(rows.read_bytes(), dtype=np.uint8)
        values = text[: len(text) // (width + 1) * (width + 1)].reshape(-1, width + 1)[:, :-1]
        if len(values) > most_cycles:
            raise GnomonError(f"{program.name}: no end within {most_cycles:,} cycles on the RTL")
        ends = np.cumsum([bits for _, bits in self.recorded])
        columns = [np.arange(end - 1, end - bits - 1, -1)
                   for end, (_, bits) in zip(ends, self.recorded, strict=True)]  # fmt: skip
        found = np.where(values < ord("2"), values - ord("0"), 2).astype(np.uint8)
        return np.ascontiguousarray(found[:, np.concatenate(columns)])


def _read_fields(log: Path) -> Iterator[list[str]]:
    """Yield the fields of each line of the bench's log, which may be missing."""
    if log.is_file():
        with log.open() as lines:  # millions, of a compiled program
            yield from map(str.split, lines)


def _parse_retired(cycle: str, pc: str, rd: str = "", value: str = "") -> Retired:
    """Return an instruction from a line of the bench.

    Raises:
        ValueError: if the address has undefined bits.
    """
    written: tuple[int, int | None] | None = None
    if rd:
        written = int(rd, 16), _parse_bits(value)
    return Retired(int(pc, 16), int(cycle), written)


def _parse_bits(text: str) -> int | None:
    """Return a hexadecimal number of the bench; None if some of its bits are undefined."""
    return None if set(text.lower()) & set("xz") else int(text, 16)


def _render_bench(core: CoreFile, recorded: Sequence[tuple[str, int]] = ()) -> str:
    """Return the Verilog bench of a core.

    It ends at a store to the exit or, unless ports are recorded, after inactivity. If instructions
    retire visibly, the last of them may retire a few cycles after that store.
    """
    ports = dict.fromkeys(core.clock, "clock")
    ports[core.reset.signal] = "~" * (core.reset.active == "low") + "held"
    ports |= {core.ports.get(name, name): name for name in core.bus.ports}
    ports |= {name: str(value) for name, value in core.inputs.items()}
    unit_port = None if core.unit_port is None else UNIT_PORTS[core.unit_port]
    ports |= {name: name for name in (unit_port.signals if unit_port else ())}
    parameters = ", ".join(f".{name}({value})" for name, value in core.parameters.items())
    return rendered(
        Path(__file__).with_name("core_bench.v.j2"), bus=core.bus.text, top=core.top,
        parameters=f"#({parameters})" if parameters else "",
        retire=None if core.retire is None else core.retire.in_bench(),
        connections=", ".join(f".{name}({value})" for name, value in ports.items()),
        unit_port=unit_port, recorded=", ".join(f"dut.{name}" for name, _ in recorded),
    )  # fmt: skip


def _word_index(address: int) -> int:
    """Return the index of an address in the memory of the bench, in 32-bit words."""
    return (address >> 20 & 1) << 16 | (address >> 2 & 0xFFFF)


def _trace_stores(program: Program, isa: str, cycles: Sequence[int]) -> list[Retired]:
    """Return the instructions of the simulated program, stores with their cycles on the bus."""
    trace = _trace(program, isa)
    seen, words = iter(cycles), trace["word"].tolist()
    known = {word: decode_word(word, compressed=True) for word in set(words)}
    stores = {word for word, each in known.items()
              if each is not None and each.instruction.timing_class == "store"}  # fmt: skip
    return [
        Retired(pc, next(seen, None) if word in stores else None)
        for pc, word in zip(trace["pc"].tolist(), words, strict=True)
    ]


def isa_path(program: Program, isa: str) -> list[int]:
    """Return the addresses of the executed instructions by the ISA."""
    path: list[int] = _trace(program, isa)["pc"].tolist()
    return path


def _trace(program: Program, isa: str) -> npt.NDArray[np.void]:
    """Return the trace of a program on a machine with the ISA; its cycles have no meaning."""
    trace = simulate(program, _isa_machine(isa), trace=True, max_cycles=MOST_CYCLES).trace
    assert trace is not None
    return trace


def isa_states(program: Program, isa: str) -> list[list[int]]:
    """Return x0 to x31 after each instruction by the ISA."""
    device = MachineDevice(lambda _: _isa_machine(isa), isa)
    states: list[list[int]] = device.registers(program, Waits(0, 0)).tolist()
    return states


@cache
def _isa_machine(isa: str) -> Architecture:
    return variants("rv32im")([f"core.isa={isa}"])


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
    sees_values: bool = False
    excluded: frozenset[str] = frozenset()
    unit_port: str | None = None

    @cached_property
    def unit_rows(self) -> tuple[Instruction, ...]:
        """Encodings of the instructions of its units."""
        return self.variant([]).unit_rows

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        """Run a program; see :class:`Device`.

        Raises:
            Stopped: if the program does not terminate.
        """
        run = simulate(program, self._machine(waits), trace=True, max_cycles=most_cycles)
        if run.halted != "exit":
            pcs = [0] if run.trace is None else run.trace["pc"].tolist()
            raise Stopped(f"the machine stops after {pcs[-1]:#x}: {run.reason}")
        return retired_of(run, queued=self.variant([]).core.fetch is not None)

    def registers(self, program: Program, waits: Waits) -> npt.NDArray[np.uint32]:
        """Return x0 to x31, in a row after each instruction of a program that terminates."""
        found = array("I")  # a compiled program has millions of instructions

        def step(session: DebugSession) -> None:
            while not session.ended:
                session.go(0, lambda: False)
                found.extend(session.registers(0)[:-1])

        simulate(program, self._machine(waits), debug=step, max_cycles=MOST_CYCLES)
        return np.array(found, dtype=np.uint32).reshape(-1, 32)

    def _machine(self, waits: Waits) -> Architecture:
        overrides = [f"core.latency.instruction-waits={waits.instruction}",
                     f"core.latency.data-waits={waits.data}"]  # fmt: skip
        return self.variant(overrides if waits.instruction or waits.data else [])


def retired_of(run: Run, *, queued: bool = False) -> list[Retired]:
    """Return the instructions of a traced run.

    A wait for an operand counts for the waiting instruction. ``queued``: so do all other waits, as
    the core has a fetch queue.
    """
    assert run.trace is not None
    assert run.waits is not None
    begun, waits = run.trace["cycle"].copy(), run.waits
    fetches = waits["cause"] == WAIT_CAUSES.index("wait.fetch")  # of the next instruction
    if not queued:
        waits = waits[waits["cause"] == WAIT_CAUSES.index("wait.operand")]
        fetches = np.zeros(len(waits), dtype=bool)
    waiting = waits["issue"] + fetches
    inside = waiting < len(begun)
    np.subtract.at(begun, waiting[inside], waits["cycles"][inside])
    pcs, ends = run.trace["pc"].tolist(), begun[1:].tolist()
    return [Retired(pc, cycle) for pc, cycle in zip(pcs, ends, strict=False)]
