"""Regression of a core: user programs and random cases, each on model and RTL."""

from __future__ import annotations

import itertools
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.files import write_file
from gnomon.base.frames import frame, packed_csv
from gnomon.base.values import json_attributes, to_json_data
from gnomon.program import load_elf
from gnomon.rtl.lockstep._compare import Compared
from gnomon.rtl.lockstep._coverage import all_rules, met_rules
from gnomon.rtl.lockstep._generate import WEIGHTS, random_case
from gnomon.rtl.lockstep._minimize import DEFAULT_TRIES, Minimized, minimize
from gnomon.rtl.lockstep._user_program import UserProgram
from gnomon.rtl.observed import Job, seen_digest
from gnomon.rtl.setting import SHARINGS, SIMDS, Setting, Sharing, parse_values
from gnomon.sim import Run, simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.rtl.lockstep._case import Case
    from gnomon.rtl.observed import Recorded, RtlRun

_MOST_CYCLES = 2_000_000
_MOST_GIVEN = 10_000_000  # cycles of a user program
_SEEDS_OF_A_KIND = 1000
_PATIENCE_CYCLES = 200  # cycles after the exit of the model within which the RTL may exit


_COLUMNS = (
    "program", "seed", "simd", "sharing", "superscalar", "scratchpad_bytes", "count_all",
    "active_harts", "exit_cycle", "issues", "bus_requests", "memory_words", "difference", "digest",
    "harts",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """A machine and its settings, which successive seeds use in turn.

    Each setting adds its changes to ``machine`` and ``overrides``; a setting without a vector unit
    removes it. ``scratchpad_bytes`` and ``count_all`` fix one value; None alternates two values.

    ``without``: vector instructions of the machine that the core does not decode.
    ``known_differences``: include random cases in which the RTL is known to differ.
    ``event_counters``: include accesses to mhpmcounters, which recorded programs lack.
    """

    machine: str = "t13-simd1"
    overrides: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    known_differences: bool = False
    event_counters: bool = False
    simds: tuple[int, ...] = SIMDS
    sharings: tuple[Sharing, ...] = SHARINGS
    superscalars: tuple[bool, ...] = (True, False)
    harts: tuple[int, ...] = (3,)
    scratchpad_bytes: int | None = None
    count_all: bool | None = None

    WEIGHTS: ClassVar = WEIGHTS
    """Weights of the kinds of items in random programs."""

    def parsed(self, simd: str, sharing: str, superscalar: str, harts: str = "3") -> Settings:
        """Return the settings with option values such as ``1,2``, ``shared``, ``on,off``, ``3``.

        Raises:
            GnomonError: if a value is not allowed.
        """
        return replace(
            self,
            simds=parse_values("--simd", simd),
            sharings=parse_values("--sharing", sharing),
            superscalars=parse_values("--superscalar", superscalar),
            harts=parse_values("--harts", harts),
        )

    def given(self, paths: Iterable[Path]) -> tuple[UserProgram, ...]:
        """Return user programs: ELF or C in the first setting, tables (.csv) with their settings.

        Raises:
            GnomonError: if a table cannot be read.
        """
        built = (".elf", ".c")
        given = (
            [UserProgram(p, self.setting_of(0))] if p.suffix in built else UserProgram.read(p)
            for p in paths
        )
        return tuple(itertools.chain.from_iterable(given))

    def architecture(self, setting: Setting) -> Architecture:
        """Return the machine in one setting.

        Raises:
            FileError: if the machine does not exist, or a change does not fit.
            GnomonError: if its core is not a T13.
        """
        machine = load_architecture(self.machine, [*self.overrides, *setting.overrides()])
        if machine.core.model != "t13":
            raise GnomonError(f"{machine.name}: its core is not a Klessydra-T13")
        return machine

    def setting_of(self, seed: int) -> Setting:
        """Return the setting of a seed; successive seeds use successive combinations.

        Harts, size of scratchpads and ``count_all`` depend on the combination, which limits the
        number of builds. They are reassigned after every 1,000 seeds.
        """
        combinations = [*itertools.product(self.superscalars, self.sharings, self.simds)]
        number = seed % len(combinations)
        superscalar, sharing, simd = combinations[number]
        swapped = seed // _SEEDS_OF_A_KIND
        harts = (number + number // 4 + number // 12 + swapped) % len(self.harts)
        size = (1024, 4096)[(number + number // 4 + swapped) % 2]
        count_all = (number // 2 + number // 12 + swapped) % 2 == 0
        return Setting(
            simd=simd,
            sharing=sharing if simd else "shared",
            superscalar=superscalar,
            harts=self.harts[harts],
            scratchpad_bytes=self.scratchpad_bytes or size,
            count_all=count_all if self.count_all is None else self.count_all,
        )


@dataclass(frozen=True, slots=True)
class Result:
    """The comparison of one program.

    ``seed`` is None for a user program. ``known``: warnings of the model that the RTL behaves
    differently in this program. ``met``: number of times the program met each rule. A program that
    does not terminate (``halted``) is compared up to the last issue of the model. ``program``: its
    file; ``digest``: digest of the behavior of the model.
    """

    name: str
    seed: int | None
    setting: Setting
    active_harts: int | None
    exit_cycle: int
    compared: Compared
    minimized: Minimized | None = field(default=None, repr=False)
    known: tuple[str, ...] = ()
    halted: str = "exit"
    met: Mapping[str, int] = field(default_factory=dict, repr=False)
    program: Path | None = field(default=None, repr=False)
    digest: str = ""
    units: tuple[str, ...] = ()  # mnemonics of the instructions of its machine's units

    @property
    def same(self) -> bool:
        """Whether model and RTL are equal."""
        return self.compared.divergence is None

    @property
    def unexplained(self) -> bool:
        """Whether model and RTL differ without a warning of the model."""
        return not self.same and not self.known

    @staticmethod
    def table(results: Sequence[Result]) -> pd.DataFrame:
        """Return a row for each program, with equal columns for every core."""
        rows = []
        for each in results:
            setting, compared = each.setting, each.compared
            rows.append((
                each.name, each.seed, setting.simd, setting.sharing, int(setting.superscalar),
                setting.scratchpad_bytes, int(setting.count_all), each.active_harts,
                each.exit_cycle, compared.issues, compared.bus_requests, compared.memory_words,
                compared.divergence.summary if compared.divergence else None, each.digest,
                setting.harts,
            ))  # fmt: skip
        return frame(_COLUMNS, rows)

    @staticmethod
    def write_table(results: Sequence[Result], record: Path) -> Path:
        """Write the table into a folder named after a record file and return its path.

        Raises:
            GnomonError: if the table cannot be written.
        """
        path = record.with_suffix("") / "programs.csv.xz"
        write_file(path, packed_csv(Result.table(results)))
        return path

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data under the documented names."""
        data = {"program": self.name, "difference": to_json_data(self.compared.divergence)}
        data |= json_attributes(self, "seed setting active_harts halted exit_cycle known")
        return data | json_attributes(self.compared, "issues bus_requests memory_words")

    @staticmethod
    def coverage(results: Sequence[Result]) -> dict[str, Any]:
        """Return the number of rules (``all``) and the rules that no program met (``not_met``).

        ``of_units``: issued instructions of units by mnemonic. Only random programs count.
        """
        random = [each for each in results if each.seed is not None]
        vector, units = any(each.setting.simd for each in random), random[0].units if random else ()
        rules = all_rules(vector=vector, units=units) if random else ()
        missing = [rule for rule in rules if not any(each.met.get(rule) for each in random)]
        of_units = {name: sum(each.met.get(name, 0) for each in random) for name in units}
        return {"all": len(rules), "not_met": missing, "of_units": of_units}


class SimulatedCore(Protocol):
    """A core that can be simulated, elaborated in advance or for each setting."""

    def observe(self, job: Job) -> RtlRun | Recorded:
        """Simulate a program and return its events.

        Raises:
            GnomonError: if the simulation fails.
        """


@dataclass(frozen=True, slots=True)
class Regression:
    """Comparison of a core with the model, for many programs."""

    core: SimulatedCore
    folder: Path
    settings: Settings = field(default_factory=Settings)
    most_tries: int = field(default=DEFAULT_TRIES, kw_only=True)

    def run_both(self, program: Program, machine: Architecture) -> tuple[Run, Compared]:
        """Run one program on the model and on the core, configured as ``machine``.

        Raises:
            GnomonError: if the program does not exit on the model, the core cannot be this
                machine, or the simulation fails.
        """
        run = simulate(program, machine, max_cycles=_MOST_GIVEN, trace=True, bus=True)
        if run.halted != "exit":
            raise GnomonError(f"{program.name}: {run.halted} on the model: {run.reason}")
        return run, self._compare(
            program, machine, Setting.from_architecture(machine), self.folder, run
        )

    def given(self, given: UserProgram) -> Result:
        """Run one user program.

        Raises:
            GnomonError: if the program cannot be loaded or compiled, or the simulation fails.
        """
        setting, machine = given.setting, self.settings.architecture(given.setting)
        program = given.program(machine)
        run = _simulate(program, machine)
        compared = self._compare(program, machine, setting, self.folder / program.name, run)
        return Result(
            program.name, None, setting, None, run.exit_cycle, compared,
            known=run.unlike_rtl, halted=run.halted, program=given.path, digest=seen_digest(run),
        )  # fmt: skip

    def seed(self, seed: int, setting: Setting) -> Result:
        """Run the random case of a seed; minimize it if it differs without a warning.

        On a multithreaded unit, an instruction without effect can block the arbiter, so that the
        case never terminates on the model. A tame case of the same seed then replaces it.

        Raises:
            GnomonError: if the simulation fails.
        """
        machine = self.settings.architecture(setting)
        for tame in (False, True):
            case = self.case(seed, setting, tame=tame)
            program = _load_case(case)
            run = _simulate(program, machine)
            if setting.sharing != "multithreaded" or run.halted != "hang":
                break
        folder = self.folder / f"seed-{seed}"
        compared = self._compare(program, machine, setting, folder, run)
        minimized = kept = None
        if compared.divergence is not None:
            kept = folder / "program.elf"
            kept.write_bytes(case.elf())
            if not run.unlike_rtl and self.most_tries:
                fails = partial(self._fails, machine, folder / "minimise")
                minimized = minimize(case, fails, most_tries=self.most_tries)
                (folder / "minimised.elf").write_bytes(minimized.case.elf())
        return Result(
            case.name, seed, setting, len(case.bodies), run.exit_cycle, compared, minimized,
            run.unlike_rtl, run.halted, met_rules(case, run), kept, seen_digest(run),
            tuple(row.mnemonic for row in machine.unit_rows),
        )  # fmt: skip

    def case(self, seed: int, setting: Setting, *, tame: bool = False) -> Case:
        """Return the case of a seed, with the vector instructions of both machine and core."""
        settings, machine = self.settings, self.settings.architecture(setting)
        units = [each for unit in machine.units for each in unit.instructions]
        return random_case(
            seed,
            setting,
            # The schema of machines has checked the names.
            extensions=tuple(machine.vcu.extensions) if machine.vcu else (),
            without=settings.without,
            known_differences=settings.known_differences,
            event_counters=settings.event_counters,
            tame=tame,
            morph=machine.core.rtl == "morph",
            units=tuple(each.row for each in units if each.vector is None),
            own=tuple(each for each in units if each.vector is not None),
        )

    def _fails(self, machine: Architecture, folder: Path, case: Case) -> bool:
        program = _load_case(case)
        run = _simulate(program, machine)
        return run.halted == "exit" and (
            self._compare(program, machine, case.setting, folder, run).divergence is not None
        )

    def _compare(
        self, program: Program, machine: Architecture, setting: Setting, folder: Path, run: Run
    ) -> Compared:
        assert run.trace is not None
        last = run.exit_cycle + _PATIENCE_CYCLES
        if run.halted != "exit":
            last = int(run.trace["cycle"][-1]) if len(run.trace) else 0
        job = Job(program, machine, setting, folder, run.trace.tolist(), last)
        return Compared.from_run(run, self.core.observe(job), machine)

    def run_all(
        self,
        programs: Sequence[UserProgram],
        seeds: Sequence[int],
        *,
        progress: Callable[[Result], None] = lambda _: None,
        keep_going: bool = False,
        jobs: int = 1,
    ) -> tuple[Result, ...]:
        """Run every program, then every seed, up to the first unexplained difference.

        Args:
            programs: user programs.
            seeds: seeds of random programs.
            progress: function that gets each result.
            keep_going: continue after a difference.
            jobs: number of parallel simulations; results and their order do not depend on it.
        """
        work: list[UserProgram | int] = [*programs, *seeds]

        def one(each: UserProgram | int) -> Result:
            if isinstance(each, UserProgram):
                return self.given(each)
            return self.seed(each, self.settings.setting_of(each))

        results: list[Result] = []
        with ThreadPoolExecutor(jobs) as pool:
            # At most ``jobs`` results are pending, so a difference ends the run soon.
            waiting: deque[Future[Result]] = deque()
            rest = iter(work)
            try:
                while True:
                    waiting += [pool.submit(one, each) for each in itertools.islice(
                        rest, jobs - len(waiting))]  # fmt: skip
                    if not waiting:
                        break
                    result = waiting.popleft().result()
                    results.append(result)
                    progress(result)
                    if result.unexplained and not keep_going:
                        break
            finally:
                for future in waiting:
                    future.cancel()
        return tuple(results)


def _load_case(case: Case) -> Program:
    return load_elf(case.elf(), name=case.name)


def _simulate(program: Program, machine: Architecture) -> Run:
    return simulate(program, machine, max_cycles=_MOST_CYCLES, trace=True, bus=True)
