"""Compilation of sources in a temporary folder, with errors as the compiler reports them."""

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from gnomon.arch import Architecture
from gnomon.base.cache import Store, cache_folder
from gnomon.base.compiler import shorten_output
from gnomon.base.digest import digest
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.program._edit import AssemblyEdit
from gnomon.program._elf import load_elf
from gnomon.program._formats import KNOWN, refused_formats
from gnomon.program._inputs import Inputs, hashed_now
from gnomon.program._library import (
    HEADERS,
    LIBRARY,
    check_undefined,
    undefined_in,
    uses_library,
)
from gnomon.program._linker import RUNTIME
from gnomon.program._objects import Reach, object_key
from gnomon.program._program import Program
from gnomon.program._toolchain import Toolchain, run_compiler

_UNUSED = "argument unused during compilation"
_DEFINED = re.compile(r"\b(v?(?:f|s|sn)?printf)\s*\([^;{}]*\)\s*\{")


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler that runs one build in a temporary folder."""

    toolchain: Toolchain
    inputs: Inputs
    flags: tuple[str, ...]
    files: Mapping[Path, str]
    library_headers: tuple[Path, ...] = ()
    levels: Mapping[str, str] = field(default_factory=dict)
    generated: Mapping[str, str] = field(default_factory=dict)
    edit: AssemblyEdit | None = None
    folder: Path = Path()
    made: dict[str, tuple[bytes, str]] = field(default_factory=dict)
    reached: list[Reach] = field(default_factory=list)

    def write(self) -> None:
        folder = self.folder / "generated"
        folder.mkdir()
        for name, text in self.generated.items():
            (folder / name).write_text(text, "utf-8")

    def keep(self) -> None:
        """Cache the compiled objects, after the caller has checked that no file changed."""
        store = Store("object", ".o")
        for key, (data, warnings) in self.made.items():
            store.keep(key, data, {"warnings": warnings})

    def changed(self) -> Path | None:
        """Return a file that the compiled sources can include and that has changed; else None."""
        paths = frozenset[Path]().union(*(each.paths for each in self.reached))
        names = frozenset[str]().union(*(each.names for each in self.reached))

        def is_reached(path: Path) -> bool:
            return path in paths or path.name in names

        before, after = self.files, hashed_now(self.inputs, is_reached)
        files = filter(is_reached, {*before, *after})
        return min((each for each in files if before.get(each) != after.get(each)), default=None)

    def compile(self, source: Path, defines: Sequence[str]) -> tuple[str, str]:
        """Compile one source; return the name of the object and the compiler's warnings.

        A cached object of another build is used if everything that decides it is equal. Warnings
        name files without their folders, as the cached build may be used from other folders.
        """
        number = sum(1 for _ in self.folder.glob("*.o"))
        target = f"{number}.o"
        level = self.levels.get(source.name)  # after the common level: the last one wins
        flags = (*self.flags, *(self.toolchain.level(level) if level else ()))
        key, reach = object_key(
            source, self.inputs, self.files, (self.toolchain.title, *flags), defines, self.generated
        )
        self.reached.append(reach)
        how = partial(self._options, flags, defines)
        warnings = self._compile_to(target, source, how, key, reach)
        own = source in self.inputs.sources
        if self.edit is not None and own and source.suffix == ".c":
            edited = digest((key, self.edit.key, number))
            self._compile_edited(number, source, how, edited)
        return target, warnings

    def _options(self, flags: Sequence[str], defines: Sequence[str]) -> list[str]:
        """Return the options of one source."""
        include = (self.folder / "generated", RUNTIME, *self.inputs.include)
        return [
            *flags,
            *self._path_maps(),
            *(f"-D{define}" for define in defines),
            *(word for path in include for word in ("-I", str(path))),
            *(word for path in self.library_headers for word in ("-isystem", str(path))),
        ]

    def _compile_to(
        self, target: str, source: Path, how: Callable[[], list[str]], key: str, reach: Reach
    ) -> str:
        """Write the object of a source, cached or compiled; return the compiler's warnings."""
        reached = reach.paths
        entry = Store("object", ".o").load(key)
        if entry is not None:
            (self.folder / target).write_bytes(entry.data)
            warnings: str = entry.note["warnings"]
            return warnings
        made = ("-MMD", "-MF", "read.d", "-c", str(source), "-o", target)
        result = run_compiler(self.toolchain, [*how(), *made], self.folder)
        output = result.stderr.replace(f"{self.folder}{os.sep}", "")
        if result.returncode:
            raise self._compile_error(source, output)
        if source.suffix == ".s":  # options of the preprocessor and the compiler have no effect
            lines = output.splitlines(keepends=True)
            output = "".join(line for line in lines if _UNUSED not in line)
        if self._may_print(source, reached):
            self._check_formats(source, how())
        read = self._check_read_files(source)
        for folder in (source.parent, *self.inputs.include):
            output = output.replace(f"{folder}{os.sep}", "")
        if read <= reached:
            self.made[key] = (self.folder / target).read_bytes(), output
        return output

    def _compile_edited(
        self, number: int, source: Path, how: Callable[[], list[str]], key: str
    ) -> None:
        """Write the object of a source whose assembly text is edited, cached or compiled."""
        assert self.edit is not None
        target = self.folder / f"{number}.o"
        entry = Store("object", ".o").load(key)
        if entry is not None:
            target.write_bytes(entry.data)
            return
        text = self.folder / f"{number}.s"
        result = run_compiler(
            self.toolchain, [*how(), "-S", str(source), "-o", text.name], self.folder
        )
        if result.returncode == 0:
            edited = self.edit.apply(number, text.read_text("utf-8", "surrogateescape"))
            text.write_text(edited, "utf-8", "surrogateescape")
            made = ("-c", text.name, "-o", target.name)
            result = run_compiler(self.toolchain, [*self.flags, *made], self.folder)
        if result.returncode:
            raise self._compile_error(source, result.stderr.replace(f"{self.folder}{os.sep}", ""))
        self.made[key] = target.read_bytes(), ""

    def _compile_error(self, source: Path, output: str) -> GnomonError:
        return GnomonError(
            f"{source}: does not compile with {self.toolchain.title}:\n{shorten_output(output)}"
        )

    def _may_print(self, source: Path, reached: Iterable[Path]) -> bool:
        """Return whether a source of the user may call printf of the library."""
        own = [path for path in reached if not path.is_relative_to(RUNTIME)]
        return (
            HEADERS in self.library_headers
            and source.suffix == ".c"
            and HEADERS / "stdio.h" in reached
            and any("printf" in path.read_text("utf-8", "replace") for path in own)
        )

    def _check_formats(self, source: Path, how: Sequence[str]) -> None:
        """Reject formats that the library's printf does not support.

        Raises:
            GnomonError: if there are any; with file and line of each.
        """
        result = run_compiler(self.toolchain, [*how, "-E", str(source)], self.folder)
        if f'"{HEADERS / "stdio.h"}"' not in result.stdout:  # another stdio.h is found first
            return
        texts = [each.read_text("utf-8", "replace") for each in self.inputs.sources]
        own = {name for text in texts for name in _DEFINED.findall(text)}
        found = [
            f"{file}:{line}: {name} has no conversion {conversion!r}"
            for file, line, name, conversion in refused_formats(result.stdout)
            if name not in own
        ]
        if found:
            found.append(
                f"(allowed: {KNOWN} with flags, width, precision, and length hh h l ll j z t; print"
                ' a real number as integers, such as printf("%d.%03d", x / 1000, x % 1000))'
            )
            raise GnomonError("\n".join(found))

    def _path_maps(self) -> list[str]:
        folders = {self.toolchain.home: "compiler", self.folder: "."}
        folders |= self.inputs.shown_folders(self.files)
        # The last matching map wins, so the most specific one must come last. GCC passes only
        # the second form to its assembler.
        ordered = sorted(folders.items(), key=lambda item: len(item[0].parts))
        return [
            f"-f{what}-prefix-map={folder}={name}"
            for folder, name in ordered
            for what in ("file", "debug")
        ]

    def _check_read_files(self, source: Path) -> set[Path]:
        """Return the files that were read, without those of gnomon; reject unlisted ones."""
        if source.suffix == ".s":  # not preprocessed: the compiler writes no rule
            return {source}
        rule = (self.folder / "read.d").read_text("utf-8", "surrogateescape")
        read = set()
        # A make rule: "target: file file"; line ends are escaped, and so are spaces in names.
        names = re.split(r"(?<!\\)\s+", rule.replace("\\\n", " ").partition(": ")[2].strip())
        for name in names:
            path = Path(os.path.normpath(self.folder / name.replace("\\ ", " ")))
            known = path if path in self.files else path.resolve()
            if known in self.files:
                read.add(known)
            elif not path.is_relative_to(self.folder):
                raise GnomonError(
                    f"{source}: includes {path}, which is in none of the include folders;"
                    f" add include=[{str(path.parent)!r}]"
                )
        return read

    def link_program(
        self, script: str, objects: Iterable[str], machine: Architecture
    ) -> str | None:
        """Link ``program.elf`` with a script; return None, or the linker's complaint.

        The library for programs is compiled if the program may use a part of it.

        Raises:
            GnomonError: if no library has a function, with the reason.
        """
        (self.folder / "link.ld").write_text(script, "utf-8")
        how = self.toolchain
        arguments = [*how.link, "-T", "link.ld", *objects, *how.libraries]
        bare = (*how.no_library, *(("-Wl,-z,defs",) if how.no_library else ()))
        complaint = self._link([*arguments, *bare], "program.elf")
        if uses_library(undefined_in(complaint)):
            own = self.inputs.read_by_start_up()
            arguments[-len(how.libraries) or len(arguments) :] = [
                *(self.compile(source, own)[0] for source in LIBRARY), *how.libraries,
            ]  # fmt: skip
            complaint = self._link([*arguments, *bare], "program.elf")
        undefined = undefined_in(complaint)
        if "main" in undefined:
            raise GnomonError(
                f"{self._sources}: no function main (allowed: int main(void), int main(int hart))"
            )
        check_undefined(undefined, machine, how.name)
        if undefined and how.no_library:
            complaint = self._link_with_compilers_library(arguments)
            check_undefined(undefined_in(complaint), machine, how.name)
        return complaint or None

    def _link_with_compilers_library(self, arguments: Sequence[str]) -> str:
        """Link with the library of zig, which zig builds if it is not cached."""
        flags = digest((self.toolchain.title, self.toolchain.link))
        mark = cache_folder("zig") / f"library-{flags[:16]}.made"
        if not mark.exists():
            print(
                f"making {self.toolchain.title}'s library of soft float and wide division for"
                " this kind of machine, once: this takes half a minute",
                file=sys.stderr, flush=True,
            )  # fmt: skip
        complaint = self._link(arguments, "program.elf")
        if not complaint:
            with suppress(OSError):  # without a mark, the message is printed again next time
                mark.touch()
        return complaint

    def link(self, arguments: Sequence[str], target: str) -> str | None:
        """Link a library for the host; return None, or the linker's complaint.

        zig takes seconds to build the compiler's own libraries, and few programs need them.
        """
        bare, known = self.toolchain.no_library, self.toolchain.known_at_run_time
        if bare:
            complaint = self._link([*arguments, *bare, "-Wl,-z,defs"], target)
            undefined = set(undefined_in(complaint))
            if undefined and undefined <= known:  # a shared library may have such symbols
                return self._link([*arguments, *bare], target) or None
            if not undefined:
                return complaint or None
        return self._link(arguments, target) or None

    def _link(self, arguments: Sequence[str], target: str) -> str:
        result = run_compiler(self.toolchain, [*arguments, "-o", target], self.folder)
        return (result.stderr or "the linker failed") if result.returncode else ""

    def program(self) -> Program:
        return load_elf((self.folder / "program.elf").read_bytes(), self.inputs.name)

    @property
    def _sources(self) -> str:
        return shlex.join(map(str, self.inputs.sources))

    def link_error(self, complaint: str) -> GnomonError:
        title = self.toolchain.title
        return GnomonError(
            f"{self._sources}: does not link with {title}:\n{shorten_output(complaint)}"
        )


_ERROR = re.compile(r"^.+?:\d+:\d+: (?:fatal )?error: (.*)$", re.MULTILINE)
_STATED = re.compile(
    r"""static assertion failed(?: due to requirement '.*')?: (.+)|"(.+)\""""
    r"""|call to '\w+' declared with (?:'error' attribute|attribute error): (.+)"""
)


def refusal_of(error: GnomonError) -> str:
    """Return the reason of a rejection on one line.

    Sources reject a configuration by static assertions, ``#error`` and functions with the attribute
    ``error``; their messages are the reason. Any other message of a compiler is a defect.

    Raises:
        GnomonError: the error itself, if it is not a rejection.
    """
    text = str(error)
    if isinstance(error, CheckFailed):
        raise error
    if "\n" not in text:
        return text
    reasons = []
    for message in _ERROR.findall(text):
        stated = _STATED.fullmatch(message)
        if stated is None:
            raise error
        reasons.append(next(filter(None, stated.groups())))
    if not reasons:
        raise error
    return "; ".join(dict.fromkeys(reasons))
