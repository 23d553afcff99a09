"""Explanations of numbers of Markdown pages: the table cell with the number, and its chain.

A page shows cells of CSV tables, rounded, with other labels and in another order. The search
compares the value, to its printed digits, and the share of the row's case that the page names: in
the row, in the head of the column, in the headings above. If one cell fits best, the chain
continues with it. Otherwise, the chain reports that the number is computed, and ends in the sources
of all tables of the page.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gnomon.base.content import roots
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.files import read_text
from gnomon.report.explain._chain import Chain, ChainStep, Resolve
from gnomon.report.explain._rows import csv_rows, explain_cell
from gnomon.report.explain._sources import (
    PageEntry,
    described_files,
    described_pages,
    sources_of,
    table_path,
)

_ADDRESS = re.compile(r"(?P<file>[^?:]+\.md)(?::(?P<line>\d{1,9})(?::(?P<column>.+))?)?")
_NUMBER = re.compile(
    r"(?<![\w.,-])[-\u2212]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])\s?(?P<unit>%?)"
)
_WORD = re.compile(r"[^\W_]+(?:\.\d+)?")
_RULE = re.compile(r"\|[\s:|-]+\|?")
_CASE = "names the case of the row"
_COMPUTED = "computed for the page from these tables: no single cell holds it"


@dataclass(frozen=True, slots=True)
class _Asked:
    """Number of a page."""

    text: str  # as printed
    value: float
    digits: float  # half of the last printed digit
    column: str  # the head of its column; empty in prose
    near: str  # the text of its row and of the headings above


def is_page_address(quantity: str) -> bool:
    return _ADDRESS.fullmatch(quantity) is not None


def page_files() -> tuple[str, ...]:
    """Return all Markdown pages below ``reports``, as paths relative to their content root."""
    found = {
        path.relative_to(place.folder).as_posix()
        for place in roots()
        for path in (place.folder / "reports").rglob("*.md")
    }
    return tuple(sorted(found))


def explain_page(quantity: str, resolve: Resolve) -> tuple[Chain, ...]:
    """Explain ``PAGE.md:LINE[:COLUMN]``: each number of the line, or of one cell of it.

    COLUMN is the head of a column, or the position of a character in the line, from 1.

    Raises:
        GnomonError: if the page, line or column does not exist, or holds no number.
    """
    match = _ADDRESS.fullmatch(quantity)
    assert match is not None
    file, column = match["file"], match["column"]
    if file not in page_files():
        raise GnomonError(f"no page {file!r} is known{did_you_mean(file, page_files())}")
    if match["line"] is None:
        return (Chain(file, "", "", tuple(_of_page(file, resolve, 0))),)
    line = int(match["line"])
    asked = list(_asked(file, line, column))
    if column is None:
        asked = [
            each for each in asked if _fitting(file, each) or not _is_case(file, each)
        ] or asked
    if not asked:
        raise GnomonError(f"{quantity}: no number is there")
    return tuple(_explain(file, line, each, resolve) for each in asked)


def _explain(file: str, line: int, asked: _Asked, resolve: Resolve) -> Chain:
    where = f"{file}:{line}"
    name = f"{where}:{asked.column}" if asked.column else where
    of_column = f", column {asked.column}" if asked.column else ""
    first = ChainStep("value", f"{asked.text}{of_column}", where)
    cells = _fitting(file, asked)
    if len(cells) != 1:
        how = _CASE if _is_case(file, asked) else _COMPUTED
        if cells:
            named = ", ".join(f"{table}:{at}:{head}" for table, at, head in cells[:6])
            how = f"equal to {len(cells)} cells that the page does not distinguish: {named}"
        steps = [ChainStep("how", how, where, depth=1), *_of_page(file, resolve, 1)]
        return Chain(name, asked.text, "", (first, *steps))
    cell = explain_cell(*cells[0], resolve)
    return Chain(name, asked.text, cell.unit, (first, *cell.deeper()))


def _of_page(file: str, resolve: Resolve, depth: int) -> list[ChainStep]:
    """Return the steps of a page: its commands, and its tables."""
    entry = described_pages().get(file, PageEntry())
    steps = [
        ChainStep("table", f"{file}: page of {len(tables_of(file))} tables", file, depth=depth)
    ]
    steps += [ChainStep("command", command, depth=depth + 1) for command in entry.commands]
    for table in tables_of(file):
        steps += sources_of(table).steps(resolve, depth + 1)
        rows = csv_rows(table)
        of_row = sources_of(table)
        if rows and not (of_row.entry.refs or of_row.entry.source):
            line, row = next(iter(rows.items()))
            shown = [c for c in row.values if of_row.is_number(c) and row.values[c]]
            if shown:  # the rules of a table have its sources: those of its first row
                chain = explain_cell(table, line, shown[0], resolve)
                steps += [
                    ChainStep(s.kind, s.text, s.where, s.confidence, depth + 2)
                    for s in chain.sources[:1]
                ]
    return steps


def tables_of(file: str) -> tuple[str, ...]:
    """Return the tables of a page: those of its entry, else those in its folder."""
    entry = described_pages().get(file)
    if entry is not None and entry.tables:
        return tuple(f"reports/{name}" for name in entry.tables)
    folder = f"{Path(file).parent.as_posix()}/"
    beside = [name for name in described_files() if name.startswith(folder)]
    own = f"{folder}{Path(file).stem}"
    mine = [name for name in beside if name in (f"{own}.csv", f"{own}/programs.csv.xz")]
    return tuple(mine or beside)


def _asked(file: str, line: int, column: str | None) -> Iterator[_Asked]:
    """Yield the requested numbers, with the text around them."""
    path = table_path(file)
    lines = _lines(path, path.stat().st_mtime_ns)
    if not 1 <= line <= len(lines):
        raise GnomonError(f"{file}: has no line {line} (lines 1 to {len(lines)})")
    text = lines[line - 1]
    above = " ".join(_above(lines, line))
    heads = _heads(lines, line)
    if heads is None:
        yield from _in_text(file, line, text, column, above)
        return
    cells = _cells(text)
    if len(cells) != len(heads):
        raise GnomonError(f"{file}:{line}: has {len(cells)} cells, its table {len(heads)} columns")
    wanted = range(len(cells))
    if column is not None:
        wanted = range(at := _place(file, text, heads, column), at + 1)
    for at in wanted:
        others = " ".join([*cells[:at], *cells[at + 1 :]])
        for number in _NUMBER.finditer(cells[at]):
            rest = cells[at].replace(number[0], " ", 1)
            near = f"{others} {heads[at]} {rest} {above}"
            yield _number(number, heads[at] or f"column {at + 1}", near)


def _in_text(file: str, line: int, text: str, column: str | None, above: str) -> Iterator[_Asked]:
    """Yield the numbers of a line of prose; with a column, the one at this character."""
    if column is not None and not column.isdigit():
        raise GnomonError(f"{file}:{line}: no table is there, so no column {column!r}")
    for number in _NUMBER.finditer(text):
        if column is None or number.start() <= int(column) - 1 < number.end():
            yield _number(number, "", f"{text} {above}")


def _number(match: re.Match[str], column: str, near: str) -> _Asked:
    text = match[0].rstrip("% ").replace(",", "").replace("\N{MINUS SIGN}", "-")
    factor = 0.01 if match["unit"] else 1.0
    mantissa, _, exponent = text.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    digits = 0.5 * 10.0 ** (int(exponent or 0) - decimals)
    return _Asked(match[0].strip(), float(text) * factor, digits * factor, column, near)


@cache
def _lines(path: Path, _changed_ns: int) -> tuple[str, ...]:
    return tuple(read_text(path).splitlines())


def _is_row(text: str) -> bool:
    return text.lstrip().startswith("|")


def _heads(lines: tuple[str, ...], line: int) -> list[str] | None:
    """Return the heads of the table with this line as a row, or None."""
    first = line - 1
    while first >= 0 and _is_row(lines[first]):
        first -= 1
    first += 1
    if line - 1 < first + 2 or not _RULE.fullmatch(lines[first + 1].strip()):
        return None
    return _cells(lines[first])


def _cells(text: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", text.strip().strip("|"))]


def _above(lines: tuple[str, ...], line: int) -> list[str]:
    """Return the headings above a line, the nearest of each level."""
    level, found = 7, []
    for text in reversed(lines[: line - 1]):
        depth = len(text) - len(text.lstrip("#"))
        if 0 < depth < level and text[depth : depth + 1] == " ":
            level = depth
            found.append(text[depth + 1 :])
    return found[:2]


def _place(file: str, text: str, heads: list[str], column: str) -> int:
    """Return the place of a column: by its head, else by a character of the line."""
    plain = [" ".join(_words(head)) for head in heads]
    if column in heads:
        return heads.index(column)
    if (wanted := " ".join(_words(column))) in plain:
        return plain.index(wanted)
    if column.isdigit() and 1 <= int(column) <= len(text):
        before = re.split(r"(?<!\\)\|", text[: int(column)].lstrip().removeprefix("|"))
        return min(len(before) - 1, len(heads) - 1)
    shown = ", ".join(filter(None, heads))
    raise GnomonError(
        f"{file}: has no column {column!r} here (columns: {shown}{did_you_mean(column, heads)})"
    )


def _words(text: str) -> list[str]:
    """Return the words and numbers of a text, without insignificant zeros of numbers."""
    found = _WORD.findall(re.sub(r"(?<=\d),(?=\d{3})", "", text.lower().replace("_", " ")))
    return [word.rstrip("0").rstrip(".") if "." in word else word for word in found]


def _fitting(file: str, asked: _Asked) -> list[tuple[str, int, str]]:
    """Return the cells that hold a number and whose case matches the page best."""
    near, head = set(_words(asked.near)), set(_words(asked.column))
    best: dict[tuple[str, int, str], float] = {}
    for name, columns in _columns(file, head).items():
        table = sources_of(name)
        numbers = [column for column in columns if table.is_number(column)]
        for line, row in csv_rows(name).items():
            holds = [column for column in numbers if _same(row.values[column], asked)]
            if not holds:
                continue
            case = [set(_words(row.values[key])) for key in table.entry.keys if row.values[key]]
            named = sum(len(words & near) / len(words) for words in case if words) - len(case)
            others = sum(_shown(value, near) for value in row.values.values() if value)
            for each in holds:
                words = set(_words(each))
                alike = len(words & (head or near)) / len(words)
                best[name, line, each] = 2.0 * named + 0.5 * others + alike
    if not best:
        return []
    most = max(best.values())
    return [cell for cell, score in best.items() if score == most]


def _columns(file: str, head: set[str]) -> dict[str, list[str]]:
    """Return the columns of each table of a page; only those named like the head, if any."""
    every = {
        name: list(next(iter(csv_rows(name).values())).values)
        for name in tables_of(file)
        if csv_rows(name)
    }
    of_head = {
        name: [column for column in columns if set(_words(column)) == head]
        for name, columns in every.items()
    }
    return of_head if any(of_head.values()) else every


def _is_case(file: str, asked: _Asked) -> bool:
    """Return whether a number names a case: no cell holds it, but a key of a table does."""
    words = _words(asked.text.rstrip("% "))
    return any(
        set(words) <= set(_words(row.values[key]))
        for name in tables_of(file)
        for row in csv_rows(name).values()
        for key in sources_of(name).entry.keys
    )


def _same(text: str, asked: _Asked) -> bool:
    """Return whether a cell equals the number to its printed digits."""
    try:
        value = float(text)
    except ValueError:
        return False
    return abs(value - asked.value) <= asked.digits * (1.0 + 1e-9) + 1e-12 * abs(value)


def _shown(text: str, near: set[str]) -> bool:
    """Return whether a value of a row is among the words around the number."""
    words = _words(text)
    return bool(words) and all(word in near for word in words)
