from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cli import main
from gnomon.cli.app import app
from gnomon.program import build, load_elf
from gnomon.report.run_text import print_run
from gnomon.sim import simulate
from tests.program.test_elf import executable

SIMD4 = load_architecture("t13-simd4")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("programs")


def make(folder: Path, name: str, text: str) -> str:
    path = folder / f"{name}.elf"
    if not path.exists():
        source = folder / f"{name}.c"
        source.write_text(f'#include "gnomon.h"\n{text}')
        path.write_bytes(build([source], SIMD4).elf)
    return str(path)


@pytest.fixture
def counting(folder: Path) -> str:
    text = """
    __attribute__((noinline)) static unsigned sum(volatile unsigned *to, unsigned n)
    { for (unsigned i = 0; i < n; ++i) *to += i; return *to; }
    unsigned total;
    int main(int hart) { (void)hart; gnomon_print(sum(&total, 100)); return 42; }
    """
    return make(folder, "counting", text)


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["run", *arguments], catch_exceptions=False)
    return result.exit_code, result.stdout


def test_json_is_the_run_and_nothing_else(counting: str) -> None:
    code, out = invoke(counting, "--arch", "t13-simd4", "--json")
    assert code == 0
    run = simulate(load_elf(counting), SIMD4, max_cycles=2_000_000_000)
    assert json.loads(out) == run.to_json()
    assert out.count("\n") == 1
    assert json.loads(out)["exit_code"] == 42
    assert json.loads(out)["printed"] == [4950]


def test_tables(counting: str) -> None:
    code, out = invoke(counting, "--arch", "t13-simd4", "--set", "vcu.simd=8")
    assert code == 0
    run = simulate(load_elf(counting), SIMD4)
    assert "counting on t13-simd4" in out
    lines = [line.split() for line in out.splitlines()]
    assert ["exit", "code", "42", "(0x0000002A)"] in lines
    assert ["cycles", f"{run.wall_cycles:,}"] in lines
    assert ["time", f"{run.wall_cycles / 100:.2f}", "µs", "at", "100", "MHz"] in lines
    assert ["printed", "0x00001356"] in lines
    total = next(words for words in lines if words and words[0] == "total")
    assert total[-2:] == [f"{run.wall_cycles:,}", "100.0%"]
    harts = [words for words in lines if words[:1] == ["0"]]
    assert harts[0][1] == f"{run.harts[0].issued:,}"


def test_profile_shows_the_hot_loop(counting: str) -> None:
    code, out = invoke(counting, "--arch", "t13-simd4", "--profile")
    assert code == 0
    functions, instructions = out.split("hottest functions")[1].split("hottest instructions")
    assert functions.splitlines()[4].split()[0] == "sum"
    assert instructions.splitlines()[4].split()[1:3] == ["sum", "lw"]
    assert "wfi" not in instructions


def test_profile_and_json_exclude_each_other(counting: str) -> None:
    with pytest.raises(GnomonError) as caught:
        invoke(counting, "--arch", "t13", "--profile", "--json")
    assert str(caught.value) == (
        "--profile prints tables; leave out --json, which prints the run alone"
    )


def test_limit_prints_the_run_and_fails(counting: str) -> None:
    result = CliRunner().invoke(
        app, ["run", counting, "--arch", "t13-simd4", "--json", "--max-cycles", "50"]
    )
    shown = json.loads(result.stdout)
    assert shown["halted"] == "max-cycles"
    assert isinstance(result.exception, GnomonError)
    assert str(result.exception) == f"{counting}: max-cycles: {shown['reason']}"


def test_fault_ends_with_one_line_and_exit_code_2(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    text = "int main(int hart) { ((void (*)(void))0x80000000u)(); return hart; }"
    elf = make(folder, "wild", text)
    monkeypatch.setattr(sys, "argv", ["gnomon", "run", elf, "--arch", "t13", "--json"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    out, err = capfd.readouterr()
    assert json.loads(out)["halted"] == "fault"
    assert err == (f"gnomon: {elf}: fault: {json.loads(out)['reason']}\n")
    assert "fetch outside the instruction memory at 0x80000000" in err


def test_a_run_without_a_cycle_is_printed(
    counting: str, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = load_architecture("rv32im")
    run = simulate(replace(load_elf(Path(counting)), entry=0x7000_0000), machine)
    assert (run.wall_cycles, run.halted) == (0, "fault")
    print_run(run, machine)
    assert "fault" in capsys.readouterr().out


def test_a_program_that_starts_elsewhere_is_said(tmp_path: Path) -> None:
    elf = tmp_path / "zero.elf"
    elf.write_bytes(executable([(0x0, b"\x13\0\0\0" * 16, 64)], entry=0))
    result = CliRunner().invoke(app, ["run", str(elf), "--arch", "t13"])
    assert isinstance(result.exception, GnomonError)
    message = str(result.exception)
    assert message.startswith(f"{elf}: fault: ")
    assert message.endswith("; the program's entry is 0x0, this machine starts at 0x80")
    elf.write_bytes(executable([(0x0, b"\x13\0\0\0" * 16, 64)], entry=0x80))
    result = CliRunner().invoke(app, ["run", str(elf), "--arch", "t13"])
    assert "entry" not in str(result.exception)


def test_a_hart_that_slept_has_no_cpi(counting: str) -> None:
    _, out = invoke(counting, "--arch", "t13")
    table = out.partition("harts (CPI: ")[2].partition("cycles by cause")[0]
    rows = [line.split() for line in table.splitlines() if line.strip()[:1] in {"0", "1", "2"}]
    assert [row[0] for row in rows] == ["0", "1", "2"]
    for row in rows:
        assert (row[-1] == "-") == (row[4] != "0")
    assert rows[0][-1] != "-"
    assert rows[1][-1] == "-"


def test_hang(folder: Path) -> None:
    elf = make(folder, "sleep", "int main(int hart) { (void)hart; gnomon_park(); }")
    result = CliRunner().invoke(app, ["run", elf, "--arch", "t13"])
    assert isinstance(result.exception, GnomonError)
    assert str(result.exception).startswith(f"{elf}: hang: no event can ever wake a hart")


def test_machine_from_a_file(counting: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: t13\nname: mine\ntitle: a copy\nclock: 50 MHz\n")
    code, out = invoke(counting, "--arch", str(path))
    assert code == 0
    assert "counting on mine" in out
    assert "at 50 MHz" in out


def test_missing_program() -> None:
    with pytest.raises(GnomonError) as caught:
        invoke("nowhere.elf", "--arch", "t13")
    assert str(caught.value) == "nowhere.elf: no such file"


def test_default_limit_is_documented() -> None:
    code, out = invoke("--help")
    assert code == 0
    assert "2000000000" in out


def test_what_the_compiler_warns_of(folder: Path) -> None:
    source = folder / "warned.c"
    source.write_text("int main(void) { int unused; return 0; }\n")
    for _ in range(2):  # built, then from the cache
        result = CliRunner().invoke(app, ["run", str(source), "--arch", "t13", "--json"])
        assert result.exit_code == 0
        assert json.loads(result.stdout)["exit_code"] == 0
        assert "warned.c:1:22: warning: unused variable 'unused'" in result.stderr
    source.write_text("int main(void) { return 0; }\n")
    assert not CliRunner().invoke(app, ["run", str(source), "--arch", "t13"]).stderr
