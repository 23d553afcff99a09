"""How far the inverses that a learner uses are from the exact ones, over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.fixedpoint._case import model_checkpoints

if TYPE_CHECKING:
    from gnomon.bench.fixedpoint._case import Cell
    from gnomon.bench.fixedpoint._history import History
    from gnomon.bench.fixedpoint._host_run import HostRun
    from gnomon.bench.fixedpoint._layout import Floats, Layout
    from gnomon.bench.learners import Sizes


@dataclass(frozen=True, slots=True)
class InverseError:
    """At one checkpoint; against the exact inverse of the learner's own history.

    Attributes:
        round_number: rounds so far.
        absolute: Frobenius norm of the difference, of A^-1 of the arm played most.
        relative: that over the norm of the exact inverse.
        below_unit: share of the elements of that exact inverse below one unit of the format in
            magnitude.
        smallest_eigenvalue: of the A^-1 that are used (their symmetric parts), the smallest of all
            arms.
        shared_absolute: as ``absolute``, of A0^-1; None for the disjoint algorithm.
        shared_relative: as ``relative``, likewise.
        theta: norm of the difference of the weights of that arm to the exact ones, over the norm of
            these; None for the hybrid algorithm.
    """

    round_number: int
    absolute: float
    relative: float
    below_unit: float
    smallest_eigenvalue: float
    shared_absolute: float | None
    shared_relative: float | None
    theta: float | None


def inverse_errors(
    cell: Cell,
    sizes: Sizes,
    layout: Layout,
    run: HostRun,
    history: History,
) -> tuple[InverseError, ...]:
    """One for each checkpoint."""
    stops = model_checkpoints(cell.case.rounds)
    found = []
    for stop, words, exact in zip(stops, run.models, history.exact(stops), strict=True):
        kept = layout.read(cell, sizes, words)
        most = int(exact.plays.argmax())
        reference = exact.inverses if exact.joint is None or not layout.joint else exact.joint
        absolute, relative = _distance(kept.inverses[most], reference[most])
        below = np.abs(reference[most]) < 2.0**-cell.fraction_bits
        symmetric = (kept.inverses + kept.inverses.transpose(0, 2, 1)) / 2
        shared: tuple[float | None, float | None] = (None, None)
        if kept.shared is not None and exact.shared is not None:
            shared = _distance(kept.shared, exact.shared)
        theta = None
        if kept.thetas is not None and exact.thetas is not None:
            _, theta = _distance(kept.thetas[most], exact.thetas[most])
        found.append(
            InverseError(
                round_number=stop,
                absolute=absolute,
                relative=relative,
                below_unit=float(below.mean()),
                smallest_eigenvalue=float(np.linalg.eigvalsh(symmetric).min()),
                shared_absolute=shared[0],
                shared_relative=shared[1],
                theta=theta,
            )
        )
    return tuple(found)


def _distance(kept: Floats, exact: Floats) -> tuple[float, float]:
    absolute = float(np.linalg.norm(kept - exact))
    return absolute, absolute / float(np.linalg.norm(exact))
