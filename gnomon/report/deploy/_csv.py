"""All runs as a table: the one described, and those that were tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.frames import csv_text, frame

if TYPE_CHECKING:
    from gnomon.deploy import Found, Result

_COLUMNS = (
    "run", "arch", "clock_hz", "keeps", "requests", "decided", "missed", "dropped", "p50_us",
    "p99_us", "p99_9_us", "worst_us", "mean_wait_us", "utilisation", "mean_mw", "mean_low_mw",
    "mean_high_mw", "uj_per_decision", "battery_life_days", "battery_life_low_days",
    "battery_life_high_days", "does_not_keep",
)  # fmt: skip


def runs_csv(result: Result, found: Found | None) -> str:
    """One row per run; empty where something is not known."""
    rows: list[list[str | int]] = [_row("described", result)]
    for candidate in () if found is None else found.tried:
        if candidate.result is None:
            empty = [""] * (len(_COLUMNS) - 4)
            rows.append([candidate.name, candidate.name, "", "no", *empty])
        else:
            rows.append(_row(candidate.name, candidate.result))
    return csv_text(frame(_COLUMNS, rows))


def _row(name: str, result: Result) -> list[str | int]:
    found = result.to_json()
    latency, energy, life = found["latency"], found["energy"], found["battery_life_days"]
    mean = {"value": None, "low": None, "high": None} if energy is None else energy["mean_mw"]
    days = {"value": None, "low": None, "high": None} if life is None else life
    decided = found["requests"]["decided"]
    each = None if energy is None or not decided else energy["total_uj"]["value"] / decided
    figures = (
        latency["p50_us"], latency["p99_us"], latency["p99.9_us"], latency["worst_us"],
        latency["mean_wait_us"], found["time"]["utilisation"], mean["value"], mean["low"],
        mean["high"], each, days["value"], days["low"], days["high"],
    )  # fmt: skip
    missed = found["requests"]["missed"]
    return [
        *(name, result.architecture.name, result.clock_hz, "yes" if result.keeps else "no"),
        *(found["requests"]["arrived"], decided, "" if missed is None else missed),
        found["requests"]["dropped"],
        *("" if value is None else f"{value:.6g}" for value in figures),
        "; ".join(result.misses),
    ]
