"""A user-defined device as machines have it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Language = Literal["c", "python"]


class DevicePrice(NamedTuple):
    """Stated energy of an access."""

    read_pj: float
    write_pj: float
    source: str


class DeviceCode(NamedTuple):
    """The code of a device with the parameters of one machine."""

    name: str
    title: str
    folder: str
    language: Language
    text: str
    file: str  # its name, with that of the folder, for messages
    size_bytes: int
    whole_words: bool  # other accesses stop the run
    interrupt: bool  # it has a level, which can request an interrupt
    master: bool  # it accesses the memory itself
    parameters: tuple[tuple[str, int], ...]
    price: DevicePrice | None
    digest: str  # of all files of the folder

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions that the code must have."""
        return list_functions(interrupt=self.interrupt, master=self.master)


def list_functions(*, interrupt: bool, master: bool) -> tuple[str, ...]:
    """Return the names of the functions that a device needs."""
    found = ["read", "write"]
    found += ["next"] if interrupt or master else []
    found += ["level"] if interrupt else []
    return (*found, "step") if master else tuple(found)
