"""From gate simulation to prices: energies by unit and window, what the engine counted in it.

The energy of a unit in a window = sum over its terms of price x count, no price below zero. Errors
are those of whole programs left out. Next to the fit stand a table by class of instruction and a
constant per cycle, fitted to the same windows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.interval import Interval
from gnomon.isa import INSTRUCTIONS
from gnomon.sim import Work

Array = npt.NDArray[np.float64]

CYCLE: Final = "cycle"
_CLASS_OF: Final = {row.mnemonic: row.timing_class for row in INSTRUCTIONS}
CLASS_TERMS: Final = (CYCLE, *(f"class.{name}" for name in dict.fromkeys(_CLASS_OF.values())))
_PERCENTILES = (2.5, 97.5)


def counts(work: Work, term: str) -> float:
    """How often a term of a fit came up.

    Args:
        work: with operand toggles.
        term: ``cycle``, ``value.BUS``, ``toggle.BUS``, or ``class.CLASS``: instructions that were
            issued, words of vector instructions.

    Raises:
        GnomonError: there is no such term.
    """
    kind, _, name = term.partition(".")
    if term == CYCLE:
        return work.wall_cycles
    if term in CLASS_TERMS:
        issued = sum(n for mnemonic, n in work.instructions.items() if _class_of(mnemonic) == name)
        words = sum(c.size_bytes / 4 for m, c in work.vector.items() if _class_of(m) == name)
        return issued + words
    if kind not in ("value", "toggle") or name not in Work.BUSES:
        known = [CYCLE, *(f"{k}.{bus}" for k in ("value", "toggle") for bus in Work.BUSES),
                 *CLASS_TERMS[1:]]  # fmt: skip
        raise GnomonError(
            f"no term of a gate-level fit is called {term!r}{did_you_mean(term, known)}"
        )
    if not work.buses:
        raise GnomonError("a gate-level fit needs windows with operand toggles")
    seen = work.buses[name]
    return seen.values if kind == "value" else seen.toggles


def _class_of(name: str) -> str:
    """The timing class of what ``Work.instructions`` counts."""
    special = {"nop": "alu", "load": "load", "csr": "csr"}  # load.x0, csr.read ...
    return _CLASS_OF.get(name) or special.get(name.partition(".")[0], "")


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """Windows of gate simulation: program, what the engine counted, and pJ by unit."""

    programs: tuple[str, ...]
    works: tuple[Work, ...]
    pj: Mapping[str, Array]

    def __post_init__(self) -> None:
        lengths = {len(self.works), *(len(each) for each in self.pj.values())}
        if lengths != {len(self.programs)}:
            raise GnomonError(
                f"{len(self.programs)} windows of programs, {len(self.works)} of the engine, and"
                f" {', '.join(f'{len(each)} of {unit}' for unit, each in self.pj.items())}: they"
                " must be as many"
            )
        for unit, each in self.pj.items():
            if not np.isfinite(each).all() or (each < 0).any():
                raise GnomonError(f"unit {unit}: an energy of a window is no number, or below 0")
        if len(set(self.programs)) < 2:
            raise GnomonError("a gate-level fit needs windows of at least 2 programs, so that one"
                              " can be left out")  # fmt: skip


@dataclass(frozen=True, slots=True)
class ProgramError:
    """A program that was left out: its energy, and the relative errors of three predictions."""

    program: str
    pj: float
    fitted: float
    class_only: float
    constant: float
    units: Mapping[str, float]  # of the fit, by unit that took any energy


@dataclass(frozen=True, slots=True, eq=False)
class GateFit:
    """Prices in pJ by unit and term with 95 % intervals, and errors at programs left out."""

    prices: Mapping[str, Mapping[str, Interval]]
    errors: tuple[ProgramError, ...]

    @classmethod
    def of(
        cls, windows: Windows, terms: Mapping[str, Sequence[str]], *, draws: int, seed: int
    ) -> GateFit:
        """Fit; intervals are of ``draws`` samples of the windows of each program, with repeats.

        Raises:
            GnomonError: a unit has no terms or a term is unknown.
        """
        for unit in windows.pj:
            if not terms.get(unit):
                raise GnomonError(f"unit {unit} has energies and no terms to fit them to")
        programs = np.array(windows.programs)
        by_unit = {unit: _design(windows.works, terms[unit]) for unit in windows.pj}
        by_class, by_cycle = (_design(windows.works, t) for t in (CLASS_TERMS, (CYCLE,)))
        draw = np.random.default_rng(seed)
        groups = [np.flatnonzero(programs == name) for name in dict.fromkeys(windows.programs)]
        samples = [
            np.concatenate([draw.choice(group, len(group)) for group in groups])
            for _ in range(draws)
        ]
        prices = {}
        for unit, pj in windows.pj.items():
            design = by_unit[unit]
            best = _solved(design, pj)
            others = np.array([best, *(_solved(design[rows], pj[rows]) for rows in samples)])
            low, high = np.percentile(others, _PERCENTILES, axis=0)
            prices[unit] = {
                term: Interval(value, min(value, least), max(value, most), "pJ")
                for term, value, least, most in zip(
                    terms[unit], best.tolist(), low.tolist(), high.tolist(), strict=True
                )
            }
        total = np.sum(list(windows.pj.values()), axis=0)
        errors = []
        for name, out in zip(dict.fromkeys(windows.programs), groups, strict=True):
            kept = programs != name
            taken = {unit: float(pj[out].sum()) for unit, pj in windows.pj.items()}
            said = {
                unit: float((by_unit[unit][out] @ _solved(by_unit[unit][kept], pj[kept])).sum())
                for unit, pj in windows.pj.items()
            }
            whole = float(total[out].sum())
            if not whole:
                raise GnomonError(f"program {name} takes no energy in any window")
            plain = [
                float((design[out] @ _solved(design[kept], total[kept])).sum()) / whole - 1
                for design in (by_class, by_cycle)
            ]
            units = {unit: said[unit] / pj - 1 for unit, pj in taken.items() if pj}
            fitted = sum(said.values()) / whole - 1
            errors.append(ProgramError(name, whole, fitted, plain[0], plain[1], units))
        return cls(prices, tuple(errors))

    def percent(self, which: str = "fitted") -> tuple[float, float]:
        """Median and largest size of the errors of ``fitted``, ``class_only`` or ``constant``."""
        sizes = [100 * abs(getattr(each, which)) for each in self.errors]
        return float(np.median(sizes)), max(sizes)

    def units_yaml(self) -> str:
        """The keys ``units`` and ``errors`` of a table; the same fit, the same bytes."""
        lines = ["units:"]
        for unit, prices in self.prices.items():
            lines.append(f"  {unit}:")
            for kind in ("value", "toggle"):
                own = {t.partition(".")[2]: p for t, p in prices.items() if t.startswith(kind)}
                lines += [f"    {kind}:"] * bool(own)
                lines += [f"      {bus}: {_inline(price)}" for bus, price in own.items()]
            if CYCLE in prices:
                lines.append(f"    {CYCLE}: {_inline(prices[CYCLE])}")
        median, worst = self.percent()
        return "\n".join([
            *lines,
            "errors:",
            f"  median_percent: {median:.5g}",
            f"  worst_percent: {worst:.5g}",
            f"  class_only_median_percent: {self.percent('class_only')[0]:.5g}",
            f"  constant_median_percent: {self.percent('constant')[0]:.5g}",
        ]) + "\n"  # fmt: skip


def _inline(price: Interval) -> str:
    return f"{{value: {price.value:.7f}, low: {price.low:.7f}, high: {price.high:.7f}}}"


def _design(works: Sequence[Work], terms: Sequence[str]) -> Array:
    return np.array([[counts(work, term) for term in terms] for work in works], dtype=np.float64)


def _solved(design: Array, pj: Array) -> Array:
    """Non-negative least squares; columns are scaled, so that none is small to the solver."""
    from scipy.optimize import nnls

    scale = np.linalg.norm(design, axis=0)
    scale[scale == 0] = 1.0
    found: Array = nnls(design / scale, pj, maxiter=100 * design.shape[1])[0] / scale
    return found
