"""Compiles sources in a folder of their own, and says what went wrong as the compiler does."""

import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gnomon.base.cache import Store
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.program._elf import load_elf
from gnomon.program._inputs import Inputs
from gnomon.program._linker import RUNTIME
from gnomon.program._objects import object_key
from gnomon.program._program import Program
from gnomon.program._toolchain import Toolchain, run_compiler

_SHOWN_LINES = 20
# Of lld. What it says when there are too many to tell all stands for one that nobody knows.
_UNDEFINED = re.compile(r"undefined symbol: (\S+)|(?:too many errors)")


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler at work for one build, in a temporary folder."""

    toolchain: Toolchain
    inputs: Inputs
    flags: tuple[str, ...]
    files: Mapping[Path, str]
    library_headers: tuple[Path, ...] = ()
    levels: Mapping[str, str] = field(default_factory=dict)
    generated: Mapping[str, str] = field(default_factory=dict)
    folder: Path = Path()
    made: dict[str, tuple[bytes, str]] = field(default_factory=dict)

    def write(self) -> None:
        folder = self.folder / "generated"
        folder.mkdir()
        for name, text in self.generated.items():
            (folder / name).write_text(text, "utf-8")

    def keep(self) -> None:
        """Keep the objects that were compiled, once it is clear that no file changed meanwhile."""
        store = Store("object", ".o")
        for key, (data, warnings) in self.made.items():
            store.keep(key, data, {"warnings": warnings})

    def compile(self, source: Path, defines: Sequence[str]) -> tuple[str, str]:
        """Compile one source; return the name of the object and the compiler's warnings.

        An object that another build has kept is taken, if nothing that decides it differs.
        Warnings name files without their folders, as the same build may be found again elsewhere.
        """
        number = sum(1 for _ in self.folder.glob("*.o"))
        target = f"{number}.o"
        level = self.levels.get(source.name)  # after the common level: the last one wins
        flags = (*self.flags, *(self.toolchain.level(level) if level else ()))
        key, reached = object_key(
            source, self.inputs, self.files, (self.toolchain.title, *flags), defines, self.generated
        )
        entry = Store("object", ".o").load(key)
        if entry is not None:
            (self.folder / target).write_bytes(entry.data)
            return target, entry.note["warnings"]
        include = (self.folder / "generated", RUNTIME, *self.inputs.include)
        result = run_compiler(
            self.toolchain,
            [
                *flags,
                *self._path_maps(),
                *(f"-D{define}" for define in defines),
                *(word for path in include for word in ("-I", str(path))),
                *(word for path in self.library_headers for word in ("-isystem", str(path))),
                *("-MMD", "-MF", "read.d", "-c", str(source), "-o", target),
            ],
            self.folder,
        )
        output = result.stderr.replace(f"{self.folder}{os.sep}", "")
        if result.returncode:
            raise GnomonError(
                f"{source}: does not compile with {self.toolchain.title}:\n{_trim(output)}"
            )
        read = self._check_read_files(source)
        for folder in (source.parent, *self.inputs.include):
            output = output.replace(f"{folder}{os.sep}", "")
        if read <= reached:
            self.made[key] = (self.folder / target).read_bytes(), output
        return target, output

    def _path_maps(self) -> list[str]:
        folders = {self.toolchain.home: "compiler", self.folder: "."}
        folders |= self.inputs.shown_folders(self.files)
        # The last map that fits wins, so the most specific one must come last. GCC hands only
        # the second form to its assembler.
        ordered = sorted(folders.items(), key=lambda item: len(item[0].parts))
        return [
            f"-f{what}-prefix-map={folder}={name}"
            for folder, name in ordered
            for what in ("file", "debug")
        ]

    def _check_read_files(self, source: Path) -> set[Path]:
        """The files that were read and are not our own."""
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

    def link_program(self, script: str, objects: Iterable[str]) -> str | None:
        """Link ``program.elf`` with a script; return None, or the linker's complaint."""
        (self.folder / "link.ld").write_text(script, "utf-8")
        how = self.toolchain
        return self.link([*how.link, "-T", "link.ld", *objects, *how.libraries], "program.elf")

    def link(self, arguments: Sequence[str], target: str) -> str | None:
        """Link; return None, or the linker's complaint.

        Making the compiler's own libraries takes zig seconds, and few programs need them.
        """
        bare, known = self.toolchain.no_library, self.toolchain.known_at_run_time
        if bare:
            complaint = self._link([*arguments, *bare, "-Wl,-z,defs"], target)
            undefined = set(_UNDEFINED.findall(complaint))
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

    def link_error(self, complaint: str) -> GnomonError:
        sources = shlex.join(source.name for source in self.inputs.sources)
        return GnomonError(
            f"{sources}: does not link with {self.toolchain.title}:\n{_trim(complaint)}"
        )


def _trim(output: str) -> str:
    lines = output.strip().splitlines()
    if len(lines) > _SHOWN_LINES:
        lines = [*lines[:_SHOWN_LINES], f"... ({len(lines) - _SHOWN_LINES} more lines)"]
    return "\n".join(lines)


_ERROR = re.compile(r"^.+?:\d+:\d+: (?:fatal )?error: (.*)$", re.MULTILINE)
_STATED = re.compile(
    r"""static assertion failed(?: due to requirement '.*')?: (.+)|"(.+)\""""
    r"""|call to '\w+' declared with (?:'error' attribute|attribute error): (.+)"""
)


def refusal_of(error: GnomonError) -> str:
    """The reason on one line.

    Sources refuse by static assertions, ``#error`` and functions with the attribute ``error``;
    their messages are the reason. Any other message of a compiler is a defect.

    Raises:
        GnomonError: the error itself, if it is no refusal.
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
