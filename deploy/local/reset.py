"""`make reset`: deletes the local data after a confirmation."""

import os
import shutil
import sys

from deploy.local.errors import CannotRun
from deploy.local.files import Locked, hold_lock
from deploy.local.run import data_dir


def reset() -> int:
    path = data_dir()
    if not path.is_dir():
        print(f"There is nothing in {path}.")
        return 0
    if not os.environ.get("YES"):
        if not sys.stdin.isatty():
            raise CannotRun("Nobody is here to ask; YES=1 make reset deletes without a question.")
        if input(f"Delete everything in {path}? Type yes: ").strip() != "yes":
            print("Nothing was deleted.")
            return 1
    try:
        lock = hold_lock(path / "run.lock")
    except Locked as error:
        raise CannotRun(f"Comanda is running as process {error.holder}; stop it first.") from None
    with lock:
        for database in path.rglob("postgres"):
            if database.is_symlink():  # the folder is elsewhere, see servers/system_accounts.py
                shutil.rmtree(database.resolve(), ignore_errors=True)
        shutil.rmtree(path)
    print(f"{path} is gone.")
    return 0
