"""The regression of a core: programs and random cases, each on model and RTL."""

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
from gnomon.base.frames import csv_text, frame
from gnomon.base.values import json_attributes, to_json_data
from gnomon.program import load_elf
from gnomon.rtl.lockstep._compare import Compared
from gnomon.rtl.lockstep._coverage import all_rules, met_rules
from gnomon.rtl.lockstep._generate import WEIGHTS, random_case
from gnomon.rtl.lockstep._given import Given
from gnomon.rtl.lockstep._minimize import DEFAULT_TRIES, Minimized, minimize
from gnomon.rtl.observed import Job, seen_digest
from gnomon.rtl.setting import SHARINGS, SIMDS, Setting, Sharing, parsed
from gnomon.sim import Run, simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.rtl.lockstep._case import Case
    from gnomon.rtl.observed import Observed, Recorded

_MOST_CYCLES = 2_000_000
_MOST_GIVEN = 10_000_000  # cycles of a program that somebody asks for
_SEEDS_OF_A_KIND = 1000
_PATIENCE_CYCLES = 200  # how long after the model's exit the RTL may still end


_COLUMNS = (
    "program", "seed", "simd", "sharing", "superscalar", "scratchpad_bytes", "count_all",
    "active_harts", "exit_cycle", "issues", "bus_requests", "memory_words", "difference", "digest",
    "harts",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """A machine, and the settings of it among which seeds are dealt out, in turn.

    The machine is a file and changes, to which each setting adds its own; of a setting without a
    vector unit it is the machine without one. One size of scratchpads, or one way to count, stands
    in place of both in turn.

    ``without`` are vector instructions of the machine that the core does not decode;
    ``known_differences`` adds random cases in which the RTL is known to differ, ``event_counters``
    those that access mhpmcounters, which programs did not when others were recorded.
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
    """Of the kinds of items in random programs."""

    def parsed(self, simd: str, sharing: str, superscalar: str, harts: str = "3") -> Settings:
        """With those of ``1,2,4``, ``shared,replicated``, ``on,off`` and ``3,4``.

        Raises:
            GnomonError: a word that the core does not know.
        """
        return replace(
            self, simds=parsed("--simd", simd), sharings=parsed("--sharing", sharing),
            superscalars=parsed("--superscalar", superscalar), harts=parsed("--harts", harts),
        )  # fmt: skip

    def given(self, paths: Iterable[Path]) -> tuple[Given, ...]:
        """Programs, ELF or C, in the first of the settings; those of tables (.csv) in their own.

        Raises:
            GnomonError: a table cannot be read.
        """
        built = (".elf", ".c")
        given = ([Given(p, self.of(0))] if p.suffix in built else Given.read(p) for p in paths)
        return tuple(itertools.chain.from_iterable(given))

    def architecture(self, setting: Setting) -> Architecture:
        """The machine in one setting.

        Raises:
            FileError: there is no such machine, or a change does not fit.
            GnomonError: its core is no T13.
        """
        machine = load_architecture(self.machine, [*self.overrides, *setting.overrides()])
        if machine.core.model != "t13":
            raise GnomonError(f"{machine.name}: its core is no Klessydra-T13")
        return machine

    def of(self, seed: int) -> Setting:
        """The setting of a seed: the next combination.

        Harts, size of scratchpads and ``count_all`` go with the combination, so that a core that is
        built for each setting has few to build; they change places behind each thousand seeds.
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
    """One program on both sides.

    ``seed`` is None for a program that was given. ``known`` are the warnings of the model that the
    RTL does something else in this program; ``met`` how often it met which rule. One that does not
    end (``halted``) is compared up to the last issue of the model. ``program``: where it is kept;
    ``digest`` of what the model did.
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

    @property
    def same(self) -> bool:
        """Nothing differs."""
        return self.compared.divergence is None

    @property
    def unexplained(self) -> bool:
        """It differs, and the model has not said that it would."""
        return not self.same and not self.known

    @staticmethod
    def table(results: Sequence[Result]) -> pd.DataFrame:
        """A row for each program; the same columns for every core."""
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
        """Write that table into a folder named after a file; its path.

        Raises:
            GnomonError: it cannot be written.
        """
        path = record.with_suffix("") / "programs.csv"
        write_file(path, csv_text(Result.table(results)))
        return path

    def to_json(self) -> dict[str, Any]:
        """Plain data under the documented names."""
        told = {"program": self.name, "difference": to_json_data(self.compared.divergence)}
        told |= json_attributes(self, "seed setting active_harts halted exit_cycle known")
        return told | json_attributes(self.compared, "issues bus_requests memory_words")

    @staticmethod
    def coverage(results: Sequence[Result]) -> dict[str, Any]:
        """``all``: how many rules of the reference there are; ``not_met``: by no random program."""
        random = [each for each in results if each.seed is not None]
        rules = all_rules(vector=any(each.setting.simd for each in random)) if random else ()
        missing = [rule for rule in rules if not any(each.met.get(rule) for each in random)]
        return {"all": len(rules), "not_met": missing}


class Core(Protocol):
    """A core that can be simulated, elaborated before or for each setting."""

    def observe(self, job: Job) -> Observed | Recorded:
        """Simulate.

        Raises:
            GnomonError: the simulation broke down.
        """


@dataclass(frozen=True, slots=True)
class Regression:
    """Runs programs on the model and on a core."""

    core: Core
    folder: Path
    settings: Settings = field(default_factory=Settings)
    most_tries: int = field(default=DEFAULT_TRIES, kw_only=True)

    def both(self, program: Program, machine: Architecture) -> tuple[Run, Compared]:
        """One program on a machine that the core can be, whatever the settings.

        Raises:
            GnomonError: it does not reach its exit on the model, the core cannot be this machine,
                or simulation breaks down.
        """
        run = simulate(program, machine, max_cycles=_MOST_GIVEN, trace=True, bus=True)
        if run.halted != "exit":
            raise GnomonError(f"{program.name}: {run.halted} on the model: {run.reason}")
        return run, self._compared(program, machine, Setting.of(machine), self.folder, run)

    def given(self, given: Given) -> Result:
        """One program of the user's.

        Raises:
            GnomonError: it cannot be loaded or compiled, or simulation breaks down.
        """
        setting, machine = given.setting, self.settings.architecture(given.setting)
        program = given.program(machine)
        run = _run(program, machine)
        compared = self._compared(program, machine, setting, self.folder / program.name, run)
        return Result(
            program.name, None, setting, None, run.exit_cycle, compared,
            known=run.unlike_rtl, halted=run.halted, program=given.path, digest=seen_digest(run),
        )  # fmt: skip

    def seed(self, seed: int, setting: Setting) -> Result:
        """The random case of a seed; one that differs and is not known to is made small.

        A case that never ends on the model, since an instruction without effect blocks the arbiter
        of a multithreaded unit, gives way to a tame one of the same seed.

        Raises:
            GnomonError: simulation breaks down.
        """
        machine = self.settings.architecture(setting)
        for tame in (False, True):
            case = self.case(seed, setting, tame=tame)
            program = _program(case)
            run = _run(program, machine)
            if setting.sharing != "multithreaded" or run.halted != "hang":
                break
        folder = self.folder / f"seed-{seed}"
        compared = self._compared(program, machine, setting, folder, run)
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
        )  # fmt: skip

    def case(self, seed: int, setting: Setting, *, tame: bool = False) -> Case:
        """The case of a seed, with the vector instructions that machine and core have."""
        settings, machine = self.settings, self.settings.architecture(setting)
        return random_case(
            seed,
            setting,
            # The machine's schema has checked the names.
            extensions=tuple(machine.vcu.extensions) if machine.vcu else (),
            without=settings.without,
            known_differences=settings.known_differences,
            event_counters=settings.event_counters,
            tame=tame,
            morph=machine.core.rtl == "morph",
        )

    def _fails(self, machine: Architecture, folder: Path, case: Case) -> bool:
        program = _program(case)
        run = _run(program, machine)
        return run.halted == "exit" and (
            self._compared(program, machine, case.setting, folder, run).divergence is not None
        )

    def _compared(
        self, program: Program, machine: Architecture, setting: Setting, folder: Path, run: Run
    ) -> Compared:
        assert run.trace is not None
        last = run.exit_cycle + _PATIENCE_CYCLES
        if run.halted != "exit":
            last = int(run.trace["cycle"][-1]) if len(run.trace) else 0
        job = Job(program, machine, setting, folder, run.trace.tolist(), last)
        return Compared.of(run, self.core.observe(job), machine)

    def run_all(
        self,
        programs: Sequence[Given],
        seeds: Sequence[int],
        *,
        progress: Callable[[Result], None] = lambda _: None,
        keep_going: bool = False,
        jobs: int = 1,
    ) -> tuple[Result, ...]:
        """Every program, then every seed; ends at the first difference not known, or goes on.

        ``jobs`` simulations run at a time; the results are those of one, in the same order.
        """
        work: list[Given | int] = [*programs, *seeds]

        def one(each: Given | int) -> Result:
            if isinstance(each, Given):
                return self.given(each)
            return self.seed(each, self.settings.of(each))

        results: list[Result] = []
        with ThreadPoolExecutor(jobs) as pool:
            # A few ahead and no more, so that a difference ends the run soon.
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


def _program(case: Case) -> Program:
    return load_elf(case.elf(), name=case.name)


def _run(program: Program, machine: Architecture) -> Run:
    return simulate(program, machine, max_cycles=_MOST_CYCLES, trace=True, bus=True)
