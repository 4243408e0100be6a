"""`python -m deploy.local run | reset | lock | translations`; the Makefile calls these."""

import os
import signal
import sys

from deploy.local.errors import CannotRun
from deploy.local.processes.child_process import follow_parent


def main(arguments: list[str]) -> int:
    match arguments:
        case ["run"]:
            from deploy.local.run import run as command
        case ["reset"]:
            from deploy.local.reset import reset as command
        case ["lock"]:
            from deploy.local.dependency_lock import lock as command
        case ["translations"]:
            from deploy.local.translations import update_catalogs as command
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    if "MAKELEVEL" in os.environ:
        follow_parent(signal.SIGTERM)  # stop when `make` is killed
    try:
        return command()
    except CannotRun as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
