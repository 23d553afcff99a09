"""A user's own checkout of the Klessydra-T13 as a design: its VHDL through GHDL's synthesis."""

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
_GENERICS = ("LUTRAM_RF=0",)  # registers are flip-flops: libraries of cells have no such memory
_COMMENT = re.compile(r"/\*.*?\*/")  # they name files in a folder of this run
# Latches are not cells that are simulated. Closed, one reads 0 here; of its three in the T13x one
# is never closed, and carries are looked at while theirs are open.
_LATCH = re.compile(r"(if \(\w+\) (\w+) = \w+;)")


@dataclass(frozen=True, slots=True)
class Checkout:
    """A core of the user's: path of its own list of sources, its entity, and the GHDL for it.

    Paths are text, as results are kept by what decides them.
    """

    sources: str
    top: str = "klessydra_t1_3th_core"
    ghdl: str = ""  # the one on PATH

    def design(self, architecture: Architecture) -> Design:
        """The core in the setting of a machine.

        Raises:
            GnomonError: GHDL is too old or says no, or the core does not fit.
        """
        ghdl, listing = Path(self.ghdl) if self.ghdl else None, Path(self.sources)
        with TemporaryDirectory() as work:
            core = FastCore.of(
                ghdl, listing, self.top, Path(work), machine=architecture, given=_GENERICS
            )
            text = core.verilog(Setting.of(architecture))
        return design(self.top.lower(), text, core.ports, core.signals)


def design(
    core: str, verilog: str, ports: Sequence[tuple[str, str]], signals: Mapping[str, str]
) -> Design:
    """A core with the ports of our machine around it.

    Args:
        core: its module.
        verilog: all of its modules.
        ports: its own, and what ties them.
        signals: its own that show an issue: valid, hart, pc, word.
    """
    files = {
        "core.v": _LATCH.sub(r"\1 else \2 = 0;", _COMMENT.sub("", verilog)).encode(),
        "top.v": "\n".join(_wrapped(core, ports, signals)).encode(),
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


def _wrapped(
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
