"""The compilers. zig is a wheel and the default; GCC is used only on request."""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from gnomon.base.cache import cache_folder
from gnomon.base.compiler import compiler_output, host_triple, zig_binary, zig_version
from gnomon.base.errors import GnomonError, did_you_mean

COMPILERS = ("zig", "gcc")
_GCC_NAMES = (
    "riscv32-unknown-elf-gcc", "riscv64-unknown-elf-gcc", "riscv32-elf-gcc", "riscv64-elf-gcc",
    "riscv-none-elf-gcc",
)  # fmt: skip
_LANGUAGE = (
    "-std=gnu17",
    # Products wrap on these machines, and kernels rely on it. Without this flag the compiler may
    # assume that they never wrap, so host and target could differ.
    "-fwrapv",
    "-ffp-contract=off",  # a fused multiply-add rounds once, two instructions twice
    "-Wall",
    "-Wextra",
)
_FREESTANDING = (
    *_LANGUAGE,
    "-ffreestanding",
    "-fomit-frame-pointer",
    "-fno-pic",
    "-fno-stack-protector",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-fno-ident",
    "-ffunction-sections",
    "-fdata-sections",
    "-UNDEBUG",  # zig defines it when it optimizes, and assert would have no effect
)
# "generic" has no extensions, so no compressed instructions either. With relaxation the linker
# turns a far call into a near one, which saves one instruction.
_ZIG_TARGET = ("-target", "riscv32-freestanding-none")
# The level at which zig builds its own library. It is fixed, so that there is a single library, and
# because zig omits the symbols at other levels.
_ZIG_LIBRARY = ("-O2",)
_OF_EVERY_LIBC = frozenset(
    ("abort", "fprintf", "memcmp", "memcpy", "memmove", "memset", "stderr", "strlen")
)
_LINK = ("-static", "-Wl,--gc-sections", "-Wl,-z,max-page-size=4")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """One compiler: its path, version, and flags before those of the user.

    ``no_library`` links without the compiler's libraries, which zig takes seconds to build;
    ``known_at_run_time`` may then stay undefined, as every process has it. ``replaces_levels``: the
    driver replaces optimization levels by its own modes.
    """

    name: str
    version: str
    home: Path
    driver: tuple[str, ...]
    target: tuple[str, ...]
    language: tuple[str, ...]
    link: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    no_library: tuple[str, ...] = ()
    replaces_levels: bool = False
    known_at_run_time: frozenset[str] = frozenset()

    @property
    def title(self) -> str:
        return f"{self.name} {self.version}"

    def level(self, optimization: str) -> tuple[str, ...]:
        """Return the flags of one optimization level, such as ``-O1``.

        ``zig cc`` passes -O2 to clang for -O1 and -O3, and -Os for -Oz. An option after ``-Xclang``
        reaches clang unchanged, and the last level wins.
        """
        return (optimization, *(("-Xclang", optimization) if self.replaces_levels else ()))

    def flags(self, optimization: str, lines: str = "-g0") -> tuple[str, ...]:
        """Return the flags of every source, before macros and folders."""
        return (*self.target, *self.level(optimization), *self.language, lines)


def find_toolchain(compiler: str | None, isa: str = "rv32im_zicsr") -> Toolchain:
    """Return the cross-compiler for RV32IM, or for another ``core.isa``; None: zig for the host.

    The host compiler uses baseline instructions only: its libraries are cached in the user's cache
    folder, which several hosts may share, so they must not require one processor.

    Raises:
        GnomonError: if the name is unknown, or the compiler is not installed; the message explains
            how to install it.
    """
    if compiler is None:
        target = ("-target", host_triple(), "-mcpu=baseline")
        return Toolchain(
            name="zig",
            version=zig_version(),
            home=zig_binary().parent,
            driver=(str(zig_binary()), "cc"),
            target=target,
            language=(*_LANGUAGE, "-fno-sanitize=all", "-fPIC"),
            link=(*target, *_ZIG_LIBRARY, "-shared"),
            no_library=("-nostdlib",) if sys.platform == "linux" else (),
            replaces_levels=True,
            known_at_run_time=_OF_EVERY_LIBC,
        )
    base, _, csrs = isa.partition("_")
    if compiler == "zig":
        units = "".join(f"+{unit}" for unit in base.removeprefix("rv32i"))
        units += f"+{csrs}" * bool(csrs)
        cpu = f"-mcpu=generic_rv32{units}+zifencei+relax"
        try:
            zig = zig_binary()
        except GnomonError as error:
            raise GnomonError(f"{error} (or build with compiler='gcc')") from None
        return Toolchain(
            name="zig",
            version=zig_version(),
            home=zig.parent,
            driver=(str(zig), "cc"),
            target=(*_ZIG_TARGET, cpu),
            language=(*_FREESTANDING, "-fno-sanitize=all", "-Wno-atomic-alignment"),
            link=(*_ZIG_TARGET, cpu, *_ZIG_LIBRARY, *_LINK),
            no_library=("-nostdlib",),
            replaces_levels=True,
        )
    if compiler == "gcc":
        path = _find_gcc()
        version = _read_gcc_version(path)
        # Before GCC 12 the CSR and fence.i instructions were part of the base.
        named = int(version.split(".")[0]) >= 12
        extensions = f"_{csrs}" * bool(named and csrs) + "_zifencei" * named
        return Toolchain(
            name="gcc",
            version=version,
            home=Path(path).resolve().parent.parent,
            driver=(path,),
            target=(f"-march={base}{extensions}", "-mabi=ilp32"),
            # GCC turns copying loops into calls of memcpy even without a library.
            language=(*_FREESTANDING, "-fno-tree-loop-distribute-patterns"),
            # GCC finds its library only under the plain name of the instruction set.
            link=(f"-march={base}", "-mabi=ilp32", *_LINK, "-nostdlib"),
            libraries=("-lgcc",),
        )
    hint = did_you_mean(compiler, COMPILERS)
    raise GnomonError(f"unknown compiler {compiler!r} (allowed: {', '.join(COMPILERS)}){hint}")


def run_compiler(
    toolchain: Toolchain, arguments: Iterable[str], folder: Path
) -> subprocess.CompletedProcess[str]:
    """Run a toolchain in ``folder``, and return its exit code and output.

    Raises:
        GnomonError: if it cannot be run.
    """
    command = [*toolchain.driver, *arguments]
    return compiler_output(command, folder, cache_folder("zig").absolute())


def _find_gcc() -> str:
    if found := next(filter(None, map(shutil.which, _GCC_NAMES)), None):
        return found
    raise GnomonError(
        f"no RISC-V GCC on PATH (looked for {', '.join(_GCC_NAMES)}):"
        " install one, for example with 'apt install gcc-riscv64-unknown-elf',"
        " or build with compiler='zig'"
    )


@cache
def _read_gcc_version(path: str) -> str:
    result = subprocess.run(
        [path, "-dumpfullversion"], check=False, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, errors="replace",
    )  # fmt: skip
    version = result.stdout.strip()
    if result.returncode or not version[:1].isdigit():
        reported = result.stderr.strip() or version
        raise GnomonError(f"{path}: does not report its version: {reported}")
    return version
