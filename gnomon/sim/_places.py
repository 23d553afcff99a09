"""Places of a machine's memories in the one array of words that the engine has for all of them.

First come the words that are decoded in advance: the part of the code's memory that holds code.
Then comes the data memory, without that part if code and data share a memory; then all other
regions, and what is left of the code's.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.sim._structs import NUMBERS, WINDOW


class Place(NamedTuple):
    """Addresses whose words follow each other in the array."""

    base: int
    size_bytes: int
    word: int  # index of its first word
    region: str  # "" in a machine without regions
    decoded: bool = False  # its words are decoded in advance

    @property
    def end(self) -> int:
        """First address after the place."""
        return self.base + self.size_bytes

    def bytes_in(self, ram: npt.NDArray[np.int32]) -> npt.NDArray[np.uint8]:
        """Return the bytes of the place."""
        last = self.word + self.size_bytes // 4
        found: npt.NDArray[np.uint8] = ram[self.word : last].view(np.uint8)
        return found


def list_places(architecture: Architecture, cfg: np.void) -> tuple[Place, ...]:
    """Return the places of all memories, the decoded words first, then the data memory."""
    memory, code_bytes, data_bytes = architecture.memory, int(cfg["isize"]), int(cfg["dsize"])
    link = memory.link.resolved() if memory.link is not None else {"text": "", "data": ""}
    text, data = link["text"], link["data"]
    found = [
        Place(int(cfg["ibase"]), code_bytes, 0, text, decoded=True),
        Place(int(cfg["dbase"]), data_bytes, code_bytes // 4, data),
    ]
    word = (code_bytes + data_bytes) // 4
    for name, region in memory.regions.items():
        if name == data:
            continue
        skipped = code_bytes if name == text else 0
        place = Place(region.base + skipped, int(region.size) - skipped, word, name)
        if place.size_bytes:
            found.append(place)
        word += place.size_bytes // 4
    return tuple(found)


def window_tables(
    architecture: Architecture, places: tuple[Place, ...]
) -> dict[str, npt.NDArray[Any]]:
    """Return the members of ``Machine`` about regions; none without regions."""
    memory = architecture.memory
    if not memory.regions:
        return {}
    records = np.zeros(len(places) - 1, dtype=WINDOW.dtype)
    for record, place in zip(records, (places[0], *places[2:]), strict=True):
        region = memory.regions[place.region]
        record["base"], record["size"], record["word0"] = place.base, place.size_bytes, place.word
        record["more"] = region.waits - memory.data.waits
        record["access_words"], record["burst"] = region.width // 32, region.burst
        kind = "CODE" if place.decoded else "DATA"
        record["kind"] = NUMBERS[f"WINDOW_{kind if region.writable else 'READ_ONLY'}"]
    return {"windows": records}


def content_of(region: str, places: tuple[Place, ...], ram: npt.NDArray[np.int32]) -> bytes:
    """Return the content of a region, from its lowest address on."""
    parts = sorted(each for each in places if each.region == region)
    return b"".join(each.bytes_in(ram).tobytes() for each in parts)
