"""One piece of work of the engine, for callgrind: ``counted.py KIND ELF MACHINE [SETTING…]``.

It imports gnomon alone, from the import path, which may lead to another commit. KIND: ``run``,
``record``, ``retime``.
"""

import sys
from pathlib import Path

from gnomon.arch import load_architecture
from gnomon.program import load_elf
from gnomon.sim import record_path, simulate

MOST_CYCLES = 10**9


def work(kind: str, elf: str, machine: str, *settings: str) -> None:
    """Run a program, record its path, or also re-time the path for eight lanes."""
    program, architecture = load_elf(Path(elf)), load_architecture(machine, settings)
    if kind == "run":
        run = simulate(program, architecture)
        assert run.halted == "exit", run.reason
        return
    path = record_path(program, architecture, [], max_cycles=MOST_CYCLES)
    if kind == "retime":
        path.retime(load_architecture(machine, [*settings, "vcu.simd=8"]))


if __name__ == "__main__":
    work(*sys.argv[1:])
