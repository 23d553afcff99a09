"""The command line of ``gnomon replay``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.cli.app import app

if TYPE_CHECKING:
    from pathlib import Path

TRACE = '{"kernel": "matvec", "shape": [4, 4], "count": 1000}\n{"kernel": "argmax", "shape": [4]}\n'


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "calls.jsonl"
    path.write_text(TRACE)
    return path


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["replay", *arguments], catch_exceptions=False)
    return result.exit_code, result.stdout


def test_json(trace: Path) -> None:
    machine = ("--arch", "t13-simd4", "--set", "vcu.simd=2", "--variant", "vector")
    code, out = invoke(str(trace), *machine, "--json")
    assert code == 0
    answer = json.loads(out)
    matvec, argmax = answer["distinct"]
    assert matvec["call"] == {"kernel": "matvec", "shape": [4, 4]}
    assert (matvec["count"], matvec["variant"], argmax["variant"]) == (1000, "vector", "scalar")
    assert matvec["wall_cycles"] == 1000 * matvec["wall_cycles_each"]
    assert answer["wall_cycles"] == matvec["wall_cycles"] + argmax["wall_cycles"]
    assert answer["direct"]["calls"] == 2
    per_call = answer["direct"]["wall_cycles"] - answer["direct"]["priced_wall_cycles"]
    assert answer["direct"]["overhead_wall_cycles_per_call"] == per_call / 2
    assert invoke(str(trace), *machine, "--json") == (0, out)


def test_table(trace: Path) -> None:
    code, out = invoke(str(trace), "--arch", "t13-simd4", "--variant", "vector", "--direct", "0")
    assert code == 0
    words = next(line.split() for line in out.splitlines() if line.startswith("  matvec 4x4"))
    assert words[2:6] == ["matvec", "4x4,", "vector", "1,000"]
    assert "  without a vector variant, so scalar: argmax\n" in out
    assert "  call overhead: not measured; totals leave it out\n" in out
    assert "  operands: random, seed 0, in the range of each kernel\n" in out


def test_list_missing(trace: Path) -> None:
    arguments = (str(trace), "--arch", "t13", "--list-missing")
    none = "none: every kernel of the trace has an embedded implementation\n"
    assert invoke(*arguments) == (0, none)
    assert invoke(*arguments, "--json") == (0, '{"missing": {}}\n')


def test_bad_input(trace: Path) -> None:
    with pytest.raises(GnomonError) as caught:
        invoke(str(trace), "--arch", "t13", "--variant", "vectr")
    assert str(caught.value) == (
        "--variant must be one of: scalar, vector; not 'vectr', did you mean 'vector'?"
    )
    trace.write_text(TRACE + '{"kernel": "dot", "shape": [4], "count": 0}\n')
    with pytest.raises(GnomonError) as caught:
        invoke(str(trace), "--arch", "t13")
    assert str(caught.value) == f"{trace}:3: count must be a whole number from 1, not 0"


def test_the_list_gives_the_shapes_of_operands() -> None:
    done = CliRunner().invoke(app, ["replay", "--list"], catch_exceptions=False)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert "matvec [rows, columns]: a rows x columns, x columns" in lines
    assert any(line.startswith("lu_invert [n]: as invert: ") for line in lines)
