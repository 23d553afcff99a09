"""The engine does the same in any order of the rows of the instruction table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.cases import CASES

if TYPE_CHECKING:
    from pathlib import Path

RUN = """
import csv, json, sys
from random import Random

seed, elf, *machine = sys.argv[1:]
read = csv.DictReader

def shuffled(lines, *given, **options):
    rows = [*read(lines, *given, **options)]
    if seed != "none" and "match" in rows[0]:
        Random(int(seed)).shuffle(rows)
    return rows

csv.DictReader = shuffled
from gnomon.arch import load_architecture
from gnomon.isa import INSTRUCTIONS
from gnomon.program import load_elf
from gnomon.sim import simulate

architecture = load_architecture(machine[0], machine[1:])
answer = simulate(load_elf(elf), architecture, max_cycles=10**7).to_json()
answer["vector_work"].sort(key=json.dumps)
print(json.dumps([[row.mnemonic for row in INSTRUCTIONS], answer], sort_keys=True))
"""


def _run(elf: Path, folder: Path, seed: str, *machine: str) -> tuple[list[str], dict[str, Any]]:
    """Return the instructions by number and what a run gives, in a process with its own engine."""
    environment = os.environ | {"GNOMON_CACHE": str(folder / seed), "GNOMON_BLOCKS": "force"}
    command = [sys.executable, "-c", RUN, seed, str(elf), *machine]
    found = subprocess.run(command, env=environment, capture_output=True, check=True)
    names, answer = json.loads(found.stdout)
    return names, answer


@pytest.mark.heavy("oracle")
def test_runs_do_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    for case, repeats in ((CASES[1], 20), (CASES[5], 20)):
        elf = tmp_path / f"{case.source}.elf"
        elf.write_bytes(case.build(repeats).elf)
        overrides = [f"vcu.sharing={case.sharing}"] if case.vector else []
        names, plain = _run(elf, tmp_path, "none", case.machine, *overrides)
        for seed in ("1", "2"):
            others, found = _run(elf, tmp_path, seed, case.machine, *overrides)
            assert others != names
            assert found == plain
        assert plain["halted"] == "exit"
