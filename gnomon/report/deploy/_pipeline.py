"""Output of a pipeline: terminal, page, Markdown, table of stages, figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from gnomon.base.console import console
from gnomon.base.frames import csv_text, frame
from gnomon.deploy import PipelineResult, StageResult
from gnomon.deploy.quantities import format_energy, format_power, format_span, format_time
from gnomon.report.canvas import render
from gnomon.report.deploy._facts import format_percent, hz, life
from gnomon.report.deploy._pictures import Drawn, find_exceeding, find_time_scale
from gnomon.report.deploy._tables import format_interval, given_table
from gnomon.report.deploy._write import print_tables, write_pages
from gnomon.report.table import PageTable

_LINES = ("-", "--", ":", "-.")
_COLUMNS = (
    "run", "stage", "requests", "finished", "missed", "dropped", "interrupted", "least_cycles",
    "most_cycles", "p50_us", "p99_us", "p99.9_us", "worst_us", "age_p99_us", "age_worst_us",
    "uj_per_run", "uj_low_per_run", "uj_high_per_run",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PipelineReport:
    """Results of a pipeline."""

    result: PipelineResult  # each run takes one of its measured times
    longest: PipelineResult  # each run takes its longest measured time

    @property
    def runs(self) -> list[tuple[str, PipelineResult]]:
        """The runs shown; one if every stage has a single measured time."""
        same = all(len(set(stage.cycles)) == 1 for stage in self.result.stages)
        shown = [("as described", self.result)]
        return shown if same else [*shown, ("every run its longest", self.longest)]

    def print(self) -> None:
        """Print the result first, then the tables, then their limits."""
        out = console()
        out.print(self.result.pipeline.title)
        for line in self._headline():
            out.print(f"  {line}")
        print_tables(self._tables())
        for line in self._warnings():
            out.print(f"  {line}")

    def write(self, target: Path, spec: str) -> tuple[Path, ...]:
        """Write page, Markdown, table and figures; the same pipeline gives the same bytes.

        Args:
            target: the folder of the files, made if absent; a name in .html: the page alone.
            spec: the text of the pipeline file, for the page.

        Raises:
            GnomonError: if a file cannot be written.
        """
        drawn = self._pictures()
        words = {each.name: each.words for each in drawn}

        def section(title: str, table: PageTable | None, *figures: str) -> dict[str, Any]:
            shown = [(name, words[name]) for name in figures if name in words]
            return {"title": title, "table": table, "pictures": shown, "lines": ()}

        stages, energy, device = self._tables()
        sections = [section("Stages", stages, "latency")]
        if energy is not None:
            sections.append(section("Energy", energy))
        sections += [
            section("Device", device),
            section("What was run", None) | {"lines": self._assumptions()},
            section("Figures that the file gives", given_table(self.result.pipeline)),
        ]
        facts = {
            "name": self.result.pipeline.name,
            "title": self.result.pipeline.title,
            "headline": self._headline(),
            "warnings": self._warnings(),
            "sections": sections,
            "spec": spec,
            "rows": "All stages",
            "csv": "stages.csv",
        }
        return write_pages(target, facts, drawn, {"stages.csv": self._csv()})

    def _headline(self) -> list[str]:
        result = self.result
        where = f"{result.architecture.name} at {hz(result.architecture.clock)}"
        if not result.pipeline.require:
            first = f"Nothing is required. {where}"
        elif result.keeps:
            first = f"{where} meets all requirements"
        else:
            known = [each for each in result.missed if result.figures[each.name] is not None]
            verb = "does not meet" if known else "is not known to meet"
            first = f"{where} {verb} {', '.join(each.text for each in known or result.missed)}"
        parts = []
        if result.account is not None:
            parts.append(f"{format_power(result.account.power_mw.value)} on average")
        if result.life_ps is not None:
            parts.append(f"battery {life(result)}")
        lines = [f"{first}: {', '.join(parts)}." if parts else f"{first}."]
        if len(self.runs) > 1 and result.pipeline.require:
            missed = ", ".join(self.longest.misses)
            verdict = f"it does not meet {missed}" if missed else "it meets all requirements"
            lines.append(f"If every run takes its longest measured time, {verdict}.")
        return lines

    def _tables(self) -> tuple[PageTable, PageTable | None, PageTable]:
        return self._stage_table(), self._energy_table(), self._device_table()

    def _stage_table(self) -> PageTable:
        heads = ("stage", "missed", "longest", "99 % within", "half within", "age, longest",
                 "runs", "cycles", "dropped", "waiting, mean (most)")  # fmt: skip
        rows = []
        for run, result in self.runs:
            for stage in result.stages:
                name = stage.name if run == "as described" else f"{stage.name}, longest"
                rows.append((name, *_stage_cells(stage)))
        return PageTable.from_cells("latency", "Stages: times from request to end", heads, rows)

    def _energy_table(self) -> PageTable | None:
        known = [(run, result.account) for run, result in self.runs if result.account]
        if not known:
            return None
        names = dict.fromkeys(part.name for _, account in known for part in account.parts)
        rows = []
        for name in names:
            cells = []
            for _, account in known:
                part = next((each for each in account.parts if each.name == name), None)
                energy = None if part is None else part.note or format_interval(
                    part.energy_uj, format_energy
                )  # fmt: skip
                cells.append(energy or "")
            rows.append((name, *cells))
        rows += [
            ("sum", *(format_interval(each.total_uj, format_energy) for _, each in known)),
            ("mean power", *(format_interval(each.power_mw, format_power) for _, each in known)),
            ("largest power", *(format_power(each.peak_mw) for _, each in known)),
        ]
        if self.result.pipeline.battery is not None:
            rows.append(("battery life", *(life(each) for _, each in self.runs if each.account)))
        heads = ("", *(run for run, _ in known))
        return PageTable.from_cells("energy", "Energy of the whole run, by part", heads, rows)

    def _device_table(self) -> PageTable:
        cells: dict[str, Callable[[PipelineResult], str]] = {
            "length of the run": lambda result: format_span(result.model.horizon_ps),
            "harts at work": lambda result: format_percent(result.figures["utilisation"]),
            "time asleep": lambda result: format_percent(
                int(result.record.state_ps[2]) / result.model.horizon_ps
            ),
            "fell asleep, woke": lambda result: (
                f"{result.record.enters:,}, {result.record.wakes:,}"
            ),
        }
        for place, stage in enumerate(self.result.stages):
            cells[f"{stage.name}: requests"] = partial(_ledger, place=place)
        rows = [(name, *(cell(result) for _, result in self.runs)) for name, cell in cells.items()]
        heads = ("", *(run for run, _ in self.runs))
        return PageTable.from_cells("ledger", "Device, and every request at the end", heads, rows)

    def _assumptions(self) -> list[str]:
        pipeline, lines = self.result.pipeline, []
        for stage, service in zip(pipeline.stages, self.result.services, strict=True):
            keys, settings = stage.keys, dict(stage.settings)
            what = settings[stage.workload]
            if stage.workload == "program":
                what = Path(str(what)).name
                what += f", function {settings['region']}" if settings["region"] else ", whole run"
            elif stage.workload == "learner":
                what = f"{what}, {settings['variant']}, {keys.step}"
            else:
                what = f"{what}, {settings['variant']}"
            built = f", built with {service.built}" if service.built else ""
            measured = f"{len(service.runs)} measured runs" if len(service.runs) > 1 else "one run"
            lines.append(f"{stage.name}: {stage.workload} {what}{built}; {measured} on the"
                         f" simulator. {_describe_start(self.result, stage)}")  # fmt: skip
        harts = pipeline.device.harts
        lines.append(
            f"Device: {self.result.architecture.name}, {harts} hart{'s' * (harts > 1)},"
            f" {'with' if pipeline.device.preempt else 'without'} interruption by stages of higher"
            f" priority; seed {pipeline.seed}."
        )
        harvest = pipeline.harvest
        if harvest is not None:
            lines.append(
                f"Harvesting: {harvest.power_mw.text} for {format_span(harvest.on_ps)} of every"
                f" {format_span(harvest.of_ps)}. The battery starts full while the source is off."
                " Temperature is not modeled."
            )
        return lines

    def _warnings(self) -> list[str]:
        result, lines = self.result, []
        left_out = result.pipeline.not_included
        if left_out:
            lines.append(f"Not included, as the file gives no figure: {', '.join(left_out)}. A"
                         " real device has these costs, so its battery lasts shorter.")  # fmt: skip
        priced = result.priced
        if priced.table:
            lines.append(f"Power table {priced.table} ({priced.energy}).")
        if priced.extrapolated:
            lines.append("The activity of some runs lies outside the measured points of the power"
                         " table.")  # fmt: skip
        if priced.reason:
            lines.append(f"Energy is unavailable: {priced.reason}.")
        if len(self.runs) == 1:
            lines.append("Every stage has one measured time, so the longest is the mean. Other"
                         " inputs of a program may take longer.")  # fmt: skip
        battery = result.pipeline.battery
        if result.overdrawn_ma is not None and battery is not None and battery.current_ma:
            lines.append(f"Peaks draw {result.overdrawn_ma:,.3g} mA, the battery is specified for"
                         f" {battery.current_ma.text}.")  # fmt: skip
        return lines

    def _pictures(self) -> list[Drawn]:
        drawn = [stage for stage in self.result.stages if len(stage.response_ps)]
        if not drawn:
            return []
        words = "Share of the runs that take longer than a time, from request to end"
        made = render(lambda: _draw_responses(drawn), with_values=True, with_data=True)
        return [Drawn("latency", words, made)]

    def _csv(self) -> str:
        rows: list[list[str | int]] = []
        for run, result in (("described", self.result), ("longest", self.longest)):
            account = result.account
            for stage in result.stages:
                found = stage.to_json()
                energy = None
                if account is not None and stage.finished:
                    part = next(each for each in account.parts if each.name == stage.name)
                    energy = part.energy_uj * (1 / stage.finished)
                figures = (
                    *(found[name] for name in _COLUMNS[9:15]),
                    *((None,) * 3 if energy is None else (energy.value, energy.low, energy.high)),
                )
                missed = "" if stage.missed is None else stage.missed
                rows.append([
                    run, stage.name, stage.requests, stage.finished, missed, stage.dropped,
                    stage.interrupted, min(stage.cycles), max(stage.cycles),
                    *("" if value is None else f"{value:.6g}" for value in figures),
                ])  # fmt: skip
        return csv_text(frame(_COLUMNS, rows))


def _stage_cells(stage: StageResult) -> tuple[str, ...]:
    least, most = min(stage.cycles), max(stage.cycles)
    cycles = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    times = (stage.figures[name] for name in ("worst", "p99", "p50", "age-worst"))
    share = stage.figures["missed"]
    return (
        "" if share is None else f"{stage.missed:,} ({format_percent(share)})",
        *("too few" if each is None else format_time(each) for each in times),
        f"{stage.finished:,}",
        cycles,
        f"{stage.dropped:,}",
        f"{stage.mean_waiting:.3g} ({stage.most_waiting})",
    )


def _ledger(result: PipelineResult, place: int) -> str:
    stage = result.stages[place]
    return (
        f"{stage.requests:,}: {stage.finished:,} finished, {stage.dropped:,} dropped,"
        f" {stage.waiting:,} waiting, {stage.in_service:,} in service"
    )


def _describe_start(result: PipelineResult, stage: Any) -> str:
    keys = stage.keys
    if keys.after:
        each = f"every {keys.every} runs" if keys.every > 1 else "each run"
        share = "" if keys.share == 1 else f" ({format_percent(keys.share)})"
        later = f", {format_time(keys.delay_ps)} later ({keys.kind})" if keys.delay_ps else ""
        return f"It follows {each} of {keys.after}{share}{later}."
    if keys.period:
        jitter = f", jitter {format_time(keys.jitter_ps)}" if keys.jitter_ps else ""
        return f"A request every {format_time(keys.period)}{jitter}."
    if keys.rate:
        return f"Independent requests, one every {format_time(keys.rate)} on average."
    count = next(each.requests for each in result.stages if each.name == stage.name)
    return f"{count:,} requests from {Path(keys.file or keys.source).name}."


def _draw_responses(stages: Sequence[StageResult]) -> Figure:
    figure, axes = plt.subplots(figsize=(7.2, 3.4), layout="constrained")
    longest = max(float(stage.response_ps.max()) for stage in stages)
    scale, unit = find_time_scale(longest)
    for place, stage in enumerate(stages):
        times, longer = find_exceeding(stage.response_ps)
        axes.step(times / scale, longer, where="post", label=stage.name, linewidth=1.4,
                  color=f"C{place % 10}", linestyle=_LINES[place % len(_LINES)])  # fmt: skip
    axes.set_xlim(left=0)
    axes.set_yscale("log")
    axes.set_ylim(top=1.3)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * 100:g} %"))
    axes.set_xlabel(f"time from request to end ({unit})")
    axes.set_ylabel("runs that take longer")
    figure.legend(loc="outside upper center", ncols=4, frameon=False, fontsize=8)
    return figure
