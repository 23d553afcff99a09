"""``python -m gnomon.cli.reference FOLDER``: write the pages, as ``make reference`` does."""

import sys
from pathlib import Path

from gnomon.base.files import write_file
from gnomon.cli.reference import reference_pages


def main() -> None:
    """Write the pages to the folder given as argument."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m gnomon.cli.reference FOLDER")
    for name, text in reference_pages().items():
        print(write_file(Path(sys.argv[1]) / name, text))


if __name__ == "__main__":
    main()
