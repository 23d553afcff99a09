"""Fit of prices to gate simulation: energies by unit and window, and counts of the engine.

Energy of a unit in a window = sum over its terms of price x count, with prices of zero or more.
Errors are those of whole programs. For comparison, prices by instruction class and a constant per
cycle are fitted to the same windows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.interval import Interval
from gnomon.cost.energy._classes import CLASSES, find_class
from gnomon.cost.energy.fit import nonnegative_least_squares
from gnomon.sim import BUSES, Work

Array = npt.NDArray[np.float64]

CYCLE: Final = "cycle"
CLASS_TERMS: Final = (CYCLE, *(f"class.{name}" for name in CLASSES))
_PERCENTILES = (2.5, 97.5)
_ALONE = ("class_only", "constant")


def count_term(work: Work, term: str) -> float:
    """Return the count of a term of a fit.

    Args:
        work: work with operand toggles.
        term: ``cycle``, ``value.BUS``, ``toggle.BUS``, or ``class.CLASS``: issued instructions plus
            words of vector instructions.

    Raises:
        GnomonError: if there is no such term, or the work has no operand toggles.
    """
    kind, _, name = term.partition(".")
    if term == CYCLE:
        return work.wall_cycles
    if term in CLASS_TERMS:
        issued = sum(n for mnemonic, n in work.instructions.items() if find_class(mnemonic) == name)
        words = sum(c.size_bytes / 4 for m, c in work.vector.items() if find_class(m) == name)
        return issued + words
    if kind not in ("value", "toggle") or name not in BUSES:
        known = [CYCLE, *(f"{k}.{bus}" for k in ("value", "toggle") for bus in BUSES),
                 *CLASS_TERMS[1:]]  # fmt: skip
        raise GnomonError(
            f"no term of a gate-level fit is called {term!r}{did_you_mean(term, known)}"
        )
    if not work.buses:
        raise GnomonError("a gate-level fit needs windows with operand toggles")
    seen = work.buses[name]
    return seen.values if kind == "value" else seen.toggles


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """Windows of gate simulation: program, work counted by the engine, and pJ by unit."""

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
                raise GnomonError(f"unit {unit}: an energy of a window is negative or not finite")

    def total(self) -> Array:
        """Return the energy of all units by window in pJ."""
        return np.asarray(np.sum(list(self.pj.values()), axis=0))


@dataclass(frozen=True, slots=True)
class ProgramError:
    """The energy of a program, and the relative errors of three predictions."""

    program: str
    pj: float
    fitted: float
    class_only: float
    constant: float
    units: Mapping[str, float]  # errors of the fit, by unit with energy
    shares: Mapping[str, float]  # shares of the energy, by unit


@dataclass(frozen=True, slots=True, eq=False)
class GateFit:
    """Prices in pJ by unit, and of the whole data path by class only and by cycle only."""

    prices: Mapping[str, Mapping[str, Interval]]  # by unit and term, with 95 % intervals
    # prices of the whole data path by the terms of `class_only` and of `constant`
    alone: Mapping[str, Mapping[str, float]]
    # energy of a program that a bootstrap draw left out over the one that its prices give: 95 %
    # range over draws and judging programs, of the whole data path and by unit
    total_ratio: Interval
    unit_ratios: Mapping[str, Interval]

    @classmethod
    def from_windows(
        cls,
        windows: Windows,
        terms: Mapping[str, Sequence[str]],
        *,
        draws: int,
        seed: int,
        judges: Collection[str] = (),
    ) -> GateFit:
        """Fit prices, with bootstrap intervals over ``draws`` samples of programs and windows.

        Args:
            windows: energies and counts.
            terms: terms by unit.
            draws: number of samples.
            seed: of the samples.
            judges: programs whose ratios of energy over price are the intervals of a total, in the
                draws that left them out; empty: all.

        Raises:
            GnomonError: if a unit has no terms, a term is unknown, or there is only one program.
        """
        for unit in windows.pj:
            if not terms.get(unit):
                raise GnomonError(f"unit {unit} has energies and no terms to fit them to")
        if len(set(windows.programs)) < 2:
            raise GnomonError("a gate-level fit needs at least 2 programs, for its intervals")
        programs = np.array(windows.programs)
        groups = [np.flatnonzero(programs == name) for name in dict.fromkeys(windows.programs)]
        draw = np.random.default_rng(seed)
        samples = [_draw_sample(groups, draw) for _ in range(draws)]
        prices, priced = {}, {}
        for unit, pj in windows.pj.items():
            design = _build_design(windows.works, terms[unit])
            best = nonnegative_least_squares(design, pj)
            others = [nonnegative_least_squares(design[rows], pj[rows]) for rows in samples]
            priced[unit] = np.array(others) @ design.T
            low, high = np.percentile([best, *others], _PERCENTILES, axis=0)
            ends = zip(best.tolist(), low.tolist(), high.tolist(), strict=True)
            prices[unit] = {
                term: Interval(value, min(value, least), max(value, most), "pJ")
                for term, (value, least, most) in zip(terms[unit], ends, strict=True)
            }
        total = windows.total()
        alone = {
            name: dict(
                zip(
                    own,
                    nonnegative_least_squares(_build_design(windows.works, own), total).tolist(),
                    strict=True,
                )
            )
            for name, own in zip(_ALONE, (CLASS_TERMS, (CYCLE,)), strict=True)
        }
        left_out = np.array([~np.isin(np.arange(len(programs)), rows) for rows in samples])
        judged = [rows for rows in groups if not judges or programs[rows[0]] in judges]
        ratios = {unit: _find_ratio(judged, left_out, pj, priced[unit])
                  for unit, pj in windows.pj.items()}  # fmt: skip
        whole = np.asarray(np.sum(list(priced.values()), axis=0))
        return cls(prices, alone, _find_ratio(judged, left_out, total, whole), ratios)

    def errors(self, windows: Windows) -> tuple[ProgramError, ...]:
        """Return the errors at programs, of the fit and of the two comparison fits.

        Raises:
            GnomonError: if the energy of a program is 0.
        """
        total, units = windows.total(), windows.pj
        predicted = {
            unit: _build_design(windows.works, tuple(prices))
            @ [each.value for each in prices.values()]
            for unit, prices in self.prices.items()
        }
        simple = {
            name: _build_design(windows.works, tuple(prices)) @ list(prices.values())
            for name, prices in self.alone.items()
        }
        found = []
        programs = np.array(windows.programs)
        for name in dict.fromkeys(windows.programs):
            rows = programs == name
            whole = float(total[rows].sum())
            if not whole:
                raise GnomonError(f"program {name}: its energy is 0 in all windows")
            taken = {unit: float(pj[rows].sum()) for unit, pj in units.items()}
            off = {u: float(predicted[u][rows].sum()) / pj - 1 for u, pj in taken.items() if pj}
            fitted = sum(float(predicted[unit][rows].sum()) for unit in units) / whole - 1
            class_only, constant = (float(simple[n][rows].sum()) / whole - 1 for n in _ALONE)
            shares = {unit: pj / whole for unit, pj in taken.items()}
            found.append(ProgramError(name, whole, fitted, class_only, constant, off, shares))
        return tuple(found)

    def units_yaml(self) -> str:
        """Return the key ``units`` of a table as YAML; the same fit gives the same bytes."""
        lines = ["units:"]
        for unit, prices in self.prices.items():
            lines.append(f"  {unit}:")
            for kind in ("value", "toggle"):
                own = {t.partition(".")[2]: p for t, p in prices.items() if t.startswith(kind)}
                own = {bus: price for bus, price in own.items() if price.high}
                lines += [f"    {kind}:"] * bool(own)
                lines += [f"      {bus}: {_format_inline(price)}" for bus, price in own.items()]
            if CYCLE in prices:
                lines.append(f"    {CYCLE}: {_format_inline(prices[CYCLE])}")
        return "\n".join(lines) + "\n"


def summarize_errors(errors: Sequence[ProgramError], which: str = "fitted") -> tuple[float, float]:
    """Return median and largest absolute error in percent; ``which`` names the prediction."""
    sizes = [100 * abs(getattr(each, which)) for each in errors]
    return float(np.median(sizes)), max(sizes)


def _find_ratio(
    groups: Sequence[npt.NDArray[np.intp]],
    left_out: npt.NDArray[np.bool_],
    pj: Array,
    priced: Array,
) -> Interval:
    """Return the range of energy over price, of programs in the draws that left them out.

    Args:
        groups: rows of each program.
        left_out: by draw and row.
        pj: energies by row.
        priced: energies by draw and row.
    """
    found = []
    for rows in groups:
        wholly = left_out[:, rows].all(axis=1)
        sums = priced[:, rows].sum(axis=1)
        found += (float(pj[rows].sum()) / sums[wholly & (sums > 0)]).tolist()
    low, high = np.percentile(found, _PERCENTILES) if found else (0.0, np.inf)
    return Interval(1.0, min(1.0, float(low)), max(1.0, float(high)), "")


def _draw_sample(groups: Sequence[npt.NDArray[np.intp]], draw: np.random.Generator) -> Array:
    """Return rows of a bootstrap sample: programs with replacement, then windows of each."""
    chosen = draw.integers(len(groups), size=len(groups))
    return np.concatenate([draw.choice(groups[k], len(groups[k])) for k in chosen])


def _format_inline(price: Interval) -> str:
    return f"{{value: {price.value:.4g}, low: {price.low:.4g}, high: {price.high:.4g}}}"


def _build_design(works: Sequence[Work], terms: Sequence[str]) -> Array:
    return np.array(
        [[count_term(work, term) for term in terms] for work in works], dtype=np.float64
    )
