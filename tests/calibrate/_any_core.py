"""Random in-order cores of ours that mix all families of keys that calibration infers."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.arch import variants
from gnomon.calibrate._device import MachineDevice

if TYPE_CHECKING:
    from pathlib import Path

_FRONTS = ("plain", "plain", "queue", "queue", "slow", "shared", "cache", "halves")
_LOADS = ["lb", "lh", "lw", "lbu", "lhu"]
_STORES = ["sb", "sh", "sw"]
_PRODUCTS = ["mul", "mulh", "mulhsu", "mulhu"]
_QUOTIENTS = ["div", "divu", "rem", "remu"]
_FIELDS = ["lui.rs1", "lui.rs2", "addi.rs2", "lw.rs2", "sw.rd", "jal.rs2", "beq.rd", "add.rd",
           "slli.rs2", "lw.rd"]  # fmt: skip


@dataclass(frozen=True)
class AnyCore:
    """Keys of a machine: those of ``core``, and of its instruction cache."""

    core: dict[str, Any]
    cache: dict[str, Any] | None

    def text(self) -> str:
        """Return its machine file."""
        memory = f"memory: {{caches: {{icache: {json.dumps(self.cache)}}}}}\n" if self.cache else ""
        return (
            f"extends: rv32im\nname: secret\ntitle: Secret\ncore: {json.dumps(self.core)}\n{memory}"
        )

    def device(self, folder: Path) -> MachineDevice:
        """Return the machine as a device to measure."""
        path = folder / "secret.yaml"
        path.write_text(self.text())
        return MachineDevice(variants(str(path)), self.core["isa"].removesuffix("_zicsr"))

    def has(self, key: str) -> bool:
        """Return whether a key or section, such as ``core.fetch.port``, is one of the machine's."""
        at: Any = {"core": self.core, "memory": {"caches": {"icache": self.cache or {}}}}
        for name in key.split("."):
            if not isinstance(at, dict) or not at.get(name):
                return False
            at = at[name]
        return True


def random_any_core(seed: int) -> AnyCore:
    """Return a core with several families of keys at once."""
    rng = random.Random(f"any {seed}")
    few = rng.randint
    front = _FRONTS[seed % len(_FRONTS)]
    compressed = front == "halves" or (front != "cache" and rng.random() < 0.4)
    interval = few(2, 3) if front == "slow" else 1
    least = max(interval, few(2, 3) if front == "halves" else 1)
    latency = _random_latency(rng, least)
    isa = "rv32imc_zicsr" if compressed else "rv32im_zicsr"
    core: dict[str, Any] = {"isa": isa, "misaligned": "trap", "latency": latency}
    if front in ("queue", "slow", "shared"):
        core["fetch"] = _random_queue(rng, front, interval, compressed)
        if front == "slow":
            latency["fence"] = few(latency["jump"], max(latency["jump"], 6))
        if rng.random() < 0.3:
            core["fetch"]["restarts"] = rng.choice([["fence"], _QUOTIENTS, ["mul"]])
    else:
        latency |= {"taken-fetches": few(0, 2), "prefetch": rng.choice(["none", few(1, 8)])}
        latency |= {"split-target": few(0, 2)} if compressed else {}
    if front == "halves":
        latency |= {"taken-fetches": few(0, 1), "split-next": few(1, 3)}
        latency |= {"split-again": few(0, 3)} if latency["taken-fetches"] else {}
    elif rng.random() < 0.5:
        core["predictor"] = _random_predictor(rng, latency["branch-taken"], "fetch" in core)
    for add in (_add_rules, _add_bypass, _add_interlocks):
        if rng.random() < 0.4:
            add(rng, latency, least, "fetch" not in core)
    return AnyCore(core, _random_cache(rng) if front == "cache" else None)


def _random_latency(rng: random.Random, least: int) -> dict[str, Any]:
    few = rng.randint
    alu = rng.choice([least, least, least + 1])
    latency: dict[str, Any] = {name: few(alu, alu + 4) for name in ("mul", "mulh", "load", "store")}
    latency |= {name: few(alu, alu + 3) for name in ("branch", "jump", "fence")}
    latency |= {"alu": alu, "div": few(8, 40), "csr": 1, "system": 1, "amo": 1}
    return latency | {"branch-taken": few(0, 4), "load-use": rng.choice([0, 0, 1, 2])}


def _random_queue(
    rng: random.Random, front: str, interval: int, compressed: bool
) -> dict[str, Any]:
    few = rng.randint
    cycles = few(interval, 2 * interval) if front == "slow" else few(1, 3)
    words = max(-(-cycles // interval), 2 if compressed else 1)
    fetch: dict[str, Any] = {"queue": few(words, 4), "latency": cycles, "interval": interval,
                             "memory_stage": few(0, 1) > 0}  # fmt: skip
    if compressed:
        fetch["takes"] = rng.choice(["words", "instructions"])
    if front == "shared":
        fetch["port"] = "shared"
    elif front == "slow":
        fetch["redirect"] = few(0, 2)
    return fetch


def _random_predictor(rng: random.Random, taken: int, queue: bool) -> dict[str, Any]:
    few = rng.randint
    kind = rng.choice(["static", "one-entry"] if queue else ["static", "one-entry", "table"])
    keys: dict[str, Any] = {"kind": kind, "miss": few(0, 5)}
    if kind != "one-entry" or not queue:
        keys["hit"] = few(0, max(0, taken - 1))
    if kind == "table":
        keys |= {"entries": rng.choice([2, 4, 8, 16, 32, 64]), "bits": few(1, 2),
                 "targets": few(0, 1) > 0}  # fmt: skip
    return keys


def _add_rules(rng: random.Random, latency: dict[str, Any], least: int, hides: bool) -> None:
    few = rng.randint
    shift: dict[str, Any] = {"of": ["sll", "slli", "srl", "srli"], "cycles": few(least, 8)}
    by_amount = [few(least, 40) for _ in range(32)]
    shift |= rng.choice([{}, {"by": "shift-amount", rng.choice(["each", "step"]): 2},
                         {"by": "shift-amount", "cycles": by_amount}])  # fmt: skip
    unit: dict[str, Any] = {"of": ["div", "rem"]}
    by_bits = [few(least, 40) for _ in range(33)]
    unit |= rng.choice([{"cycles": few(least, 40)},
                        {"by": "signs", "cycles": [few(least, 40) for _ in range(9)]},
                        {"by": "rs2-bits", "cycles": few(least, 9), "each": 1},
                        {"by": "rs1-bits", "cycles": by_bits}])  # fmt: skip
    rules = [shift, unit]
    rules += [{"of": names, "cycles": few(least, 9)}
              for names in (["slt", "slti"], ["mulhu"], ["lui"]) if rng.random() < 0.4]  # fmt: skip
    if hides:
        for rule in rules:
            rule["hides"] = rng.random() < 0.7
    latency["rules"] = rules


def _add_bypass(rng: random.Random, latency: dict[str, Any], *_: object) -> None:
    few = rng.randint
    latency |= {"load-use": few(1, 3), "mul-use": few(0, 3)}
    named = rng.choice([["rs1", "rs2", "rd"], ["rd"], rng.sample(_FIELDS, 4),
                        ["sb.rs2", "sh.rs2", "sw.rs2"]])  # fmt: skip
    entries = [
        {"of": _LOADS, "to": named, "cycles": latency["load-use"]},
        {"of": rng.choice([["div"], ["add", "slli"], ["mulh"]]), "cycles": few(1, 3)},
        {"of": ["addi", "lui"], "to": ["beq.rs1", "jalr.rs1", "lw.rs1"], "cycles": few(1, 2)},
    ]
    latency["bypass"] = rng.sample(entries, few(1, 3))


def _add_interlocks(rng: random.Random, latency: dict[str, Any], *_: object) -> None:
    few = rng.randint
    locks = [
        {"of": rng.choice([_STORES, _LOADS]), "to": ["mul", "div"], "cycles": few(1, 3)},
        {"of": ["div", "rem"], "to": _QUOTIENTS, "cycles": few(1, 9)},
        {"of": ["mul"], "to": _PRODUCTS, "cycles": few(1, 3)},
        {"of": ["fence"], "to": ["lw", "sw"], "cycles": few(1, 2)},
    ]
    latency["interlocks"] = rng.sample(locks, few(1, 3))


def _random_cache(rng: random.Random) -> dict[str, Any]:
    """Return a cache of 512 B to 32 KiB, as of ``memory.caches.icache``."""
    line = rng.choice([4, 8, 16, 32, 64, 256])
    sets = rng.choice([each for each in (1, 2, 4, 16, 64, 256) if each * line <= 8192])
    fewest = -(-512 // (line * sets))
    ways = rng.randint(fewest, max(fewest, 4)) if fewest <= 16 else 16
    width = rng.choice([each for each in (32, 64, 128, 256) if each <= 8 * line])
    return {"line": f"{line} B", "sets": max(sets, 512 // (16 * line)), "ways": ways,
            "width": width, "burst": rng.choice([1, 2, 3, 16])}  # fmt: skip
