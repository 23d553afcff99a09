"""Estimators of energy and area from installed packages, in addition to gnomon's tables.

``power`` and ``area`` of a machine name a table or an estimator. An estimator is an entry point of
the group ``gnomon.energy`` or ``gnomon.area``, a function of one of these forms::

    def energy(work: Work, machine: Architecture) -> Mapping[str, Interval]   # µJ by unit
    def area(machine: Architecture) -> Mapping[str, Resources]                # by part

``Interval`` is of :mod:`gnomon.base.interval`, ``Resources`` of :mod:`gnomon.cost.area`, ``Work``
of :mod:`gnomon.sim`, ``Architecture`` of :mod:`gnomon.arch`. A function may state its technology as
an attribute, ``energy.library = "28 nm"``; figures of different libraries are never ranked against
each other. It raises :class:`gnomon.base.errors.GnomonError` if an estimate is unavailable.
gnomon's tables pass the checks of :func:`list_estimator_checks`, too.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from gnomon.base.content import entry_points_of
from gnomon.base.digest import digest
from gnomon.base.errors import Check, GnomonError, expect, visible
from gnomon.base.interval import Interval
from gnomon.sim import Work

if TYPE_CHECKING:
    from gnomon.arch import Architecture

Quantity = Literal["energy", "area"]
Answer = Mapping[str, Any]
GROUPS: Final[dict[Quantity, str]] = {"energy": "gnomon.energy", "area": "gnomon.area"}


def names(quantity: Quantity) -> tuple[str, ...]:
    """Return the names of the estimators of installed packages."""
    return tuple(sorted(point.name for point in entry_points_of(GROUPS[quantity])))


def ask(quantity: Quantity, name: str, *about: object) -> Answer | None:
    """Call the estimator of a name; return its figures by part, None if no package has it.

    Raises:
        GnomonError: if the estimate is unavailable, the code raises an error (with file and line),
            or the result is invalid.
    """
    if name not in names(quantity):
        return None
    try:
        answer = _load(quantity, name)(*about)
    except GnomonError:
        raise
    except Exception as error:  # noqa: BLE001 - untrusted code
        last = traceback.extract_tb(error.__traceback__)[-1]
        raise GnomonError(
            f"{last.filename}:{last.lineno}: estimator {name}: {type(error).__name__}:"
            f" {visible(str(error))}"
        ) from None
    wrong = _find_error(quantity, answer)
    if wrong:
        raise GnomonError(f"estimator {name}: {wrong}")
    return dict(answer)


def read_library(quantity: Quantity, name: str) -> str:
    """Return the technology that an estimator states as its attribute ``library``, or its name."""
    stated = getattr(_load(quantity, name), "library", None)
    return stated if isinstance(stated, str) and stated.strip() else name


def compute_estimators_digest() -> str:
    """Return the SHA-256 (hexadecimal) of the code of all estimators; empty if there is none."""
    code = []
    for group in GROUPS.values():
        for point in entry_points_of(group):
            spec = None
            with suppress(ImportError, ValueError):  # `ask` reports a broken one
                spec = find_spec(point.module)
            origin = Path(spec.origin) if spec is not None and spec.origin else None
            alone = spec is not None and not spec.parent
            files = [origin] if alone else sorted(origin.parent.rglob("*.py")) if origin else []
            texts = tuple(file.read_bytes() for file in files if file is not None)
            code.append((group, point.name, point.value, texts))
    return digest(code) if code else ""


@cache
def _load(quantity: Quantity, name: str) -> Callable[..., Answer]:
    (point,) = (each for each in entry_points_of(GROUPS[quantity]) if each.name == name)
    found: Callable[..., Answer] = point.load()
    return found


def _find_error(quantity: Quantity, answer: object) -> str:
    """Return the error in an answer; empty: it is valid."""
    if not isinstance(answer, Mapping) or not answer:
        return f"must answer with figures by name, not {answer!r:.60}"
    for part, value in answer.items():
        if not isinstance(part, str):
            return f"a name must be text, not {part!r:.60}"
        figures = {"µJ": value} if quantity == "energy" else {
            unit.upper(): getattr(value, unit, None) for unit in ("lut", "ff", "dsp", "bram")
        }  # fmt: skip
        for unit, figure in figures.items():
            if not isinstance(figure, Interval) or figure.unit != unit:
                return f"{part}: must be an Interval in {unit}, not {figure!r:.80}"
            if not 0 <= figure.low <= figure.value <= figure.high or math.isinf(figure.value):
                return f"{part}: 0 <= low <= value <= high must hold: {figure}"
    return ""


def list_estimator_checks(
    quantity: Quantity,
    name: str,
    estimate: Callable[..., Answer],
    machines: Mapping[str, Architecture],
    work: Work,
) -> Iterator[Check]:
    """Yield the contract checks for an estimator of a package or a table of gnomon.

    Args:
        quantity: energy or area.
        name: name in the checks.
        estimate: the estimator, in the form of its quantity.
        machines: machines by name; the estimator must support at least one.
        work: work to price.
    """
    known: dict[str, Answer] = {}

    def knows() -> None:
        reasons = []
        for machine, architecture in machines.items():
            try:
                known[machine] = _call_estimator(quantity, estimate, architecture, work)
            except GnomonError as unknown:
                reasons.append(str(unknown))
        expect(known, f"knows none of {len(machines)} machines; the last says: {reasons[-1:]}")

    def figures() -> None:
        for machine, answer in known.items():
            wrong = _find_error(quantity, answer)
            expect(not wrong, f"{machine}: {wrong}")

    def repeats() -> None:
        for machine, answer in known.items():
            again = _call_estimator(quantity, estimate, machines[machine], work)
            expect(again == answer, f"{machine}: a second call gives another answer")

    def grows() -> None:
        for machine, answer in known.items():
            twice = _call_estimator(
                quantity, estimate, machines[machine], Work.joined((work, work))
            )
            one, two = (sum(each.value for each in uj.values()) for uj in (answer, twice))
            expect(two >= one, f"{machine}: twice the work takes {two:g} µJ, once takes {one:g} µJ")

    yield Check(name, "knows a machine, or says why not", knows)
    yield Check(name, "figures are intervals of their units", figures)
    yield Check(name, "the same question, the same answer", repeats)
    if quantity == "energy":
        yield Check(name, "more work takes no less energy", grows)


def _call_estimator(
    quantity: Quantity, estimate: Callable[..., Answer], machine: Architecture, work: Work
) -> Answer:
    return estimate(work, machine) if quantity == "energy" else estimate(machine)


def list_package_checks(quantity: Quantity, name: str, machines: Mapping[str, Architecture],
               work: Work) -> Iterator[Check]:  # fmt: skip
    """Yield the contract checks for an estimator of a package."""

    def estimate(*about: object) -> Answer:
        answer = ask(quantity, name, *about)
        assert answer is not None
        return answer

    return list_estimator_checks(quantity, name, estimate, machines, work)
