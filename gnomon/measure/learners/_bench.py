"""Measurement of a learner implementation on a machine: build, run, compare bits, report cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gnomon.arch import Architecture, load_architecture
from gnomon.base.content import shipped_machines
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.measure.learners._host import HostLearner
from gnomon.measure.learners._learner import EmbeddedLearner, EmbeddedSizes, LearnerVariant
from gnomon.measure.learners._program import (
    check_words,
    data_bytes,
    run_learner,
    stack_overflow,
    stack_size_bytes,
    text_bytes,
    used_stack_bytes,
    with_data_memory,
    with_painted_stacks,
)
from gnomon.measure.learners._run import LearnerRun, RoundsRun, StageRun
from gnomon.measure.learners._step import Play, ReferenceStep, make_step
from gnomon.measure.memory_words import Words, with_words
from gnomon.program import AssemblyEdit, Program, build
from gnomon.sim import Region, Run, TimedPath, record_path

_FIRST_STACK_BYTES = 16
_STACK_ALIGNMENT_BYTES = 16
_LIBRARY_SOURCES = ("fx_divide.c", "fx_sqrt.c")
_MAX_CYCLES = 20_000_000_000
_MAX_CYCLES_OF_ROUNDS = 200_000_000_000
_ROOMY_BYTES = 16 << 20
_RESET, _SELECT, _UPDATE = 1, 2, 4  # as in step.c
_OF_ROUNDS = ("rounds_contexts", "rounds_rewards", "rounds_arms")
_STAGES = {"select": _SELECT, "update": _UPDATE}


@dataclass(frozen=True)
class LearnerBench:
    """Implementation of a learner on a machine.

    Attributes:
        learner: the algorithm.
        variant: the implementation.
        architecture: the machine.
        sizes: sizes at compile time.
        harts: number of harts that share the arms.
        fraction_bits: fractional bits (Q format).
    """

    learner: EmbeddedLearner
    variant: LearnerVariant
    architecture: Architecture
    sizes: EmbeddedSizes
    harts: int = 1
    fraction_bits: int = 15

    @property
    def _title(self) -> str:
        return f"{self.learner.name} {self.variant.name} on {self.architecture.name}"

    def check(self) -> None:
        """Check that the variant supports the machine and the choices.

        Raises:
            GnomonError: if the vector unit or an extension is missing, or the variant excludes a
                choice.
        """
        self.learner.check_sizes(self.sizes)
        title = f"learner {self.learner.name}, variant {self.variant.name}"
        variant, machine = self.variant, self.architecture
        if variant.vector and machine.vcu is None:
            raise GnomonError(f"{title}: {machine.name} has no vector unit")
        has = machine.vcu.extensions if machine.vcu else variant.extensions
        missing = [name for name in variant.extensions if name not in has]
        if missing:
            raise GnomonError(
                f"{title}: the vector unit of {machine.name} lacks {', '.join(missing)}; use"
                f" {_machines_with(variant.extensions)}"
            )
        if variant.fraction_bits not in (None, self.fraction_bits):
            raise GnomonError(
                f"{title} computes with {variant.fraction_bits} fraction bits, not"
                f" {self.fraction_bits}"
            )
        if self.harts > 1 and (why := variant.why_alone(self.sizes)):
            raise GnomonError(f"{title} runs on 1 hart, not {self.harts}: {why}")
        if self.harts > self.sizes.arms:
            raise GnomonError(f"{self.harts} harts cannot share {self.sizes.arms} arm(s)")

    def build(
        self,
        *,
        stack_bytes: int | None = None,
        compiler: str = "zig",
        optimization: str = "-O2",
        library_optimization: str | None = None,
        rounds: int | None = None,
        edit: AssemblyEdit | None = None,
    ) -> Program:
        """Build the learner with a program that runs one step, or ``rounds`` many steps.

        Stacks take all data memory that static data leaves, unless ``stack_bytes`` sets the size
        for each active hart. ``library_optimization`` is the optimization level of code that a
        toolchain supplies compiled: copying and clearing of memory, 64-bit division, square root.
        ``edit`` is that of :func:`gnomon.program.build`.

        Raises:
            GnomonError: if the machine cannot run it, or it does not fit its memory.
        """
        self.check()
        variant = self.variant.at(self.sizes, self.harts)
        sources = variant.paths("step.c" if rounds is None else "rounds.c")
        defines = {**self.sizes.defines(), **variant.defines()}
        defines["FX_FRACTION_BITS"] = self.fraction_bits
        if rounds is not None:
            defines["LEARNER_ROUNDS"] = rounds
        named = {*_LIBRARY_SOURCES, *variant.library}
        library = ["memory.c", *(path.name for path in sources if path.name in named)]
        level = library_optimization

        def at_stack(size_bytes: int) -> Program:
            return build(
                sources,
                self.architecture,
                include=variant.include(),
                defines=defines,
                optimization=optimization,
                compiler=compiler,
                active_harts=self.harts,
                stack_size_bytes=size_bytes,
                optimization_of=dict.fromkeys(library, level) if level else {},
                edit=edit,
            )

        if stack_bytes is None:
            first = at_stack(_FIRST_STACK_BYTES)
            free = first.symbol("_stack_top").address - first.symbol("_data_end").address
            stack_bytes = free // self.harts & -_STACK_ALIGNMENT_BYTES
        return at_stack(stack_bytes)

    def host(self) -> HostLearner:
        """Return the same learner on the host.

        Raises:
            GnomonError: if it does not compile.
        """
        return HostLearner(
            self.variant,
            self.sizes,
            fraction_bits=self.fraction_bits,
            architecture=self.architecture,
        )

    def step(
        self,
        *,
        case: str = "fresh",
        seed: int = 0,
        correcting: bool = False,
        warm_steps: int | None = None,
    ) -> ReferenceStep:
        """Return the input of one step and its expected outcome.

        Random input has contexts and features uniform in -1 .. 1 and rewards in 0 .. 1. The step
        follows ``warm_steps`` steps; None selects the learner's default. The update recomputes the
        inverses if ``correcting`` is set or a correction period ends there.

        Raises:
            GnomonError: if the case is unknown, the seed negative, or the variant has no
                correction.
        """
        if correcting:
            self.variant.check_correction()
        warm = self.learner.warm_steps if warm_steps is None else warm_steps
        return make_step(self.learner, self.host, case, seed, warm, correcting=correcting)

    def measure(
        self,
        *,
        case: str = "fresh",
        seed: int = 0,
        details: bool = True,
        program: Program | None = None,
        step: ReferenceStep | None = None,
        correcting: bool = False,
        warm_steps: int | None = None,
    ) -> LearnerRun:
        """Run one selection and one update.

        Args:
            case: ``fresh`` or ``random`` input, see :meth:`step`.
            seed: seed of random input.
            details: whether to run each stage alone, too, for its functions and its stack.
            program: result of :meth:`build`, to build only once.
            step: result of :meth:`step` with the same choices, to compute it only once.
            correcting: whether the update corrects the inverses.
            warm_steps: steps before this one in ``random`` input.

        Raises:
            CheckFailed: if the run does not end, or arm, scores or model differ from those of the
                same C on the host.
            GnomonError: if the machine cannot run it, its memory is too small, or the variant has
                no correction.
        """
        program = program or self.build()
        step = step or self.step(case=case, seed=seed, correcting=correcting, warm_steps=warm_steps)
        start, harts = _start(step), self.harts

        def run_parts(parts: int, regions: list[Region]) -> Run:
            given = {}
            if step.model is not None and parts == _UPDATE:  # model after the selection
                given["learner_model"] = step.model_selected
            return run_learner(
                self._title,
                with_words(self._placed(program, step, parts), given),
                self.architecture,
                harts,
                regions=regions,
                max_cycles=_MAX_CYCLES,
            )

        try:
            run = run_parts(start | _SELECT | _UPDATE, _regions(program))
            self._check(program, run, step)
        except CheckFailed:
            self._check_room(program, step)
            raise
        alone = {}
        if details:
            base = _functions(program, run_parts(start, []))
            for name, part in _STAGES.items():
                of_stage = run_parts(start | part, [])
                memory = of_stage.data_memory
                stack = used_stack_bytes(program, self.architecture, memory, harts)[0]
                alone[name] = _less(_functions(program, of_stage), base), stack
        nothing: tuple[dict[str, int], int | None] = {}, None
        select, update = (
            StageRun.from_regions(run.regions, name, *alone.get(name, nothing)) for name in _STAGES
        )
        assert program.build is not None
        return LearnerRun(
            learner=self.learner.name,
            variant=self.variant.name,
            line=self.variant.line,
            arch=self.architecture.name,
            clock_hz=int(self.architecture.clock),
            sizes=self.sizes,
            harts=harts,
            case=case,
            seed=seed,
            fraction_bits=self.fraction_bits,
            arm=step.arm,
            select=select,
            update=update,
            model_bytes=program.symbol("learner_model").size_bytes,
            static_bytes=data_bytes(program),
            text_bytes=text_bytes(program),
            stack_bytes=used_stack_bytes(program, self.architecture, run.data_memory, harts),
            correction_period=self.variant.correction_period,
            correcting=correcting,
            build=program.build,
            unobserved=run.unobserved,
        )

    def _check(self, program: Program, run: Run, step: ReferenceStep) -> None:
        if run.exit_code != step.arm:
            raise CheckFailed(f"{self._title}: chose arm {run.exit_code}, expected {step.arm}")
        expected = {"learner_model": ("the model", step.model_after)}
        # The linker drops scores that no code uses; they are zero on the host, too.
        if step.scores.any() or any(each.name == "learner_scores" for each in program.symbols):
            expected["learner_scores"] = "the scores", step.scores
        check_words(self._title, program, self.architecture, run, expected)

    def _check_room(self, program: Program, step: ReferenceStep) -> None:
        """Check whether the stacks were too small, after a run went wrong.

        A frame can leave the lowest word of a stack unchanged and still write below it.
        """
        if int(self.architecture.memory.data.size) >= _ROOMY_BYTES:
            return
        roomy = replace(self, architecture=with_data_memory(self.architecture, _ROOMY_BYTES))
        try:
            needed = roomy.measure(details=False, step=step).stack_bytes
        except GnomonError:
            return
        size_bytes = stack_size_bytes(program, self.harts)
        for hart, used_bytes in enumerate(needed):
            if used_bytes > size_bytes:
                raise stack_overflow(self._title, hart, size_bytes) from None

    def record(self, program: Program, step: ReferenceStep) -> TimedPath:
        """Return the path of the run of :meth:`measure` without ``details``.

        Raises:
            NotPriceable: if its timing on other machines cannot be derived from the path.
        """
        given = self.place(program, step)
        return record_path(given, self.architecture, _regions(program), max_cycles=_MAX_CYCLES)

    def place(self, program: Program, step: ReferenceStep) -> Program:
        """Return the program with painted stacks and the input of one whole step."""
        return self._placed(program, step, _start(step) | _SELECT | _UPDATE)

    def _placed(self, program: Program, step: ReferenceStep, parts: int) -> Program:
        """Return the program with painted stacks and its input; it runs the given ``parts``."""
        symbols: dict[str, Words] = {
            # A run of the update alone updates the arm that the whole step selects.
            "step_arm": np.array([step.arm], dtype=np.int32),
            "step_reward": np.array([step.reward], dtype=np.int32),
            "step_parts": np.array([parts], dtype=np.int32),
        }
        if not self.learner.fixed_arms:
            symbols["learner_context"] = step.context
        if step.model is not None:
            symbols["learner_model"] = step.model
        symbols |= self._given(step)
        return with_painted_stacks(with_words(program, symbols))

    def _given(self, given: ReferenceStep | Play) -> dict[str, Words]:
        """Return weight of exploration and features, if the learner has them."""
        symbols = {}
        if self.learner.has_alpha:
            symbols["learner_alpha"] = np.array([given.alpha], dtype=np.int32)
        if given.features is not None:
            symbols["learner_features"] = given.features
        return symbols

    def play(
        self, play: Play, *, program: Program | None = None, checked: bool = True
    ) -> RoundsRun:
        """Play all rounds on one hart, starting with a fresh model.

        ``program`` is the result of :meth:`build` with as many ``rounds``, to build it only once.
        If only cycles matter, ``checked=False`` omits the build for the host.

        Raises:
            CheckFailed: if the run does not end, or an arm or the final model differs from those of
                the same C on the host.
            GnomonError: if the machine cannot run it, or its memory is too small.
        """
        program = program or self.build(rounds=len(play.contexts))
        given = {"rounds_contexts": play.contexts, "rounds_rewards": play.rewards}
        run = run_learner(
            self._title,
            with_words(with_painted_stacks(program), given | self._given(play)),
            self.architecture,
            harts=1,
            regions=_regions(program),
            max_cycles=_MAX_CYCLES_OF_ROUNDS,
        )
        if checked:
            self._check_rounds(program, run, play)
        select, update = (run.regions[name][0] for name in _STAGES)
        model_bytes = program.symbol("learner_model").size_bytes
        around = sum(program.symbol(name).size_bytes for name in _OF_ROUNDS)
        stack = used_stack_bytes(program, self.architecture, run.data_memory, 1)[0]
        return RoundsRun(select, update, model_bytes, text_bytes(program),
                         data_bytes(program) - around, stack)  # fmt: skip

    def _check_rounds(self, program: Program, run: Run, play: Play) -> None:
        host = self.host()
        expected = {
            "rounds_arms": ("rounds_arms", play.on(host)),
            "learner_model": ("learner_model", host.model),
        }
        if host.gives_propensity:
            word = np.array([round(host.propensity * 2**31)], dtype=np.uint32).view(np.int32)
            expected["learner_propensity"] = ("the last probability", word)
        check_words(self._title, program, self.architecture, run, expected)


def _machines_with(extensions: Sequence[str]) -> str:
    """Return the names of the shipped machines whose vector units have all of these, for advice."""
    machines = map(load_architecture, shipped_machines())
    names = [
        each.name
        for each in machines
        if each.vcu is not None and set(extensions) <= set(each.vcu.extensions)
    ]
    return " or ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "another variant"


def _start(step: ReferenceStep) -> int:
    """Return the parts that the program runs before the stages."""
    return 0 if step.model is not None else _RESET


def _regions(program: Program) -> list[Region]:
    return [Region(name, program.symbol(f"learner_{name}").address) for name in _STAGES]


def _functions(program: Program, run: Run) -> dict[str, int]:
    """Return hart 0's cycles by function, each without its callees."""
    cycles = run.profile.cycles[0]
    totals: dict[str, int] = {}
    for index in np.flatnonzero(cycles):
        function = program.function_at(run.profile.base_address + 4 * int(index))
        name = function.name if function else "?"
        totals[name] = totals.get(name, 0) + int(cycles[index])
    return totals


def _less(cycles: Mapping[str, int], base: Mapping[str, int]) -> dict[str, int]:
    """Return the additional cycles of a stage by function, largest first, without ``main``."""
    more = {name: count - base.get(name, 0) for name, count in cycles.items() if name != "main"}
    rest = [(name, count) for name, count in more.items() if count]
    return dict(sorted(rest, key=lambda item: (-item[1], item[0])))
