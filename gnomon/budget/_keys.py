"""Every key of a budget file, and every quantity that it can limit."""

from __future__ import annotations

from gnomon.explore import METRICS, Metric, Setting

KEYS = {
    "schema": "version of this file format: 1",
    "name": "names the budget; lower-case letters, digits, '.', '_', '-', at most 64",
    "baseline": "a JSON file that --update writes, by its path from this file (NAME.baseline.json)",
    "arch": "the machine of checks that name none: a shipped name or a path from this file",
    "set": "keys of the machine that differ, for all checks, such as vcu.simd",
    "checks": "what is measured, by a name of your own",
}
"""Of the file itself; in brackets what holds where a key is left out."""

CHECK_KEYS = {
    "learner": "what runs: one step of a learner, by its name",
    "kernel": "what runs: one call of a kernel, by its name",
    "program": "what runs: an ELF file, or a .c or .S file that is built, by its path",
    "settings": "settings of what runs, as in sweeps",
    "arch": "the machine, instead of that of the file",
    "set": "keys of the machine that differ, beside those of the file",
    "region": "measure cycles, time and energy of a part of a program: FUNCTION or START:END, each"
    " a symbol or an address",
    "hart": "whose passes through the region count (the lowest that enters it)",
    "exit-code": "what a program must return",
    "limits": "at most: quantity <= number unit, or <= baseline, or <= baseline + number unit or %",
}
"""Of each check."""

BUILD_SETTINGS = (
    Setting("compiler", "word", "zig or gcc, for .c and .S files", "zig"),
    Setting("optimization", "word", "level of the compiler, for .c and .S files", "-O2"),
    Setting("active-harts", "int", "how many harts run main, for .c and .S files", 1, least=1),
)
"""Settings of a program in a budget beside those in a sweep."""

_OF_PROGRAMS = (
    Metric("text_bytes", "instructions", ("kernel", "program")),
    Metric("static_bytes", "static data, constants included", ("kernel", "program")),
    Metric("stack_bytes", "deepest stacks of all active harts together", ("program",)),
    Metric("memory_bytes", "instructions, static data and stacks together", ("program",)),
)

METRICS_OF: dict[str, dict[str, Metric]] = {
    workload: {metric.name: metric for metric in (*METRICS, *_OF_PROGRAMS) if workload in metric.of}
    for workload in ("learner", "kernel", "program")
}
"""By workload and column: what can be limited."""
