"""Output of a pipeline: terminal, page, Markdown, table of stages, figures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from gnomon.base.frames import csv_text, frame
from gnomon.deploy import PipelineResult, StageResult
from gnomon.deploy.quantities import format_span, format_time
from gnomon.report.canvas import render
from gnomon.report.deploy._facts import (
    format_percent,
    hz,
    list_run_warnings,
    summarize_energy,
)
from gnomon.report.deploy._pictures import FULL, Drawn, draw_exceeding
from gnomon.report.deploy._tables import energy_table, given_table, list_device_rows, table_by_run
from gnomon.report.deploy._write import format_cells, make_section, print_report, write_pages
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
        title = self.result.pipeline.title
        print_report(title, [self._headline()], self._tables(), self._warnings())

    def write(self, target: Path, spec: str) -> tuple[Path, ...]:
        """Write page, Markdown, table and figures; the same pipeline gives the same bytes.

        Args:
            target: the folder of the files, made if absent; a name in .html: the page alone.
            spec: the text of the pipeline file, for the page.

        Raises:
            GnomonError: if a file cannot be written.
        """
        drawn = self._pictures()
        section = partial(make_section, drawn)
        stages, energy, device = self._tables()
        sections = [section("Stages", stages, ("latency",))]
        if energy is not None:
            sections.append(section("Energy", energy))
        sections += [
            section("Device", device),
            section("What was run", lines=self._assumptions()),
            section("Figures that the file gives", given_table(self.result.pipeline)),
        ]
        facts = {
            "name": self.result.pipeline.name,
            "title": self.result.pipeline.title,
            "headline": [self._headline()],
            "warnings": self._warnings(),
            "sections": sections,
            "spec": spec,
            "rows": "All stages",
            "csv": "stages.csv",
        }
        return write_pages(target, facts, drawn, {"stages.csv": self._csv()})

    def _headline(self) -> str:
        """Return the verdict in sentences."""
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
        parts = summarize_energy(result)
        line = f"{first}: {', '.join(parts)}." if parts else f"{first}."
        if len(self.runs) > 1 and result.pipeline.require:
            missed = ", ".join(self.longest.misses)
            verdict = f"it does not meet {missed}" if missed else "it meets all requirements"
            line += f" If every run takes its longest measured time, {verdict}."
        return line

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
        return energy_table("Energy of the whole run, by part", self.runs, lambda _: 1)

    def _device_table(self) -> PageTable:
        rows = list_device_rows(self.runs)
        rows["harts at work"] = lambda result: format_percent(result.figures["utilisation"])
        for place, stage in enumerate(self.result.stages):
            rows[f"{stage.name}: requests"] = partial(_ledger, place=place)
        return table_by_run("ledger", "Device, and every request at the end", self.runs, rows)

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
        vector = any(stage.vector for stage in self.result.services)
        harts = self.result.pipeline.device.harts
        lines = list_run_warnings(self.result, harts, uses_vector_unit=vector)
        if len(self.runs) == 1:
            lines.append("Every stage has one measured time, so the longest is the mean. Other"
                         " inputs of a program may take longer.")  # fmt: skip
        return lines

    def _pictures(self) -> list[Drawn]:
        drawn = [stage for stage in self.result.stages if len(stage.response_ps)]
        if not drawn:
            return []
        words = "Share of the runs that take longer than a time, from request to end"
        curves = [
            (stage.name, stage.response_ps,
             {"color": f"C{place % 10}", "linestyle": _LINES[place % len(_LINES)]})
            for place, stage in enumerate(drawn)
        ]  # fmt: skip
        draw = partial(draw_exceeding, curves, "time from request to end", "runs that take longer")
        made = render(draw, **FULL)
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
                    *format_cells(figures),
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
    if stage.requests == stage.finished:
        return f"{stage.requests:,}, all finished"
    ends = {
        "finished": stage.finished,
        "dropped": stage.dropped,
        "waiting": stage.waiting,
        "in service": stage.in_service,
    }
    return f"{stage.requests:,}: {', '.join(f'{n:,} {name}' for name, n in ends.items() if n)}"


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
