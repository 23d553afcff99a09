"""The study as CSV and as a Markdown page that says what was measured, and with what."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from gnomon.base.units import format_frequency, format_size

if TYPE_CHECKING:
    from .measure import Study

_PUBLISHED = (
    # kernel, n, speedup at SIMD 4; Angioli et al., section 4.2 and figure 8: "all sizes 4..32"
    # for the sum, the two ends for the product
    ("add", 4, 4.0),
    ("add", 32, 4.0),
    ("multiply", 4, 6.42),
    ("multiply", 32, 29.82),
)
_PUBLISHED_SIMD = 4
_BESIDE = """\
## Beside the published figures

Speedups at SIMD 4 that Angioli et al. (section 4.2, figure 8) give for their kernels on this core.
Theirs are other programs: another compiler, 16 KiB scratchpads, and a matrix product made of one
vector product and one vector sum per element of the left matrix. Which cycles they count is not
stated; both of ours are shown.

| kernel | n | published | here, wall cycles | here, hart cycles |
| --- | ---: | ---: | ---: | ---: |"""

_WHAT = """\
- Machine: `{machine}` ({title}), with `vcu.simd` as said; {sharing} vector unit, scratchpads of
  {scratchpad}, {clock}. One hart works, the others sleep and keep their issue slots.
- Wall cycles: from the issue of the first instruction of the kernel until its result is in memory;
  the load that waits for that adds 4 cycles to every row. Operands start and results end in data
  memory, so transfers to and from the scratchpads count.
- Hart cycles (in the CSV file): those of them in which the hart holds the execute stage. What runs
  in the background is not in them.
- Speedup: wall cycles of the scalar variant over those of the vector variant.
- Operands: random, seed {seed}, Q16.15. Every result was compared bit by bit with a model in
  integer arithmetic. Contracts:
{contracts}
- Compiler: {compiler}; flags of the first row: `{flags}`
"""

_READING = """\
## Reading it

- The sum is bound by the transfers: 1 cycle per word loaded and 2 per word stored, so 4 per sum.
  At n = {size} and SIMD {simd} they are {share} of the time, and a wider vector unit cannot help.
- The product reuses each word n times, so the width counts, until the integer core cannot start
  vector instructions fast enough: one hart starts one instruction every third cycle. Small
  matrices are bound by that and by the start-up of each vector instruction.
"""

_TITLES = {"add": "Matrix sum", "multiply": "Matrix product"}


def study_csv(study: Study) -> str:
    """All rows, one per line."""
    text = io.StringIO()
    rows = [row.to_json() for row in study.rows]
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def study_markdown(study: Study) -> str:
    """The page."""
    parts = ["# Matrix sum and matrix product on the vector unit\n"]
    parts.append(_what(study))
    parts.append("![Cycles and speedup over the matrix size](study.svg)\n")
    parts += [_table(study, kernel) for kernel in study.kernels]
    parts.append(_reading(study))
    parts.append(_published(study))
    parts.append("All rows, with hart cycles and errors: [study.csv](study.csv).\n")
    return "\n".join(parts)


def _what(study: Study) -> str:
    build = study.rows[0].run.build
    flags = " ".join(flag for flag in build.flags if not flag.startswith("-DMEASURE"))
    contracts = dict.fromkeys(
        f"  - {row.kernel}, {row.run.variant}: {row.run.contract}" for row in study.rows
    )
    return _WHAT.format(
        machine=study.machine,
        title=study.machine_title,
        sharing=study.sharing,
        scratchpad=format_size(study.scratchpad_bytes),
        clock=format_frequency(study.clock_hz),
        seed=study.seed,
        contracts="\n".join(contracts),
        compiler=f"{build.compiler} {build.version}",
        flags=flags,
    )


def _table(study: Study, kernel: str) -> str:
    widths = study.widths
    scalar = study.select(kernel, None)
    curves = {simd: study.select(kernel, simd) for simd in widths}
    names = ["n", "scalar", *(f"SIMD {simd}" for simd in widths)]
    lines = [
        f"## {_TITLES[kernel]}\n",
        "Wall cycles, and the speedup over scalar.\n",
        "| " + " | ".join(names) + " |",
        "|" + " ---: |" * len(names),
    ]
    for index, row in enumerate(scalar):
        cells = [str(row.size), f"{row.run.wall_cycles:,}"]
        for simd in widths:
            part = curves[simd][index]
            cells.append(f"{part.run.wall_cycles:,} ({part.wall_speedup:.2f})")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def _reading(study: Study) -> str:
    """Why the curves look as they do; the figures in it are computed from the rows."""
    size = max(row.size for row in study.rows)
    simd = study.widths[-1]
    (total,) = (row for row in study.select("add", simd) if row.size == size)
    share = 4 * size * size / total.run.wall_cycles
    return _READING.format(size=size, simd=simd, share=f"{share:.0%}")


def _published(study: Study) -> str:
    rows = {(row.kernel, row.size): row for row in study.rows if row.simd == _PUBLISHED_SIMD}
    lines = [
        f"| {kernel} | {size} | {published:.2f} | {row.wall_speedup:.2f} | {row.hart_speedup:.2f} |"
        for kernel, size, published in _PUBLISHED
        if (row := rows.get((kernel, size))) is not None
    ]
    return "\n".join([_BESIDE, *lines, ""]) if lines else ""
