"""A user's checkout of the Klessydra-T13 as a design: its VHDL, synthesized with GHDL."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from gnomon.arch import Architecture
from gnomon.base.content import content
from gnomon.klessydra._fast import FastCore
from gnomon.rtl.designs import MACHINE_PORTS, MEMORY, Design
from gnomon.rtl.setting import Setting

_TOP = "klessydra_gates"
_GENERICS = ("LUTRAM_RF=0",)  # registers in flip-flops, since libraries of cells lack LUT memory
_COMMENT = re.compile(r"/\*.*?\*/")  # comments name files in a temporary folder
# The simulation of gates supports no latches. Here a closed latch reads 0. The T13x has three
# latches: one never closes, and the two for carries are read only while they are open.
_LATCH = re.compile(r"(if \(\w+\) (\w+) = \w+;)")


@dataclass(frozen=True, slots=True)
class Checkout:
    """A user's core: path of its source list, its entity, and the GHDL for it.

    Paths are text, since the values are part of the key of cached results.
    """

    sources: str
    top: str = "klessydra_t1_3th_core"
    ghdl: str = ""  # the one on PATH

    def design(self, architecture: Architecture) -> Design:
        """Return the design of the core in the setting of a machine.

        Raises:
            GnomonError: if GHDL is too old or rejects a source, or the core does not fit.
        """
        ghdl, listing = Path(self.ghdl) if self.ghdl else None, Path(self.sources)
        with TemporaryDirectory() as work:
            core = FastCore.from_sources(
                ghdl, listing, self.top, Path(work), machine=architecture, given=_GENERICS
            )
            text = core.verilog(Setting.from_architecture(architecture))
        return design(self.top.lower(), text, core.ports, core.signals)


def design(
    core: str, verilog: str, ports: Sequence[tuple[str, str]], signals: Mapping[str, str]
) -> Design:
    """Return a core in a wrapper with the ports of gnomon's machine.

    Args:
        core: module of the core.
        verilog: text of all its modules.
        ports: ports of the core, with the signal to connect.
        signals: signals of the core that show an issue: valid, hart, pc, word.
    """
    files = {
        "core.v": _LATCH.sub(r"\1 else \2 = 0;", _COMMENT.sub("", verilog)).encode(),
        "top.v": "\n".join(_write_wrapper(core, ports, signals)).encode(),
        f"{MEMORY}.sv": content("rtl_tests", "hdl", f"{MEMORY}.sv").read_bytes(),
        "banks.v": content("rtl_tests", "klessydra", "banks.v").read_bytes(),
    }
    return Design(_TOP, files, (
        f"read_verilog -sv -lib {MEMORY}.sv",
        "read_verilog core.v",
        f"expose {' '.join(f'{core}/w:{each}' for each in signals.values())}",
        "read_verilog top.v",
        f"synth -top {_TOP} -run begin:fine",
        "techmap -map banks.v",
        f"synth -top {_TOP} -run fine:",
    ))  # fmt: skip


def _write_wrapper(
    core: str, ports: Sequence[tuple[str, str]], signals: Mapping[str, str]
) -> Iterator[str]:
    pins = {name: "rst_n" if name == "rst_ni" else name[:-2] if name == shown else shown
            for name, shown in ports}  # fmt: skip
    pins |= {signal: "issue" if name == "valid" else f"issue_{name}"
             for name, signal in signals.items()}  # fmt: skip
    yield f"module {_TOP} (input clk"
    for name, width in MACHINE_PORTS.items():
        own = next((each for each, ours in pins.items() if ours == name), "")
        if own:
            yield f", {'input' if own.endswith('i') else 'output'} [{width - 1}:0] {name}"
    yield f"); {core} core ({', '.join(f'.{own}({ours})' for own, ours in pins.items())});"
    yield "endmodule"
