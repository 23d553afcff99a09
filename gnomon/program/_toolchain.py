"""Finds the compilers. zig comes as a wheel and is the default; GCC is used only on request."""

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
    # Products wrap on these machines, and kernels say so; without this flag the compiler may
    # assume that they never do, and host and target could differ.
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
    "-UNDEBUG",  # zig defines it where it optimizes, and assert would say nothing
)
# "generic" has no extension at all, so no compressed instruction either. With relaxation the
# linker turns a far call into a near one, which is one instruction less.
_ZIG_TARGET = ("-target", "riscv32-freestanding-none")
# The level at which zig builds its own library. Fixed, so that there is one library, and because
# zig leaves out the symbols at others.
_ZIG_LIBRARY = ("-O2",)
_OF_EVERY_LIBC = frozenset(
    ("abort", "fprintf", "memcmp", "memcpy", "memmove", "memset", "stderr", "strlen")
)
_LINK = ("-static", "-Wl,--gc-sections", "-Wl,-z,max-page-size=4")


@dataclass(frozen=True, slots=True)
class Toolchain:
    """One compiler: where it lives, how it is called, and its flags before those of the user.

    ``no_library`` links without the compiler's libraries, which take zig seconds to make;
    ``known_at_run_time`` may then stay undefined, as every process has it. ``replaces_levels``: the
    driver has modes of its own for which it replaces optimization levels.
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

        ``zig cc`` gives clang -O2 for -O1 and -O3, and -Os for -Oz. What follows ``-Xclang``
        reaches clang as it is, and the last level wins.
        """
        return (optimization, *(("-Xclang", optimization) if self.replaces_levels else ()))

    def flags(self, optimization: str, lines: str = "-g0") -> tuple[str, ...]:
        """Return the flags of every source, before macros and folders."""
        return (*self.target, *self.level(optimization), *self.language, lines)


def find_toolchain(compiler: str | None, isa: str = "rv32im_zicsr") -> Toolchain:
    """The cross-compiler for RV32IM, or for another ``core.isa``; None: zig for this computer.

    That has baseline instructions only: the libraries it makes are kept in the user's cache folder,
    which several computers may share, so they must not use what only one processor has.

    Raises:
        GnomonError: an unknown name, or the compiler is not installed; the message says how to
            install it.
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
        path = _gcc_binary()
        version = _gcc_version(path)
        # Before GCC 12 the CSR and fence.i instructions were part of the base.
        named = int(version.split(".")[0]) >= 12
        extensions = f"_{csrs}" * bool(named and csrs) + "_zifencei" * named
        return Toolchain(
            name="gcc",
            version=version,
            home=Path(path).resolve().parent.parent,
            driver=(path,),
            target=(f"-march={base}{extensions}", "-mabi=ilp32"),
            # GCC turns copying loops into calls of memcpy even where there is no library.
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


def _gcc_binary() -> str:
    if found := next(filter(None, map(shutil.which, _GCC_NAMES)), None):
        return found
    raise GnomonError(
        f"no RISC-V GCC on PATH (looked for {', '.join(_GCC_NAMES)}):"
        " install one, for example with 'apt install gcc-riscv64-unknown-elf',"
        " or build with compiler='zig'"
    )


@cache
def _gcc_version(path: str) -> str:
    result = subprocess.run(
        [path, "-dumpfullversion"], check=False, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, errors="replace",
    )  # fmt: skip
    version = result.stdout.strip()
    if result.returncode or not version[:1].isdigit():
        raise GnomonError(f"{path}: does not tell its version: {result.stderr.strip() or version}")
    return version
