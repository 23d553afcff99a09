"""Reading executables: what a good one holds, and what every bad one is told."""

from __future__ import annotations

import io
import lzma
import random
import struct
import time
import zipfile
from pathlib import Path

import pytest

from gnomon.program import Program, load_elf
from gnomon.program._program import ElfError, Symbol

REFERENCE = Path(__file__).parents[1] / "reference" / "t13x" / "programs"
MATMUL = REFERENCE / "p_matmul_h3_s1.elf"
HEADER = struct.Struct("<16sHHIIIIIHHHHHH")


def executable(
    segments: list[tuple[int, bytes, int]] | None = None, *, flags: int = 5, **fields: int
) -> bytearray:
    """A minimal ELF with (address, data, memory size) segments; fields overwrite the header."""
    segments = [(0x80, b"\x13\0\0\0", 4)] if segments is None else segments
    header = {"type": 2, "machine": 243, "version": 1, "entry": 0x80, "phoff": 52, "shoff": 0}
    header |= {"flags": 0, "ehsize": 52, "phentsize": 32, "phnum": len(segments)}
    header |= {"shentsize": 40, "shnum": 0, "shstrndx": 0}
    header |= fields
    ident = b"\x7fELF\x01\x01\x01" + bytes(9)
    elf = bytearray(HEADER.pack(ident, *header.values()))
    offset = 52 + 32 * len(segments)
    for address, data, size in segments:
        elf += struct.pack("<8I", 1, offset, address, address, len(data), size, flags, 4)
        offset += len(data)
    for _, data, _ in segments:
        elf += data
    return elf


def loaded_at(address: int, elf: bytearray) -> bytes:
    """Return it with another load address (``p_paddr``) of its first segment."""
    struct.pack_into("<I", elf, 52 + 12, address)
    return bytes(elf)


def with_symbols(entries: list[tuple[str, int, int, int]], **broken: int) -> bytes:
    """A minimal ELF with (name, address, size, info) symbols; ``broken`` alters its tables."""
    elf = executable([(0x80, b"\x13\0\0\0" * 16, 64)])
    names, table = b"\0", bytes(16)
    for name, address, size, info in entries:
        table += struct.pack("<IIIBBH", len(names), address, size, info, 0, 1)
        names += name.encode() + b"\0"
    sections_at = len(elf) + len(table) + len(names)
    table_size, names_size = broken.get("table_size", len(table)), broken.get("names", len(names))
    link, entry_size = broken.get("link", 2), broken.get("entry_size", 16)
    symtab = (0, 2, 0, 0, len(elf), table_size, link, 0, 4, entry_size)
    strtab = (0, 3, 0, 0, len(elf) + len(table), names_size, 0, 0, 1, 0)
    elf += table + names
    elf += struct.pack("<10I", *[0] * 10) + struct.pack("<10I", *symtab)
    elf += struct.pack("<10I", *strtab)
    struct.pack_into("<I", elf, 32, sections_at)
    struct.pack_into("<HHH", elf, 46, broken.get("section_size", 40), 3, 0)
    return bytes(elf)


def refusal(source: Path | str | bytes, name: str | None = "p.elf") -> str:
    with pytest.raises(ElfError) as caught:
        load_elf(source, name)
    message = str(caught.value)
    assert "\n" not in message
    return message


# --- good programs -------------------------------------------------------------------------


def test_a_reference_program_loads() -> None:
    program = load_elf(MATMUL)
    assert program.name == "p_matmul_h3_s1"
    assert program.entry == 0x80
    assert [(s.address, len(s.data), s.size_bytes, s.executable, s.writable)
            for s in program.segments] == [
        (0x80, 736, 736, True, False),
        (0x100000, 0, 784, False, True),
    ]  # fmt: skip
    assert program.segments[0].data[:4] == bytes.fromhex("6f008001")  # jal zero, 0x98
    assert program.symbol("main") == Symbol("main", 0x19C, 452, "function")
    assert program.symbol("A") == Symbol("A", 0x100000, 256, "object")
    assert program.digest == "21a3bf7830f55dfb07622d5b5f82d003ebf7a36a9c0dc3dcab41cd73a3f98955"
    assert program.build is None
    assert program.symbols_error is None


def test_every_reference_program_loads_with_symbols() -> None:
    programs = [load_elf(path) for path in sorted(REFERENCE.glob("*.elf"))]
    packed = lzma.decompress((REFERENCE / "bench.zip.xz").read_bytes())
    with zipfile.ZipFile(io.BytesIO(packed)) as bench:
        names = [name for name in bench.namelist() if name.endswith(".elf")]
        programs += [load_elf(bench.read(name), name) for name in names]
    assert len(programs) == 14 + 123
    for program in programs:
        assert program.symbols_error is None
        assert program.symbol("_start").address == 0x80


def test_bytes_and_path_give_the_same_program() -> None:
    by_path = load_elf(MATMUL)
    assert load_elf(MATMUL.read_bytes(), "p_matmul_h3_s1") == by_path
    assert load_elf(str(MATMUL)) == by_path


def test_segments_are_sorted_bytes_placed_physically_and_empty_ones_skipped() -> None:
    elf = executable([(0x2000, b"", 0), (0x1000, b"bb", 8), (0x80, b"aaaa", 4)])
    struct.pack_into("<I", elf, 52 + 32 + 8, 0x9000)  # virtual address of the second
    program = load_elf(bytes(elf))
    assert [(s.address, s.data, s.size_bytes) for s in program.segments] == [
        (0x80, b"aaaa", 4),
        (0x1000, b"bb", 2),
        (0x9002, b"", 6),
    ]


def test_a_segment_may_fill_memory_up_to_the_last_address_and_costs_nothing() -> None:
    elf = bytes(executable([(0, b"", 1 << 31), (1 << 31, b"", (1 << 31) - 1)]))
    assert [s.size_bytes for s in load_elf(elf).segments] == [1 << 31, (1 << 31) - 1]


# --- symbols -------------------------------------------------------------------------------

GLOBAL_FUNCTION, GLOBAL_LABEL, LOCAL_FUNCTION = 0x12, 0x10, 0x02


def test_functions_begin_at_functions_and_global_labels() -> None:
    program = load_elf(
        with_symbols([
            ("_start", 0x80, 0, GLOBAL_LABEL),
            ("sized", 0x90, 8, GLOBAL_FUNCTION),
            ("after", 0x9C, 0, GLOBAL_LABEL),
            ("unsized", 0xA0, 0, GLOBAL_FUNCTION),
            ("mark_inside", 0xA4, 0, GLOBAL_LABEL),
        ])
    )  # fmt: skip

    def name_at(address: int) -> str | None:
        symbol = program.function_at(address)
        return symbol.name if symbol else None

    assert name_at(0x7C) is None
    assert name_at(0x80) == name_at(0x8C) == "_start"
    assert name_at(0x90) == name_at(0x94) == "sized"
    assert name_at(0x98) is None  # behind the end of a function, before the next one
    assert name_at(0x9C) == "after"
    assert name_at(0xA0) == "unsized"
    assert name_at(0xA4) == name_at(0xA8) == "mark_inside"


def test_a_label_does_not_name_another_segment() -> None:
    elf = executable([(0x80, b"\0" * 4, 4), (0x100, b"\0" * 4, 4)])
    assert load_elf(bytes(elf)).function_at(0x100) is None
    program = load_elf(MATMUL)
    assert program.function_at(0x100010) is None


def test_a_global_symbol_wins_and_local_twins_are_ambiguous() -> None:
    program = load_elf(
        with_symbols([
            ("step", 0x80, 4, LOCAL_FUNCTION), ("step", 0x90, 4, GLOBAL_FUNCTION),
            ("twin", 0xA0, 4, LOCAL_FUNCTION), ("twin", 0xB0, 4, LOCAL_FUNCTION),
        ]),
        "p",
    )  # fmt: skip
    assert program.symbol("step").address == 0x90
    with pytest.raises(ElfError) as caught:
        program.symbol("twin")
    assert str(caught.value) == "p: symbol 'twin' is ambiguous: it is at 0x000000a0, 0x000000b0"


def test_an_unknown_symbol_names_the_nearest() -> None:
    with pytest.raises(ElfError) as caught:
        load_elf(MATMUL).symbol("mian")
    assert str(caught.value) == "p_matmul_h3_s1: no symbol 'mian', did you mean 'main'?"


def test_a_stripped_program_says_so() -> None:
    with pytest.raises(ElfError) as caught:
        load_elf(bytes(executable()), "p").symbol("main")
    assert str(caught.value) == "p: no symbol 'main' (the program has no symbol table)"


def test_assembler_names_are_left_out() -> None:
    names = ["$x", ".L3", "main"]
    program = load_elf(with_symbols([(name, 0x80, 0, GLOBAL_LABEL) for name in names]))
    assert [s.name for s in program.symbols] == ["main"]


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ({"table_size": 1 << 30}, "its symbol table reaches beyond the end of the file"),
        ({"table_size": 17}, "its symbol table has 17 bytes in entries of 16, not 16"),
        ({"entry_size": 24}, "its symbol table has 32 bytes in entries of 24, not 16"),
        ({"link": 1}, "section 1 is not a table of names"),
        ({"link": 99}, "section 99 is not a table of names"),
        ({"names": 3}, "a name at byte 1 of 3 has no end"),
        ({"names": 1 << 31}, "its table of names reaches beyond the end of the file"),
        ({"section_size": 64}, "its section headers have 64 bytes, not 40"),
    ],
)
def test_a_broken_symbol_table_is_an_error_only_when_asked(
    broken: dict[str, int], why: str
) -> None:
    program = load_elf(with_symbols([("main", 0x80, 4, GLOBAL_FUNCTION)], **broken), "p")
    assert program.symbols == ()
    assert program.segments[0].address == 0x80
    with pytest.raises(ElfError) as caught:
        program.symbol("main")
    assert str(caught.value) == f"p: symbol 'main' cannot be found: {why}"


# --- bad programs --------------------------------------------------------------------------


def test_bad_files(tmp_path: Path) -> None:
    assert refusal(tmp_path / "no.elf") == f"{tmp_path}/no.elf: no such file"
    assert refusal(tmp_path) == f"{tmp_path}: is a folder, not an ELF file"
    assert refusal("/dev/zero") == "/dev/zero: is not a regular file"
    assert refusal("a\0b") == "'a\\x00b': is not a file name: embedded null byte"
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    assert refusal(text) == f"{text}: not an ELF file"
    assert refusal(text / "deeper") == f"{text}/deeper: cannot be read: Not a directory"
    huge = tmp_path / "huge.elf"
    with huge.open("wb") as file:
        file.truncate(1 << 40)
    assert (
        refusal(huge) == f"{huge}: 1099511627776 bytes is too large for a program (limit: 64 MiB)"
    )


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "secret.elf"
    path.write_bytes(b"")

    def refuse(*_: object) -> None:  # root may read everything, so the mode would not do
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert refusal(path) == f"{path}: cannot be read: Permission denied"


def patched(position: int, value: bytes, then: int = 0, also: bytes = b"") -> bytes:
    elf = executable()
    elf[position : position + len(value)] = value
    elf[then : then + len(also)] = also
    return bytes(elf)


@pytest.mark.parametrize(
    ("elf", "why"),
    [
        (b"", "not an ELF file"),
        (b"\x7fELF", "truncated: 4 bytes, the ELF header alone is 52"),
        (patched(4, b"\x02"), "a 64-bit program for RISC-V; these machines are 32-bit RISC-V"),
        (patched(4, b"\x09"), "unknown word class 9 in the ELF header"),
        (
            patched(5, b"\x02") [:18] + b"\0\x08" + patched(5, b"\x02")[20:],
            "a big-endian program for MIPS; these machines are little-endian RISC-V",
        ),
        (patched(5, b"\x07"), "unknown byte order 7 in the ELF header"),
        (bytes(executable(machine=40)), "a program for Arm, not for RISC-V"),
        (bytes(executable(machine=999)), "a program for machine number 999, not for RISC-V"),
        (bytes(executable(type=1)), "not an executable: an object file; link it first"),
        (
            bytes(executable(type=3)),
            ("not an executable: a shared object or position-independent;"
            " link it with -no-pie -static"),
        ),
        (bytes(executable(type=77)), "not an executable: of ELF type 77"),
        (
            patched(36, b"\x02"),
            ("built for floating-point registers; these machines have none:"
            " rebuild with -march=rv32im_zicsr -mabi=ilp32"),
        ),
        (bytes(executable(phentsize=56)), "program headers of 56 bytes, must be 32"),
        (
            bytes(executable(phnum=65535)),
            "truncated: the program headers end at byte 2097172, the file at byte 88",
        ),
        (
            bytes(executable(phoff=0xFFFFFFF0)),
            "truncated: the program headers end at byte 4294967312, the file at byte 88",
        ),
        (bytes(executable([])), "no loadable segment"),
        (bytes(executable([(0x80, b"", 0)])), "no loadable segment"),
        (
            bytes(executable([(0x80, b"1234", 2)])),
            "segment 0 at 0x00000080: 4 bytes of data in 2 bytes of memory",
        ),
        (
            bytes(executable()[:-1]),
            "segment 0 at 0x00000080: its data ends at byte 88, the file at byte 87",
        ),
        (
            bytes(executable([(0xFFFFFFF0, b"", 0x11)])),
            "segment 0 at 0xfffffff0: 17 bytes reach beyond the 4 GiB address space",
        ),
        (
            loaded_at(0xFFFFFFFD, executable([(0x100000, b"data", 4)])),
            "segment 0 at 0xfffffffd: 4 bytes reach beyond the 4 GiB address space",
        ),
        (
            bytes(executable([(0x100, b"aaaa", 4), (0x80, b"bbbb", 0x81)])),
            "the segments at 0x00000080 (129 bytes) and 0x00000100 overlap",
        ),
    ],
)  # fmt: skip
def test_bad_headers(elf: bytes, why: str) -> None:
    assert refusal(elf) == f"p.elf: {why}"


def test_shared_file_bytes_cannot_multiply_a_file() -> None:
    count, size = 200, 1 << 20
    elf = executable([(index * size, b"", size) for index in range(count)])
    offset = len(elf)
    elf += bytes(size)
    for index in range(count):
        struct.pack_into("<I", elf, 52 + 32 * index + 4, offset)
        struct.pack_into("<I", elf, 52 + 32 * index + 16, size)
    assert refusal(bytes(elf)) == (
        "p.elf: 209715200 bytes of segment data is too large (limit: 64 MiB)"
    )


# --- hostile programs ----------------------------------------------------------------------

EXTREMES = [0, 1, 2, 4, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0, 0xFFFFFFFF]


def mutate(elf: bytes, random_: random.Random) -> bytes:
    """One damaged copy: flipped bytes, a cut, an extreme field, noise, or a spliced tail."""
    copy = bytearray(elf)
    sections_at = struct.unpack_from("<I", elf, 32)[0]
    way = random_.randrange(6)
    if way == 0:  # a few flipped bytes anywhere
        for _ in range(random_.randint(1, 20)):
            copy[random_.randrange(len(copy))] ^= random_.randint(1, 255)
    elif way == 1:  # truncation
        del copy[random_.randrange(len(copy)) :]
    elif way == 2:  # extreme values in the ELF and program headers
        for _ in range(random_.randint(1, 3)):
            width = random_.choice([1, 2, 4])
            value = random_.choice(EXTREMES) & ((1 << 8 * width) - 1)
            position = random_.randrange(4, 140)
            copy[position : position + width] = value.to_bytes(width, "little")
    elif way == 3:  # extreme values in the section headers
        for _ in range(random_.randint(1, 3)):
            position = sections_at + 4 * random_.randrange((len(copy) - sections_at) // 4)
            struct.pack_into("<I", copy, position, random_.choice(EXTREMES))
    elif way == 4:  # noise after a good magic
        return b"\x7fELF\x01\x01\x01" + random_.randbytes(random_.randrange(2000))
    else:  # noise inside
        start = random_.randrange(len(copy))
        noise = random_.randbytes(random_.randrange(200))
        copy[start : start + len(noise)] = noise
    return bytes(copy)


def test_two_thousand_damaged_programs_load_or_say_why() -> None:
    random_ = random.Random(20240917)
    originals = [path.read_bytes() for path in sorted(REFERENCE.glob("*.elf"))]
    loaded: list[Program] = []
    refused: set[str] = set()
    start = time.process_time()
    for _ in range(2000):
        elf = mutate(random_.choice(originals), random_)
        try:
            program = load_elf(elf, "p.elf")
        except ElfError as error:
            message = str(error)
            assert message.startswith("p.elf: ")
            assert "\n" not in message
            refused.add(message.split(":")[1])
        else:
            loaded.append(program)
            assert sum(len(s.data) for s in program.segments) <= 64 << 20
            program.function_at(program.entry)
            if program.symbols_error is None:
                assert all(s.end <= 1 << 33 for s in program.symbols)
    assert time.process_time() - start < 15
    # The damage must reach all stages, or this test shows nothing.
    assert len(loaded) > 200
    assert any(p.symbols_error for p in loaded)
    assert len(refused) > 10
