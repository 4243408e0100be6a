"""The drill of docs/operations/backup.md: the roles, a dump, and a service that runs on it."""

import os
import secrets
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deploy.local.servers.postgres_binaries import find_binaries
from tests.databases import APP_ROLE, OWNER_ROLE, database_url
from tests.factories import Business

DEPLOY = Path(__file__).parents[2] / "deploy"
COUNTS = (
    "SELECT string_agg(format('SELECT %L, count(*) FROM %s', oid::regclass, oid::regclass),"
    " ' UNION ALL ' ORDER BY relname) || ' ORDER BY 1' FROM pg_class"
    " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
)
GUARDS = (
    "SELECT count(*) FILTER (WHERE relrowsecurity AND relforcerowsecurity),"
    " (SELECT count(*) FROM pg_policies),"
    " (SELECT count(*) FROM information_schema.role_table_grants WHERE grantee = 'comanda_app'),"
    " (SELECT string_agg(DISTINCT tableowner, ' ') FROM pg_tables WHERE schemaname = 'public')"
    " FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
)

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def run() -> Run:
    """Run a PostgreSQL program, by default as the superuser."""
    server = urlsplit(os.environ["TEST_ADMIN_URL"])
    environment = {
        "PATH": f"{find_binaries(None)}:/usr/bin:/bin",
        "LC_ALL": "C",
        "PGHOST": str(server.hostname),
        "PGPORT": str(server.port),
        "PGUSER": str(server.username),
        "PGPASSWORD": str(server.password),
    }

    def call(*command: str, check: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command, env=environment | more, capture_output=True, text=True, check=False
        )
        assert not check or done.returncode == 0, done.stderr
        return done

    return call


@pytest.fixture(scope="module")
def names(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """roles.sh, run with another name, because comanda's own roles already exist here."""
    name = f"trial{secrets.token_hex(4)}"
    script = tmp_path_factory.mktemp("roles") / "roles.sh"
    script.write_text((DEPLOY / "postgres" / "roles.sh").read_text().replace("comanda", name))
    run(
        "sh",
        str(script),
        POSTGRES_USER="postgres",
        COMANDA_OWNER_PASSWORD="owner'pass",
        COMANDA_APP_PASSWORD="app",
        COMANDA_BACKUP_PASSWORD="backup",
        COMANDA_HOSTS_PASSWORD="hosts",
    )
    yield name
    run("dropdb", "--force", name)
    for who in ("owner", "app", "backup"):
        run("psql", "-d", "postgres", "-c", f"DROP OWNED BY {name}_{who}", check=False)
        run("dropuser", f"{name}_{who}", check=False)


def ask(run: Run, database: str, query: str, **more: str) -> str:
    return run("psql", "-d", database, "-XAtc", query, **more).stdout.strip()


def counts(run: Run, database: str) -> str:
    return ask(run, database, ask(run, database, COUNTS))


def test_the_roles_may_what_they_must_and_no_more(run: Run, names: str) -> None:
    rights = ask(
        run,
        "postgres",
        "SELECT rolname, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolcanlogin"
        f" FROM pg_roles WHERE rolname LIKE '{names}%' ORDER BY rolname",
    ).splitlines()
    assert rights == [
        f"{names}_app|f|f|f|f|t",
        f"{names}_backup|f|f|f|t|t",
        f"{names}_hosts|f|f|f|f|t",
        f"{names}_owner|f|f|f|f|t",
    ]
    owner = f"SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = '{names}'"
    assert ask(run, "postgres", owner) == f"{names}_owner"


def test_the_owner_makes_tables_and_the_app_does_not(run: Run, names: str) -> None:
    owner = {"PGUSER": f"{names}_owner", "PGPASSWORD": "owner'pass"}
    app = {"PGUSER": f"{names}_app", "PGPASSWORD": "app"}
    table = ("psql", "-d", names, "-c", "CREATE TABLE trial_table (a int)")
    assert run(*table, check=False, **app).returncode
    wrong = {**owner, "PGPASSWORD": "owner"}
    assert "password authentication failed" in run(*table, check=False, **wrong).stderr
    run(*table, **owner)


def test_a_dump_comes_back_whole(
    run: Run,
    names: str,
    database: str,
    restaurant: Business,
    shop: Business,
    tmp_path: Path,
) -> None:
    dump, restored = str(tmp_path / "comanda.dump"), f"{database}_restored"
    backup = {"PGUSER": f"{names}_backup", "PGPASSWORD": "backup"}
    make = ("pg_dump", "--format=custom", f"--file={dump}", database)
    owner_url = urlsplit(database_url(OWNER_ROLE, database))
    as_owner = {"PGUSER": str(owner_url.username), "PGPASSWORD": str(owner_url.password)}
    assert "row-level security" in run(*make, check=False, **as_owner).stderr
    run(*make, **backup)
    try:
        run("createdb", "--owner=comanda_owner", restored)
        into = ("--exit-on-error", "--single-transaction", f"--dbname={restored}")
        run("pg_restore", *into, dump)
        before, after = counts(run, database), counts(run, restored)
        assert "tenants|" in before
        assert after == before
        assert ask(run, restored, GUARDS) == ask(run, database, GUARDS)
        app_url = urlsplit(database_url(APP_ROLE, database))
        as_app = {"PGUSER": str(app_url.username), "PGPASSWORD": str(app_url.password)}
        assert ask(run, restored, "SELECT count(*) FROM members", **as_app) == "0"
        mine = f"SELECT app.set_tenant({shop.tenant_id}); SELECT tenant_id FROM members"
        assert ask(run, restored, mine, **as_app).split() == [str(shop.tenant_id)]
    finally:
        run("dropdb", "--force", "--if-exists", restored)
