"""Memories of unequal speed for a core and its machine: maps of regions over the bench's memory."""

import json
import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from gnomon.calibrate._device import Place
from gnomon.rtl.bare_metal import DATA_BASE

_CODE_BYTES: Final = 1 << 18
_USED_BYTES: Final = 2048
"""Bytes of data that random programs access."""
_SOME: Final = (0, 0, 1, 2, 3, 5, 8, 13)


def random_map(seed: int) -> tuple[Place, ...]:
    """Return regions over code and data, the data of random programs in several of them.

    The first one holds the code, the second one is that of the data.
    """
    rng = random.Random(f"map {seed}")  # noqa: S311 - tests, not secrets
    cuts = sorted({4 * rng.randrange(1, _USED_BYTES // 4) for _ in range(rng.randint(0, 3))})
    ends = [0, *cuts, _CODE_BYTES]
    parts = [
        Place(DATA_BASE + start, end - start, rng.choice(_SOME)) for start, end in pairwise(ends)
    ]
    rng.shuffle(parts)
    return (Place(0, _CODE_BYTES, rng.choice(_SOME)), *parts)


def region_machine(machine: Path | str, places: Sequence[Place]) -> str:
    """Return the text of a machine file: another machine with the regions of a map."""
    extended = str(machine.resolve()) if isinstance(machine, Path) else machine
    names = ["code", "data", *(f"part{number}" for number in range(len(places)))]
    regions = {
        name: {"base": each.base, "size": f"{each.size_bytes} B", "kind": "ram",
               "waits": each.waits}
        for name, each in zip(names, places, strict=False)
    }  # fmt: skip
    memory = {"instruction": None, "data": None, "regions": regions,
              "link": {"text": "code", "data": "data"}}  # fmt: skip
    lines = ("schema: 1", f"extends: {json.dumps(extended)}", "name: mapped", "title: Mapped",
             f"memory: {json.dumps(memory)}", "")  # fmt: skip
    return "\n".join(lines)
