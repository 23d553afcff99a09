"""The units of a machine: their files, and the rules between them and the core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from gnomon.arch.units._unit import (
    MOST_INSTRUCTIONS,
    MOST_VECTOR_INSTRUCTIONS,
    MOST_VECTOR_UNITS,
    Unit,
    UnitInstruction,
)
from gnomon.arch.units.file import LONGEST_CYCLES
from gnomon.arch.units.load import load_unit
from gnomon.base.errors import GnomonError
from gnomon.base.schema import Problems
from gnomon.base.yaml import Place, shown

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.arch._core import Core

_OF_VECTOR_UNIT: Final = (0x0B, 0x2B)  # custom-0 and custom-1
_PASSES: Final = {"pcpi": "rs1 and rs2 only", "cv-x-if": "rs1, rs2 and rs3 only"}


def check_units(value: object, core: Core | None, *, vector: bool | None) -> tuple[Unit, ...]:
    """Return the units of a machine, in the order of their names.

    Args:
        value: parameters by unit, as a machine file gives them; ``none`` removes a unit.
        core: of the machine; None if it has errors.
        vector: whether the machine has a vector unit; None if the vector unit has errors.

    Raises:
        Problems: if a unit does not exist or is wrong, or units exclude each other or the core.
    """
    if not isinstance(value, Mapping):
        what = f"must be a section {{NAME: {{PARAMETER: value}}}}, not {shown(value)}"
        raise Problems([((), what)], own=True)
    problems: list[tuple[Place, str]] = []
    units = []
    for name in sorted(value):
        given = value[name]
        if given == "none":
            continue
        if not isinstance(given, Mapping):
            what = "must be a section of parameters, {} (all have their defaults) or none"
            what += f", not {'empty' if given is None else shown(given)}"
            problems.append(((name,), what))
            continue
        try:
            units.append(_load(name, given))
        except GnomonError as error:
            problems.append(((name,), str(error)))
    problems += _list_conflicts(units, core, vector=vector is True)
    problems += _list_vector_conflicts(units, scalar=vector is False)
    if problems:
        raise Problems(problems, own=True)
    return tuple(units)


def add_unit(architecture: Architecture, unit: Unit) -> Architecture:
    """Return a machine with a further unit.

    Raises:
        GnomonError: if the machine cannot have it with its core and its other units.
    """
    units = sorted((*architecture.units, unit), key=lambda each: each.name)
    vector = architecture.vcu is not None
    found = [*_list_conflicts(units, architecture.core, vector=vector)]
    for place, why in [*found, *_list_vector_conflicts(units, scalar=not vector)]:
        where = ".".join(map(str, ("units", *place)))
        raise GnomonError(f"{architecture.name}: {where}: {why}")
    return architecture.model_copy(update={"units": tuple(units)})


def _load(name: str, given: Mapping[str, Any]) -> Unit:
    unit = load_unit(name, {each: value for each, value in given.items() if each != "digest"})
    if given.get("digest", unit.digest) != unit.digest:
        raise GnomonError("the files of the unit have changed: their digest is another one")
    return unit


def _list_conflicts(
    units: list[Unit], core: Core | None, *, vector: bool
) -> Iterator[tuple[Place, str]]:
    rows = [(unit, each) for unit in units for each in unit.instructions]
    scalars = [each for _, each in rows if each.vector is None]
    if len(scalars) > MOST_INSTRUCTIONS:
        yield (), f"the units have {len(scalars)} instructions, more than {MOST_INSTRUCTIONS}"
    for number, (unit, each) in enumerate(rows):
        for other, first in rows[:number]:
            same = not (each.row.match ^ first.row.match) & each.row.mask & first.row.mask
            if other is not unit and (same or each.function == first.function):
                what = "the encoding" if same else "the name"
                which = f"{first.mnemonic} of {other.name}"
                yield (unit.name,), f"{each.mnemonic} has {what} of {which}"
        if core is not None:
            for why in _list_obstacles(each, core, vector=vector):
                yield (unit.name,), f"{each.mnemonic}: {why}"


def _list_vector_conflicts(units: list[Unit], *, scalar: bool) -> Iterator[tuple[Place, str]]:
    users = [unit for unit in units if unit.is_vector]
    rows = [each for unit in users for each in unit.instructions if each.vector is not None]
    if len(users) > MOST_VECTOR_UNITS:
        names = ", ".join(unit.name for unit in users)
        yield (), f"more than {MOST_VECTOR_UNITS} units have vector instructions: {names}"
    if len(rows) > MOST_VECTOR_INSTRUCTIONS:
        count = f"{len(rows)} vector instructions"
        yield (), f"the units have {count}, more than {MOST_VECTOR_INSTRUCTIONS}"
    for unit in users if scalar else ():
        name = next(each.mnemonic for each in unit.instructions if each.vector is not None)
        yield (unit.name,), f"{name}: it needs a vector unit, and vcu is none"


def _list_obstacles(each: UnitInstruction, core: Core, *, vector: bool) -> Iterator[str]:
    """Yield the reasons why a core cannot have an instruction."""
    if (core.model == "t13" or vector) and each.row.opcode in _OF_VECTOR_UNIT:
        yield "custom-0 and custom-1 are of the T13's vector unit (allowed: custom-2, custom-3)"
    passes = f"core.unit_port {core.unit_port} passes {_PASSES.get(core.unit_port)}"
    if core.unit_port != "direct" and each.third == "rd":
        yield f"an accumulator is read as a third operand; {passes}"
    if core.unit_port == "pcpi" and each.row.format == "R4":
        yield f"format R4 has a third operand, rs3; {passes}"
    latency = core.latency
    wait = 0
    if latency is not None:
        wait = latency.fetch + latency.instruction_waits + latency.unit_port
    if each.model.most_cycles + wait > LONGEST_CYCLES:
        cycles = f"{each.model.most_cycles} cycles with the fetch"
        yield f"{cycles} are too many (at most {LONGEST_CYCLES} together)"
