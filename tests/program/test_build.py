"""Building: what comes out, and that it is always the same."""

from __future__ import annotations

import ctypes
import multiprocessing
import shutil
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.isa import decode_word
from gnomon.program import Program, build, build_host
from tests.oracle import Oracle, OracleConfig, OracleRun

if TYPE_CHECKING:
    from pathlib import Path


RESULT = (2 * 1 + 3 * 2 + 5 * 3 + 7 * 4) // 2


def run(program: Program, simd: int = 4) -> OracleRun:
    segments = [(segment.address, segment.data) for segment in program.segments]
    return Oracle(OracleConfig(simd=simd)).run(segments, 1_000_000, trace=False)


def text_words(program: Program) -> list[int]:
    code = [s.data for s in program.segments if s.executable]
    return [int.from_bytes(d[i : i + 4], "little") for d in code for i in range(0, len(d), 4)]


# --- what comes out ------------------------------------------------------------------------


def test_a_program_for_the_t13(source: Path, cache: Path, t13: Architecture) -> None:
    program = build([source], t13)
    assert program.name == "sum"
    assert program.entry == program.symbol("_start").address == 0x80
    assert program.symbol("gnomon_trap_vector").address == 0x94
    kinds = {name: program.symbol(name).kind for name in ("main", "divide", "values")}
    assert kinds == {"main": "function", "divide": "function", "values": "object"}
    begin, end = program.symbol("mark_begin").address, program.symbol("mark_end").address
    main = program.symbol("main")
    assert main.address <= begin < end < main.end
    assert program.function_at(begin) == main
    memory = t13.memory
    assert {(s.executable, s.writable) for s in program.segments} == {
        (True, False), (False, False), (False, True),
    }  # fmt: skip
    for segment in program.segments:
        if segment.executable:
            assert segment.end <= memory.instruction.base + memory.instruction.size
        else:
            assert segment.address >= memory.data.base
    assert program.build is not None
    assert program.build.compiler == "zig"
    assert program.build.sources == ("sum.c",)
    assert program.build.architecture == "t13-simd4"
    assert program.build.warnings == ""
    assert program.build.key in {path.stem for path in cache.rglob("*.entry")}


def test_it_runs_and_ends_with_what_main_returns(source: Path, t13: Architecture) -> None:
    for optimization in ("-O0", "-Os", "-O2"):
        result = run(build([source], t13, optimization=optimization))
        assert result.exit_code == RESULT
        assert list(result.printed) == [RESULT]


def test_a_program_for_the_in_order_core(source: Path, rv32im: Architecture) -> None:
    program = build([source], rv32im)
    assert program.entry == program.symbol("_start").address == 0x80
    written = {word >> 20 for word in text_words(program) if word & 0x7F == 0x73 and word >> 12 & 7}
    assert 0x7A0 not in written  # PCER exists on the T13 only, and traps elsewhere
    assert written == {0x305, 0xF14, 0x300, 0x341, 0x342}


@pytest.mark.parametrize("machine", ["t13-simd4", "rv32im"])
def test_every_instruction_is_one_of_the_machine(source: Path, machine: str) -> None:
    words = text_words(build([source], load_architecture(machine)))
    assert len(words) > 200
    for word in words:
        assert word == 0 or word & 3 == 3, f"{word:#010x} is a compressed instruction"
        assert word == 0 or decode_word(word) is not None, f"{word:#010x}"


def test_all_harts_run_main_and_the_others_park(tmp_path: Path, t13: Architecture) -> None:
    path = tmp_path / "harts.c"
    path.write_text(
        '#include "gnomon.h"\n'
        "static volatile uint32_t lock;\n"
        "static volatile int arrived, stacks[GNOMON_ACTIVE_HARTS];\n"
        "int main(int hart)\n"
        "{\n"
        "    int here;\n"
        "    stacks[hart] = (int)&here;\n"
        "    while (gnomon_swap(&lock, 1)) {}\n"
        "    arrived++;\n"
        "    lock = 0;\n"
        "    if (hart) return 99;\n"
        "    while (arrived < GNOMON_ACTIVE_HARTS) {}\n"
        "    for (int i = 0; i < GNOMON_ACTIVE_HARTS; i++) gnomon_print(stacks[i]);\n"
        "    return arrived + 100 * (gnomon_hart() + 1);\n"
        "}\n"
    )
    for active in (1, 2, 3):
        program = build([path], t13, active_harts=active, stack_size_bytes=1024)
        result = run(program)
        assert result.exit_code == 100 + active
        top, bottom = program.symbol("_stack_top").address, program.symbol("_stack_bottom").address
        assert top == 0x140000
        assert top - bottom == active * 1024 == active * program.symbol("_stack_size").address
        assert [(top - at) // 1024 for at in result.printed] == list(range(active))


def test_a_trap_ends_the_run_with_its_cause_and_place(tmp_path: Path, t13: Architecture) -> None:
    path = tmp_path / "trap.c"
    path.write_text(
        "int main(int hart)\n"
        '{ __asm__ volatile(".globl wrong\\nwrong: .word 0xffffffff"); return hart; }\n'
    )
    program = build([path], t13)
    result = run(program)
    assert result.exit_code == 0xDEAD0002  # illegal instruction
    assert list(result.printed) == [2, program.symbol("wrong").address]


def test_a_program_may_have_its_own_trap_handler(tmp_path: Path, t13: Architecture) -> None:
    path = tmp_path / "own.c"
    path.write_text(
        '#include "gnomon.h"\n'
        "void gnomon_trap(void) { gnomon_exit(77); }\n"
        'int main(int hart) { __asm__ volatile(".word 0xffffffff"); return hart; }\n'
    )
    assert run(build([path], t13)).exit_code == 77


def test_memory_functions(tmp_path: Path, t13: Architecture) -> None:
    path = tmp_path / "memory.c"
    path.write_text(
        "#include <string.h>\n"
        '#include "gnomon.h"\n'
        'static char a[20] = "abcdefghijklmnopqrs", b[20], c[20];\n'
        "int main(int hart)\n"
        "{\n"
        "    memcpy(b, a, 19); memcpy(c + 1, a, 7); memmove(b + 2, b, 9); memmove(a, a + 3, 8);\n"
        "    memset(c + 3, 'x', 2); memset(c + 12, 'y', 7); c[0] = 'z'; (void)hart;\n"
        "    for (int i = 0; i < 20; i++) gnomon_print((uint8_t)a[i] << 16 | b[i] << 8 | c[i]);\n"
        '    return memcmp(a, "defz", 4) < 0 && memcmp("b", "a", 1) > 0 && !memcmp(a, b, 0);\n'
        "}\n"
    )
    result = run(build([path], t13))
    a, b, c = (bytes(word >> shift & 255 for word in result.printed) for shift in (16, 8, 0))
    assert a == b"defghijkijklmnopqrs\0"
    assert b == b"ababcdefghilmnopqrs\0"
    assert c == b"zabxxefg\0\0\0\0yyyyyyy\0"
    assert result.exit_code == 1


def test_vector_instructions(tmp_path: Path, t13: Architecture, rv32im: Architecture) -> None:
    path = tmp_path / "vector.c"
    path.write_text(
        '#include "gnomon.h"\n'
        '#include "vcu.h"\n'
        "static int a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}; static volatile int c[4];\n"
        "int main(int hart)\n"
        "{\n"
        "    (void)hart;\n"
        "    vcu_set_mvsize(16);\n"
        "    kmemld(VCU_SPM(0), a, 16);\n"
        "    kmemld(VCU_SPM(1), b, 16);\n"
        "    kaddv(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));\n"
        "    kmemstr((void *)c, VCU_SPM(2), 16);\n"
        "    while (!c[3]) {}\n"
        "    return c[0] + c[1] + c[2] + c[3];\n"
        "}\n"
    )
    assert run(build([path], t13)).exit_code == 110
    with pytest.raises(GnomonError) as caught:
        build([path], rv32im)
    message = str(caught.value)
    assert message.startswith(f"{path}: does not compile with zig ")
    assert f"{path.name}:7:5: error: call to" in message
    assert "vcu.h: rv32im has no vector unit" in message


def test_zeroed_data_is_cleared_where_asked(tmp_path: Path, t13: Architecture) -> None:
    path = tmp_path / "clear.c"
    path.write_text("int zeroed[5]; int main(int hart) { return zeroed[hart]; }\n")
    program = build([path], t13, active_harts=3, defines={"GNOMON_CLEAR_BSS": 1})
    start, end = program.symbol("_bss").address, program.symbol("_bss_end").address
    assert end - start >= 20
    segments = [(s.address, s.data) for s in program.segments]
    garbage = (start, b"\xaa" * (end - start))
    config = OracleConfig(simd=4)
    assert Oracle(config).run([*segments, garbage], 10_000, trace=False).exit_code == 0
    plain = build([path], t13, active_harts=3)
    segments = [(s.address, s.data) for s in plain.segments]
    garbage = (plain.symbol("_bss").address, b"\xaa" * 20)
    assert Oracle(config).run([*segments, garbage], 10_000, trace=False).exit_code == 0xAAAAAAAA


# --- the same, always ----------------------------------------------------------------------


def test_the_bytes_do_not_depend_on_where_things_are(
    source: Path,
    tmp_path: Path,
    compiler_cache: Path,
    t13: Architecture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = source.read_text() + "const char *where(void) { return __FILE__; }\n"
    built = []
    for place in ("one", "deeply/nested/two"):
        folder = tmp_path / place
        (folder / "inc").mkdir(parents=True)
        (folder / "inc" / "part.h").write_text("#define PART __FILE__\n")
        copy = folder / "sum.c"
        copy.write_text(text + '#include "part.h"\nconst char *part(void) { return PART; }\n')
        monkeypatch.setenv("GNOMON_CACHE", str(folder / "cache"))
        (folder / "cache").mkdir()
        (folder / "cache" / "zig").symlink_to(compiler_cache)
        include = [folder / "inc"]
        built.append([build([copy], t13, include=include, debug=debug) for debug in (False, True)])
    assert built[0] == built[1]
    assert [p.digest for p in built[0]] == [p.digest for p in built[1]]
    for program in built[0]:
        assert str(tmp_path).encode() not in program.elf
        assert b"gnomon-" not in program.elf


def test_debug_information_changes_no_instruction(source: Path, t13: Architecture) -> None:
    plain, debug = build([source], t13), build([source], t13, debug=True)
    assert plain.segments == debug.segments
    assert len(plain.elf) < len(debug.elf)


def test_a_second_build_comes_from_the_cache(
    source: Path, cache: Path, t13: Architecture, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build([source], t13)

    def no_compiler(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr("gnomon.program._compile.run_compiler", no_compiler)
    assert build([source], t13) == first


def test_what_changes_the_program_changes_the_key(
    source: Path, tmp_path: Path, t13: Architecture
) -> None:
    include = tmp_path / "inc"
    include.mkdir()
    (include / "far.h").write_text("#define FAR 1\n")
    (source.parent / "near.h").write_text("#define NEAR 1\n")
    used = '#include "near.h"\n#include "far.h"\n#ifndef GIVEN\n#define GIVEN 1\n#endif\n'
    source.write_text(
        used + source.read_text() + "__attribute__((used, retain)) int used(void)\n"
        "{ return NEAR + 10 * FAR + 100 * GIVEN + 1000 * GNOMON_STACK_BYTES; }\n"
    )
    options: dict[str, object] = {"include": [include]}
    before = build([source], t13, **options)  # type: ignore[arg-type]
    for path, old, new in (
        (source, "{1, 2, 3, 4}", "{1, 2, 3, 5}"),
        (source.parent / "near.h", "1", "2"),
        (include / "far.h", "1", "2"),
    ):
        text = path.read_text()
        path.write_text(text.replace(old, new))
        _assert_differ(before, build([source], t13, **options), path.name)  # type: ignore[arg-type]
        path.write_text(text)
    small = load_architecture("t13-simd4", ["memory.data.size=128 KiB"])
    _assert_differ(before, build([source], small, **options), "machine")  # type: ignore[arg-type]
    changes: tuple[dict[str, object], ...] = (
        {"defines": {"GIVEN": 2}}, {"optimization": "-Os"}, {"stack_size_bytes": 4096},
        {"active_harts": 2},
    )  # fmt: skip
    for change in changes:
        after = build([source], t13, **options | change)  # type: ignore[arg-type]
        _assert_differ(before, after, str(change))
    assert build([source], t13, **options) == before  # type: ignore[arg-type]


def _assert_differ(before: Program, after: Program, what: str) -> None:
    assert after.digest != before.digest, what
    assert after.build != before.build, what


def _build_in_process(source: Path) -> bytes:
    return build([source], load_architecture("t13-simd4")).elf


def test_processes_build_the_same(source: Path, cache: Path) -> None:
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        built = list(pool.map(_build_in_process, [source] * 2))
    assert len(set(built)) == 1
    assert [path.read_bytes() for path in (cache / "program").glob("*.elf")] == built[:1]
    assert not list((cache / "program").glob(".aside*"))


def test_a_damaged_cache_is_built_again(source: Path, cache: Path, t13: Architecture) -> None:
    first = build([source], t13)
    for damage in (b"", b"junk", None):
        for path in (cache / "program").iterdir():
            path.write_bytes(path.read_bytes()[:-1] if damage is None else damage)
        assert build([source], t13) == first, damage
        [stored] = (cache / "program").glob("*.elf")
        assert stored.read_bytes() == first.elf, damage


# --- this computer -------------------------------------------------------------------------


def test_a_library_for_this_computer(
    source: Path, cache: Path, t13: Architecture, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.write_text(
        '#include "gnomon.h"\n'
        '#include "vcu.h"\n'
        "int32_t wrap(int32_t a, int32_t b) { return a * b + GNOMON_SIMD + VCU_SPM_COUNT; }\n"
    )
    path = build_host([source], architecture=t13)
    library = ctypes.CDLL(str(path))
    assert library.wrap(0x40000001, 4) == 4 + 4 + 4
    before = path.read_bytes()
    assert build_host([source], architecture=t13) == path
    # The same library, whatever the folder.
    twin = source.parent / "elsewhere" / "sum.c"
    twin.parent.mkdir()
    shutil.copy(source, twin)
    for entry in (cache / "host").iterdir():
        entry.unlink()
    assert build_host([twin], architecture=t13) == path
    assert path.read_bytes() == before
