"""File types that programs are built from, and messages about other languages."""

from pathlib import PurePath

SOURCE_SUFFIXES = (".c", ".S", ".s")
_OTHERS = {
    "C++": (".cpp", ".cc", ".cxx", ".c++", ".C", ".cp", ".hpp", ".hh", ".ino"),
    "Rust": (".rs",),
    "Zig": (".zig",),
    "Ada": (".adb", ".ads"),
    "assembly under this suffix": (".asm", ".sx"),
    "a header alone": (".h",),
    "LLVM code": (".ll", ".bc"),
}


def not_built(path: PurePath | str) -> str:
    """Return the message about a file of an unsupported language; empty for any other file."""
    suffix = PurePath(path).suffix
    language = next((name for name, suffixes in _OTHERS.items() if suffix in suffixes), "")
    allowed = ", ".join(SOURCE_SUFFIXES)
    return f"{path}: {language} is not built (allowed: {allowed})" if language else ""
