"""The files of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files
from gnomon.bench.fixedpoint import least_bits
from gnomon.report.criteria import csv_text, table
from gnomon.report.embedded._figure import formats_figure

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.bench.fixedpoint import LearnerFormat
    from gnomon.report.embedded._costs import StepCost
    from gnomon.report.embedded._run import EmbeddedLearners

_INTRODUCTION = """\
# Embedded SoftUCB and ARES

Made by `gnomon experiment embedded-learners --size {size}`. The C of `algorithms/softucb` and
`algorithms/ares` on this computer, bit for bit what the machines compute, beside the float
learners in the same rounds, with the same noise and the same random numbers.

## Number formats

![Equal arms and regret over fraction bits](embedded_formats.svg)

Equal arms: of rounds in which both learn what float plays, and in which each learns what it plays
itself. Regret is over that of float: below 1 is chance. V^-1 has the bits that the third column
names, or 27 and more, which its range allows.

On the vector unit means have 15 bits, and V^-1 has 29 (SoftUCB) or 27 (ARES). Its products take
more than a word. Machines with post-scaled products (t13-paper-simd1 to 8) have an instruction for
them; on the others the C takes one factor apart, without an error (`fx_postscale.h`), so
all machines choose the same arms. What a narrower V^-1 would lose, whose products fit a word, say
the rows with as many bits of V^-1 as of means.

{least}

{formats}
"""

_COSTS = """\
## A step on each machine

One selection and one update of random input, 15 fraction bits, one hart, 100 MHz; every bit is
compared with this computer. Energy is dynamic, with its interval; static power is not in it.
Machines with the same figures share a row; `embedded_costs.csv` has one for each.

{costs}
"""


def write_embedded(learners: EmbeddedLearners, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and figure into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files: dict[str, Content] = {
        "embedded.md": _page(learners).encode(),
        "embedded_formats.csv": _formats_csv(learners).encode(),
        "embedded_costs.csv": _costs_csv(learners).encode(),
    }
    files["embedded_formats"] = formats_figure(learners.formats)
    return write_files(folder, files)


def _page(learners: EmbeddedLearners) -> str:
    return "\n".join(
        (
            _INTRODUCTION.format(
                size=learners.size,
                least=_least(learners.formats),
                formats=_formats(learners.formats),
            ),
            _COSTS.format(costs=_costs(learners.costs)),
        )
    )


def _kinds(formats: tuple[LearnerFormat, ...]) -> dict[str, list[LearnerFormat]]:
    kinds: dict[str, list[LearnerFormat]] = {}
    for each in formats:
        same = each.inverse_bits == each.fraction_bits
        name = f"{each.learner} {each.variant}{', V^-1 alike' if same else ''}, {each.case}"
        kinds.setdefault(name, []).append(each)
    return kinds


def _least(formats: tuple[LearnerFormat, ...]) -> str:
    rows = []
    for name, of_kind in _kinds(formats).items():
        bits = least_bits(of_kind)
        rows.append((name, "none measured" if bits is None else bits))
    return table(
        ("implementation", "fewest fraction bits from which on regret is at most 2 % above"),
        (False, True),
        rows,
    )


def _formats(formats: tuple[LearnerFormat, ...]) -> str:
    return table(
        ("implementation", "fraction bits", "bits of V^-1", "equal, following", "equal, alone",
         "regret", "over float"),
        (False, True, True, True, True, True, True),
        (
            (
                f"{each.learner} {each.variant}, {each.case}",
                each.fraction_bits,
                "" if each.inverse_bits is None else each.inverse_bits,
                f"{each.equal_following:.2%}",
                f"{each.equal_alone:.2%}",
                f"{each.regret:.3g}",
                f"{each.ratio:.3f}",
            )
            for each in formats
        ),
    )  # fmt: skip


def _costs(costs: tuple[StepCost, ...]) -> str:
    machines: dict[tuple[str, ...], list[str]] = {}
    for each in costs:
        machines.setdefault(_cost_cells(each), []).append(each.run.arch)
    return table(
        ("learner", "case", "variant", "machine", "select cycles", "update cycles", "µs",
         "µJ select", "µJ update", "µJ", "model bytes", "text bytes", "stack bytes"),
        (False, False, False, False, *(True,) * 9),
        ((*cells[:3], _names(names), *cells[3:]) for cells, names in machines.items()),
    )  # fmt: skip


def _cost_cells(each: StepCost) -> tuple[str, ...]:
    return (
        each.run.learner,
        each.case,
        each.run.variant,
        f"{each.run.select.wall_cycles:,}",
        f"{each.run.update.wall_cycles:,}",
        f"{each.run.time_us:,.1f}",
        f"{each.select_uj:.3g}",
        f"{each.update_uj:.3g}",
        f"{each.both_uj:.3g} ({each.low_uj:.3g} to {each.high_uj:.3g})",
        f"{each.run.model_bytes:,}",
        f"{each.run.text_bytes:,}",
        f"{max(each.run.stack_bytes):,}",
    )


def _names(machines: list[str]) -> str:
    """Those that differ in their last letter alone by that: t13-simd1, 2, 4, 8."""
    families: dict[str, list[str]] = {}
    for machine in machines:
        families.setdefault(machine[:-1], []).append(machine[-1])
    return "; ".join(family + ", ".join(last) for family, last in families.items())


def _formats_csv(learners: EmbeddedLearners) -> str:
    return csv_text(
        ("learner", "variant", "case", "fraction_bits", "inverse_bits", "runs", "rounds",
         "equal_following", "equal_alone", "regret", "regret_float", "regret_ratio"),
        (
            (each.learner, each.variant, each.case, each.fraction_bits,
             "" if each.inverse_bits is None else each.inverse_bits, each.runs, each.rounds,
             f"{each.equal_following:.6f}", f"{each.equal_alone:.6f}", f"{each.regret:.4f}",
             f"{each.float_regret:.4f}", f"{each.ratio:.4f}")
            for each in learners.formats
        ),
    )  # fmt: skip


def _costs_csv(learners: EmbeddedLearners) -> str:
    return csv_text(
        ("learner", "case", "variant", "arch", "select_cycles", "update_cycles", "time_us",
         "select_uj", "update_uj", "energy_uj", "energy_low_uj", "energy_high_uj", "model_bytes",
         "static_bytes", "text_bytes", "stack_bytes"),
        (
            (each.run.learner, each.case, each.run.variant, each.run.arch,
             each.run.select.wall_cycles, each.run.update.wall_cycles, f"{each.run.time_us:.2f}",
             f"{each.select_uj:.4f}", f"{each.update_uj:.4f}", f"{each.both_uj:.4f}",
             f"{each.low_uj:.4f}", f"{each.high_uj:.4f}", each.run.model_bytes,
             each.run.static_bytes, each.run.text_bytes, max(each.run.stack_bytes))
            for each in learners.costs
        ),
    )  # fmt: skip
