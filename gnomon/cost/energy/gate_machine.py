"""The machine of a netlist: keys that a gate-level table states, checks and records.

RTL sources, parameters and tied inputs determine a netlist and its simulation. A table states every
machine key that decides these, and prices only machines with the stated values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from gnomon.arch import Architecture, rtl_parameters
from gnomon.arch.units.hdl import without_units
from gnomon.base.content import content
from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.schema import ProblemAt, Section, key

Stated = bool | int | str | list[str]
"""A value of a key; for extensions and quirks, the names of the enabled ones."""

CORE_KEYS = (
    "core.model", "core.rtl", "core.isa", "core.harts", "core.superscalar", "core.divider",
    "core.count_all", "core.reset_pc", "core.quirks", "memory.data.width", "memory.data.burst",
)  # fmt: skip
VCU_KEYS = (
    "vcu.simd", "vcu.sharing", "vcu.scratchpads.count", "vcu.scratchpads.size",
    "vcu.scratchpads.base", "vcu.extensions", "vcu.divider", "vcu.divide_by_zero",
    "vcu.postscale_shift", "vcu.quirks", "vcu.morph_quirks",
)  # fmt: skip
LATENCY = "core.latency"
"""The key of in-order machines, whose timing is that of their netlist: a digest."""
NO_UNIT = "vcu"
"""The key of a netlist without a vector unit: ``vcu: [none]``."""

_DIGITS = 16  # of the digest of a latency
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class RtlKeys(Section):
    """RTL sources."""

    folder: str | None = key(
        "their folder in gnomon; without it they are user-defined and not compared",
        default=None,
    )
    files: list[str] = key("their names", allowed="list of names", default=[])
    sha256: str = key("SHA-256 of their texts by name, without comments and blanks")


def compute_rtl_digest(texts: Mapping[str, str]) -> str:
    """Return the SHA-256 of Verilog sources by name, without comments, blanks and units."""
    return digest(
        {
            name: "".join(_COMMENT.sub(" ", without_units(text)).split())
            for name, text in texts.items()
        }
    )


def list_stated_keys(architecture: Architecture) -> dict[str, Stated]:
    """Return the keys that a table of the machine's netlist states, with their values."""
    core = CORE_KEYS if architecture.core.latency is None else (*CORE_KEYS, LATENCY)
    further = (NO_UNIT,) if architecture.vcu is None else VCU_KEYS
    return {each: _read_value(architecture, each) for each in (*core, *further)}


def check_statement(machine: Mapping[str, Sequence[Stated]]) -> None:
    """Check that a statement determines the netlist completely.

    Raises:
        ProblemAt: if a key decides no netlist, or ``vcu`` has another value than none.
        ValueError: if a key that decides the netlist is missing.
    """
    has_unit = NO_UNIT not in machine
    core = (
        (*CORE_KEYS, LATENCY) if list(machine.get("core.model", ())) == ["inorder"] else CORE_KEYS
    )
    wanted = (*core, *VCU_KEYS) if has_unit else (*core, NO_UNIT)
    for name, values in machine.items():
        if name not in wanted:
            with_ = "" if has_unit else f" with {NO_UNIT}: [none]"
            raise ProblemAt(name, f"decides no netlist{with_} {allowed_hint(name, wanted, 'keys')}")
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
    """Check that a machine has the keys of the netlist of a table; units have their own netlists.

    Raises:
        GnomonError: if keys differ, with every one of them.
    """
    differ = []
    for name, allowed in machine.items():
        if name.startswith("vcu.") and architecture.vcu is None:
            if name == VCU_KEYS[0]:
                differ.append(
                    f"vcu = none (its netlist has a vector unit, {name} {_format_allowed(allowed)})"
                )
            continue
        value = _read_value(architecture, name)
        if _normalize(value) not in [_normalize(each) for each in allowed]:
            differ.append(
                f"{name} = {_format_value(value)} (its netlist: {_format_allowed(allowed)})"
            )
    if differ:
        raise GnomonError(f"{table} has no figures for {'; '.join(differ)} of {architecture.name}")


def explain_stale(
    rtl: RtlKeys | None, parameters: Mapping[str, int | str], architecture: Architecture
) -> str:
    """Return why the netlist of a table does not match the current RTL; empty: it does.

    Args:
        rtl: sources recorded in the table.
        parameters: parameters of the top module recorded in the table; empty: none are recorded.
        architecture: a machine that the table prices.
    """
    if rtl is None:
        return "it does not record the RTL sources of its netlist"
    if rtl.folder is None:
        return ""
    now = _compute_current_digest(rtl.folder, tuple(rtl.files))
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
def _compute_current_digest(folder: str, files: tuple[str, ...]) -> str | None:
    places = {name: content(*folder.split("/"), name) for name in files}
    if not all(place.is_file() for place in places.values()):
        return None
    return compute_rtl_digest({name: each.read_text("utf-8") for name, each in places.items()})


def _read_value(architecture: Architecture, path: str) -> Stated:
    """Return the value of a dotted key as a table states it."""
    if path == LATENCY:
        latency = architecture.core.latency
        given = None if latency is None else latency.model_dump(mode="json", exclude_defaults=True)
        return "none" if given is None else digest(sorted(given.items()))[:_DIGITS]
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


def _normalize(value: Stated) -> tuple[str, ...]:
    """Return a value in a form that is independent of name order and number spelling."""
    return tuple(sorted(value)) if isinstance(value, list) else ("", _format_value(value))


def _format_value(value: Stated) -> str:
    if isinstance(value, list):
        return f"[{', '.join(value)}]"
    return str(value).lower()


def _format_allowed(allowed: Sequence[Stated]) -> str:
    return " or ".join(map(_format_value, allowed))
