"""Explanations of programs: sources, contract and flags of a kernel or a learner."""

from collections.abc import Sequence

from gnomon.base.content import found
from gnomon.base.errors import GnomonError, allowed_hint, did_you_mean
from gnomon.base.tables import shown_path
from gnomon.measure.kernels import find_kernel
from gnomon.measure.learners import find_embedded_learner
from gnomon.program import find_toolchain
from gnomon.report.explain._chain import Chain, ChainStep
from gnomon.report.explain._sources import table_path

LEVEL = "-O2"
_SIMULATOR = ChainStep(
    "source",
    "the cycle-exact simulator; the page lists comparisons and differences",
    "docs/method/validation.md",
    "equal to the public RTL in all comparisons; see the machine for keys from other sources",
)


def explain_simulator() -> Chain:
    """Explain ``simulator``: the origin of cycles."""
    step = ChainStep(
        "how", "counted by gnomon/sim, one issue slot at a time", "docs/method/cycles.md"
    )
    return Chain("simulator", "", "", (step, *Chain("", "", "", (_SIMULATOR,)).deeper()))


def explain_kernel(rest: str) -> tuple[Chain, ...]:
    """Explain ``kernel.NAME[.VARIANT][.WORD]``: all variants, or one; WORD selects a quantity."""
    name, _, after = rest.partition(".")
    known = found("kernels")
    if name not in known:
        raise GnomonError(f"kernel.{rest}: no such kernel {allowed_hint(name, known, 'known')}")
    kernel = find_kernel(name)
    variants = {variant.name: variant for variant in kernel.variants}
    chosen, _, quantity = after.partition(".")
    if chosen and chosen not in variants:
        if quantity or chosen not in _ASKED:
            allowed = [*variants, *_ASKED]
            raise GnomonError(
                f"kernel.{rest}: {name} has no {chosen!r} {allowed_hint(chosen, allowed)}"
            )
        chosen, quantity = "", chosen
    if quantity and quantity not in _ASKED:
        near = did_you_mean(quantity, _ASKED)
        raise GnomonError(f"kernel.{rest}: {quantity!r} is none of {', '.join(_ASKED)}{near}")
    chains = []
    for variant in [variants[chosen]] if chosen else kernel.variants:
        files = [shown_path(path) for path in (kernel.folder / "kernel.yaml", *variant.sources)]
        what = f"{name}, {variant.name}: {kernel.title}; {variant.contract}"
        how = "compared bit by bit with a model in integer arithmetic in every run"
        machine = "t13-paper-simd4" if variant.vector else "t13"
        command = f"gnomon kernel {name} --n 16 --variant {variant.name} --arch {machine}"
        steps = _program(what, files, f"{variant.function}(", how)
        steps.append(ChainStep("command", command, depth=1))
        full = ".".join(filter(None, ("kernel", name, variant.name, quantity)))
        chains.append(Chain(full, "", "", (*steps, *_counted(quantity))))
    return tuple(chains)


_ASKED = ("cycles", "time", "energy")


def explain_learner(rest: str) -> tuple[Chain, ...]:
    """Explain ``learner.NAME[.LINE[.VARIANT]][.WORD]``, like kernels."""
    name, *words = rest.split(".")
    quantity = words.pop() if words and words[-1] in _ASKED else ""
    learner = find_embedded_learner(name)
    chains = []
    for variant in learner.variants:
        names = [variant.line, variant.name]
        if words != names[: len(words)]:
            continue
        # Its own sources first: the chain leads to the first one.
        paths = sorted(variant.paths(), key=lambda path: path.name not in variant.sources)
        files = [shown_path(path) for path in paths]
        what = f"{name}, {variant.line} implementation, {variant.name}: {learner.title}"
        how = "every step compared bit by bit with the host build of the same sources"
        steps = _program(what, files, "", how)
        full = ".".join(filter(None, ("learner", name, *names, quantity)))
        chains.append(Chain(full, "", "", (*steps, *_counted(quantity))))
    if not chains:
        known = [*(f"{v.line}.{v.name}" for v in learner.variants), *_ASKED]
        near = did_you_mean(".".join(words), known) or did_you_mean(words[-1], known)
        raise GnomonError(f"learner.{rest}: {name} has {', '.join(known)}{near}")
    return tuple(chains)


def _counted(quantity: str) -> tuple[ChainStep, ...]:
    return explain_simulator().deeper() if quantity else ()


def _program(what: str, files: Sequence[str], function: str, how: str) -> list[ChainStep]:
    toolchain = find_toolchain("zig")
    where = _line_of(files, function)
    whose = "user C" if where.startswith("/") else "C of gnomon, in the repository"
    return [
        ChainStep("program", what, where),
        ChainStep("program", f"sources: {', '.join(files)}", depth=1),
        ChainStep(
            "program", f"built by {toolchain.title}: {' '.join(toolchain.flags(LEVEL))}", depth=1
        ),
        ChainStep("source", whose, where, how, depth=1),
    ]


def _line_of(files: Sequence[str], function: str) -> str:
    """Return the line of a function's definition, or the first line of the first file."""
    for file in files if function else ():
        text = table_path(file).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(text, 1):
            if function in line and not line.startswith((" ", "\t", "//", " *")):
                return f"{file}:{number}"
    return f"{files[0]}:1"
