"""The machine that a netlist is of: what a gate-level table states, checks and records.

A netlist is made of the sources of the RTL and its parameters, and simulated with the inputs that
a machine ties. A table states every key of a machine that decides these, and prices no other one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from gnomon.arch import Architecture, rtl_parameters
from gnomon.base.content import content
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.schema import ProblemAt, Section, key

Stated = bool | int | str | list[str]
"""A value of a key; of extensions and quirks the names of those that are there."""

CORE_KEYS = (
    "core.model", "core.rtl", "core.isa", "core.harts", "core.superscalar", "core.divider",
    "core.count_all", "core.reset_pc", "core.quirks", "memory.data.width", "memory.data.burst",
)  # fmt: skip
VCU_KEYS = (
    "vcu.simd", "vcu.sharing", "vcu.scratchpads.count", "vcu.scratchpads.size",
    "vcu.scratchpads.base", "vcu.extensions", "vcu.divider", "vcu.divide_by_zero",
    "vcu.postscale_shift", "vcu.quirks", "vcu.morph_quirks",
)  # fmt: skip
NO_UNIT = "vcu"
"""The key that says of a netlist that it has no vector unit: ``vcu: [none]``."""

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class RtlKeys(Section):
    """Sources of the RTL."""

    folder: str | None = key(
        "folder of gnomon that they are in; without it they are a user's and are not compared",
        default=None,
    )
    files: list[str] = key("their names", allowed="list of names", default=[])
    sha256: str = key("of their text by name, without comments and blanks")


def rtl_digest(texts: Mapping[str, str]) -> str:
    """Return the SHA-256 of Verilog sources by name, without comments and blanks."""
    return digest({name: "".join(_COMMENT.sub(" ", text).split()) for name, text in texts.items()})


def stated_by(architecture: Architecture) -> dict[str, Stated]:
    """Return what a table of the machine's netlist states: every key with its value."""
    if architecture.vcu is None:
        return {each: _value(architecture, each) for each in (*CORE_KEYS, NO_UNIT)}
    return {each: _value(architecture, each) for each in (*CORE_KEYS, *VCU_KEYS)}


def check_statement(machine: Mapping[str, Sequence[Stated]]) -> None:
    """Refuse a statement that leaves open what the netlist was made of.

    Raises:
        ProblemAt: a key decides no netlist, or one that does is missing.
    """
    has_unit = NO_UNIT not in machine
    wanted = (*CORE_KEYS, *VCU_KEYS) if has_unit else (*CORE_KEYS, NO_UNIT)
    for name, values in machine.items():
        if name not in wanted:
            beside = "" if has_unit else f" beside {NO_UNIT}: [none]"
            raise ProblemAt(
                name, f"decides no netlist{beside} {allowed_hint(name, wanted, 'keys')}"
            )
        if name == NO_UNIT and list(values) != ["none"]:
            raise ProblemAt(
                name, f"must be [none]; with a vector unit {VCU_KEYS[0]} and the others state it"
            )
    missing = [name for name in wanted if name not in machine]
    if missing:
        raise ValueError(
            f"must state every key that decides a netlist; missing: {', '.join(missing)}"
            + (f" (a netlist without a vector unit states {NO_UNIT}: [none])" if has_unit else "")
        )


def check_machine(
    table: str, machine: Mapping[str, Sequence[Stated]], architecture: Architecture
) -> None:
    """Refuse a machine that the netlist of a table is not of.

    Raises:
        GnomonError: with every key that differs.
    """
    differ = []
    for name, allowed in machine.items():
        if name.startswith("vcu.") and architecture.vcu is None:
            if name == VCU_KEYS[0]:
                differ.append(
                    f"vcu = none (its netlist has a vector unit, {name} {_shown(allowed)})"
                )
            continue
        value = _value(architecture, name)
        if _plain(value) not in [_plain(each) for each in allowed]:
            differ.append(f"{name} = {_text(value)} (its netlist: {_shown(allowed)})")
    if differ:
        raise GnomonError(f"{table} has no figures for {'; '.join(differ)} of {architecture.name}")


def why_stale(
    rtl: RtlKeys | None, parameters: Mapping[str, int | str], architecture: Architecture
) -> str:
    """Return why the netlist of a table is not that of today; empty: it is.

    Args:
        rtl: sources that the table records.
        parameters: of the top module, as the table records them; none are recorded if empty.
        architecture: a machine that the table prices.
    """
    if rtl is None:
        return "it does not record the RTL sources of its netlist"
    if rtl.folder is None:
        return ""
    now = _digest_now(rtl.folder, tuple(rtl.files))
    if now is None:
        return f"RTL sources of its netlist are no longer in {rtl.folder}"
    if now != rtl.sha256:
        return f"the RTL sources in {rtl.folder} have changed since its netlist was made"
    today = {
        each.split()[-1]: value.strip('"') for each, value in rtl_parameters(architecture).items()
    }
    for name, value in parameters.items():
        if today.get(name) != str(value):
            return f"parameter {name} is {today.get(name, 'none')}, and {value} in its netlist"
    return ""


@cache
def _digest_now(folder: str, files: tuple[str, ...]) -> str | None:
    places = {name: content(*folder.split("/"), name) for name in files}
    if not all(place.is_file() for place in places.values()):
        return None
    return rtl_digest({name: each.read_text("utf-8") for name, each in places.items()})


def _value(architecture: Architecture, path: str) -> Stated:
    """Return the value of a dotted key as a table states it."""
    value: object = architecture
    for part in path.split("."):
        value = "none" if value is None else getattr(value, part)
    if isinstance(value, Section):
        return [name for name, there in value if there] if path != NO_UNIT else "unit"
    if value is None:
        return "none"
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, bool | str):
        return value
    assert isinstance(value, int)
    return int(value)


def _plain(value: Stated) -> tuple[str, ...]:
    """Return a value in a form in which order of names and spelling of numbers do not count."""
    return tuple(sorted(value)) if isinstance(value, list) else ("", _text(value))


def _text(value: Stated) -> str:
    if isinstance(value, list):
        return f"[{', '.join(value)}]"
    return str(value).lower()


def _shown(allowed: Sequence[Stated]) -> str:
    return " or ".join(map(_text, allowed))
