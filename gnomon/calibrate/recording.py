"""Ports of a core's RTL in every cycle of a program, for a replay on its gates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.files import is_file, read_any_text
from gnomon.calibrate._core import CoreFile as CoreFile  # noqa: PLC0414 - for callers
from gnomon.calibrate._device import RtlDevice, Waits

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from gnomon.program import Program
    from gnomon.rtl.tools import Simulator


_TOP = re.compile(r"^top\s*:", re.MULTILINE)


def is_core_file(path: Path) -> bool:
    """Return whether a file is a ``core.yaml``, which has the key ``top``; machines have none."""
    return path.suffix in (".yaml", ".yml") and is_file(path) and bool(
        _TOP.search(read_any_text(path))
    )  # fmt: skip


@dataclass(frozen=True)
class CoreRecorder:
    """The RTL of a core, as it is synthesized, in a simulator."""

    device: RtlDevice

    @classmethod
    def from_core(
        cls,
        core: CoreFile,
        folder: Path,
        ports: Sequence[tuple[str, int]],
        simulator: Simulator = "icarus",
    ) -> CoreRecorder:
        """Compile a core and its bench.

        Args:
            core: the core.
            folder: build folder.
            ports: recorded ports with their widths in bits.
            simulator: RTL simulator.

        Raises:
            GnomonError: if the simulator is missing, or the core does not compile.
        """
        device = RtlDevice(core.synthesized(), folder.resolve(), simulator, recorded=tuple(ports))
        device.build()
        return cls(device)

    def record(self, program: Program, most_cycles: int) -> npt.NDArray[np.uint8]:
        """Return the ports in every cycle, without wait states; see :meth:`RtlDevice.record`.

        Raises:
            GnomonError: if the simulation fails, or the program does not end.
        """
        return self.device.record(program, Waits(0, 0), most_cycles)
