"""Search for the slowest clock, or the best of several machines, that meets all requirements.

Every candidate gets the same requests, measured steps and rewards, sampled with the same seeds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gnomon.base.errors import GnomonError
from gnomon.base.values import json_attributes
from gnomon.cost.area import Area
from gnomon.deploy._deploy import Engine, simulate_deployment
from gnomon.deploy._deployment import Deployment
from gnomon.deploy._keys import DeploymentSearchKeys
from gnomon.deploy._result import DeploymentResult
from gnomon.deploy._service import Service, load_at_clock, measure_service
from gnomon.deploy.file import OBJECTIVES

_PRECISION = 0.01
"""Difference of two clocks, relative to the slower one, at which bisection ends."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchCandidate:
    """One candidate of a search."""

    name: str  # machine, or clock
    result: DeploymentResult | None  # its run; None: it could not run
    lut: float | None = None  # area of a machine in LUTs; None: unavailable
    reason: str = ""  # why result or area is missing

    @property
    def keeps(self) -> bool:
        """Whether it ran and meets all requirements."""
        return self.result is not None and self.result.keeps

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data."""
        return json_attributes(self, "name keeps lut reason result")


@dataclass(frozen=True, slots=True, eq=False)
class SearchResult:
    """Candidates of a search and the best of them."""

    what: str  # `clock` or `arch`
    objective: str  # in words
    tried: tuple[
        SearchCandidate, ...
    ]  # all candidates, clocks from the slowest, machines as listed
    # the best candidate; None if none meets all requirements, or none that does can be ranked
    best: SearchCandidate | None
    # those that keep all, but what the objective compares is not known of them
    unranked: tuple[SearchCandidate, ...] = ()

    @property
    def kept_by(self) -> str:
        """Name what keeps all requirements, as a clause."""
        if self.best is not None:
            return f"of what was tried, {self.best.name} keeps all ({self.objective})"
        if self.unranked:
            names = " and ".join(each.name for each in self.unranked)
            return f"of what was tried, {names} would keep all, but cannot be ranked"
        return "nothing that was tried keeps all"

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return json_attributes(self, "what objective tried") | {
            "best": None if self.best is None else self.best.name,
            "unranked": [each.name for each in self.unranked],
        }


def search_deployment(
    deployment: Deployment, service: Service, *, engine: Engine = "compiled"
) -> SearchResult | None:
    """Search for the clock or machine that a deployment requests; None if it requests none.

    Raises:
        GnomonError: if cycles would depend on the clock, or energies cannot be ranked.
    """
    wanted = deployment.search
    if wanted is None:
        return None
    if wanted.clock is not None:
        return _clocks(deployment, service, wanted.clock.clocks_hz(), engine)
    return _machines(deployment, wanted, engine)


def _clocks(
    deployment: Deployment, service: Service, clocks_hz: tuple[int, ...], engine: Engine
) -> SearchResult:
    """Try all given clocks, then bisect between the slowest that passes and the one below."""
    if any("clock" not in run.unobserved for run in service.runs):
        raise GnomonError(
            f"{service.first.learner}: its cycles may depend on the clock, so no clock can be"
            " searched"
        )
    tried: dict[int, SearchCandidate] = {}

    def attempt(clock_hz: int) -> bool:
        architecture = load_at_clock(deployment, deployment.arch, clock_hz)
        result = simulate_deployment(deployment, service, architecture, engine=engine)
        tried[clock_hz] = SearchCandidate(f"{clock_hz / 1e6:.6g} MHz", result)
        return result.keeps

    kept = [clock_hz for clock_hz in clocks_hz if attempt(clock_hz)]
    best = None
    if kept:
        high = kept[0]
        place = clocks_hz.index(high)
        low = clocks_hz[place - 1] if place else high
        while high - low > _PRECISION * low and high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if attempt(middle) else (middle, high)
        best = tried[high]
    return SearchResult(
        "clock", "the slowest clock", tuple(tried[hz] for hz in sorted(tried)), best
    )


def _machines(deployment: Deployment, wanted: DeploymentSearchKeys, engine: Engine) -> SearchResult:
    tried = [_machine(deployment, arch, engine) for arch in wanted.arch]
    unranked: list[SearchCandidate] = []
    ranked: list[tuple[float, SearchCandidate]] = []
    for each in tried:
        account = each.result.account if each.result is not None and each.keeps else None
        known = {"area": each.lut, "power": account.power_mw.value if account else None}
        figure = known.get(wanted.objective, 0.0)
        if each.keeps and figure is None:
            unranked.append(each)  # its rank is unknown
        elif each.keeps and figure is not None:
            ranked.append((figure, each))
    if wanted.objective == "power":
        _check_one_energy([each for _, each in ranked])
    best = min(ranked, key=lambda pair: pair[0])[1] if ranked else None
    return SearchResult("arch", OBJECTIVES[wanted.objective], tuple(tried), best, tuple(unranked))


def _check_one_energy(candidates: Sequence[SearchCandidate]) -> None:
    """Check that powers to rank are of one kind and library.

    Raises:
        GnomonError: if they are not.
    """
    found: dict[str, list[str]] = {}
    for each in candidates:
        assert each.result is not None
        found.setdefault(each.result.costs.energy, []).append(each.name)
    if len(found) > 1:
        of = "; ".join(f"{energy} ({', '.join(names)})" for energy, names in found.items())
        raise GnomonError(
            f"powers of different kinds or libraries are never ranked against each other: {of}"
            " (give all machines of search.arch one power table, or take another objective)"
        )


def _machine(deployment: Deployment, arch: str, engine: Engine) -> SearchCandidate:
    architecture = load_at_clock(deployment, arch)
    name = architecture.name
    reason, lut = "", None
    try:
        lut = Area.from_architecture(architecture).total.lut.value
    except GnomonError as error:
        reason = str(error)
    try:
        service = measure_service(deployment, architecture)
        return SearchCandidate(
            name, simulate_deployment(deployment, service, architecture, engine=engine), lut, reason
        )
    except GnomonError as error:
        return SearchCandidate(name, None, lut, str(error))
