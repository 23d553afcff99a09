"""Explanations of CSV cells, by line or by values of other columns; published cells by name."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.published import read_comparison
from gnomon.base.tables import CsvRow, read_csv_table
from gnomon.report.explain._chain import Chain, ChainStep, Resolve
from gnomon.report.explain._sources import (
    FOLDERS,
    ColumnRule,
    DescribedTable,
    changed_ns,
    described_files,
    read_sidecar,
    sources_of,
    table_path,
    unit_of,
)

_ADDRESS = re.compile(
    r"(?P<file>[^?:]+\.csv(?:\.xz)?)(?:\?(?P<query>[^:]*)|:(?P<line>\d{1,9}))?(?::(?P<column>.+))?"
)
_LARGEST_MATCH = 60
WHOLE_ROW = "*"
"""Replacement for a column: the row as one step, and the origin of its last number."""


def is_csv_address(quantity: str) -> bool:
    return _ADDRESS.fullmatch(quantity) is not None


def csv_files() -> tuple[str, ...]:
    """Return all tables with an entry."""
    return tuple(name for name in described_files() if name.endswith((".csv", ".csv.xz")))


def csv_rows(file: str) -> Mapping[int, CsvRow]:
    path = table_path(file)
    return _rows_of(path, changed_ns(path))


@cache
def _rows_of(path: Path, _changed_ns: int) -> Mapping[int, CsvRow]:
    rows = read_csv_table(path)
    return {int(row.origin.rpartition(":")[2]): row for row in rows}


def explain_csv(quantity: str, resolve: Resolve) -> tuple[Chain, ...]:
    """Explain ``FILE.csv[:LINE[:COLUMN]]`` or ``FILE.csv?column=value&...[:COLUMN]``."""
    match = _ADDRESS.fullmatch(quantity)
    assert match is not None
    file, column = match["file"], match["column"]
    folder = file.partition("/")[0]
    if file not in csv_files():
        if folder in FOLDERS:
            if table_path(file).is_file():
                sources_of(file)  # raises the error of a missing entry
            read_sidecar(folder)  # raises the error of an installed package without reports
        raise GnomonError(f"no table {file!r} is known{did_you_mean(file, csv_files())}")
    table = sources_of(file)
    if match["line"] is None and match["query"] is None:
        if column is not None:
            raise GnomonError(f"{quantity}: name a line too, such as {file}:2:{column}")
        return (Chain(file, "", "", tuple(table.steps(resolve))),)
    rows = (
        _matching(file, match["query"] or "")
        if match["line"] is None
        else {int(match["line"]): _row_at(file, int(match["line"]))}
    )
    chains: list[Chain] = []
    for line, row in rows.items():
        if column == WHOLE_ROW:
            chains.append(_explain_row(table, line, resolve))
            continue
        _check_column(file, column, row.values)
        numbers = [each for each in row.values if table.is_number(each) and row.values[each]]
        asked = [column] if column else numbers
        chains += [explain_cell(file, line, each, resolve) for each in asked]
    return tuple(chains)


def _check_column(file: str, column: str | None, columns: Mapping[str, str]) -> None:
    if column is not None and column not in columns:
        near = did_you_mean(column, columns)
        raise GnomonError(f"{file}: has no column {column!r} (columns: {', '.join(columns)}{near})")


def _row_at(file: str, line: int) -> CsvRow:
    rows = csv_rows(file)
    if line not in rows:
        if not rows:
            raise GnomonError(f"{file}: has no rows")
        raise GnomonError(f"{file}: has no row in line {line} (lines {min(rows)} to {max(rows)})")
    return rows[line]


def _matching(file: str, query: str) -> Mapping[int, CsvRow]:
    rows = csv_rows(file)
    wanted = dict(word.partition("=")[::2] for word in query.split("&") if word)
    columns = next(iter(rows.values())).values if rows else {}
    for key, value in wanted.items():
        _check_column(file, key, columns)
        known = dict.fromkeys(row.values[key] for row in rows.values())
        if value not in known:
            shown = ", ".join(list(known)[:12])
            near = did_you_mean(value, known)
            raise GnomonError(f"{file}: no row has {key} {value!r} (such as {shown}{near})")
    found = {
        line: row
        for line, row in rows.items()
        if all(row.values[key] == value for key, value in wanted.items())
    }
    if not found:
        raise GnomonError(f"{file}: no row has all of {query!r}")
    if len(found) > _LARGEST_MATCH:
        raise GnomonError(f"{file}: {len(found)} rows have {query!r}; name more columns")
    return found


def explain_cell(file: str, line: int, column: str, resolve: Resolve) -> Chain:
    table = sources_of(file)
    entry, row = table.entry, _row_at(file, line)
    value = row.values[column]
    name = f"{file}:{line}:{column}"
    case = ", ".join(f"{key} {row.values[key]}" for key in entry.keys if row.values.get(key))
    holds = (n for n, rule in enumerate(entry.rules) if rule.holds(column, row.values))
    if not (value and table.is_number(column)):
        remarks = "; ".join(row.values[each] for each in entry.remarks if row.values[each])
        text = f"{value}: {column} says which case it is, or remarks on it"
        if not value:
            text = f"empty: there is no {column} of {case}" + (f"; {remarks}" if remarks else "")
        steps = [ChainStep("value", text, row.origin)]
        steps += [replace(each, depth=each.depth + 1) for each in table.steps(resolve)]
        return Chain(name, value, "", tuple(steps))
    number = next(holds, None)
    if number is None:
        raise GnomonError(f"{table.where('rules')}: no rule holds for {name} ({case})")
    rule = entry.rules[number]
    words = {**_words(table, row), "column": column}
    place = table.where("rules", number)
    unit = unit_of(column) if rule.unit is None else _filled(rule.unit, words, place)
    text = f"{value} {unit}".rstrip()
    steps = [
        ChainStep("value", f"{text}: {column} of {case}", row.origin),
        ChainStep("how", _filled(rule.how, words, place), place, depth=1),
        *(ChainStep("command", command, depth=1) for command in entry.commands),
        *_of_row(rule, file, line, resolve),
        *_beyond_row(rule, words, place, resolve),
    ]
    return Chain(name, value, unit, tuple(steps))


def _explain_row(table: DescribedTable, line: int, resolve: Resolve) -> Chain:
    """Explain a whole row as one value, and the origin of its last number."""
    row = _row_at(table.file, line)
    numbers = [name for name in row.values if table.is_number(name)]
    value = ", ".join(f"{name} {row.values[name]}" for name in numbers if row.values[name])
    last = explain_cell(table.file, line, numbers[-1], resolve)
    return Chain(
        f"{table.file}:{line}", value, "", (ChainStep("value", value, row.origin), *last.steps[1:])
    )


def _of_row(rule: ColumnRule, file: str, line: int, resolve: Resolve) -> list[ChainStep]:
    """Return the steps of the other columns from which a cell is computed."""
    steps: list[ChainStep] = []
    for other in rule.of:
        part = explain_cell(file, line, other, resolve)
        value = f"{part.value or 'empty'} {part.unit}".rstrip()
        first = replace(part.steps[0], text=f"{value}: {other} of the same row")
        # Earlier steps already hold the commands of the file.
        rest = [step for step in part.steps[1:] if step.kind != "command"]
        steps += [replace(step, depth=step.depth + 1) for step in (first, *rest)]
    return steps


def _beyond_row(
    rule: ColumnRule, words: Mapping[str, str], place: str, resolve: Resolve
) -> list[ChainStep]:
    """Return the steps of a cell's inputs outside of its table."""
    steps: list[ChainStep] = []
    for ref in rule.refs:
        for chain in resolve(_filled(ref, words, place)):
            steps += chain.deeper()
    if rule.source is not None:
        text, sure = (_filled(each or "", words, place) for each in (rule.source, rule.confidence))
        steps.append(ChainStep("source", text, place, sure, depth=1))
    return steps


def _filled(text: str, words: Mapping[str, str], place: str) -> str:
    """Return a text of the sidecar with the values of a row."""
    try:
        return " ".join(text.format_map(words).split())
    except (KeyError, ValueError, IndexError, AttributeError):
        known = ", ".join(words)
        raise GnomonError(f"{place}: {text!r} names a column that is none of {known}") from None


def _words(table: DescribedTable, row: CsvRow) -> Mapping[str, str]:
    words = dict(row.values)
    for name, by_columns in table.entry.names.items():
        ((columns, texts),) = by_columns.items()
        key = " ".join(words[column] for column in columns.split())
        found = texts.get(key, texts.get("*"))
        if found is None:
            where = table.where("names", name)
            raise GnomonError(f"{where}: names.{name}: has no text for {columns} {key!r}")
        words[name] = _filled(found, words, table.where("names", name))
    return words


_SIZE = re.compile(r"^([df])(\d+)$")  # d8 and d=8 denote the same size
_KEYS = ("table", "algorithm", "platform", "variant", "param", "metric")


def explain_published(quantity: str, resolve: Resolve) -> tuple[Chain, ...]:
    """Explain cells by any of their words, in any order: table, algorithm, platform, variant."""
    printed = read_comparison().printed_path
    cells = {line: _words_of(row.values) for line, row in csv_rows(printed).items()}
    known = dict.fromkeys(word for words in cells.values() for word in words)
    wanted = [_SIZE.sub(r"\1=\2", word.lower()) for word in quantity.split("/") if word]
    for word in wanted:
        if word not in known:
            near = did_you_mean(word, known)
            raise GnomonError(f"{quantity}: no published cell has {word!r}{near}")
    found = [line for line, words in cells.items() if set(wanted) <= set(words)]
    if not found:
        raise GnomonError(f"{quantity}: no published cell has all of {', '.join(wanted)}")
    chains = ((explain_cell(printed, line, "value", resolve), cells[line]) for line in found)
    return tuple(replace(chain, quantity="/".join(words)) for chain, words in chains)


def _words_of(row: Mapping[str, str]) -> tuple[str, ...]:
    size = f"{row['param_name']}={row['param']}"
    table, algorithm = f"table{row['table']}", row["algorithm"].lower()
    return (table, algorithm, row["platform"], row["variant"], size, row["metric"])


def with_ours(chain: Chain) -> Chain:
    """Return the chain of a published cell with the report lines of gnomon's values."""
    files = read_comparison()
    if files.ours not in csv_files():
        return chain
    line = int(chain.steps[0].where.rpartition(":")[2])
    row = csv_rows(files.printed_path)[line].values
    ours = [
        ChainStep(
            "table", f"ours next to it: {files.ours}:{each}:ours", f"{files.ours}:{each}", depth=1
        )
        for each, own in csv_rows(files.ours).items()
        if all(own.values[key] == row[key] for key in _KEYS)
    ]
    return replace(chain, steps=(*chain.steps, *ours))
