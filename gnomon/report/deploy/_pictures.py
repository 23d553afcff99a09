"""Figures: waiting times, the window around the longest wait, energy, tried configurations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from gnomon.deploy import DeploymentResult, SearchResult
from gnomon.deploy.quantities import KINDS
from gnomon.report.canvas import log_axis, panels, plain_ticks, render
from gnomon.report.deploy._facts import columns_of
from gnomon.report.svg import PHONE_WIDTH_IN

# Okabe and Ito's colors, which color-blind readers can distinguish.
_DECIDE, _LEARN, _CORRECT, _IDLE, _SLEEP, _WAKE, _STATIC = (
    "#0072B2", "#E69F00", "#D55E00", "#8C8C8C", "#56B4E9", "#CC79A7", "#000000",
)  # fmt: skip
_PART_COLOURS = {
    "decisions": _DECIDE, "updates": _LEARN, "corrections": _CORRECT, "idle, awake": _IDLE,
    "asleep": _SLEEP, "falling asleep": "#009E73", "waking": _WAKE, "static": _STATIC,
    "counted twice": "#F0E442",
}  # fmt: skip
_RUN_STYLES = ({"color": _DECIDE, "linestyle": "-"}, {"color": _CORRECT, "linestyle": "--"})
_WIDE = 4.0  # latencies that span this factor are drawn on a logarithmic axis
_MOST_STAGES = 400  # most stages in the timeline
FULL = {"with_values": True, "with_data": True, "for_phones": True}


@dataclass(frozen=True, slots=True)
class Drawn:
    """Figure: file name without suffix, caption, SVG."""

    name: str
    words: str
    files: dict[str, bytes]


def pictures(result: DeploymentResult, found: SearchResult | None) -> list[Drawn]:
    """Return all figures for which the run has data."""
    shown = columns_of(result, found)
    drawn = []
    if any(len(each.latency_ps) for _, each in shown):
        words = "Share of the decisions that take longer than a time"
        drawn.append(Drawn("latency", words, render(lambda: _latency(shown), **FULL)))
        name, last = next(each for each in reversed(shown) if len(each[1].latency_ps))
        words = f"Queues and stages around the decision that takes the longest; {name}"
        if last.deployment.device.preempt:
            words += "; an interrupted update is drawn from its start to its end"
        drawn.append(Drawn("timeline", words, render(lambda: _timeline(last), **FULL)))
    if any(each.account is not None for _, each in shown):
        words = "Energy per decision, by part; the line is the interval of the sum"
        drawn.append(Drawn("energy", words, render(lambda: _energy(shown), **FULL)))
    if found is not None and any(each.result is not None for each in found.tried):
        over = "the clock" if found.what == "clock" else "the machine"
        words = (
            f"Battery life, mean power and the tail of the latency over {over}; filled: meets all "
            "constraints; ringed: the one that was found"
        )
        drawn.append(Drawn("search", words, render(lambda: _search(found), **FULL)))
    return drawn


def find_time_scale(longest_ps: float) -> tuple[float, str]:
    units = [(float(KINDS["time"][name]), name) for name in ("ns", "µs", "ms", "s")]
    return next((pair for pair in reversed(units) if longest_ps >= pair[0]), units[0])


def _latency(shown: Sequence[tuple[str, DeploymentResult]]) -> Figure:
    curves = [
        (name, result.latency_ps, style)
        for (name, result), style in zip(shown, _RUN_STYLES, strict=False)
    ]
    deadline_ps = shown[0][1].deployment.deadline_ps
    return draw_exceeding(curves, "latency", "decisions that take longer", deadline_ps)


def draw_exceeding(
    curves: Sequence[tuple[str, np.ndarray, Mapping[str, str]]],
    across: str,
    up: str,
    deadline_ps: int | None = None,
) -> Figure:
    """Draw the share of runs beyond each time.

    Args:
        curves: name, times in ps and style of each.
        across: what the times are.
        up: what the shares are.
        deadline_ps: a limit on the times.
    """
    figure, axes = plt.subplots(figsize=(PHONE_WIDTH_IN, 3.4), layout="constrained")
    curves = [each for each in curves if len(each[1])]
    shortest = min(float(times.min()) for _, times, _ in curves)
    end = max(*(float(times.max()) for _, times, _ in curves), deadline_ps or 0)
    scale, unit = find_time_scale(end)
    for name, times, style in curves:
        values, longer = find_exceeding(times)
        axes.step(values / scale, longer, where="post", label=name, linewidth=1.4, **style)  # type: ignore[arg-type]
    if deadline_ps is not None:
        axes.axvline(deadline_ps / scale, color="#555555", linestyle=":", label="deadline")
    if end > _WIDE * shortest > 0:
        axes.set_xscale("log")  # otherwise a fast run is a line at the edge
        axes.set_xlim(shortest / scale / 1.3, end / scale * 1.3)
        axes.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5)))
        axes.xaxis.set_minor_locator(NullLocator())
        plain_ticks(axes.xaxis)
    else:
        axes.set_xlim(left=0)
    axes.set_yscale("log")
    axes.set_ylim(top=1.3)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value * 100:g} %"))
    axes.set_xlabel(f"{across} ({unit})")
    axes.set_ylabel(up)
    figure.legend(loc="outside upper center", ncols=2, frameon=False)
    return figure


def find_exceeding(latency_ps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return distinct latencies from 0, and the share of decisions beyond each."""
    values, counts = np.unique(latency_ps, return_counts=True)
    longer = 1 - np.cumsum(counts) / counts.sum()
    longer[-1] = 0.1 / counts.sum()  # the line falls at the longest, below one decision
    if len(values) > 4000:  # every value matters only in the tail
        keep = np.unique(np.r_[np.linspace(0, len(values) - 1, 3000).astype(int),
                               np.arange(len(values) - 1000, len(values))])  # fmt: skip
        values, longer = values[keep], longer[keep]
    return np.r_[0.0, values], np.r_[1.0, longer]


def _timeline(result: DeploymentResult) -> Figure:
    """Draw the window around the slowest decision."""
    requests, record = result.requests, result.record
    decided = np.flatnonzero(record.select_end_ps >= 0)
    worst = int(decided[np.argmax(result.latency_ps)])
    length_ps = int(result.latency_ps.max())
    start_ps = max(0, int(requests.arrival_ps[worst]) - 2 * length_ps)
    end_ps = min(requests.horizon_ps, int(record.select_end_ps[worst]) + 2 * length_ps)
    scale, unit = find_time_scale(end_ps - start_ps)

    figure, (waiting, working) = plt.subplots(
        2, 1, figsize=(PHONE_WIDTH_IN, 4.2), sharex=True, layout="constrained", height_ratios=(3, 2)
    )
    for name, colour, came, left in (
        ("decisions", _DECIDE, requests.arrival_ps, record.select_start_ps),
        ("updates", _LEARN, record.update_ready_ps, record.update_start_ps),
    ):
        dropped = record.select_dropped if name == "decisions" else record.update_dropped
        times, lengths = _queue(came[~dropped], left[~dropped], start_ps, end_ps)
        waiting.step((times - start_ps) / scale, lengths, where="post", color=colour,
                     label=f"{name} waiting", linewidth=1.4)  # fmt: skip
        lost = came[dropped & (came >= start_ps) & (came < end_ps)]
        if len(lost):
            waiting.plot((lost - start_ps) / scale, np.zeros(len(lost)), "x", color=colour,
                         label=f"{name} dropped")  # fmt: skip
    waiting.axvline((requests.arrival_ps[worst] - start_ps) / scale, color="#555555",
                    linestyle=":", label="request that takes the longest")  # fmt: skip
    waiting.set_ylabel("waiting")
    waiting.set_ylim(bottom=0)
    waiting.yaxis.get_major_locator().set_params(integer=True)
    _work(working, result, start_ps, end_ps, scale)
    working.set_xlabel(f"time from {start_ps / 1e12:,.6g} s ({unit})")
    handles, labels = waiting.get_legend_handles_labels()
    handles += [Patch(color=_DECIDE), Patch(color=_LEARN)]
    figure.legend(handles, [*labels, "decision at work", "update at work"],
                  loc="outside upper center", ncols=2, frameon=False)  # fmt: skip
    return figure


def _queue(
    came: np.ndarray, left: np.ndarray, start_ps: int, end_ps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the length of a queue over time within a window."""
    came = came[came >= 0]
    gone = left[left >= 0]
    inside = [times[(times > start_ps) & (times < end_ps)] for times in (came, gone)]
    first = int((came <= start_ps).sum() - (gone <= start_ps).sum())
    times = np.r_[start_ps, *inside]
    steps = np.r_[first, np.ones(len(inside[0])), -np.ones(len(inside[1]))].astype(np.int64)
    order = np.argsort(times, kind="stable")
    times, lengths = times[order], np.cumsum(steps[order])
    last = np.r_[times[1:] != times[:-1], True]  # state after all events of an instant
    return np.r_[times[last], end_ps], np.r_[lengths[last], lengths[-1]]


def _work(axes: Axes, result: DeploymentResult, start_ps: int, end_ps: int, scale: float) -> None:
    """Draw stages as bars, each in the first free row."""
    record = result.record
    stages = []
    for name, colour, starts, ends in (
        ("decision", _DECIDE, record.select_start_ps, record.select_end_ps),
        ("update", _LEARN, record.update_start_ps, record.update_end_ps),
    ):
        until = np.where(ends >= 0, ends, result.requests.horizon_ps)
        seen = np.flatnonzero((starts >= 0) & (starts < end_ps) & (until > start_ps))
        stages += [(int(starts[n]), int(until[n]), colour, name) for n in seen[:_MOST_STAGES]]
    free: list[int] = []
    for start, end, colour, name in sorted(stages):
        row = next((place for place, until in enumerate(free) if until <= start), len(free))
        free[row : row + 1] = [end]
        left, right = max(start, start_ps), min(end, end_ps)
        axes.barh(row, (right - left) / scale, left=(left - start_ps) / scale, height=0.7,
                  color=colour, edgecolor="white", linewidth=0.3,
                  label=f"{name} at work")  # fmt: skip
    rows = max(1, len(free))
    axes.set_yticks(range(rows), [str(row + 1) for row in range(rows)])
    axes.set_ylim(-0.6, rows - 0.4)
    axes.set_ylabel("stages at work")
    axes.grid(visible=False, axis="y")


def _energy(shown: Sequence[tuple[str, DeploymentResult]]) -> Figure:
    known = [(name, result, result.account) for name, result in shown if result.account]
    size = PHONE_WIDTH_IN, 1.2 + 0.75 * len(known)
    figure, axes = plt.subplots(figsize=size, layout="constrained")
    used: dict[str, None] = {}
    for place, (_, result, account) in enumerate(known):
        decided = max(1, len(result.latency_ps))
        left = 0.0
        for part in account.parts:
            value = part.energy_uj.value / decided
            if value > 0:
                axes.barh(place, value, 0.55, left=left, color=_PART_COLOURS[part.name],
                          label=part.name)  # fmt: skip
                used[part.name] = None
                left += value
        total = account.total_uj
        axes.errorbar(
            total.value / decided, place,
            xerr=[[(total.value - total.low) / decided], [(total.high - total.value) / decided]],
            color="black", capsize=3, linewidth=1,
        )  # fmt: skip
    axes.set_yticks(range(len(known)), [name.replace(": ", ":\n") for name, *_ in known])
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("energy per decision (µJ)")
    figure.legend([Patch(color=_PART_COLOURS[name]) for name in used], list(used),
                  loc="outside upper center", ncols=3, frameon=False)  # fmt: skip
    return figure


def _search(found: SearchResult) -> Figure:
    tried = [(each, each.result) for each in found.tried if each.result is not None]
    clocks = found.what == "clock"
    across = [result.clock_hz / 1e6 if clocks else place for place, (_, result) in enumerate(tried)]
    labels = ("p99 latency (ms)", "mean power (mW)", "battery life (days)")
    columns = dict(zip(labels, zip(*(_ends(each) for _, each in tried), strict=True), strict=True))
    columns = {label: figures for label, figures in columns.items() if any(figures)}
    size = PHONE_WIDTH_IN, 0.6 + 1.7 * len(columns)
    figure, below = panels(len(columns), size=size, sharex=True)
    for axes, (label, figures) in zip(below[:, 0], columns.items(), strict=True):
        _band(axes, across, figures, joined=clocks)
        for x, value, (candidate, _) in zip(across, figures, tried, strict=True):
            if value is not None:
                face = _DECIDE if candidate.keeps else "white"
                axes.plot([x], [value[0]], "o", color=_DECIDE, markerfacecolor=face, markersize=5)
                if candidate is found.best:
                    axes.plot(
                        x, value[0], "o", color="black", markerfacecolor="none", markersize=11
                    )
        axes.set_title(label)
        if clocks:
            axes.set_xscale("log")
            plain_ticks(axes.xaxis)
        else:
            axes.set_xticks(across, [each.name for each, _ in tried], rotation=40, ha="right")
        if max(v[0] for v in figures if v) > 20 * min(v[0] for v in figures if v) > 0:
            log_axis(axes, "g")
        else:
            axes.set_ylim(bottom=0)
    if clocks:
        below[-1, 0].set_xlabel("clock (MHz)")
    return figure


def _band(
    axes: Axes,
    across: Sequence[float],
    figures: Sequence[tuple[float, float, float] | None],
    *,
    joined: bool,
) -> None:
    """Draw the values with their intervals."""
    known = [(x, *value) for x, value in zip(across, figures, strict=True) if value is not None]
    xs, values, lows, highs = (list(column) for column in zip(*known, strict=True))
    if joined:
        axes.plot(xs, values, color=_DECIDE, linewidth=1)
        if lows != highs:
            axes.fill_between(xs, lows, highs, color=_DECIDE, alpha=0.2, linewidth=0)
    elif lows != highs:
        axes.vlines(xs, lows, highs, color=_DECIDE, linewidth=1)


def _ends(result: DeploymentResult) -> tuple[tuple[float, float, float] | None, ...]:
    """Return tail in ms, mean power in mW and battery life in days, each with its interval."""
    tail, life = result.latency("p99"), result.life_ps
    power = None if result.account is None else result.account.power_mw
    days = None if life is None else life.scaled(1 / (86_400 * 1e12), "days")
    known = (None if each is None else (each.value, each.low, each.high) for each in (power, days))
    return None if tail is None else (tail / 1e9,) * 3, *known
