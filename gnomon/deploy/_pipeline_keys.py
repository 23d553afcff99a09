"""Sections of a pipeline file: what starts a stage, and harvesting."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, model_validator

from gnomon.base.schema import Problems, Section, key
from gnomon.base.yaml import Place
from gnomon.deploy._keys import (
    FIGURE,
    GIVEN,
    Period,
    Rate,
    Share,
    Time,
    Waiting,
    check_positive,
    optional,
    sourced,
)
from gnomon.deploy._model import UNLIMITED, Delay
from gnomon.deploy.quantities import Sourced
from gnomon.explore.settings import Workload

WORKLOADS: tuple[Workload, ...] = ("program", "kernel", "learner")
_STARTS = ("period", "rate", "file", "source", "after")
_NEEDS = {"jitter": ("period",), "every": ("after",), "share": ("after",), "delay": ("after",),
          "kind": ("after",)}  # fmt: skip


class StageKeys(Section):
    """One stage: what runs, what starts it, and where."""

    program: Any = key(
        "path of C, assembly or an ELF file; or a section with sources or file, region, and the"
        " settings of a program",
        default=None,
    )
    kernel: Any = key("a section: name, variant, n, and the settings of a kernel", default=None)
    learner: Any = key("a section: name, variant, d, and the settings of a learner", default=None)
    step: Literal["select", "update"] = optional("step of a learner: select or update", "select")
    runs: int = optional(
        "number of measured runs of a kernel or learner, with consecutive seeds", 1, ge=1, le=1000
    )
    service: Literal["drawn", "in-order"] = optional(
        "drawn: each run has the cost of a random measured run; in-order: measured runs in turn",
        "drawn",
    )
    period: Period = key("time between requests", default=0)
    jitter_ps: Time = optional(
        "largest delay of periodic requests, uniformly distributed", 0, "0 s", alias="jitter"
    )
    rate: Rate = key("mean rate of independent (Poisson) requests", default=0)
    file: str = key(
        "CSV file of the times of requests with one column, time_s, time_ms or time_us",
        default="",
        allowed="the path of a CSV file",
    )
    source: str = key(
        "SimPy process that makes the requests: FILE.py:FUNCTION(env, request, rng), in seconds",
        default="",
        allowed="FILE.py:FUNCTION",
    )
    after: str = key("stage whose finished runs start this one", default="")
    every: int = optional("finished runs of that stage per run of this one", 1, ge=1, le=10**6)
    share: Share = optional("share of these that are requested", 1.0, "100 %")
    delay_ps: Time = optional("mean time from their end to the request", 0, "0 s", alias="delay")
    kind: Delay = optional("constant, uniform (0 to twice the delay) or exponential", "constant")
    deadline_ps: Time | None = key(
        "limit on the time from the request to the end of the run; a later one is missed",
        default=None,
        shown_default="none",
        alias="deadline",
    )
    priority: int = optional("a stage of higher priority is served first", 0, ge=0, le=1000)
    hart: int | None = key(
        "hart that serves the stage", default=None, shown_default="any", ge=0, le=63
    )
    waiting: Waiting = optional(
        "length of the queue; further requests are dropped", UNLIMITED, "unlimited"
    )

    @model_validator(mode="after")
    def _one_start(self) -> StageKeys:
        stated = self.model_fields_set
        found: list[tuple[Place, str]] = []
        given = [name for name in _STARTS if name in stated]
        if len(given) != 1:
            many = f"only one of {' and '.join(given)} can start a stage" if given else "missing"
            found.append(((), f"{many} (allowed: one of {', '.join(_STARTS)})"))
        runs = [name for name in WORKLOADS if getattr(self, name) is not None]
        if len(runs) != 1:
            many = f"only one of {' and '.join(runs)} can run" if runs else "missing: what runs"
            found.append(((), f"{many} (allowed: one of {', '.join(WORKLOADS)})"))
        for name, starts in _NEEDS.items():
            field = f"{name}_ps" if name in ("jitter", "delay") else name
            if field in stated and not set(starts) & stated:
                found.append(((name,), f"belongs to {starts[0]}"))
        if "step" in stated and self.learner is None:
            found.append((("step",), "belongs to learner"))
        if self.program is not None and {"runs", "service"} & stated:
            found.append((("runs",), "a program has no seed: every run takes the same time"))
        if self.jitter_ps > self.period > 0:
            message = "must not be longer than the period: requests stay in order"
            found.append((("jitter",), message))
        if found:
            raise Problems(found, own=True)
        return self


class PipelineDeviceKeys(Section):
    """Serving harts."""

    harts: int = optional("number of harts that serve stages in parallel", 1, ge=1, le=64)
    preempt: bool = optional(
        "stages of higher priority interrupt scalar ones; vector units are never interrupted",
        False,
        "false",
    )


class HarvestKeys(Section):
    """A source of power that charges the battery for a part of each cycle."""

    power_mw: Annotated[Sourced, sourced("power", needed=True), AfterValidator(check_positive)] = (
        key(f"power while the source is on; {GIVEN}", alias="power")
    )
    on_ps: Period = key("time for which it is on in each cycle", alias="on")
    of_ps: Period = key("length of a cycle", alias="of")
    efficiency: Annotated[Sourced, sourced("share")] = key(
        f"share of this power that the battery stores; {FIGURE}"
    )

    @model_validator(mode="after")
    def _within_cycle(self) -> HarvestKeys:
        if self.on_ps > self.of_ps:
            message = "must not be longer than the cycle (of)"
            raise Problems([(("on",), message)], own=True)
        return self
