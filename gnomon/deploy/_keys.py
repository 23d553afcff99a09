"""Every key of a deployment file, by section, and what it means: for checks and the reference."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """One key.

    Attributes:
        meaning: in one line.
        default: as the file would write it; empty: required, or there is none.
        required: it cannot be left out.
    """

    meaning: str
    default: str = ""
    required: bool = False


_FIGURE = "a figure: {value: ..., source: ...}, or `not included`"

SECTIONS: dict[str, dict[str, Key]] = {
    "": {
        "schema": Key("version of this file format: 1", required=True),
        "name": Key("names the report; lower-case letters, digits, '.', '_', '-', at most 64",
                    required=True),
        "title": Key("one line for people", "the name"),
        "requests": Key("when requests for decisions come", required=True),
        "rewards": Key("when what is learned from comes back", "updates right after the decision"),
        "deadline": Key("a decision that takes longer is missed", "none"),
        "learner": Key("what decides and learns", required=True),
        "arch": Key("the machine: a shipped name or a path from this file", required=True),
        "set": Key("keys of the machine that differ, such as clock"),
        "device": Key("who serves and who may wait"),
        "power": Key("power that is drawn whatever the device does", required=True),
        "sleep": Key("what sleeping takes, or `never`", required=True),
        "battery": Key("what feeds it", "none"),
        "require": Key("what must be kept: quantity, <= or >=, number, unit", "nothing"),
        "search": Key("the slowest clock, or the best of some machines, that keeps it", "none"),
    },
    "requests": {
        "arrivals": Key("periodic, poisson or recorded", required=True),
        "period": Key("time between requests: of periodic ones; mean of Poisson ones"),
        "rate": Key("requests per time, instead of period"),
        "jitter": Key("of periodic ones: each comes later by up to so much, uniform", "0 s"),
        "count": Key("how many requests; of recorded ones, at most", "all recorded ones"),
        "file": Key("of recorded ones: a CSV file with one column, time_s, time_ms or time_us"),
        "seed": Key("of all that is random in the run", "0"),
    },
    "rewards": {
        "delay": Key("from the decision to the reward, on average", "0 s"),
        "kind": Key("constant, uniform (0 to twice the delay) or exponential", "constant"),
        "share": Key("of decisions whose reward comes back at all", "100 %"),
    },
    "device": {
        "harts": Key("how many serve requests side by side", "1"),
        "waiting-decisions": Key("how many may wait; more are dropped", "unlimited"),
        "waiting-updates": Key("how many may wait; more are dropped", "unlimited"),
        "priority": Key("decisions-first, updates-first or in-order", "decisions-first"),
        "preempt": Key("decisions interrupt updates; scalar variants only", "false"),
    },
    "power": {
        "static": Key(f"drawn at all times, asleep too; {_FIGURE}", required=True),
        "idle": Key("awake, no hart at work: `measured` prices sleeping harts by the power table;"
                    f" or {_FIGURE}", "measured"),
    },
    "sleep": {
        "after": Key("idle time before it falls asleep", "0 s"),
        "power": Key(f"while asleep, beyond static; {_FIGURE}", required=True),
        "enter-time": Key(f"of falling asleep; {_FIGURE}", required=True),
        "enter-energy": Key(f"of falling asleep, beyond static; `idle`: idle power; or {_FIGURE}",
                            required=True),
        "wake-time": Key(f"of waking; {_FIGURE}", required=True),
        "wake-energy": Key(f"of waking, beyond static; `idle`: idle power; or {_FIGURE}",
                           required=True),
    },
    "battery": {
        "capacity": Key("mAh with a voltage, or mWh; {value: ..., source: ...}", required=True),
        "voltage": Key("mean voltage while it discharges; {value: ..., source: ...}"),
        "usable": Key(f"share of the capacity that the device can use; {_FIGURE}", required=True),
        "self-discharge": Key(f"share of the capacity lost in a year; {_FIGURE}", required=True),
        "current": Key("load that it is made for, to warn of more; needs a voltage;"
                       " {value: ..., source: ...}"),
    },
    "search": {
        "clock": Key("{from: ..., to: ..., points: 9}: clocks between which the slowest is found"),
        "arch": Key("machines to choose from, with the same keys set"),
        "objective": Key("of machines: area, power or listed", "area"),
    },
}  # fmt: skip
"""By section; the empty name is the file itself."""

LEARNER_KEYS: dict[str, Key] = {
    "name": Key("name of the learner", required=True),
    "steps": Key("how many steps are measured, each after 64 random ones, from seeds in a row",
                 "16"),
    "service": Key("drawn: each request costs one of them at random; in-order: one after the other",
                   "drawn"),
}  # fmt: skip
"""Keys of the section ``learner`` beside the settings of a learner in sweeps."""

NOT_OF_DEPLOYMENTS = ("learner", "correcting", "rounds", "contexts", "environments")
"""Settings of a learner in sweeps that a deployment has no use for: it corrects by itself."""
