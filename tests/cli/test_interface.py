"""Every command, option and JSON field that users may rely on is there.

``interface/options.txt`` and ``interface/fields.txt`` were taken before the packages were
rearranged. Lines are added when something new is promised; none is taken away.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from gnomon.cli.app import app
from gnomon.cli.reference._commands import commands
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).with_name("interface")
OPTIONS = [line.split() for line in (FOLDER / "options.txt").read_text().splitlines()]
TRACE = '{"kernel": "matvec", "shape": [4, 4], "count": 10}\n'
SWEEP = """\
schema: 1
name: interface
kernel: add
arch: t13-simd4
fixed: {n: 4, variant: vector}
axes: {vcu.simd: [2, 4]}
"""


def promised() -> dict[str, set[str]]:
    """Fields of the JSON answer by command line."""
    answers: dict[str, set[str]] = {}
    command = ""
    for line in (FOLDER / "fields.txt").read_text().splitlines():
        if line.startswith("    "):
            answers[command].add(line.strip())
        else:
            command = line
            answers[command] = set()
    return answers


# Rows of the first are those of the other validations; the others measure many builds.
SLOW = ["validate rtl", "deploy examples/wearable.yaml", "study --sizes 4 --out {out}"]
QUICK = [command for command in promised() if command not in SLOW]


def fields(value: Any, path: str = "") -> Iterator[str]:
    """Paths to all values of an answer; of a list, those of its first three items."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from fields(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        if not value:
            yield f"{path}[]"
        for inner in value[:3]:
            yield from fields(inner, f"{path}[]")
    else:
        yield path


def test_options() -> None:
    known = {
        command.name: {
            one
            for each in command.parameters
            for spelling in each.names
            for one in spelling.split("/")
        }
        for command in commands()
    }
    for words in OPTIONS:
        wanted = {word for word in words if word.startswith("--")}
        name = " ".join(word for word in words[1:] if word[0] not in "-<")
        assert wanted <= known[name], name


@pytest.mark.parametrize("command", light_and_heavy("studies", len(QUICK), [*QUICK, *SLOW]))
def test_fields(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (tmp_path / "trace.jsonl").write_text(TRACE)
    (tmp_path / "sweep.yaml").write_text(SWEEP)
    line = command.format(
        trace=tmp_path / "trace.jsonl", sweep=tmp_path / "sweep.yaml", out=tmp_path / "out"
    )
    done = CliRunner().invoke(app, [*line.split(), "--json"], catch_exceptions=False)
    assert done.exit_code in {0, 1}, done.stderr  # 1: a check or a comparison says no
    assert promised()[command] <= set(fields(json.loads(done.stdout)))
