"""A cell of the published tables: ``table2/t13/std/d=8/cycles``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.report.explain._chain import Chain, Resolve, Step
from gnomon.report.explain._rows import csv_files, csv_rows, explain_cell

PUBLISHED = "models/published/linucb-tables.csv"
CELLS = "reports/paper/cells.csv"
_SIZE = re.compile(r"^([df])(\d+)$")  # d8 and d=8 are the same size
_KEYS = ("table", "algorithm", "platform", "variant", "param", "metric")


def explain_published(quantity: str, resolve: Resolve) -> tuple[Chain, ...]:
    """Cells by any of their words, in any order: table, algorithm, platform, variant, ..."""
    cells = {line: _words_of(row.values) for line, row in csv_rows(PUBLISHED).items()}
    known = dict.fromkeys(word for words in cells.values() for word in words)
    wanted = [_SIZE.sub(r"\1=\2", word.lower()) for word in quantity.split("/") if word]
    for word in wanted:
        if word not in known:
            near = did_you_mean(word, known)
            raise GnomonError(f"{quantity}: no published cell has {word!r}{near}")
    found = [line for line, words in cells.items() if set(wanted) <= set(words)]
    if not found:
        raise GnomonError(f"{quantity}: no published cell has all of {', '.join(wanted)}")
    chains = []
    for line in found:
        chain = explain_cell(PUBLISHED, line, "value", resolve)
        name = "/".join(_words_of(csv_rows(PUBLISHED)[line].values))
        chains.append(replace(chain, quantity=name))
    return tuple(chains)


def _words_of(row: Mapping[str, str]) -> tuple[str, ...]:
    size = f"{row['param_name']}={row['param']}"
    table, algorithm = f"table{row['table']}", row["algorithm"].lower()
    return (table, algorithm, row["platform"], row["variant"], size, row["metric"])


def with_ours(chain: Chain) -> Chain:
    """The chain of a published cell with the lines of the report that hold ours next to it."""
    if CELLS not in csv_files():
        return chain
    line = int(chain.steps[0].where.rpartition(":")[2])
    row = csv_rows(PUBLISHED)[line].values
    lines = [
        line
        for line, own in csv_rows(CELLS).items()
        if all(own.values[key] == row[key] for key in _KEYS)
    ]
    ours = [
        Step("table", f"ours next to it: {CELLS}:{each}:ours", f"{CELLS}:{each}", depth=1)
        for each in lines
    ]
    return replace(chain, steps=(*chain.steps, *ours))
