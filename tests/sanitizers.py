"""The environment in which Python runs C libraries built with the sanitizers of GCC."""

from __future__ import annotations

import subprocess


def sanitized() -> dict[str, str]:
    """Variables to add to those there are; what is preloaded is loaded before Python itself."""
    libraries = [
        subprocess.run(
            ["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True
        ).stdout.strip()
        for name in ("libasan.so", "libstdc++.so")  # errors that C++ throws pass through both
    ]
    return {
        "GNOMON_NATIVE": "sanitize",
        "LD_PRELOAD": ":".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python's own, which it frees by ending
    }


if __name__ == "__main__":
    print(*(f"{name}={value}" for name, value in sanitized().items()))
