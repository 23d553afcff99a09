"""What regions and caches of a machine cost the simulator: the same loop on five machines.

Each turn of the loop loads one word and executes about nine other instructions.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from benchmarks.cases import PROGRAMS
from benchmarks.harness import Found, Limit, best_of, tasks_of_tiers
from gnomon.arch import Architecture, load_architecture
from gnomon.program import build

MOST_REGION_RATIO: Final = 1.3
MOST_CACHE_RATIO: Final = 1.6
TURNS: Final = 24_000_000
"""Enough for the translation of the blocks."""
WORDS: Final = 512
STEP: Final = 5

_HEAD = (
    "extends: rv32im\nname: {name}\ntitle: A machine of this benchmark\nsource: written for it\n"
)
_REGIONS = """\
memory:
  instruction: none
  data: none
  regions:
    flash: {{base: 0x00000000, size: 256 KiB, kind: flash, waits: 2{fetched}}}
    ram: {{base: 0x00100000, size: 256 KiB, kind: ram}}
    far: {{base: 0x20000000, size: 64 KiB, kind: ram, waits: 1{read}}}
  link: {{text: flash, data: ram}}
"""


def _regions(fetched: str = "", read: str = "", caches: str = "") -> str:
    return _REGIONS.format(fetched=fetched, read=read) + caches


_ICACHE = "  caches: {icache: {line: 16 B, sets: 16, ways: 1}}\n"
_DCACHE = "  caches: {dcache: {line: 16 B, sets: 16, ways: 1}}\n"
MACHINES: Final = {
    "two memories": ("", 0x0013_0000),
    "regions, load of the data": (_regions(), 0x0013_0000),
    "regions, load of another": (_regions(), 0x2000_0000),
    "instruction cache": (_regions(fetched=", cache: icache", caches=_ICACHE), 0x0013_0000),
    "data cache": (_regions(read=", cache: dcache", caches=_DCACHE), 0x2000_0000),
}
"""Further lines of each machine, and the address of the table."""
_BASES = {
    "regions, load of the data": ("two memories", MOST_REGION_RATIO),
    "regions, load of another": ("two memories", MOST_REGION_RATIO),
    "instruction cache": ("regions, load of the data", MOST_CACHE_RATIO),
    "data cache": ("regions, load of another", MOST_CACHE_RATIO),
}
"""What a machine is compared with, and how many times its time is allowed."""


def load_machines(folder: Path) -> dict[str, Architecture]:
    """Return the machines by name; their files are written to the folder."""
    machines = {}
    for number, (name, (lines, _)) in enumerate(MACHINES.items()):
        path = folder / f"machine{number}.yaml"
        path.write_text(_HEAD.format(name=f"machine{number}") + lines, encoding="utf-8")
        machines[name] = load_architecture(path)
    return machines


def measure(found: Found, rounds: int) -> None:
    """Time the loop on each machine in both tiers, per instruction."""
    tasks: dict[tuple[str, str], Callable[[], float]] = {}
    issued: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="gnomon-") as temporary:
        machines = load_machines(Path(temporary))
        for name, machine in machines.items():
            defines = {"TABLE": MACHINES[name][1], "TURNS": TURNS, "WORDS": WORDS, "STEP": STEP}
            program = build([PROGRAMS / "reads.c"], machine, defines=defines)
            run, tiers = tasks_of_tiers(program, machine)
            issued[name] = sum(each.issued for each in run.harts)
            tasks |= {(name, tier): task for tier, task in tiers.items()}
        seconds = best_of(tasks, rounds)
    rows: list[dict[str, Any]] = []
    limits = []
    each = {key: value / issued[key[0]] * 1e9 for key, value in seconds.items()}
    for name in MACHINES:
        row: dict[str, Any] = {"what": name}
        for tier in ("tier 1", "tier 2"):
            row[f"ns_{tier}"] = each[name, tier]
            if name in _BASES:
                base, limit = _BASES[name]
                ratio = each[name, tier] / each[base, tier]
                limits.append(Limit(f"{name}, {tier}: times {base}", "", ratio, limit))
        rows.append(row)
    found.add("memories of a machine", rows, limits)
