"""Profiles: their sums are those of the run, exactly, and recording them changes nothing."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.cost.energy import Energy
from gnomon.isa import decode_word
from gnomon.observe.profile import ProfileFiles, RunProfile
from gnomon.observe.profile._calls import callgrind_text
from gnomon.observe.profile._formats import annotated_text, folded_text, lcov_text, profile_csv
from gnomon.program import build, find_toolchain, load_elf
from gnomon.program.lines import source_lines
from gnomon.sim import simulate

PROGRAMS = sorted((Path(__file__).parents[1] / "reference" / "t13x" / "programs").glob("*.elf"))
MACHINE = load_architecture("t13-simd4")
FJ_PER_UJ = 10**9
MOST_CYCLES = 3_000_000
KNOWN = "formats: folded, folded-pj, callgrind, annotated, lcov, csv"

SOURCE = """\
#include "vcu.h"
int a[64], b[64], c[64];
static int __attribute__((noinline)) leaf(int n) { return n * 3 + 1; }
static int __attribute__((noinline)) fib(int n)
{
    return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2);
}
static void __attribute__((noinline)) vectors(void)
{
    vcu_set_mvsize(256);
    kmemld(VCU_SPM(0), a, 256);
    kmemld(VCU_SPM(1), b, 256);
    for (int i = 0; i < 20; i++) kaddv(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));
    kmemstr(c, VCU_SPM(2), 256);
}
int main(int hart)
{
    for (int i = 0; i < 64; i++) { a[i] = i; b[i] = 2 * i; }
    vectors();
    return fib(8) + c[3];
}
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> RunProfile:
    path = tmp_path_factory.mktemp("profile") / "calls.c"
    path.write_text(SOURCE)
    program = build([path], MACHINE, debug=True)
    run = simulate(program, MACHINE, max_cycles=MOST_CYCLES, calls=True)
    return RunProfile.from_run(run, program, MACHINE)


@pytest.mark.parametrize("path", [*PROGRAMS[:2], *PROGRAMS[-4:]], ids=lambda path: path.stem)
def test_sums(path: Path) -> None:
    """By cause and hart, by function, by call path; energy in fJ."""
    program = load_elf(path)
    alone = simulate(program, MACHINE, max_cycles=MOST_CYCLES)
    run = simulate(program, MACHINE, max_cycles=MOST_CYCLES, calls=True)
    assert (run.counters, run.memory_crc32) == (alone.counters, alone.memory_crc32)
    parts = run.profile.parts
    assert np.array_equal(sum(parts.values()), run.profile.cycles)
    for hart in range(len(run.harts)):
        for cause, cycles in parts.items():
            names = (f"hart{hart}.{cause}", f"hart{hart}.{cause}.")
            booked = sum(
                n for k, n in run.counters.items() if k == names[0] or k.startswith(names[1])
            )
            assert cycles[hart].sum() == booked
    profile = RunProfile.from_run(run, program, MACHINE)
    for rows in (profile.by_function(), profile.by_line(), profile.by_instruction()):
        total = sum(row.cycles + row.parked_cycles for row in rows) + profile.boot_cycles
        assert total == run.wall_cycles
    assert run.calls is not None
    assert sum(n.cycles for n in run.calls.nodes) + profile.boot_cycles == run.wall_cycles
    by_path: Counter[str] = Counter()
    for node in run.calls.nodes:
        by_path[node.function] += node.cycles
    flat = {row.name: row.cycles + row.parked_cycles for row in profile.by_function()}
    assert +by_path == +Counter(flat)
    folded = folded_text(profile).splitlines()
    assert sum(int(line.rpartition(" ")[2]) for line in folded) == run.wall_cycles
    if profile.energy_fj is None:  # 8- or 16-bit elements, which have no price
        with pytest.raises(GnomonError) as refused:
            Energy.from_work(run.work, MACHINE)
        assert profile.energy_reason == str(refused.value)
        return
    energy = Energy.from_work(run.work, MACHINE)
    energy_fj = round(energy.energy_uj.value * FJ_PER_UJ)
    for rows in (profile.by_function(), profile.by_line(), profile.by_instruction()):
        assert sum(row.energy_fj or 0 for row in rows) == energy_fj
    counts = folded_text(profile, energy=True).splitlines()
    assert sum(int(line.rpartition(" ")[2]) for line in counts) == round(energy_fj / 1000)


def test_call_paths(compiled: RunProfile) -> None:
    calls = compiled.run.calls
    assert calls is not None
    made: Counter[str] = Counter()
    for node in calls.nodes:
        made[node.function] += node.calls
    issued = {row.name: row.issued for row in compiled.by_instruction()}
    for name in ("fib", "leaf", "vectors"):  # the compiler may turn a call into a loop
        entry = compiled.program.symbol(name).address
        assert made[name] == issued[f"{entry:08x}"]
    assert made["fib"] > 20
    text = folded_text(compiled)
    assert re.search(r"^hart 0;.*;main;fib;fib;fib;leaf \d+$", text, re.MULTILINE)
    assert re.search(r"^hart 0;.*;main;vectors \d+$", text, re.MULTILINE)
    (stack,) = [each for each in calls.stacks if each.hart == 0]
    deepest = max(line.count("fib") for line in text.splitlines())
    frame = -next(
        decoded.imm for k, word in enumerate(compiled.words)
        if compiled.functions[k] == "fib" and (decoded := decode_word(word)) is not None
        and decoded.instruction.mnemonic == "addi" and decoded.rd == decoded.rs1 == 2
    )  # fmt: skip
    assert deepest > 5
    assert deepest * frame <= stack.peak_bytes <= deepest * frame + 64  # and that of main
    assert stack.function == "fib"


def test_callgrind(compiled: RunProfile) -> None:
    """Own costs sum to the summary; the call of main holds what is below it."""
    text = callgrind_text(compiled)
    lines = text.splitlines()
    assert lines[0] == "# callgrind format"
    assert "events: Cycles Instructions pJ" in lines
    summary = [int(n) for n in next(s for s in lines if s.startswith("summary: ")).split()[1:]]
    own = np.zeros(3, dtype=np.int64)
    inclusive: dict[str, int] = defaultdict(int)
    callee, after_call = "", False
    for line in lines:
        if line.startswith("cfn="):
            callee = line[4:]
        elif line.startswith("calls="):
            after_call = True
        elif line.startswith("0x"):
            costs = [int(n) for n in line.split()[2:]]
            if after_call:
                inclusive[callee] += costs[0]
                after_call = False
            else:
                own += costs
    assert own.tolist() == summary
    assert summary[0] == compiled.run.wall_cycles
    assert compiled.boot_cycles > 0
    rows = {row.name: row.cycles for row in compiled.by_function()}
    below = rows["main"] + rows["fib"] + rows["leaf"] + rows["vectors"]
    # Helpers of the compiler may be called from main as well.
    assert below <= inclusive["main"] <= sum(rows.values())


def test_lines_and_annotations(compiled: RunProfile) -> None:
    assert any(row.name.endswith("calls.c:3") for row in compiled.by_line())
    text = annotated_text(compiled)
    assert re.search(r"^fib: [\d,]+ cycles, ", text, re.MULTILINE)
    assert "jalr zero,0(ra)" in text
    covered = lcov_text(compiled)
    found = {int(m[1]): int(m[2]) for m in re.finditer(r"^DA:(\d+),(\d+)$", covered, re.MULTILINE)}
    assert covered.count("end_of_record") == covered.count("SF:") >= 1
    assert found


@pytest.mark.parametrize("inside", [True, False])
def test_files_of_one_name_are_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, inside: bool
) -> None:
    """Sources and headers alike; they are called by where they are, the same wherever all is."""
    seen = []
    for top in (tmp_path / "one", tmp_path / "far" / "two"):
        for name, number in (("a", 100), ("b", 300)):
            (top / name).mkdir(parents=True)
            (top / name / "loop.h").write_text(
                "static inline int twist(int s, int i) { return (s ^ i) * 3; }\n"
            )
            (top / name / "k.c").write_text(
                f'#include "loop.h"\nint {name}(int s)\n{{\n'
                f"    for (int i = 0; i < {number}; i++) s = twist(s, i);\n    return s;\n}}\n"
            )
        (top / "main.c").write_text("int a(int), b(int);\nint main(int s) { return a(b(s)) & 1; }")
        monkeypatch.chdir(top if inside else top / "a")
        files = [top / name for name in ("main.c", "a/k.c", "b/k.c")]
        program = build(files, MACHINE, debug=True)
        seen.append(program.elf)
    assert seen[0] == seen[1]
    profile = RunProfile.from_run(simulate(program, MACHINE), program, MACHINE)
    of_function = {row.name: row.cycles for row in profile.by_function()}
    of_file = Counter[str]()
    for row in profile.by_line():
        of_file[row.name.rpartition(":")[0]] += row.cycles
    for name in ("a", "b"):
        own = [file for file in of_file if file.startswith(f"./{name}/")]
        assert sorted(own) == [f"./{name}/k.c", f"./{name}/loop.h"]
        assert sum(of_file[file] for file in own) == of_function[name] > 300
    assert "./main.c" in of_file
    assert {f"SF:./{name}/k.c" for name in "ab"} <= set(lcov_text(profile).splitlines())
    page = tmp_path / "page.html"
    asked = ["run", *map(str, files), "--arch", "t13-simd4", "--html", str(page)]
    assert CliRunner().invoke(app, asked).exit_code == profile.run.exit_code == 0
    told = json.loads(page.read_text().partition('id="data">')[2].partition("</script>")[0])
    on_page = {
        "/".join(Path(file["name"]).parts[-2:]): sum(cycles for _, cycles, _ in file["lines"])
        for file in told["view"]["files"]
    }
    assert on_page == {
        name.removeprefix("./"): cycles for name, cycles in of_file.items() if name[0] == "."
    }


def test_static_functions_of_one_name_are_apart(tmp_path: Path) -> None:
    for name, number in (("a", 100), ("b", 300)):
        (tmp_path / f"{name}.c").write_text(
            "static __attribute__((noinline)) int loop(int s)\n"
            f"{{ for (int i = 0; i < {number}; i++) s = (s ^ i) * 3; return s; }}\n"
            f"int {name}(int s) {{ return loop(s) + 1; }}\n"
        )
    (tmp_path / "main.c").write_text("int a(int), b(int);\nint main(int s) { return a(b(s)) & 1; }")
    program = build([tmp_path / f"{name}.c" for name in ("main", "a", "b")], MACHINE)
    run = simulate(program, MACHINE, calls=True)
    profile = RunProfile.from_run(run, program, MACHINE)
    loops = [row for row in profile.by_function() if row.name.startswith("loop")]
    long, short = (row.issued for row in loops)
    assert 2.9 < long / short < 3
    assert all(f"{name};{row.name} {row.cycles}\n" in folded_text(profile)
               for name, row in zip("ba", loops, strict=True))  # fmt: skip


def test_files_of_one_name_in_a_foreign_elf_are_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each compiled in its own folder, as make does, so that all that differs is that folder."""
    zig = find_toolchain("zig", MACHINE.core.isa)
    compiler = [*zig.driver, *zig.target, "-g", "-O2"]
    for which in ("LOCAL", "GLOBAL"):
        monkeypatch.setenv(f"ZIG_{which}_CACHE_DIR", str(tmp_path / "cache"))
    for name, calls in (("a", "b"), ("b", "a")):  # so that the linker keeps both
        (tmp_path / name).mkdir()
        text = f"int {calls}(int); int {name}(int s) {{ return {calls}(s) * 3; }}\n"
        (tmp_path / name / "k.c").write_text(text)
        subprocess.run([*compiler, "-c", "k.c"], cwd=tmp_path / name, check=True)
    linking = [*compiler, "-nostdlib", "-static", "-Wl,-e,a", "a/k.o", "b/k.o", "-o", "k.elf"]
    subprocess.run(linking, cwd=tmp_path, check=True)
    program = load_elf(tmp_path / "k.elf")
    found = source_lines(program, [program.symbol(name).address for name in ("a", "b")])
    assert list(map(str, found)) == [f"{tmp_path}/{name}/k.c:1" for name in ("a", "b")]


def test_csv(compiled: RunProfile) -> None:
    rows = list(csv.DictReader(io.StringIO(profile_csv(compiled))))
    assert sum(int(row["cycles"]) for row in rows) == compiled.run.wall_cycles
    assert compiled.energy_fj is not None
    assert sum(int(row["energy_fj"] or 0) for row in rows) == compiled.energy_fj.sum()


def test_without_lines_and_calls(tmp_path: Path) -> None:
    """What a format needs and is not there is said, and no file is begun."""
    program = load_elf(PROGRAMS[0])
    profile = RunProfile.from_run(simulate(program, MACHINE), program, MACHINE)
    requests = ProfileFiles.parse([f"csv={tmp_path / 'a.csv'},lcov={tmp_path / 'b.info'}"])
    with pytest.raises(GnomonError, match="no source lines in it; build it with -g"):
        requests.write(profile)
    with pytest.raises(GnomonError, match="calls were not recorded"):
        folded_text(profile)
    assert list(tmp_path.iterdir()) == []


def test_before_the_first_instruction() -> None:
    program = load_elf(PROGRAMS[0])
    profile = RunProfile.from_run(simulate(program, MACHINE, max_cycles=1), program, MACHINE)
    assert [row["code"] for row in csv.DictReader(io.StringIO(profile_csv(profile)))] == ["boot"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fold=a", f"--profile-to: unknown format 'fold' ({KNOWN}, did you mean 'folded'?)"),
        ("folded", f"--profile-to needs FORMAT=FILE, got 'folded' ({KNOWN})"),
        ("csv=a,lcov=a", "--profile-to names the file a twice"),
    ],
)  # fmt: skip
def test_requests(text: str, message: str) -> None:
    with pytest.raises(GnomonError) as caught:
        ProfileFiles.parse([text])
    assert str(caught.value) == message


def test_annotations_show_no_file_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program names any file as its source; only those of the project are printed."""
    monkeypatch.chdir(tmp_path)
    secret = tmp_path.parent / f"{tmp_path.name}-secret.c"
    secret.write_text("hidden\n" * 9)
    (tmp_path / "own.c").write_text("shown\n" * 9)
    source = tmp_path / "source.c"
    pipe = tmp_path / "pipe.c"
    os.mkfifo(pipe)
    hidden = ((str(each), False) for each in (secret, "/dev/zero", pipe))
    for name, seen in (*hidden, (f"{tmp_path}/own.c", True)):
        source.write_text(f'#line 1 "{name}"\nint main(int hart) {{ return hart; }}\n')
        program = build([source], MACHINE, debug=True)
        text = annotated_text(RunProfile.from_run(simulate(program, MACHINE), program, MACHINE))
        assert ("shown" in text, "hidden" in text) == (seen, False)


def test_damaged_debug_information_gives_no_lines(compiled: RunProfile) -> None:
    """Each byte of the header of a line table; its readers divide by one, and trust the others."""
    program, addresses = compiled.program, compiled.addresses
    table = ELFFile(io.BytesIO(program.elf)).get_section_by_name(".debug_line")["sh_offset"]
    found = [
        source_lines(replace(program, elf=b"".join((head, odd, program.elf[at + 1 :]))), addresses)
        for at in range(table, table + 24)
        for head in [program.elf[:at]]
        for odd in (b"\0", b"\xff")
    ]
    assert {len(lines) for lines in found} == {len(addresses)}
    assert [None] * len(addresses) in found
