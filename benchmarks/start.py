"""What a user waits for at the command line: CPU time of whole processes."""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import Case
from benchmarks.clock import cpu_of_child

_CLI = "from gnomon.cli import main; main()"
_SMALL = Case("mix", "t13-simd4", 1)


@dataclass(frozen=True, slots=True)
class Start:
    """A command and its best time; the limit is in the same unit."""

    name: str
    cpu_seconds: float
    limit_cpu_seconds: float


def measure_start(rounds: int) -> list[Start]:
    """Time ``gnomon run`` with an empty and with a filled cache, and ``gnomon --help``."""
    cli = [sys.executable, "-c", _CLI]
    best = dict.fromkeys(("first", "later", "help"), float("inf"))
    with tempfile.TemporaryDirectory(prefix="gnomon-") as temporary:
        elf = Path(temporary) / "mix.elf"
        elf.write_bytes(_SMALL.build().elf)
        command = [*cli, "run", str(elf), "--arch", _SMALL.machine]
        path = os.pathsep.join(p for p in (str(Path.cwd()), os.environ.get("PYTHONPATH")) if p)
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}: start-up", file=sys.stderr)
            cache = Path(temporary) / f"cache{number}"
            environment = {**os.environ, "GNOMON_CACHE": str(cache), "PYTHONPATH": path}
            for name, line in (("first", command), ("later", command), ("help", [*cli, "--help"])):
                best[name] = min(best[name], cpu_of_child(line, environment)[0])
    return [
        Start("gnomon run, first: the engine is compiled", best["first"], 10.0),
        Start("gnomon run, later", best["later"], 1.0),
        Start("gnomon --help", best["help"], 0.3),
    ]
