"""Run an ELF file on two machines and print what the vector unit's width changes.

python examples/run_program.py tests/reference/t13x/programs/p_conv_h1_s4.elf
"""

from __future__ import annotations

import sys

from gnomon import load_architecture, load_program, simulate


def main() -> None:
    """Print the wall cycles of the program named on the command line."""
    program = load_program(sys.argv[1])
    for name in ("t13-simd1", "t13-simd4"):
        run = simulate(program, load_architecture(name), max_cycles=10_000_000)
        print(f"{name}: {run.halted}, {run.wall_cycles} cycles")


if __name__ == "__main__":
    main()
