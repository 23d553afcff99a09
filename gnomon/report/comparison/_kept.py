"""Finished runs of machines, kept in the cache folder, so that a study that was stopped goes on.

A run is kept under its program, what was put into it and the simulator's code, with the keys of its
machine that it cannot have depended on: machines that differ in those alone share it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gnomon
from gnomon.algorithms import build_learner, play_rounds
from gnomon.cache import cache_folder
from gnomon.files import write_file
from gnomon.sim import VectorCount, Work, observed_fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.algorithms import Learner, LearnerVariant, Play, Sizes
    from gnomon.arch import Architecture
    from gnomon.sim import RegionRun

_CODE = ("algorithms/_place.py", "algorithms/_rounds.py", "dividers/*.py", "isa/*.py", "sim/*.py")
"""What decides a run beside its program."""


@dataclass(frozen=True, slots=True)
class StageCost:
    """All selections, or all updates, of one run.

    Attributes:
        wall_cycles: of all.
        slowest_cycles: of the longest one.
        work: of all.
    """

    wall_cycles: int
    slowest_cycles: int
    work: Work = field(repr=False)


@dataclass(frozen=True, slots=True)
class RunCost:
    """One run on one machine, checked bit by bit."""

    select: StageCost
    update: StageCost
    model_bytes: int
    text_bytes: int


def rounds_cost(
    learner: Learner,
    variant: LearnerVariant,
    architecture: Architecture,
    sizes: Sizes,
    play: Play,
) -> RunCost:
    """Play the rounds, or take what they cost from the cache; see ``play_rounds``.

    Raises:
        CheckFailed: the machine does not do what this computer does.
        GnomonError: the machine cannot run it, or the cache cannot be written.
    """
    program = build_learner(
        learner,
        variant,
        architecture,
        sizes,
        fraction_bits=play.fraction_bits,
        rounds=len(play.contexts),
    )
    digest = hashlib.sha256(program.elf)
    digest.update(f"{_code()} {play.alpha}".encode())
    for words in (play.contexts, play.rewards, play.features):
        if words is not None:
            digest.update(f"{words.shape}".encode() + words.astype("<i4").tobytes())
    path = cache_folder("rounds") / f"{digest.hexdigest()}.json"
    entries = _load(path)
    for entry in entries:
        if observed_fingerprint(architecture, entry["unobserved"]) == entry["fingerprint"]:
            return _read(entry)
    run = play_rounds(learner, variant, architecture, sizes, play, program=program)
    entry = {
        "unobserved": list(run.unobserved),
        "fingerprint": observed_fingerprint(architecture, run.unobserved),
        "select": _stage(run.select),
        "update": _stage(run.update),
        "model_bytes": run.model_bytes,
        "text_bytes": run.text_bytes,
    }
    write_file(path, json.dumps([*entries, entry], sort_keys=True).encode())
    return _read(entry)


@cache
def _code() -> str:
    digest = hashlib.sha256()
    root = Path(gnomon.__file__).parent
    for pattern in _CODE:
        for path in sorted(root.glob(pattern)):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _load(path: Path) -> list[dict[str, Any]]:
    """Nothing, if there is none or it is damaged."""
    try:
        entries = json.loads(path.read_bytes())
        for entry in entries:
            _read(entry)
    except (OSError, ValueError, LookupError, TypeError):
        return []
    return list(entries)


def _stage(region: RegionRun) -> dict[str, Any]:
    return {
        "wall_cycles": region.wall_cycles,
        "slowest_cycles": max(region.lengths),
        "work": region.work.to_json(),
    }


def _read(entry: Mapping[str, Any]) -> RunCost:
    def stage(name: str) -> StageCost:
        of_stage = entry[name]
        return StageCost(
            of_stage["wall_cycles"], of_stage["slowest_cycles"], _work(of_stage["work"])
        )

    return RunCost(stage("select"), stage("update"), entry["model_bytes"], entry["text_bytes"])


def _work(data: Mapping[str, Any]) -> Work:
    return Work(
        wall_cycles=data["wall_cycles"],
        instructions=dict(data["instructions"]),
        vector={name: VectorCount(**count) for name, count in data["vector"].items()},
        retries=data["retries"],
        parked_slots=tuple(data["parked_slots"]),
        waiting_cycles=data["waiting_cycles"],
    )
