"""``python -m benchmarks [NAME…]``: measure, print, and with ``--check`` judge."""

import argparse
import json
import sys
from pathlib import Path

from benchmarks import (
    deploy,
    devices,
    diff,
    learners,
    memories,
    ratios,
    recording,
    retime,
    speed,
    start,
    units,
)
from benchmarks.harness import Found
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.files import write_file

BENCHMARKS = {
    "speed": speed.measure,
    "ratios": ratios.measure,
    "retime": retime.measure,
    "start": start.measure_start,
    "recording": recording.measure,
    "profile": start.measure_profile,
    "writing": start.measure_writing,
    "deploy": deploy.measure,
    "learners": learners.measure,
    "diff": diff.measure,
    "units": units.measure,
    "memories": memories.measure,
    "devices": devices.measure,
}


def main() -> None:
    """Run the benchmarks; a user error prints one message and sets its exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    names = ", ".join(BENCHMARKS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{names}; all without a name")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures there too")
    parser.add_argument("--check", action="store_true", help="exit 1 if a limit is not kept")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="best of N (default 3)")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds must be at least 1, not {arguments.rounds}")
    for name in arguments.names:
        if name not in BENCHMARKS:
            parser.error(f"no benchmark {name!r} (allowed: {names})")
    found = Found()
    try:
        for name in arguments.names or BENCHMARKS:
            BENCHMARKS[name](found, arguments.rounds)
        found.show()
        if arguments.json is not None:
            write_file(arguments.json, (json.dumps(found.to_json(), indent=1) + "\n").encode())
        broken = [str(limit) for limit in found.limits if not limit.kept]
        if arguments.check and broken:
            raise CheckFailed("limits not kept:\n  " + "\n  ".join(broken))
    except GnomonError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
