"""The page of the C library of programs, read from its headers."""

import re
from pathlib import Path

import gnomon.program
from gnomon.cli.reference._markdown import code, page, table

_INTRODUCTION = """\
Programs for the machines can include these headers, in addition to those of the compiler
(`stdint.h`, `stddef.h`, `stdarg.h`, `stdbool.h`, `limits.h`, `float.h`, ...), `gnomon.h`,
`machine.h` and `vcu.h`. A used function is compiled into the program at its optimization level,
and its execution takes cycles. A function in a source of the program replaces the library's
function of the same name. A function of the last table does not link: the message gives reason
and alternative. Nothing else exists: no files, no input, no heap, no locales, no wide characters,
no signals, no threads.

`printf` and its relatives write `%d %i %u %o %x %X %c %s %p %n %%` with the flags `- + space #
0`, width and precision (`*` too), and the lengths `hh h l ll j z t`. A build fails at any other
format, such as `%f`, with file and line. A run ends at such a format if it is computed at run
time.

These symbols of the linker give the places of data, stacks and free memory; a program declares
them as `extern char NAME[]`: `_end`, `end`, `__heap_start`, `_heap_start` (free memory
begins, aligned to 16 bytes), `__heap_end`, `_heap_end` (the stacks begin), `_etext`, `etext`,
`__data_start`, `_edata`, `edata`, `__bss_start`, `__bss_start__`, `_sbss`, `__bss_end`,
`__bss_end__`, `_ebss`, `__stack_top`, `__stack`, `_estack`."""
_COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
_REFUSED = re.compile(r"/\* (?:Not in the library|In no library)[^*]*\*/")
_ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\)+ ?")
_BODY = re.compile(r"\{[^{}]*\}")
_FUNCTION = re.compile(r"(?m)^(?:[A-Za-z_][\w ]*[\w *])\b(\w+)\(")
_MATH = re.compile(r"(?m)^GNOMON_MATH_\d\((\w+)\)")


def library_page() -> str:
    """Return the page, generated from the headers."""
    folder = Path(gnomon.program.__file__).parent / "runtime"
    present, rejected = [], []
    for path in [*sorted((folder / "libc").rglob("*.h")), folder / "stdatomic.h"]:
        text = path.read_text("utf-8")
        purpose = " ".join(_COMMENT.findall(text)[0].replace("\n *", " ").split())
        has, _, has_not = _REFUSED.sub("\0", text).partition("\0")
        root = folder if path.parent == folder else folder / "libc"
        name = code(path.relative_to(root).as_posix())
        present.append((name, purpose, _list_names(has)))
        if has_not:
            rejected.append((name, _list_names(has_not)))
    return page(
        "The C library of programs",
        _INTRODUCTION,
        "## Headers",
        table(("header", "purpose", "functions"), present),
        "## Functions rejected with a reason",
        table(("header", "functions"), rejected),
    )


def _list_names(text: str) -> str:
    """Return the functions that a part of a header declares, formatted as code."""
    plain = _ATTRIBUTE.sub("", _BODY.sub(";", _COMMENT.sub("", text)))
    names = [name for name in _FUNCTION.findall(plain) if not name.startswith("__")]
    names += [f"{name}{end}" for name in _MATH.findall(plain) for end in ("", "f")]
    macros = re.findall(r"(?m)^#define ([a-z]\w*)\(", plain)
    return ", ".join(code(name) for name in dict.fromkeys([*names, *macros]))
