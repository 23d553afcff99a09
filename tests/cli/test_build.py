"""``gnomon build``, ``run`` with several sources, and ``headers``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gnomon.program
from gnomon.base.compiler import zig_binary
from gnomon.base.errors import GnomonError
from gnomon.cli.app import app

OPTIONS = ("--arch", "t13", "-O3", "-D", "N=32", "-DTWICE", "-I", "inc", "--harts", "3")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two sources and a header in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "b.h").write_text("int scaled(int n);\n")
    (tmp_path / "b.c").write_text(
        '#include "b.h"\n#include "vcu.h"\n'
        "int scaled(int n) { return n * (1 + TWICE + VCU_AVAILABLE); }\n"
    )
    (tmp_path / "a.c").write_text(
        '#include "gnomon.h"\n#include <string.h>\n#include "b.h"\n'
        "int main(void) { gnomon_print(scaled(N) + gnomon_hart()); return N; }\n"
    )
    return tmp_path


def invoke(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_run_builds_several_sources_for_several_harts() -> None:
    answer = json.loads(invoke("run", "a.c", "b.c", *OPTIONS, "--json"))
    assert answer["exit_code"] == 32
    assert len(answer["printed"]) > 1
    assert set(answer["printed"]) <= {64, 65, 66}


def test_build_gives_what_run_runs(project: Path) -> None:
    built = json.loads(invoke("build", "a.c", "b.c", *OPTIONS, "-o", "x.elf", "--json"))
    assert built["elf"] == "x.elf"
    assert built["active_harts"] == 3
    assert "-O3" in built["flags"]
    straight = json.loads(invoke("run", "a.c", "b.c", *OPTIONS, "--json"))
    loaded = json.loads(invoke("run", "x.elf", "--arch", "t13", "--json"))
    assert loaded == straight | {"program": "x"}
    assert "bytes of text" in invoke("build", "a.c", "b.c", *OPTIONS)
    assert (project / "a.elf").read_bytes() == (project / "x.elf").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "x.elf", "--arch", "t13", "-O2"), "x.elf: is built already, so -O has no effect"),
        (("run", "x.elf", "a.c", "--arch", "t13"), "x.elf: not a source"),
        (("build", "x.elf", "--arch", "t13"), "x.elf: not a source"),
        (("run", "a.c", "--arch", "t13", "-D", "1=2"), "-D takes NAME=VALUE"),
        (("run", "a.c", "--arch", "t13", "-O7"), "-O7"),
        (("run", "a.c", "--arch", "t13", "--harts", "4"), "--harts is 4, but t13 has 3 harts"),
        (("headers", "out/of/here", "--arch", "t13"), "no sources in "),
    ],
)
def test_what_cannot_be(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(GnomonError, match=message):
        CliRunner().invoke(app, list(arguments), catch_exceptions=False)


@pytest.mark.parametrize("machine", ["t13", "t13-simd4"])
def test_an_editor_can_check_with_the_headers(project: Path, machine: str) -> None:
    out = invoke("headers", "build", "--arch", machine, "-D", "N=32", "-DTWICE", "-I", "inc")
    own = Path(gnomon.program.__file__).parent / "runtime"
    headers = {path.relative_to(own).as_posix() for path in own.rglob("*.h")}
    made = {"machine.h", "vcu.h", "compile_commands.json"}
    assert {"gnomon.h", "stdatomic.h", "libc/stdio.h", "libc/sys/types.h"} <= headers
    assert set(out.split()) == {f"build/{name}" for name in headers | made}
    commands = json.loads((project / "build" / "compile_commands.json").read_text())
    assert [each["file"] for each in commands] == [str(project / n) for n in ("a.c", "b.c")]
    compiler_headers = zig_binary().parent / "lib" / "include"  # zig's clang is not told of them
    for each in commands:
        told = ["-fsyntax-only" if word == "-c" else word for word in each["arguments"]]
        words = [str(zig_binary()), *told, "-Werror", "-isystem", str(compiler_headers)]
        done = subprocess.run(words, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
