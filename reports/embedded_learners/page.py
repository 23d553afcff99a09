"""The page, its tables and the CSV files."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files
from gnomon.base.frames import csv_text, frame
from gnomon.report.study import study_page

from .formats import least_bits
from .pictures import formats_figure

if TYPE_CHECKING:
    import pandas as pd

    from .formats import LearnerFormat
    from .study import EmbeddedLearners, StepCost


def write_embedded(learners: EmbeddedLearners, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and figure into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files: dict[str, Content] = {
        "embedded.md": page(learners).encode(),
        "embedded_formats.csv": csv_text(_formats_csv(learners)).encode(),
        "embedded_costs.csv": csv_text(_costs_csv(learners)).encode(),
        "embedded_formats": formats_figure(learners.formats),
    }
    return write_files(folder, files)


def page(learners: EmbeddedLearners) -> str:
    """The page of all results."""
    apart = sorted(
        {
            f"{each.run.learner} {each.run.variant}"
            for each in learners.costs
            if len({other.run.arm for other in learners.costs if _same(each, other)}) > 1
        }
    )
    return study_page(
        Path(__file__).parent,
        size=learners.size,
        apart=apart,
        least=_least(learners.formats),
        formats=_formats(learners.formats),
        costs=_costs(learners.costs),
    )


def _same(one: StepCost, other: StepCost) -> bool:
    return (one.run.learner, one.case, one.run.variant) == (
        other.run.learner, other.case, other.run.variant,
    )  # fmt: skip


def _least(formats: tuple[LearnerFormat, ...]) -> pd.DataFrame:
    kinds: dict[str, list[LearnerFormat]] = {}
    for each in formats:
        same = each.inverse_bits == each.fraction_bits
        name = f"{each.learner} {each.variant}{', V^-1 alike' if same else ''}, {each.case}"
        kinds.setdefault(name, []).append(each)
    return frame(
        ("implementation", "fewest fraction bits from which on regret is at most 2 % above"),
        ((name, least_bits(of_kind) or "none measured") for name, of_kind in kinds.items()),
    )


def _formats(formats: tuple[LearnerFormat, ...]) -> pd.DataFrame:
    return frame(
        ("implementation", "fraction bits", "bits of V^-1", "equal, following", "equal, alone",
         "regret", "over float"),
        (
            (f"{each.learner} {each.variant}, {each.case}", each.fraction_bits,
             "" if each.inverse_bits is None else each.inverse_bits, f"{each.equal_following:.2%}",
             f"{each.equal_alone:.2%}", f"{each.regret:.3g}", f"{each.ratio:.3f}")
            for each in formats
        ),
    )  # fmt: skip


def _costs(costs: tuple[StepCost, ...]) -> pd.DataFrame:
    """Machines with the same figures share a row."""
    machines: dict[tuple[str, ...], list[str]] = {}
    for each in costs:
        run, both = each.run, each.both_uj
        cells = (
            run.learner, each.case, run.variant, f"{run.select.wall_cycles:,}",
            f"{run.update.wall_cycles:,}", f"{run.time_us:,.1f}", f"{each.select_uj:.3g}",
            f"{each.update_uj:.3g}", f"{both.value:.3g} ({both.low:.3g} to {both.high:.3g})",
            f"{run.model_bytes:,}", f"{run.text_bytes:,}", f"{max(run.stack_bytes):,}",
        )  # fmt: skip
        machines.setdefault(cells, []).append(run.arch)
    return frame(
        ("learner", "case", "variant", "machine", "select cycles", "update cycles", "µs",
         "µJ select", "µJ update", "µJ", "model bytes", "text bytes", "stack bytes"),
        ((*cells[:3], _names(names), *cells[3:]) for cells, names in machines.items()),
    )  # fmt: skip


def _names(machines: list[str]) -> str:
    """Those that differ in their last letter alone by that: t13-simd1, 2, 4, 8."""
    families = groupby(machines, key=lambda machine: machine[:-1])
    return "; ".join(family + ", ".join(name[-1] for name in of) for family, of in families)


def _formats_csv(learners: EmbeddedLearners) -> pd.DataFrame:
    return frame(
        ("learner", "variant", "case", "fraction_bits", "inverse_bits", "runs", "rounds",
         "equal_following", "equal_alone", "regret", "regret_float", "regret_ratio"),
        (
            (each.learner, each.variant, each.case, each.fraction_bits, each.inverse_bits,
             each.runs, each.rounds, f"{each.equal_following:.6f}", f"{each.equal_alone:.6f}",
             f"{each.regret:.4f}", f"{each.float_regret:.4f}", f"{each.ratio:.4f}")
            for each in learners.formats
        ),
    )  # fmt: skip


def _costs_csv(learners: EmbeddedLearners) -> pd.DataFrame:
    return frame(
        ("learner", "case", "variant", "arch", "select_cycles", "update_cycles", "time_us",
         "select_uj", "update_uj", "energy_uj", "energy_low_uj", "energy_high_uj", "model_bytes",
         "static_bytes", "text_bytes", "stack_bytes"),
        (
            (each.run.learner, each.case, each.run.variant, each.run.arch,
             each.run.select.wall_cycles, each.run.update.wall_cycles, f"{each.run.time_us:.2f}",
             f"{each.select_uj:.4f}", f"{each.update_uj:.4f}",
             *(f"{end:.4f}" for end in each.both_uj.to_json().values()), each.run.model_bytes,
             each.run.static_bytes, each.run.text_bytes, max(each.run.stack_bytes))
            for each in learners.costs
        ),
    )  # fmt: skip
