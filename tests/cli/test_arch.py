from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from gnomon.arch import list_architectures, load_architecture
from gnomon.cli.app import app
from tests.commands import gnomon

if TYPE_CHECKING:
    import pytest


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["arch", *arguments], catch_exceptions=False)
    return result.exit_code, result.stdout


def test_list_shows_name_and_title() -> None:
    code, out = run("list")
    assert code == 0
    for name in list_architectures():
        assert f"{load_architecture(name).title}\n" in out
    width = max(len(name) for name in list_architectures())
    assert f"{'t13':{width}}  Klessydra-T13, three interleaved harts, no vector unit\n" in out
    assert out.endswith("cost models, for `gnomon learner` only: cortex-a72, cortex-m4\n")


def test_list_as_json() -> None:
    code, out = run("list", "--json")
    assert code == 0
    assert [row["name"] for row in json.loads(out)] == list_architectures()


def test_show_prints_value_meaning_unit_and_origin() -> None:
    code, out = run("show", "t13-simd4", "--set", "vcu.simd=8")
    assert code == 0
    assert "vcu.simd: 8  [--set vcu.simd=8]\n" in out
    assert "vcu.scratchpads.size: 4 KiB  [arch/t13-simd1.yaml:13]\n" in out
    assert "    length of one scratchpad, 2^Addr_Width in the RTL (bytes; " in out


def test_show_as_json_is_the_machine() -> None:
    code, out = run("show", "t13-simd4", "--json")
    assert code == 0
    shown = json.loads(out)
    machine = load_architecture("t13-simd4")
    assert shown["values"] == machine.to_dict()
    assert shown["fingerprint"] == machine.fingerprint
    harts = next(row for row in shown["keys"] if row["path"] == "core.harts")
    assert harts == {
        "path": "core.harts",
        "value": "3",
        "default": None,
        "unit": "harts",
        "allowed": "3 to 8 with core.model t13; 1 with inorder",
        "meaning": "hardware threads, THREAD_POOL_SIZE in the RTL",
        "origin": "arch/t13.yaml:20",
    }


def test_check_says_ok() -> None:
    assert run("check", "t13") == (0, "t13: ok\n")
    code, out = run("check", "t13", "--json")
    answer = {"file": "t13", "ok": True, "errors": [], "unknown": {}}
    assert (code, json.loads(out)) == (0, answer)


def test_a_machine_with_unavailable_costs_is_ok_with_a_note() -> None:
    code, out = run("check", "t13-simd4", "--set", "core.harts=4")
    assert (code, out.splitlines()[0]) == (0, "t13-simd4: ok")
    assert "  no energy: activity table t13x has no figures for core.harts = 4" in out


def test_check_prints_every_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.yaml").write_text("extends: t13-simd4\nname: m\ntitle: M\nvcu:\n  simd: 3\ncor: 1\n")
    done = CliRunner().invoke(app, ["arch", "check", "m.yaml"], catch_exceptions=False)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        "m.yaml:5: vcu.simd: must not be 3 "
        "(allowed: 1, 2, 4, 8; the RTL takes powers of two only)\n"
        "m.yaml:6: cor: unknown key (allowed: schema, name, title, source, clock, memory, core, "
        "vcu, devices, units, power, area, extends, did you mean 'core'?)\n"
    )
    code, out = run("check", "m.yaml", "--json")
    assert code == 2
    answer = json.loads(out)
    assert not answer["ok"]
    assert answer["errors"][0] == {
        "where": "m.yaml",
        "line": 5,
        "path": "vcu.simd",
        "message": "must not be 3 (allowed: 1, 2, 4, 8; the RTL takes powers of two only)",
    }


def test_a_machine_that_is_not_there_is_one_message_and_exit_code_2() -> None:
    done = gnomon("arch", "show", "t13-simd5")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "gnomon: no machine is called 't13-simd5' "
        f"(known: {', '.join(list_architectures())}, did you mean 't13-simd8'?); "
        "give a user-defined file by its path, such as ./mine.yaml\n"
    )
