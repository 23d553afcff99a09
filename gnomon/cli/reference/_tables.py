"""The page of all keys of power tables, area tables, cost-model cores and the divider table."""

from collections.abc import Iterable

from gnomon.arch.dividers import Divider
from gnomon.base.keys import Key, keys_of
from gnomon.cli.reference._markdown import code, page, table
from gnomon.cost.area import list_area_keys
from gnomon.cost.energy import PowerTable, StatedTable
from gnomon.cost.platforms import list_platform_keys

_INTRODUCTION = """\
The tables of `models/`, in YAML. Words in capitals are placeholders for names. A key is required
unless the page states it is optional. [models/README.md](../../models/README.md) lists the folder
of each table and the columns of the CSV files next to them."""
_POWER = """\
`gnomon power fit` writes them ([docs/method/energy.md](../method/energy.md)); the key `power` of a
machine names one. 95 % intervals; an end of `.inf` means that the data do not bound the price."""
_STATED = """\
User-defined energies of a core, without gates
([docs/method/stated-energy.md](../method/stated-energy.md)). The key `power` of a machine names a
file in `models/power` of the project."""
_AREA = """\
The key `area` of a machine names one ([docs/method/area.md](../method/area.md))."""
_PLATFORM = """\
`gnomon learner --arch` takes them by name or path
([docs/guide/platforms.md](../guide/platforms.md))."""
_DIVIDERS = """\
`models/dividers/laws.yaml` holds them all
([docs/notes/vector-divide.md](../notes/vector-divide.md))."""


def tables_page() -> str:
    return page(
        "Keys of the tables",
        _INTRODUCTION,
        "## Power tables",
        _POWER,
        _keys(keys_of(PowerTable)),
        "## Stated energies",
        _STATED,
        _keys(keys_of(StatedTable)),
        "## Area tables",
        _AREA,
        _keys(list_area_keys()),
        "## Cost-model cores",
        _PLATFORM,
        _keys(list_platform_keys()),
        "## Dividers",
        _DIVIDERS,
        _keys(divider_keys()),
        "A law is a latency model in engine cycles: from the first cycle with the operands to the"
        " cycle that shows the result.",
        table(("law", "cycles"), [(code(name), law.meaning) for name, law in Divider.LAWS.items()]),
    )


def _keys(keys: Iterable[Key]) -> str:
    rows = [
        (code(key.path), key.unit, key.allowed, key.meaning + " (optional)" * (not key.required))
        for key in keys
    ]
    return table(("key", "unit", "allowed", "meaning"), rows)


def divider_keys() -> tuple[Key, ...]:
    """Return the keys of the divider table; its sections are named NAME."""
    name, *keys = keys_of(Divider)
    below = (each._replace(path=f"NAME.{each.path}") for each in keys)
    return (name._replace(path="NAME", allowed=""), *below)
