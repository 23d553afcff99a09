"""`gnomon check`: a device as `gnomon new` writes it passes, and each way to cheat is seen."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gnomon.base.content import found
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.measure.devices import check_device, list_device_checks

SHIPPED = sorted(name for name, each in found("devices").items() if each.shipped)

CHEATS = {
    "a static variable": ("bell", "switch (offset) {\n    case 0: return device",
                          ("static uint32_t n;\n    switch (offset) {\n    case 2: return n++;\n"
                          "    case 0: return device"), "static or global variables"),
    "a level that changes the state": (
        "bell", "{ return rings(device, cycle); }",
        "{ return rings(device, cycle) + 0 * ((Device *)(uintptr_t)device)->scratch++; }",
        "level or next changes what a read"),
    "a next that changes the state": (
        "bell", "    const uint64_t due = device->since + DEVICE_CYCLES;",
        ("    const uint64_t due = device->since + DEVICE_CYCLES;\n"
        "    ((Device *)(uintptr_t)device)->scratch ^= 1u;"), "level or next changes what a read"),
    "a level that next does not announce": (
        "bell", "due > cycle ? due :", "due > cycle ? due + 1 :", "without an access, and next("),
    "a next that never comes": (
        "bell", "due > cycle ? due :", "due > cycle ? DEVICE_NEVER :", "is never"),
    "a next in the past": ("bell", "due : DEVICE_NEVER", "cycle : DEVICE_NEVER", "is not after"),
    "a write after the state": (
        "bell", "device->since = cycle;", "device->since = cycle; device[1].scratch = value;",
        "writes after the end of its type Device"),
    "a write before the state": (
        "bell", "device->since = cycle;", "device->since = cycle; device[-1].scratch = value;",
        "writes before its type Device"),
    "memory of an earlier run": (
        "chime", "self.scratch = 0", "self.scratch = len(SEEN)\n        SEEN.append(0)",
        "in a second run"),
    "the time of the host": (
        "chime", "else self.scratch if", "else time.perf_counter_ns() % 1000 if",
        "in a second run"),
    "a class attribute": (
        "chime", "            self.since = cycle\n",
        ("            self.since = cycle\n            SEEN.append(0)\n"
        "            self.scratch = len(SEEN) % 97\n"), "in a second run"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHEATS)
def test_a_device_that_cheats_is_seen(name: str, project: Path) -> None:
    kind, old, new, message = CHEATS[name]
    cheat = f"cheat{list(CHEATS).index(name)}"
    folder = project / "devices" / cheat
    shutil.copytree(project / "devices" / kind, folder)
    (path,) = (each for each in folder.iterdir() if each.stem == kind)
    text = path.read_text()
    assert old in text
    head = "import time\n\nSEEN = []\n\n" * (kind == "chime")
    text = text.replace("from __future__ import annotations\n",
                        f"from __future__ import annotations\n\n{head}")  # fmt: skip
    path.write_text(text.replace(old, new))
    with pytest.raises(GnomonError) as caught:
        check_device(cheat)
    assert message in str(caught.value)
    assert isinstance(caught.value, CheckFailed) or "variables" in message


@pytest.mark.parametrize("kind", ["bell", "chime"])
def test_a_new_device_passes(kind: str, project: Path) -> None:
    assert (project / "devices" / kind).is_dir()
    names = [each.name for each in list_device_checks(kind)]
    assert names[0] == "files"
    assert names[-1] == "equal runs: tiers, quanta, traces"
    check_device(kind)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_device_passes(name: str) -> None:
    check_device(name)
