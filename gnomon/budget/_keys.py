"""Settings of programs in a budget, and every quantity that it can limit."""

from __future__ import annotations

from gnomon.explore import METRICS, Metric, Setting

BUILD_SETTINGS = (
    Setting("compiler", "word", "zig or gcc, for .c and .S files", "zig"),
    Setting("optimization", "word", "level of the compiler, for .c and .S files", "-O2"),
    Setting("active-harts", "int", "how many harts run main, for .c and .S files", 1, least=1),
)
"""Settings of a program in a budget, in addition to those in a sweep."""

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
