"""The cells built by two compilers at five levels, and other readings of the published counts."""

import hashlib
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from gnomon.arch import Architecture, load_architecture
from gnomon.base.frames import frame
from gnomon.measure import learners as bench
from gnomon.measure.memory_words import with_words
from gnomon.program import Program
from gnomon.report.study import Steps
from gnomon.sim import Region, simulate

from .cells import FITTED_D, PARTS, Planned, plan
from .published import ARMS, published_cells

COMPILERS: Mapping[str, str] = {"clang": "zig", "gcc": "gcc"}
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")
UNIT, SOFTWARE = "unit", "software"
"""Who divides where there is a vector unit; the public library divides in software."""

HART, WALL, THREE, FIRST, ALONE = (
    "hart cycles", "wall cycles", "three harts, wall", "first of three harts, wall",
    "core without rotation",
)  # fmt: skip
RIVALS = (HART, WALL, THREE, FIRST, ALONE)
SCALAR_ONLY = (THREE, FIRST)
_KEYS = ("table", "variant", "param")
BUILD_COLUMNS = (
    *_KEYS, "compiler", "level", "division", "version", "program_sha256", "published",
    "hart_cycles", "wall_cycles", "hart_ratio", "wall_ratio", "text_bytes", "static_bytes",
    "stack_bytes", "products", "divisions", *(f"{part}_cycles" for part in PARTS), "other_cycles",
)  # fmt: skip
RIVAL_COLUMNS = (*_KEYS, "reading", "published", "ours", "ratio")
_LONGEST = 20_000_000_000
_SHARE = {"disjoint": ARMS // 3, "hybrid": 4}
"""Arms of the first hart in the public library, whose timer does not wait for the others."""


def _planned(progress: Steps) -> Iterable[Planned]:
    planned = (each for each in plan(dimensions=(FITTED_D,)) if each.line == "paper")
    return progress.over(list(planned), lambda each: each.title)


def _bench(
    each: Planned, machine: Architecture | None = None, harts: int = 1
) -> bench.LearnerBench:
    machine = machine or load_architecture(each.machine, each.memory)
    return bench.LearnerBench(each.learner, each.variant, machine, each.sizes, harts)


def run_builds(progress: Steps) -> pd.DataFrame:
    """Return one row per cell and build: cycles, bytes, and hart cycles by category."""
    rows = []
    for each in _planned(progress):
        vector = each.variant.vector
        for division in (UNIT, SOFTWARE) if vector else ("",):
            built = _bench(each)
            if division == SOFTWARE:
                variant = each.variant.with_parameters(PAPER_SOFTWARE_DIVISION=1)
                built = bench.LearnerBench(each.learner, variant, built.architecture, each.sizes)
            step = built.step()
            for compiler, level in product(COMPILERS, LEVELS):
                program = built.build(compiler=COMPILERS[compiler], optimization=level)
                run = built.measure(program=program, step=step)
                rows.append(_build_row(each, (compiler, level, division), program, run))
    return frame(BUILD_COLUMNS, rows)


def _loaded_digest(program: Program) -> str:
    """Return SHA-256 of the bytes that are loaded, the first 12 digits: equal for equal code."""
    loaded = hashlib.sha256()
    for segment in program.segments:
        loaded.update(f"{segment.address} {len(segment.data)} ".encode() + segment.data)
    return loaded.hexdigest()[:12]


def _build_row(
    each: Planned, build: tuple[str, str, str], program: Program, run: bench.LearnerRun
) -> list[object]:
    key, published = each.key, published_cells()[each.key]
    cycles = (run.hart_cycles, run.wall_cycles)
    functions = [each for stage in run.stages for each in stage.functions.items()]
    spent = [
        sum(count for name, count in functions if name.startswith(prefixes))
        for prefixes in PARTS.values()
    ]
    return [
        *(key.table, key.variant, key.param, *build, f"{run.build.compiler} {run.build.version}"),
        *(
            _loaded_digest(program),
            published,
            *cycles,
            *(f"{each / published:.4f}" for each in cycles),
        ),
        *(run.text_bytes, run.static_bytes, run.stack_bytes[0]),
        *(run.counter("issue.mulh"), run.counter("issue.div") // 4),
        *(*spent, sum(count for _, count in functions) - sum(spent)),
    ]


def run_rivals(progress: Steps) -> pd.DataFrame:
    """Return other interpretations of the published counts; vector programs use one hart."""
    rows = []
    for each in _planned(progress):
        alone = load_architecture("rv32im", each.memory)
        if each.variant.vector:
            with_unit = load_architecture("rv32im-simd4", each.memory)
            vcu = load_architecture(each.machine).vcu
            alone = with_unit.model_copy(update={"vcu": vcu})
        run = _bench(each).measure(details=False)
        counts = {HART: run.hart_cycles, WALL: run.wall_cycles}
        if each.variant.shares_arms:
            counts |= _three_harts(each)
        counts[ALONE] = _bench(each, alone).measure(details=False).wall_cycles
        published = published_cells()[each.key]
        key = (each.key.table, each.key.variant, each.key.param)
        rows += [
            (*key, reading, published, count, f"{count / published:.4f}")
            for reading, count in counts.items()
        ]
    return frame(RIVAL_COLUMNS, rows)


def _three_harts(each: Planned) -> dict[str, int]:
    """Return wall cycles of the first hart: of the whole step; of its own arms and the update."""
    built = _bench(each, harts=3)
    whole = built.measure(details=False)
    names = ("learner_prepare", "learner_score", "learner_update")
    program = with_words(built.build(), _everything(built))
    regions = [Region(name, program.symbol(name).address) for name in names]
    run = simulate(program, built.architecture, regions=regions, max_cycles=_LONGEST)
    prepare, score, update = (
        sum(part.wall_cycles for part in run.regions[name] if part.hart == 0) for name in names
    )
    arms = _SHARE["disjoint" if each.d is None else "hybrid"]
    first = prepare + score * arms // (ARMS // 3) + update
    return {THREE: whole.wall_cycles, FIRST: first}


def _everything(built: bench.LearnerBench) -> dict[str, Any]:
    """Return the inputs of a step on a fresh model: reset, select, update."""
    step = built.step()
    words = {"step_parts": 7, "step_arm": step.arm, "step_reward": step.reward}
    if built.learner.has_alpha:
        words["learner_alpha"] = step.alpha
    return {name: np.array([value], dtype=np.int32) for name, value in words.items()}
