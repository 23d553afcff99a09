"""Damage to bytes, lines, words and trees: the same for the same generator of random numbers."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

LONG = 150_000
"""Longer than csv's largest cell, and than any message may be."""

ODD_NUMBERS = (
    "0", "-1", "-0", "1", "2", "3", "255", "65536", "4294967296", "-2147483649", "1e308", "-1e309",
    "1e-320", "nan", ".nan", "inf", "-.inf", "0x7fffffffffffffff", "9" * 30, "9" * 5_000, "1e99999",
    "0.1", "1_000", "08", "1:30:00", "1/3",
)  # fmt: skip
ODD_WORDS = (
    "", "~", "null", "true", "[]", "{}", "[[]]", "''", '"', "&a", "*a", "<<", "!!int x",
    "!!binary /",
    "!!python/object:os.system", "2001-99-99", "\x1b[31mred\x1b[0m", "\x00", "\u202etxt", "\ud7ff",
    "\u00e9\U0001f980", "%s%n{0}", "../nowhere/else", "/dev/zero", "/dev/full", ".", "/", "-", "--",
    "=", ",", ";", "a" * 300, "a." * 3_000, "x" * LONG, "[" * 20_000, "{a: " * 2_000, "\t", "\r\n",
    "$HOME", "`id`", "<script>alert(1)</script>", "4 KiB", "100 MHz", "1e40 GHz", "-4 KiB", "none",
)  # fmt: skip
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)
_WORD = re.compile(r"[\w.\-]+")


def mutate(kind: str, data: bytes, other: bytes, rng: random.Random) -> bytes:
    """One input made of a sample; ``other`` is a second one to take pieces from."""
    ways = [_bytes, *_WAYS[kind]] if kind != "bytes" else [_bytes]
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        data = rng.choice(ways)(data, other, rng)
    return data


def _bytes(data: bytes, other: bytes, rng: random.Random) -> bytes:
    if not data:
        return rng.randbytes(rng.randrange(64))
    at = rng.randrange(len(data))
    end = min(len(data), at + rng.choice((1, 2, 4, 16, 256)))
    match rng.randrange(7):
        case 0:
            return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        case 1:
            return data[:at]
        case 2:
            return data[:at] + data[end:]
        case 3:
            return data[:end] + data[at:end] * rng.choice((1, 2, 100)) + data[end:]
        case 4:
            return data[:at] + rng.randbytes(end - at) + data[end:]
        case 5:
            start = rng.randrange(len(other) + 1)
            return data[:at] + other[start : start + end - at] + data[end:]
        case _:
            fill = rng.choice((b"\x00", b"\xff", b"\x80", b"\x7f\xff\xff\xff"))
            return data[:at] + fill * (end - at) + data[end:]


def _text(change: Callable[[str, str, random.Random], str]) -> Callable[..., bytes]:
    def changed(data: bytes, other: bytes, rng: random.Random) -> bytes:
        text, beside = (each.decode("utf-8", "surrogateescape") for each in (data, other))
        return change(text, beside, rng).encode("utf-8", "surrogateescape")

    return changed


def _number(text: str, _: str, rng: random.Random) -> str:
    return _replaced(_NUMBER, text, rng.choice(ODD_NUMBERS), rng)


def _word(text: str, other: str, rng: random.Random) -> str:
    words = _WORD.findall(other)
    new = rng.choice(words) if words and rng.random() < 0.4 else rng.choice(ODD_WORDS)
    return _replaced(_WORD, text, new, rng)


def _replaced(pattern: re.Pattern[str], text: str, new: str, rng: random.Random) -> str:
    places = [found.span() for found in pattern.finditer(text)]
    if not places:
        return text + new
    start, end = rng.choice(places)
    return text[:start] + new + text[end:]


def _lines(text: str, other: str, rng: random.Random) -> str:
    lines, beside = text.split("\n"), other.split("\n")
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(6):
        case 0:
            lines[at], lines[to] = lines[to], lines[at]
        case 1:
            lines.insert(to, lines[at])
        case 2:
            del lines[at]
        case 3:
            lines[at] = rng.choice(("  ", "\t", " ")) + lines[at]
        case 4:
            lines[at] = lines[at].strip()
        case _:
            lines.insert(at, rng.choice(beside))
    return "\n".join(lines)


def _cells(text: str, _: str, rng: random.Random) -> str:
    try:
        rows = list(csv.reader(io.StringIO(text)))
    except csv.Error:
        return text
    if not rows:
        return text
    row = rows[rng.choice((0, rng.randrange(len(rows))))]
    at = rng.randrange(len(row) + 1)
    match rng.randrange(4):
        case 0:
            row.insert(at, rng.choice(ODD_WORDS))
        case 1:
            del row[at:]
        case 2:
            row[at : at + 1] = [rng.choice((*ODD_NUMBERS, *ODD_WORDS))]
        case _:
            for each in rows:
                del each[at : at + 1]
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Each container in a tree with each of its keys."""
    found = []
    stack = [tree]
    while stack:
        node = stack.pop()
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        for key in keys:
            found.append((node, key))
            if isinstance(node[key], dict | list):
                stack.append(node[key])
    return found


def _odd_value(node: Any, rng: random.Random) -> Any:
    nested: Any = node
    for _ in range(rng.choice((1, 3, 60))):
        nested = rng.choice(([nested], {"a": nested}))
    return rng.choice((
        None, True, "", 0, -1, 0.5, 1e308, float("nan"), float("inf"), 10**30, 2**63, [], {},
        [None], {"": None}, {1: 2}, nested, rng.choice(ODD_WORDS), rng.choice(ODD_NUMBERS),
    ))  # fmt: skip


def _change_tree(tree: Any, rng: random.Random) -> Any:
    places = _places(tree) if isinstance(tree, dict | list) else []
    if not places:
        return _odd_value(tree, rng)
    node, key = rng.choice(places)
    match rng.randrange(4):
        case 0:
            del node[key]
        case 1 if isinstance(node, dict):
            name = str(key)
            at = rng.randrange(len(name) + 1)
            node[rng.choice((name[:at] + name[at + 1 :], name + "s", rng.choice(ODD_WORDS)))] = (
                node.pop(key)
            )
        case 2:
            source, name = rng.choice(places)
            if name in source if isinstance(source, dict) else name < len(source):
                node[key] = json.loads(json.dumps(source[name], default=str, skipkeys=True))
        case _:
            node[key] = _odd_value(node[key], rng)
    return tree


def _yaml_tree(data: bytes, _: bytes, rng: random.Random) -> bytes:
    try:
        tree = yaml.load(data, yaml.CSafeLoader)
        return yaml.dump(_change_tree(tree, rng), Dumper=yaml.CSafeDumper, sort_keys=False).encode()
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, OverflowError, AttributeError):
        return data


def _json_tree(data: bytes, _: bytes, rng: random.Random) -> bytes:
    """Of each line, if each is JSON, else of the whole."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    for part, around in ((lines[at], lines), (data, None)):
        try:
            new = json.dumps(_change_tree(json.loads(part), rng), default=str, skipkeys=True)
        except (ValueError, RecursionError, TypeError):
            continue
        if around is None:
            return new.encode("utf-8", "surrogateescape")
        around[at] = new.encode("utf-8", "surrogateescape")
        return b"\n".join(around)
    return data


_PLAIN = [_text(_number), _text(_word), _text(_lines)]
_WAYS: dict[str, list[Callable[[bytes, bytes, random.Random], bytes]]] = {
    "text": _PLAIN,
    "csv": [*_PLAIN, _text(_cells), _text(_cells)],
    "yaml": [*_PLAIN, _yaml_tree, _yaml_tree, _yaml_tree],
    "json": [*_PLAIN, _json_tree, _json_tree],
}
