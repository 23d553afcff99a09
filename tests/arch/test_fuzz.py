"""Damaged machine files end in a user error or a machine, never in anything else."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.arch import Architecture, list_architectures, load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError

from ._whole import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

FILES = 1000
SCALARS = (
    *("", "~", "null", "none", "true", "yes", "0", "-1", "3", "4", "8", "16", "1e400", ".nan"),
    *("0x80", "0xFFFFFFFFF", "9" * 30, "9" * 6000, "1.5", "4 KiB", "1 TiB", "0 B", "100 MHz"),
    *("1 GHz", "t13", "t13-simd4", "inorder", "entry", "fault", "[]", "[1, [2]]", "{}", "{a: 1}"),
    *("'", '"', "&a x", "*a", "!!int 3", "!!binary aGk=", "|", ">-", "? x", "- 1", "\u2028"),
    *("\U0001f600", "\ud7ff", "../t13.yaml", "/dev/null", "a: b: c", "%YAML 1.2", "---", "..."),
    *("2026-01-01", "1:30", "010", "[" * 3000, "{" * 3000, "x" * 5000, "\t", "\x7f", "@", "`"),
)


def flip_bytes(raw: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(raw)
    for _ in range(rng.randint(1, 4)):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def random_bytes(raw: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(raw))
    return raw[:start] + rng.randbytes(rng.randint(1, 40)) + raw[start + rng.randint(0, 40) :]


def only_random_bytes(_raw: bytes, rng: random.Random) -> bytes:
    return rng.randbytes(rng.randint(0, 400))


def cut(raw: bytes, rng: random.Random) -> bytes:
    return raw[: rng.randrange(len(raw))]


def delete_line(raw: bytes, rng: random.Random) -> bytes:
    lines = raw.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def duplicate_line(raw: bytes, rng: random.Random) -> bytes:
    lines = raw.splitlines(keepends=True)
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"".join(lines)


def indent_line(raw: bytes, rng: random.Random) -> bytes:
    lines = raw.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    lines[at] = rng.choice([b" ", b"  ", b"\t", b"      "]) + lines[at]
    return b"".join(lines)


def rename_key(raw: bytes, rng: random.Random) -> bytes:
    lines, at = _a_key_line(raw, rng)
    key, colon, value = lines[at].partition(":")
    letter = rng.randrange(len(key))
    lines[at] = (
        key[:letter] + rng.choice(["", "x", "_", " ", "-", "é"]) + key[letter + 1 :] + colon + value
    )
    return "\n".join(lines).encode()


def replace_value(raw: bytes, rng: random.Random) -> bytes:
    lines, at = _a_key_line(raw, rng)
    key, colon, _ = lines[at].partition(":")
    lines[at] = f"{key}{colon} {rng.choice(SCALARS)}"
    return "\n".join(lines).encode()


def _a_key_line(raw: bytes, rng: random.Random) -> tuple[list[str], int]:
    lines = raw.decode().split("\n")
    keys = [n for n, line in enumerate(lines) if ":" in line and not line.startswith("#")]
    return lines, rng.choice(keys)


MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flip_bytes,
    random_bytes,
    only_random_bytes,
    cut,
    delete_line,
    duplicate_line,
    indent_line,
    rename_key,
    replace_value,
    replace_value,
)


def test_damaged_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(20260)
    # Whole machines besides the shipped files: most keys of a child live in its base.
    originals = [content("arch", f"{name}.yaml").read_bytes() for name in list_architectures()]
    originals += [whole_file(n).encode() for n in list_architectures()]
    path = Path("fuzzed.yaml")
    machines = errors = 0
    for _ in range(FILES):
        raw = rng.choice(originals)
        mutation = rng.choice(MUTATIONS)
        raw = mutation(raw, rng)
        path.write_bytes(raw)
        try:
            machine = load_architecture("fuzzed.yaml")
        except GnomonError as error:
            errors += 1
            for line in str(error).splitlines():
                place = line.split(":")
                assert place[0] == "fuzzed.yaml" or place[0].startswith("arch/"), (raw, line)
                assert place[1].isdecimal(), (raw, line)
        else:
            machines += 1
            assert isinstance(machine, Architecture)
            path.write_text(whole_file("fuzzed.yaml"), encoding="utf-8")
            assert load_architecture(path) == machine
    assert machines + errors == FILES
    # Both outcomes are common; a loader that says no, or yes, to everything does not pass.
    assert machines > FILES // 10
    assert errors > FILES // 4
