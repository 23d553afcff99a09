"""Runs of a learner and of an int8 network on a board with flash, by waits, cache and placement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture, load_architecture
from gnomon.base.content import content
from gnomon.base.errors import CheckFailed
from gnomon.base.files import read_text
from gnomon.measure.learners import (
    EmbeddedSizes,
    LearnerBench,
    ReferenceStep,
    find_embedded_learner,
)
from gnomon.program import Program, build
from gnomon.sim import Run, simulate

NETWORK: Final = content("examples", "network")
BOARD: Final = NETWORK / "board.yaml"
LEARNER: Final = "linucb-disjoint"
VARIANT: Final = "optimized"
SIZES: Final = EmbeddedSizes(8, 8)
LINE_BYTES: Final = 16
HOT: Final = 0.9
"""Share of the executed instructions whose lines count as the working set."""

PLACEMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "flash": (),
    "constants": ("memory.link.constants=ram",),
    "code": ("memory.link.text=ram", "memory.link.constants=flash"),
    "both": ("memory.link.text=ram",),
}
"""What is in RAM, and the keys that place it there."""

ROWS: Final = ("program", "placement", "waits", "cache_bytes", "ways", "burst", "cycles",
               "fetch_wait_cycles", "load_cycles")  # fmt: skip
PROGRAMS: Final = ("program", "code_bytes", "constant_bytes", "hot_bytes", "instructions")


@dataclass(frozen=True, slots=True)
class FlashSize:
    """The grid of a size of the study."""

    waits: tuple[int, ...]
    caches: tuple[int, ...]
    ways: tuple[int, ...]
    bursts: tuple[int, ...]


FLASH_SIZES: Final = {
    "small": FlashSize((0, 4), (512,), (1,), (1,)),
    "full": FlashSize((0, 1, 2, 4, 8), (256, 512, 1024, 2048), (1, 2), (1, 4)),
}


class Point(NamedTuple):
    """One machine: what is in RAM, wait states of the flash, instruction cache (0: none)."""

    placement: str
    waits: int
    cache_bytes: int = 0
    ways: int = 0
    burst: int = 0

    def architecture(self) -> Architecture:
        """Return the board with these settings."""
        settings = [*PLACEMENTS[self.placement], f"memory.regions.flash.waits={self.waits}"]
        if self.cache_bytes:
            cache = {
                "line": f"{LINE_BYTES} B",
                "sets": self.cache_bytes // (LINE_BYTES * self.ways),
                "ways": self.ways,
                "burst": self.burst,
            }
            settings.append("memory.regions.flash.cache=icache")
            settings += [f"memory.caches.icache.{key}={value}" for key, value in cache.items()]
        return load_architecture(str(BOARD), settings)


def points(size: FlashSize) -> Iterator[Point]:
    """Yield the machines; bursts vary with everything in flash, a cache serves code in flash."""
    for waits in size.waits:
        for placement in PLACEMENTS:
            yield Point(placement, waits)
            if placement in ("code", "both"):
                continue
            for cache_bytes in size.caches:
                for ways in size.ways:
                    for burst in size.bursts if placement == "flash" else size.bursts[:1]:
                        yield Point(placement, waits, cache_bytes, ways, burst)


class Network:
    """The int8 network of ``examples/network``; one inference, compared with NumPy."""

    name: Final = "network"
    regions: Final = ("infer",)

    def program(self, architecture: Architecture) -> Program:
        """Return the program for a machine."""
        return build([NETWORK / "network.c"], architecture)

    @cached_property
    def scores(self) -> list[int]:
        """The scores, computed by NumPy."""
        return infer(read_weights(), image())

    def check(self, run: Run, point: Point) -> None:
        """Raise CheckFailed if scores or class of a run are wrong."""
        seen = [int(word) for word in run.console.split()]
        if seen != self.scores or run.exit_code != int(np.argmax(self.scores)):
            raise CheckFailed(f"network, {point}: scores {seen}, expected {self.scores}")


class Learner:
    """One step of LinUCB: a selection and an update of random input."""

    name: Final = "learner"
    regions: Final = ("learner_select", "learner_update")

    def bench(self, architecture: Architecture) -> LearnerBench:
        """Return the learner on a machine."""
        learner = find_embedded_learner(LEARNER)
        return LearnerBench(learner, learner.variant(VARIANT, "tuned"), architecture, SIZES)

    @cached_property
    def step(self) -> ReferenceStep:
        """Input and expected outcome; both are the same on all machines."""
        return self.bench(Point("flash", 0).architecture()).step(case="random")

    def program(self, architecture: Architecture) -> Program:
        """Return the program with its input, after comparing each bit of one run with the host."""
        bench = self.bench(architecture)
        program = bench.build()
        bench.measure(case="random", details=False, program=program, step=self.step)
        return bench.place(program, self.step)

    def check(self, run: Run, point: Point) -> None:
        """Raise CheckFailed if a run selects another arm than the host."""
        if run.exit_code != self.step.arm:
            raise CheckFailed(f"learner, {point}: arm {run.exit_code}, expected {self.step.arm}")


Subject = Learner | Network
SUBJECTS: Final = (Learner, Network)


class Programs:
    """The programs of a subject, one for each placement: timing does not change a program."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self._built: dict[str, Program] = {}

    def at(self, placement: str) -> Program:
        """Return the program of a placement."""
        if placement not in self._built:
            self._built[placement] = self.subject.program(Point(placement, 0).architecture())
        return self._built[placement]

    def run(self, point: Point) -> Run:
        """Run the program of a point.

        Raises:
            CheckFailed: if its result is wrong.
        """
        program, regions = self.at(point.placement), [*self.subject.regions]
        run = simulate(program, point.architecture(), regions=regions)
        self.subject.check(run, point)
        return run

    def row(self, point: Point) -> tuple[Any, ...]:
        """Return a row of ``rows.csv``."""
        parts = [self.run(point).regions[name][0] for name in self.subject.regions]

        def count(*names: str) -> int:
            return sum(part.counters.get(name, 0) for part in parts for name in names)

        cycles = sum(part.wall_cycles for part in parts)
        waits, loads = ("wait.fetch", "wait.icache"), ("issue.load", "execute.load")
        return (self.subject.name, *point, cycles, count(*waits), count(*loads))

    def sizes(self) -> tuple[Any, ...]:
        """Return a row of ``programs.csv``."""
        program, run = self.at("flash"), self.run(Point("flash", 0))
        code, constants = (
            program.symbol(f"{name}_end").address - program.symbol(start).address
            for name, start in (("_text", "_start"), ("_constants", "_constants"))
        )
        issued = sum(run.regions[name][0].issued for name in self.subject.regions)
        return self.subject.name, code, constants, hot_bytes(run), issued


def hot_bytes(run: Run) -> int:
    """Return the bytes of the fewest lines that hold ``HOT`` of the executed instructions."""
    issues = run.profile.issues.sum(axis=0)
    lines: dict[int, int] = {}
    for place in np.flatnonzero(issues):
        line = run.profile.address(int(place)) // LINE_BYTES
        lines[line] = lines.get(line, 0) + int(issues[place])
    held = np.cumsum(sorted(lines.values(), reverse=True))
    return LINE_BYTES * (1 + int(np.searchsorted(held, HOT * held[-1])))


Weights = Mapping[str, npt.NDArray[np.int64]]


def read_weights(path: Path = NETWORK / "weights.h") -> Weights:
    """Return the arrays of the network's header by name."""
    text = read_text(path)
    sizes = dict(re.findall(r"#define (\w+) (\d+)", text))
    found = {}
    for name, extents, body in re.findall(r"static const \w+ (\w+)((?:\[\w+\])+) = (.*?);", text,
                                          re.DOTALL):  # fmt: skip
        shape = [int(sizes.get(each, each)) for each in re.findall(r"\w+", extents)]
        values = [int(word) for word in re.findall(r"-?\d+", body)]
        found[name] = np.array(values, dtype=np.int64).reshape(shape)
    return found


def image() -> npt.NDArray[np.int64]:
    """Return the input of the network."""
    y, x = np.mgrid[:10, :10]
    values = np.asarray(x * 23 + y * 37 + x * y * 11)
    return values.astype(np.int8).astype(np.int64)


def infer(weights: Weights, pixels: npt.NDArray[np.int64]) -> list[int]:
    """Return the scores of the network in integer arithmetic."""

    def requantized(layer: str, sums: npt.NDArray[Any], least: int) -> npt.NDArray[Any]:
        scaled = (sums + weights[f"{layer}_biases"]) * weights[f"{layer}_multipliers"]
        return np.asarray(np.clip((scaled + (1 << 37)) >> 38, least, 127))

    windows = np.lib.stride_tricks.sliding_window_view
    sums = np.einsum("yxvu,cvu->yxc", windows(pixels, (3, 3)), weights["conv_weights"])
    wide = requantized("conv", sums, 0)
    near = windows(wide, (3, 3), axis=(0, 1))[::2, ::2]
    narrow = requantized("depth", np.einsum("yxcvu,cvu->yxc", near, weights["depth_weights"]), 0)
    scores = requantized("dense", weights["dense_weights"] @ narrow.reshape(-1), -128)
    return [int(score) for score in scores]
