"""PostgreSQL refuses to run as root, so for root it gets another account and a folder."""

import hashlib
import os
import pwd
import shutil
import stat
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.local.errors import CannotRun

OUTSIDE = (Path("/var/lib/comanda"), Path("/var/tmp/comanda"))  # noqa: S108 - owner is checked


@dataclass(frozen=True)
class SystemAccount:
    name: str
    uid: int
    gid: int

    def as_popen(self) -> dict[str, Any]:
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


def server_account(existing: Path | None = None) -> SystemAccount | None:
    """The account for the server: None for ourselves; for root, the folder's owner or `nobody`."""
    if os.geteuid() != 0:
        return None
    if existing is not None and existing.exists() and (uid := existing.stat().st_uid) != 0:
        return _account(pwd.getpwuid(uid)) if _known(uid) else SystemAccount(str(uid), uid, uid)
    try:
        return _account(pwd.getpwnam("nobody"))
    except KeyError:
        return SystemAccount("nobody", 65534, 65534)


def _account(entry: pwd.struct_passwd) -> SystemAccount:
    return SystemAccount(entry.pw_name, entry.pw_uid, entry.pw_gid)


def _known(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True


def run_as(account: SystemAccount | None, *command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd="/",  # our working folder may be closed to that account
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
        **(account.as_popen() if account else {}),
    )


def can_use(account: SystemAccount, path: Path, how: str) -> bool:
    """Test as that account instead of reading mode bits: ACLs and mounts count too."""
    return run_as(account, "/bin/sh", "-c", f'test -{how} "$1"', "sh", path).returncode == 0


def own_folder(
    folder: Path, account: SystemAccount | None, print_line: Callable[[str], None]
) -> Path:
    """Create a private folder for the account. If the account cannot reach it, create it outside
    and link to it."""
    if account is None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder
    if not folder.is_symlink() and can_use(account, folder.parent, "x"):
        return _private(folder, account)
    outside = outside_root(account) / _key(folder)
    if folder.is_symlink():
        outside = folder.readlink()
    elif folder.exists():  # the parent was closed after an earlier run
        shutil.move(folder, outside)
        folder.symlink_to(outside)
    else:
        shutil.rmtree(outside, ignore_errors=True)  # left from a DATA_DIR that was deleted
        folder.symlink_to(outside)
        print_line(f"{folder.parent} is closed to {account.name}: the database lives in {outside}")
    return _private(outside, account)


def _private(folder: Path, account: SystemAccount) -> Path:
    folder.mkdir(mode=0o700, exist_ok=True)
    os.chown(folder, account.uid, account.gid)
    folder.chmod(0o700)
    return folder


def outside_root(account: SystemAccount) -> Path:
    """A folder owned by root that others can pass through but not write to."""
    for root in OUTSIDE:
        try:
            root.mkdir(mode=0o755, parents=True, exist_ok=True)
            found = root.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != 0:
                continue  # planted by another user
            root.chmod(0o755)
        except OSError:
            continue
        if can_use(account, root, "x"):
            return root
    raise CannotRun(
        f"PostgreSQL does not run as root and {account.name} can reach neither "
        f"{OUTSIDE[0]} nor {OUTSIDE[1]}; run as an ordinary user or set DATABASE_URL."
    )


def _key(folder: Path) -> str:
    return hashlib.sha256(os.fsencode(folder.parent.resolve() / folder.name)).hexdigest()[:16]
