"""Speed of the simulator, compared with qemu, which has no timing, and with the tests' oracle.

gnomon: exact timing, with the profile per instruction, which is always on. qemu-riscv32 in user
mode: the same C with the same flags, function without timing, as it is and with one instruction
per translated block. The pure-Python oracle: the first cycles of a case.
"""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cases import CASES, PROGRAMS, Case
from benchmarks.harness import Found, Limit, best_of, cpu_of_call, cpu_of_child
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.sim import Run, simulate

MIN_MIPS_ONE_HART = 250.0
MIN_MEGACYCLES_PER_SECOND_VECTOR = 50.0
GNOMON = "gnomon"
QEMU = "qemu-riscv32"
ORACLE_CYCLES = 500_000


@dataclass(frozen=True, slots=True)
class Work:
    """Timed work; ``instructions``: retired by harts that are awake; ``cycles`` may be None."""

    case: Case
    simulator: str
    instructions: int
    cycles: int | None

    def __str__(self) -> str:
        return f"{self.case.name} on {self.case.machine}, {self.simulator}"


def measure(found: Found, rounds: int) -> None:
    """Time every case on every simulator that is here."""
    with_qemu, with_oracle = qemu_version() is not None, importlib.util.find_spec("tests.oracle")
    for name, there in ((QEMU, with_qemu), ("tests.oracle", with_oracle)):
        if not there:
            print(f"{name} is not here: left out", file=sys.stderr)
    tasks: dict[Work, Callable[[], float]] = {}
    with tempfile.TemporaryDirectory(prefix="gnomon-") as folder:
        for case in CASES:
            work, run, task = engine_task(case)
            tasks[work] = task
            if with_qemu and case.portable and case.machine == CASES[0].machine:
                tasks |= qemu_tasks(work, run, Path(folder))
            if with_oracle and case.architecture().core.model == "t13":
                tasks |= _oracle_task(case)
        timed = best_of(tasks, rounds)
    found.add("speed", speed_rows(timed), speed_limits(timed))


def speed_rows(timed: dict[Work, float]) -> list[dict[str, Any]]:
    """Return one row per case and simulator."""
    mips = {work: work.instructions / seconds / 1e6 for work, seconds in timed.items()}
    gnomon = {work.case: each for work, each in mips.items() if work.simulator == GNOMON}
    return [
        {
            "program": work.case.name,
            "machine": work.case.machine,
            "simulator": work.simulator,
            "active_harts": work.case.active_harts,
            "instructions": work.instructions,
            "cycles": work.cycles,
            "cpu_seconds": seconds,
            "mips": mips[work],
            "megacycles_per_second": None if work.cycles is None else work.cycles / seconds / 1e6,
            "speed_over_gnomon": mips[work] / gnomon[work.case],
        }
        for work, seconds in timed.items()
    ]


def speed_limits(timed: dict[Work, float]) -> list[Limit]:
    """Return the simulator's limits: instructions of one hart, cycles of vector work."""
    found = []
    for work, seconds in timed.items():
        if work.simulator != GNOMON:
            continue
        if work.case.vector and work.cycles is not None:
            count, unit, least = work.cycles, "M cycles/s", MIN_MEGACYCLES_PER_SECOND_VECTOR
        elif work.case.active_harts == 1:
            count, unit, least = work.instructions, "MIPS", MIN_MIPS_ONE_HART
        else:
            continue
        name = f"{work.case.name} on {work.case.machine}"
        found.append(Limit(name, unit, count / seconds / 1e6, least, at_least=True))
    return found


def awake_instructions(run: Run) -> int:
    """Return instructions retired, without slots of sleeping harts and tries of busy units."""
    return sum(
        hart.retired - run.counters.get(f"hart{number}.parked", 0)
        for number, hart in enumerate(run.harts)
    )


def engine_task(case: Case) -> tuple[Work, Run, Callable[[], float]]:
    """Time a whole call of ``simulate``; one call before it has compiled the engine."""
    program, architecture = case.build(), case.architecture()
    run = simulate(program, architecture)
    if run.halted != "exit":
        raise CheckFailed(f"{case.name} on {case.machine}: {run.halted}: {run.reason}")
    work = Work(case, GNOMON, awake_instructions(run), run.wall_cycles)
    return work, run, lambda: cpu_of_call(lambda: simulate(program, architecture))


def _oracle_task(case: Case) -> dict[Work, Callable[[], float]]:
    """Time the oracle up to a cycle, checked against the engine up to the same cycle."""
    from tests.oracle import Oracle, OracleConfig

    program, architecture = case.build(), case.architecture()
    assert architecture.vcu is not None
    unit, superscalar = architecture.vcu, architecture.core.superscalar
    oracle = Oracle(OracleConfig(simd=unit.simd, sharing=unit.sharing, superscalar=superscalar))
    segments = [(segment.address, segment.data) for segment in program.segments]
    expected = simulate(program, architecture, max_cycles=ORACLE_CYCLES)
    work = Work(case, "oracle", awake_instructions(expected), expected.wall_cycles)

    def once() -> float:
        runs = []
        # The oracle takes the last cycle by number, the engine the number of cycles.
        seconds = cpu_of_call(
            lambda: runs.append(oracle.run(segments, expected.exit_cycle, trace=False))
        )
        seen = (runs[0].issued, f"{runs[0].data_ram_crc32:08x}")
        wanted = (tuple(hart.issued for hart in expected.harts), expected.memory_crc32["data"])
        if seen != wanted:
            raise CheckFailed(
                f"{work}: after {ORACLE_CYCLES} cycles the oracle and the engine differ: issues"
                f" and data CRC {seen}, engine {wanted}"
            )
        return seconds

    return {work: once}


def qemu_version() -> str | None:
    """Return the version of the qemu on PATH, or None if it is missing."""
    if shutil.which(QEMU) is None:
        return None
    text = subprocess.run([QEMU, "--version"], check=True, capture_output=True, text=True).stdout
    return text.splitlines()[0].removeprefix("qemu-riscv32 version ")


def qemu_tasks(engine: Work, run: Run, folder: Path) -> dict[Work, Callable[[], float]]:
    """Return qemu's tasks with the instruction count of ``engine`` (about 50 more at start)."""
    program = str(_build_for_qemu(engine.case, folder))
    # QEMU 8.1 gave the option a new name.
    told = subprocess.run([QEMU, "-help"], check=False, capture_output=True, text=True).stdout
    single = "-one-insn-per-tb" if "-one-insn-per-tb" in told else "-singlestep"

    def task(name: str, options: list[str]) -> tuple[Work, Callable[[], float]]:
        work = Work(engine.case, name, engine.instructions, None)

        def once() -> float:
            seconds, printed = cpu_of_child([QEMU, *options, program])
            value = int.from_bytes(printed, "little")
            if value != run.exit_code:
                raise CheckFailed(f"{work}: returns {value}, gnomon {run.exit_code}")
            return seconds

        return work, once

    return dict([task("qemu", []), task("qemu, single step", [single])])


def _build_for_qemu(case: Case, folder: Path) -> Path:
    """Compile a static program at 0x10000 with the flags of the simulated one."""
    info = case.build().build
    assert info is not None
    target = folder / f"{case.source}.elf"
    sources = [str(PROGRAMS / "qemu_start.S"), str(PROGRAMS / f"{case.source}.c")]
    command = [sys.executable, "-m", "ziglang", "cc", *info.flags, *sources, "-o", str(target)]
    command += ["-static", "-Wl,--gc-sections", "-Wl,--image-base=0x10000", "-Wl,-e,_start"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        raise GnomonError(f"{case.source}.c does not compile for qemu: {done.stderr.strip()}")
    return target
