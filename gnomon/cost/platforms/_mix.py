"""What a program executed, by class of instruction, on a machine that only counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.arch import load_architecture

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from gnomon.arch import Architecture
    from gnomon.bench.learners import StageRun

Mix: TypeAlias = "Mapping[str, int]"
"""Executed instructions by class; ``branch-taken`` counts those among ``branch`` again."""

_ONE_CYCLE = (
    "alu", "mul", "mulh", "div", "load", "store", "branch", "branch-taken", "jump", "csr", "fence",
    "amo", "system",
)  # fmt: skip


def counting_machine(data_memory: str = "8 MiB") -> Architecture:
    """An RV32IM core that takes one cycle for everything, and one more for a taken branch.

    So its counters are counts. Memories are large enough for any of the paper's cases, unoptimized.
    """
    return load_architecture(
        "rv32im",
        [
            "memory.instruction.size=1 MiB",
            f"memory.data.size={data_memory}",
            *(f"core.latency.{name}=1" for name in _ONE_CYCLE),
        ],
    )


def mix_of(stage: StageRun) -> dict[str, int]:
    """The mix of a stage that ran on :func:`counting_machine`."""
    mix = {
        name.removeprefix("issue."): count
        for name, count in stage.counters.items()
        if name.startswith("issue.")
    }
    assert sum(mix.values()) == stage.issued
    taken = stage.counters.get("execute.branch", 0)
    return {**mix, "branch-taken": taken} if taken else mix
