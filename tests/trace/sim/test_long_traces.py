"""Traces that are long: the log in pieces is the log as a whole, in little memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.observe.trace._log import write_log
from gnomon.program import load_elf
from gnomon.sim import Run, _spool, simulate
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from gnomon.sim import TraceWindow

PROGRAMS = Path(__file__).parents[2] / "reference" / "t13x" / "programs"
RUNS = [("p00", "t13"), ("p04", "t13-simd2"), ("p05", "t13"), ("p06", "t13-simd2"),
        ("p_irq0", "t13-simd1"), ("p_conv_h1_s4", "t13-simd4"), ("p_matmul_h3_s1", "t13-simd1"),
        ("p00", "rv32im")]  # fmt: skip


def traced(name: str, arch: str, window: TraceWindow | None = None) -> tuple[Run, object, object]:
    program, machine = load_elf(PROGRAMS / f"{name}.elf"), load_architecture(arch)
    return simulate(program, machine, max_cycles=1200, trace=True, window=window), machine, program


@pytest.mark.parametrize(("name", "arch"), light_and_heavy("studies", 3, RUNS))
def test_pieces_give_the_log_of_the_whole(name: str, arch: str, tmp_path: Path) -> None:
    """Tries and sleeps that go on over the ends of pieces included."""
    run, machine, program = traced(name, arch)
    whole = tmp_path / "whole.csv"
    lines = write_log(run, machine, program, whole)  # type: ignore[arg-type]
    assert whole.read_bytes().count(b"\n") == lines + 1 > 20
    for slots in (3, 64, 500):
        part = tmp_path / f"{slots}.csv"
        assert write_log(run, machine, program, part, piece_slots=slots) == lines  # type: ignore[arg-type]
        assert part.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(("name", "arch"), RUNS[:3])
def test_a_trace_in_a_file_is_that_in_memory(
    name: str, arch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, _, _ = traced(name, arch)
    monkeypatch.setattr(_spool, "_MOST_ROWS", 64)
    spooled, _, _ = traced(name, arch)
    for field in ("trace", "extra_cycles", "waits", "spans"):
        one, other = getattr(kept, field), getattr(spooled, field)
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)
    assert isinstance(spooled.trace, np.memmap)


_LOOP = """
int main(int hart) {
    volatile int sum = 0;
    for (int i = 0; i < %d; i++) sum += i;
    return hart + (sum & 1);
}
"""


_MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, capture_output=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.heavy("studies")
def test_memory_is_flat(tmp_path: Path) -> None:
    """20 million slots, the default limit, in 200 MB."""
    (tmp_path / "it.c").write_text(_LOOP % 4_000_000)
    argv = ["run", str(tmp_path / "it.c"), "--arch", "t13", "--trace", f"log={tmp_path}/it.csv"]
    # Linux counts the memory of what starts a process as that of the process: a small one does.
    measured = subprocess.run(
        [sys.executable, "-c", _MEASURED, sys.executable, "-m", "gnomon", *argv],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert int(measured.stdout) < 200 * 1024
