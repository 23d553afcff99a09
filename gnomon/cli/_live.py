"""``gnomon live``: a local page of a program, with sliders for keys of the machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import option
from gnomon.cli._program import Target
from gnomon.cli._view import MOST_SHOWN_CYCLES, view_of_target

if TYPE_CHECKING:
    from gnomon.arch import Architecture


@with_json_output()
def live(
    target: Target,
    *,
    port: int = option("--port N", "Port of 127.0.0.1; 0 takes a free port.", 0),
    max_cycles: int = option("--max-cycles N", "Cycle limit of each run.", MOST_SHOWN_CYCLES),
) -> CommandOutput:
    """Serve a local page with machine sliders.

    The page shows cycles and µJ by line. The command serves it on 127.0.0.1 until Ctrl-C; only a
    request with the full printed address gets it. After a change of a slider, re-timing gives the
    cycles if it is exact; then a run gives all figures.
    """
    from gnomon.report.live import LOOPBACK, Live
    from gnomon.report.run_page import run_page
    from gnomon.sim import NotPriceable, Region, TimedPath, record_path

    machine = target.machine()
    knobs = list(_list_knobs(machine))

    def view(settings: Sequence[str]) -> dict[str, Any]:
        return view_of_target(target, settings, max_cycles=max_cycles)

    paths: list[TimedPath | None] = []
    program = target.load(machine)

    def retime(settings: Sequence[str]) -> dict[str, Any]:
        if not paths:
            region = Region("main", program.symbol("main").address)
            try:
                paths.append(record_path(program, machine, [region], max_cycles=max_cycles))
            except NotPriceable:
                paths.append(None)
        if paths[0] is None:
            return {}
        there = target.machine(settings)
        if target.load(there, quiet=True).digest != program.digest:
            return {}  # the program differs on this machine
        try:
            regions = paths[0].retime(there)["main"]
        except NotPriceable:
            return {}
        return {"cycles": sum(each.wall_cycles for each in regions)}

    page = run_page(view(()), knobs)
    shown = Live(page, {each["key"]: each["values"] for each in knobs},
                 {"view": view, "retime": retime})  # fmt: skip
    server = shown.server(port)
    address = f"http://{LOOPBACK}:{server.server_address[1]}/{shown.token}/"
    yield {"url": address}, [f"{address} (Ctrl-C ends it)"]
    import sys

    sys.stdout.flush()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()


def _list_knobs(machine: Architecture) -> Iterator[dict[str, Any]]:
    """Yield keys of a machine with the values of their sliders, its own value included."""
    from gnomon.arch.dividers import Divider
    from gnomon.arch.keys import all_keys, meaning_of, written

    clocks_mhz = ["16", "32", "50", "64", "100", "150", "200"]
    waits = [str(n) for n in (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32)]
    values: dict[str, Sequence[str]] = (
        {} if machine.memory.regions else {"memory.data.waits": waits}
    )
    if machine.core.model == "t13":
        values |= {"core.harts": [*"345678"], "core.superscalar": ["false", "true"]}
    if machine.core.divider is not None:
        values["core.divider"] = [name for name in Divider.by_name() if name != "table"]
    if machine.vcu is not None:
        values |= {
            "vcu.simd": ["1", "2", "4", "8"],
            "vcu.scratchpads.size": [f"{n} KiB" for n in (1, 2, 4, 8, 16, 32)],
        }
        if not machine.memory.regions:
            values |= {
                "memory.data.width": ["32", "64", "128", "256"],
                "memory.data.burst": ["1", "2", "4", "8", "16"],
            }
        if machine.core.model == "t13":
            values["vcu.sharing"] = ["shared", "replicated", "multithreaded"]
    values["clock"] = [f"{mhz} MHz" for mhz in clocks_mhz]
    units = {key.path: key.unit for key in all_keys()}
    for key, choices in values.items():
        own = written(reduce(getattr, key.split("."), machine), units[key])
        every = [*choices] if own in choices else [own, *choices]
        unit = f" {units[key]}" if own.isdigit() else ""  # sizes and the clock have it in the value
        yield {"key": key, "values": every, "value": own, "unit": unit, "meaning": meaning_of(key)}
