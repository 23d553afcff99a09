"""qemu-riscv32 in user mode: the same C with the same flags, function without timing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.cases import PROGRAMS
from benchmarks.clock import Task, cpu_of_child
from gnomon.base.errors import CheckFailed, GnomonError

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.cases import Case
    from gnomon.sim import Run

QEMU = "qemu-riscv32"
NAME = "qemu"
NAME_SINGLE = "qemu, single step"


def qemu_present() -> bool:
    """Whether it is on PATH."""
    return shutil.which(QEMU) is not None


def qemu_version() -> str:
    """Its version line."""
    text = subprocess.run([QEMU, "--version"], check=True, capture_output=True, text=True).stdout
    return text.splitlines()[0].removeprefix("qemu-riscv32 version ")


def _single_step_option() -> str:
    # QEMU 8.1 gave the option a new name.
    done = subprocess.run([QEMU, "-help"], check=False, capture_output=True, text=True)
    return "-one-insn-per-tb" if "-one-insn-per-tb" in done.stdout else "-singlestep"


def build_for_qemu(case: Case, folder: Path) -> Path:
    """A static program at 0x10000, compiled with the flags of the simulated one.

    Raises:
        GnomonError: it does not compile.
    """
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


def qemu_tasks(case: Case, run: Run, instructions: int, folder: Path) -> list[Task]:
    """Time qemu as it is, and with one instruction per translated block.

    ``instructions`` are the engine's, which has a longer start-up: some 50 of hundreds of millions.
    """
    program = str(build_for_qemu(case, folder))

    def task(name: str, options: list[str]) -> Task:
        def once() -> float:
            seconds, printed = cpu_of_child([QEMU, *options, program])
            value = int.from_bytes(printed, "little")
            if value != run.exit_code:
                raise CheckFailed(
                    f"{case.name} on {case.machine}: {name} returns {value}, gnomon {run.exit_code}"
                )
            return seconds

        return Task(case, name, instructions, None, once)

    return [task(NAME, []), task(NAME_SINGLE, [_single_step_option()])]
