"""The engine with sanitizers compiled in, on damaged programs and small odd machines.

To be run as a program with ``GNOMON_NATIVE=sanitize``: an access outside an array ends it, and so
does what C leaves undefined.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.program import load_elf
from gnomon.sim import simulate
from gnomon.sim.parts import build_machine
from tests.robustness._fuzz import damaged, end_of
from tests.robustness._programs import all_harts_words, machine, program

if TYPE_CHECKING:
    from gnomon.arch import Architecture

ODD_MACHINE_SEED = 1_000_000
_LIMIT = 5000

COPY = all_harts_words(
    """
    li t0, 64
    csrw mvsize, t0
    li a0, 0x10000000
    li a1, 0x10001000
    kvcp a0, a1
    """
)


def leave_an_array() -> None:
    """Without its scratchpads, the engine leaves the array: the sanitizer ends the process."""
    broken = build_machine(program(COPY), machine("t13-simd2"), tracing=False, max_cycles=1001)
    few = np.zeros(1024, dtype=np.int32)
    broken.arrays["spm"] = few
    broken.record["spm"] = few.ctypes.data
    broken.st["quantum_end"] = 1000
    broken.run()
    print("left unseen")


def odd_machine(rng: random.Random) -> Architecture:
    """A machine with few, many or tiny scratchpads and memories that programs run over."""
    simd = rng.choice((1, 2, 4, 8))
    overrides = [
        f"vcu.simd={simd}",
        f"vcu.sharing={rng.choice(('shared', 'replicated', 'multithreaded'))}",
        f"vcu.scratchpads.count={rng.randint(1, 8)}",
        f"vcu.scratchpads.size={max(4 * simd, 4 << rng.randrange(12))} B",
        f"core.superscalar={rng.choice(('true', 'false'))}",
        f"core.harts={rng.choice((3, 4, 5))}",
        f"memory.unmapped={rng.choice(('protocol', 'fault'))}",
        f"memory.instruction.size={4 * rng.randint(700, 20_000)} B",
        f"memory.data.size={4 * rng.randint(0x2D00 // 4, 4000)} B",
    ]
    if rng.random() < 0.6:
        return machine("t13-simd2", *overrides)
    # Morph's own vector unit reads lanes after the end of a vector.
    tail = f"vcu.morph_quirks.divide_tail_lanes_gate={rng.choice(('true', 'false'))}"
    return machine("t13-paper-simd2", *overrides, tail)


def end_on_odd_machine(seed: int) -> str:
    """How a damaged program ends on an odd machine."""
    rng = random.Random(ODD_MACHINE_SEED + seed)
    try:
        architecture = odd_machine(rng)
        run = simulate(
            load_elf(damaged(seed)), architecture, max_cycles=_LIMIT, trace=rng.random() < 0.2
        )
    except GnomonError:
        return "refused"
    assert sum(run.counters.values()) == run.wall_cycles <= _LIMIT
    return run.halted


def main() -> None:
    """Check the seeds below the first argument on the usual and on odd machines."""
    seeds = range(int(sys.argv[1]))
    if not seeds:
        leave_an_array()
    usual = Counter(end_of(seed) for seed in seeds)
    odd = Counter(end_on_odd_machine(seed) for seed in seeds)
    print(json.dumps({"usual": dict(sorted(usual.items())), "odd": dict(sorted(odd.items()))}))


if __name__ == "__main__":
    main()
