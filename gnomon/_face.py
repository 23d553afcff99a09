"""The questions of a notebook: one function each, which joins several packages of the toolkit.

Each imports the packages that it joins when it is called, so that ``import gnomon`` loads what
every program needs and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.yaml import shown
from gnomon.program import Program
from gnomon.sim import Run, check_run_machine

if TYPE_CHECKING:
    import pandas as pd

    from gnomon.cost.area import Area
    from gnomon.cost.energy import Energy
    from gnomon.explore import Sweep, SweepPoint, SweepResult
    from gnomon.measure.kernels import KernelRun
    from gnomon.measure.learners import LearnerRun
    from gnomon.observe.profile import RunProfile


def area(architecture: Architecture, *, table: str | None = None) -> Area:
    """Return the FPGA area of a machine: LUT, FF, DSP and BRAM by part, with intervals.

    Args:
        architecture: the machine.
        table: an area table or estimator by name; None: the one that the machine names.

    Raises:
        GnomonError: if the machine names no table, or its table does not cover the machine.
    """
    from gnomon.cost.area import Area

    return Area.from_architecture(architecture, table=table)


def profile(
    run: Run, program: Program, architecture: Architecture, *, data: str | None = None
) -> RunProfile:
    """Return cycles, energy and stalls of a run by function, source line and instruction.

    Args:
        run: from :func:`gnomon.simulate`.
        program: the program that ran.
        architecture: the machine that it ran on.
        data: operand values that the energy assumes, such as ``dense``; None: the default of the
            activity table.

    Raises:
        GnomonError: if the run would be another one on this machine.
        AssertionError: if cycles or energy do not sum to those of the run; a defect of gnomon.
    """
    from gnomon.observe.profile import RunProfile

    return RunProfile.from_run(run, program, architecture, data=data)


def price(
    run: Run, architecture: Architecture, *, power: str | None = None, operands: str | None = None
) -> Energy:
    """Return the dynamic energy of a run in µJ, with its interval, by unit and event.

    Args:
        run: from :func:`gnomon.simulate`.
        architecture: the machine that it ran on.
        power: a power table by name or path; None: the one that the machine names.
        operands: operand values that the switching activity assumes, such as ``dense``; None: the
            default of the activity table.

    Raises:
        GnomonError: if the run would be another one on this machine, there is no table for it, or
            an event of the run has no price.
    """
    from gnomon.cost.energy import Energy

    check_run_machine(run, architecture)
    return Energy.from_work(run.work, architecture, power=power, data=operands)


def _machine(given: Architecture | str) -> Architecture:
    return load_architecture(given) if isinstance(given, str) else given


def measure_kernel(
    name: str,
    architecture: Architecture | str,
    *,
    n: int = 8,
    variant: str | None = None,
    seed: int = 0,
) -> KernelRun:
    """Build a kernel, run it, and compare every bit of its result with its model.

    Args:
        name: a kernel that gnomon ships or finds in your project.
        architecture: the machine, or its name.
        n: size of square operands.
        variant: which implementation; None: the first, which speedups refer to.
        seed: seed for random operands.

    Raises:
        CheckFailed: a bit differs, or an error is above its bound.
        GnomonError: there is no such kernel, or the machine cannot run it.
    """
    from gnomon.measure.kernels import KernelBench, find_kernel

    machine = _machine(architecture)
    kernel = find_kernel(name)
    chosen = kernel.variants[0] if variant is None else kernel.variant(variant)
    return KernelBench(kernel, chosen, machine).measure(kernel.square(n), seed=seed)


def measure_learner(
    name: str,
    architecture: Architecture | str,
    *,
    d: int = 8,
    arms: int = 8,
    f: int | None = None,
    variant: str | None = None,
    line: str | None = None,
    case: Literal["fresh", "random"] = "fresh",
    seed: int = 0,
) -> LearnerRun:
    """Build a learner, run a selection and an update, compare every bit with the host.

    Args:
        name: a learner with C that gnomon ships or finds in your project.
        architecture: the machine, or its name.
        d: numbers of a context.
        arms: how many.
        f: numbers of an arm's features; None: 4, for learners that have them.
        variant: which implementation; None: ``standard``, where there is one.
        line: which implementation, such as ``tuned``; None: what the learner names first.
        case: a new model, or one after random steps.
        seed: of the random input.

    Raises:
        CheckFailed: arm, scores or model differ.
        GnomonError: there is no such learner, or the machine cannot run it.
    """
    from gnomon.measure.learners import LearnerBench, find_embedded_learner

    machine = _machine(architecture)
    learner = find_embedded_learner(name)
    line = learner.line if line is None else line
    chosen = learner.variant(learner.scalar_names(line)[0] if variant is None else variant, line)
    bench = LearnerBench(learner, chosen, machine, learner.sizes(d, arms, f))
    return bench.measure(case=case, seed=seed)


def sweep(
    spec: Path | str | Mapping[str, Any],
    *,
    jobs: int = 1,
    progress: Callable[[int, int, int], None] = lambda *_: None,
) -> SweepResult:
    """Evaluate the points of a design space; finished points are taken from the cache.

    Args:
        spec: a sweep file, or its keys as a mapping.
        jobs: processes that evaluate points.
        progress: called with points done, points planned, points computed.

    Raises:
        GnomonError: with every problem of the sweep, one per line.
    """
    from gnomon.explore import run_sweep

    return run_sweep(_sweep_of(spec), jobs=jobs, progress=progress)


def iterate_sweep(spec: Path | str | Mapping[str, Any], *, jobs: int = 1) -> Iterator[SweepPoint]:
    """Yield the points of a design space in grid order; each is evaluated when requested.

    A loop that ends early evaluates few points more than it used. Points do not stay in memory.

    Args:
        spec: a sweep file, or its keys as a mapping; a grid or a random search.
        jobs: processes that evaluate points.

    Raises:
        GnomonError: with every problem of the sweep, one per line.
    """
    from gnomon.explore import iterate_points

    return iterate_points(_sweep_of(spec), jobs=jobs)


def _sweep_of(spec: object) -> Sweep:
    from gnomon.explore import make_sweep, read_sweep

    if not isinstance(spec, str | Path | Mapping):
        raise GnomonError(
            "a sweep is given by the path of its file or as a mapping of its keys, not"
            f" {shown(spec)}"
        )
    return read_sweep(spec) if isinstance(spec, str | Path) else make_sweep(dict(spec))


def frame(results: Sequence[Any]) -> pd.DataFrame:
    """Return several results of one kind, such as of :func:`measure_kernel`, as one table."""
    import pandas as pd

    table: pd.DataFrame = pd.concat([each.frame() for each in results], ignore_index=True)
    return table
