"""Elimination of machines that differ from a device, by probe programs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from gnomon.arch import variants
from gnomon.calibrate._compare import CoreComparison
from gnomon.calibrate._device import MOST_CYCLES, Device, MachineDevice, Retired, Waits, program_of
from gnomon.calibrate._inferred import Inferred, machine_text
from gnomon.calibrate._programs import PLAIN, random_items, whole
from gnomon.isa import encode, size_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gnomon.program import Program

_SEEDS = range(100, 104)
_SIZE = 300
_LATENCY, _PREDICTOR = "latency.", "predictor."
_CODE_BYTES = 0x8000  # more than any program of an elimination has
_AROUND = 24  # plain instructions before and after a probe


@dataclass(frozen=True)
class ProbeProgram:
    """A program that runs with some wait states; ``name`` says what it contains."""

    name: str
    program: Program
    waits: tuple[Waits, ...]


@dataclass(frozen=True)
class Candidate:
    """Keys of a machine by their name below ``core``, and changes of ``core.latency``.

    The changes follow from the keys: their evidence is that of the measurements.
    """

    others: dict[str, Any]
    latency: dict[str, Any] = field(default_factory=dict)

    def differs_only_in(self, key: str, other: Candidate) -> bool:
        """Return whether no other key has another value; one without a predictor is for any."""
        predicts = any(name.startswith(_PREDICTOR) for name in self.others)
        theirs = {name: value for name, value in other.others.items()
                  if predicts or not name.startswith(_PREDICTOR)}  # fmt: skip
        alike = {**self.others, key: None} == {**theirs, key: None}
        return alike and self.others.get(key) != other.others.get(key)


@dataclass
class _Recorded:
    """A device that runs each program once, and shows no results."""

    device: Device
    known: dict[tuple[bytes, Waits], list[Retired]] = field(default_factory=dict)
    sees_values: bool = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.device, name)

    def execute(
        self, program: Program, waits: Waits, most_cycles: int = MOST_CYCLES
    ) -> list[Retired]:
        key = program.segments[0].data, waits
        if key not in self.known:
            self.known[key] = self.device.execute(program, waits, most_cycles)
        return self.known[key]


@dataclass
class Elimination:
    """The candidates that no program has eliminated yet.

    ``by``: program that eliminated each other one, and the difference.
    """

    device: Device
    inferred: Inferred
    left: list[Candidate]
    by: list[tuple[Candidate, str, str]] = field(default_factory=list)
    _recorded: _Recorded = field(init=False)
    _machines: dict[int, MachineDevice] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._recorded = _Recorded(self.device)

    def run(self, programs: Iterable[ProbeProgram]) -> None:
        """Eliminate the candidates that differ from the device in a program."""
        with TemporaryDirectory() as folder:
            for each in programs:
                for waits in each.waits:
                    self._run_one(each, waits, Path(folder))

    def _run_one(self, program: ProbeProgram, waits: Waits, folder: Path) -> None:
        left = []
        for candidate in self.left:
            machine = self._machine(candidate, folder)
            comparison = CoreComparison(self._recorded, machine, self.inferred.skews)
            message, _ = comparison.first_difference(program.program, waits)
            if message:
                self.by.append((candidate, f"{program.name} with {waits}", message))
            else:
                left.append(candidate)
        self.left = left

    def _machine(self, candidate: Candidate, folder: Path) -> MachineDevice:
        key = id(candidate)
        if key not in self._machines:
            made = with_candidate(self.inferred, candidate)
            path = folder / "candidate.yaml"
            device = self.device
            text = machine_text(made, device, "candidate", "candidate")
            if "\nmemory:" not in text:  # a smaller memory is faster to reset
                text += f"memory: {{instruction: {{size: {device.start + _CODE_BYTES} B}}}}\n"
            path.write_text(text)
            self._machines[key] = MachineDevice(
                variants(path), device.isa, device.start, excluded=device.excluded
            )
        return self._machines[key]

    def closest(self) -> str:
        """Return what eliminated the last candidate."""
        candidate, program, message = self.by[-1]
        keys = ", ".join(f"core.{k} {show_values([v])}" for k, v in candidate.others.items())
        return f"the closest machine ({keys or 'without a queue'}) differs in {program}: {message}"

    def evidence(self, chosen: Candidate, key: str) -> str:
        """Return the programs that eliminated the candidates with other values of a key.

        They are the candidates that differ in this key only, or all if there are none.
        """
        found: dict[str, list[Any]] = {}
        for candidate, program, _ in self.by:
            if candidate.differs_only_in(key, chosen):
                found.setdefault(program, []).append(candidate.others.get(key))
        text = "; ".join(
            f"{program} excludes {show_values(dict.fromkeys(values))}"
            for program, values in found.items()
        )
        if text:
            return text
        value = chosen.others[key]
        others = [(candidate.others[key], program.partition(" with waits")[0])
                  for candidate, program, _ in self.by
                  if candidate.others.get(key, value) != value]  # fmt: skip
        if not others:
            return "the other keys leave no other value"
        values, names = (show_values(dict.fromkeys(each)) for each in zip(*others, strict=True))
        return f"machines with {values} differ in {names}"


def with_candidate(inferred: Inferred, candidate: Candidate) -> Inferred:
    """Return the keys with those of a candidate."""
    own = {evidence_key(key): value for key, value in candidate.others.items()
           if key.startswith(_LATENCY)}  # fmt: skip
    others = {key: each for key, each in candidate.others.items() if not key.startswith(_LATENCY)}
    latency = inferred.latency | candidate.latency | own
    evidence = dict.fromkeys(latency, "") | inferred.evidence
    return replace(inferred, latency=latency, evidence=evidence, others=inferred.others | others)


def show_values(values: Iterable[Any]) -> str:
    """Return values of a key as a list in a sentence."""
    return ", ".join(
        " and ".join(each) if isinstance(each, tuple) else str(each) for each in values
    )


def evidence_key(key: str) -> str:
    """Return the name of a key of a candidate in ``Inferred.evidence``."""
    return key.removeprefix(_LATENCY)


def probe_program(
    device: Device, name: str, body: Sequence[int], waits: Sequence[Waits]
) -> ProbeProgram:
    """Return a program of some instructions between plain ones."""
    compressed = size_bytes(device.isa) == 2
    around = [PLAIN] * _AROUND
    words = whole([*around, *body, *around], compressed=compressed)
    program = program_of(words, device.start, compressed=compressed)
    return ProbeProgram(name, program, tuple(waits))


def random_programs(device: Device, waits: Sequence[Waits]) -> list[ProbeProgram]:
    """Return a few random programs, each with some wait states."""
    compressed = size_bytes(device.isa) == 2
    known = [encode("addi", rd=register) for register in range(1, 32)]
    found = []
    for seed in _SEEDS:
        items = random_items(seed, device.isa, _SIZE, (), device.excluded)
        words = [*known, *whole([word for item in items for word in item], compressed=compressed)]
        program = program_of(words, device.start, compressed=compressed)
        found.append(ProbeProgram(f"random program {seed}", program, tuple(waits)))
    return found
