"""The bench of a core: a memory with wait states, and a line for each instruction that retires."""

from pathlib import Path

from jinja2 import StrictUndefined, Template

from gnomon.rtl.calibrate._core import CoreFile


def bench_text(core: CoreFile) -> str:
    """The bench of a core, in Verilog; it ends at a store to the exit, or when nothing happens."""
    ports = dict.fromkeys(core.clock, "clock")
    ports[core.reset.signal] = "~" * (core.reset.active == "low") + "held"
    ports |= {core.ports.get(name, name): name for name in core.bus.ports}
    ports |= {name: str(value) for name, value in core.inputs.items()}
    parameters = ", ".join(f".{name}({value})" for name, value in core.parameters.items())
    text = Path(__file__).with_name("core_bench.v.j2").read_text(encoding="utf-8")
    made = Template(text, keep_trailing_newline=True, undefined=StrictUndefined).render(
        bus=core.bus.text, top=core.top, parameters=f"#({parameters})" if parameters else "",
        connections=", ".join(f".{name}({value})" for name, value in ports.items()),
        retire=core.retire,
    )  # fmt: skip
    return str(made)
