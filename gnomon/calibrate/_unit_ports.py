"""Ports of cores at which units are connected: the module in the bench, and its signals."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from gnomon.arch.units import Unit
from gnomon.arch.units.cvxif import CVXIF_MODULE, CVXIF_TYPES, cvxif_module
from gnomon.arch.units.hdl import PCPI_MODULE, pcpi_module


class UnitPort(NamedTuple):
    """A port of a core.

    ``signals``: type of each, by name. ``text``: returns the module with the units. ``types``: it
    needs a package of the core, which is compiled before.
    """

    module: str
    signals: dict[str, str]
    text: Callable[[Sequence[Unit]], str]
    types: bool = False


_WORD: Final = "wire [31:0]"
UNIT_PORTS: Final = {
    "pcpi": UnitPort(
        PCPI_MODULE,
        {"pcpi_valid": "wire", "pcpi_insn": _WORD, "pcpi_rs1": _WORD, "pcpi_rs2": _WORD,
         "pcpi_wr": "wire", "pcpi_rd": _WORD, "pcpi_wait": "wire", "pcpi_ready": "wire"},
        pcpi_module,
    ),
    "cv-x-if": UnitPort(
        CVXIF_MODULE,
        {"x_issue_valid_o": "wire", "x_issue_ready_i": "wire",
         "x_issue_req_o": f"{CVXIF_TYPES}::x_issue_req_t",
         "x_issue_resp_i": f"{CVXIF_TYPES}::x_issue_resp_t",
         "x_register_o": f"{CVXIF_TYPES}::x_register_t",
         "x_result_valid_i": "wire", "x_result_ready_o": "wire",
         "x_result_i": f"{CVXIF_TYPES}::x_result_t"},
        cvxif_module,
        types=True,
    ),
}  # fmt: skip
"""By their names in ``core.yaml``, which are those of ``core.unit_port``."""
