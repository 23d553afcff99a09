"""``gnomon live``: a program on a local page, with sliders for what the machine is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import option
from gnomon.cli._program import Target
from gnomon.cli._view import MOST_SHOWN_CYCLES, view_of_target

if TYPE_CHECKING:
    from gnomon.arch import Architecture


@answers()
def live(
    target: Target,
    *,
    port: int = option("--port N", "Of 127.0.0.1; 0 takes a free one.", 0),
    max_cycles: int = option(
        "--max-cycles N", "Stop a run after this many cycles.", MOST_SHOWN_CYCLES
    ),
) -> Answer:
    """Show a program on a page of this computer: cycles and µJ by line, sliders of the
    machine.

    The page is served on 127.0.0.1 to who has its whole address, until Ctrl-C. A slider is
    answered by re-timing where that is exact, then by a run.
    """
    from gnomon.report.live import LOOPBACK, Live
    from gnomon.report.run_page import run_page
    from gnomon.sim import NotPriceable, Region, TimedPath, record_path

    machine = target.machine()
    knobs = list(_knobs(machine))

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
            return {}  # another program runs there
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


def _knobs(machine: Architecture) -> Iterator[dict[str, Any]]:
    """Keys of a machine with the values that a slider has, its own among them."""
    from gnomon.arch.dividers import Divider
    from gnomon.arch.keys import all_keys, meaning_of, written

    kept = ["16", "32", "50", "64", "100", "150", "200"]
    values: dict[str, Sequence[str]] = {
        "memory.data.waits": [str(n) for n in (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32)]
    }
    if machine.core.model == "t13":
        values |= {"core.harts": [*"345678"], "core.superscalar": ["false", "true"]}
    if machine.core.divider is not None:
        values["core.divider"] = [name for name in Divider.by_name() if name != "table"]
    if machine.vcu is not None:
        values |= {
            "vcu.simd": ["1", "2", "4", "8"],
            "vcu.scratchpads.size": [f"{n} KiB" for n in (1, 2, 4, 8, 16, 32)],
            "memory.data.width": ["32", "64", "128", "256"],
            "memory.data.burst": ["1", "2", "4", "8", "16"],
        }
        if machine.core.model == "t13":
            values["vcu.sharing"] = ["shared", "replicated", "multithreaded"]
    values["clock"] = [f"{mhz} MHz" for mhz in kept]
    units = {key.path: key.unit for key in all_keys()}
    for key, choices in values.items():
        own = written(reduce(getattr, key.split("."), machine), units[key])
        every = [*choices] if own in choices else [own, *choices]
        unit = f" {units[key]}" if own.isdigit() else ""  # sizes and the clock say theirs
        yield {"key": key, "values": every, "value": own, "unit": unit, "meaning": meaning_of(key)}
