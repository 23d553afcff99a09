"""What a notebook needs beyond the toolkit's own functions: one call for each question."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.arch import Architecture, load_architecture

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    import pandas as pd

    from gnomon.bench.kernels import KernelRun
    from gnomon.cost.energy import Energy
    from gnomon.explore import SweepResult
    from gnomon.sim import Run


def price(
    run: Run, architecture: Architecture, *, power: str | None = None, operands: str | None = None
) -> Energy:
    """The dynamic energy of a run in µJ, with its interval, by unit and event.

    Args:
        run: from :func:`gnomon.simulate`.
        architecture: the machine that it ran on.
        power: a power table by name or path; None: the one that the machine names.
        operands: operand values that the switching activity assumes, such as ``dense``; None: the
            default of the activity table.

    Raises:
        GnomonError: there is no table for this machine, or an event of the run has no price.
    """
    from gnomon.cost.energy import Energy

    return Energy.of(run.work, architecture, power=power, data=operands)


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
        seed: of the random operands.

    Raises:
        CheckFailed: a bit differs, or an error is above its bound.
        GnomonError: there is no such kernel, or the machine cannot run it.
    """
    from gnomon.bench.kernels import KernelBench, find_kernel

    machine = load_architecture(architecture) if isinstance(architecture, str) else architecture
    kernel = find_kernel(name)
    chosen = kernel.variants[0] if variant is None else kernel.variant(variant)
    return KernelBench(kernel, chosen, machine).measure(kernel.square(n), seed=seed)


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
    from gnomon.base.errors import GnomonError
    from gnomon.base.yaml import shown
    from gnomon.explore import SweepFile

    if not isinstance(spec, str | Path | Mapping):
        raise GnomonError(
            "a sweep is given by the path of its file or as a mapping of its keys, not"
            f" {shown(spec)}"
        )
    chosen = SweepFile.read(spec) if isinstance(spec, str | Path) else SweepFile.make(dict(spec))
    return chosen.run(jobs=jobs, progress=progress)


def frame(results: Sequence[Any]) -> pd.DataFrame:
    """Several results of one kind, such as of :func:`measure_kernel`, as one table."""
    import pandas as pd

    table: pd.DataFrame = pd.concat([each.frame() for each in results], ignore_index=True)
    return table
