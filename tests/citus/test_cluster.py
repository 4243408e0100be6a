"""Everything of `make test-citus` up to Citus, with a PostgreSQL that does not have it."""

import re
from contextlib import closing
from pathlib import Path
from subprocess import run

import pytest

from deploy.local.servers.postgres_binaries import find_binaries as embedded_binaries
from deploy.local.servers.system_accounts import server_account
from tests.citus import __main__ as program
from tests.citus.cluster import (
    DISTRIBUTION,
    HOW_TO_GET_ONE,
    NODES,
    Cluster,
    NoCitus,
    find_binaries,
    statements,
)
from tests.conftest import ROOT

DEBIAN_15 = Path("/usr/lib/postgresql/15/bin")


@pytest.fixture(scope="module")
def cluster():
    binaries = embedded_binaries(server_account())
    made = Cluster(ROOT / ".data" / "test" / "citus-try", binaries, preload="")
    made.start()
    yield made
    made.stop()


def connected(node, database="postgres"):
    return closing(node.connect(database))


def test_three_servers_run_and_reach_each_other(cluster):
    ports = set()
    for node in cluster.nodes.values():
        with connected(node) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('port')::int, pg_is_in_recovery()")
            port, standby = cursor.fetchone()
            ports.add(port)
            assert not standby
            cursor.execute("SHOW max_prepared_transactions")
            assert int(cursor.fetchone()[0]) >= 2 * 300
    assert len(ports) == len(NODES) == 3


def test_roles_are_made_on_every_node(cluster):
    cluster.make_roles(["one_owner", "one_app"], "a password")
    for node in cluster.nodes.values():
        with connected(node) as connection, connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'one\\_%' AND NOT rolsuper"
            )
            assert cursor.fetchone()[0] == 2


def test_without_the_extension_it_says_how_to_get_it(cluster):
    migrated = []
    with pytest.raises(NoCitus) as raised:
        cluster.make_database("one", "postgres", lambda: migrated.append(1))
    assert re.search(r"PostgreSQL \d+ in .* has no Citus \(.*citus", str(raised.value))
    assert str(raised.value).endswith(HOW_TO_GET_ONE)
    assert not migrated
    for node in cluster.nodes.values():  # the databases were made on all of them before
        connected(node, "one").__enter__().close()


def test_citus_is_found_beside_debians_programs(tmp_path):
    for release, library in (("15", "citus.so"), ("17", "citus.so"), ("18", "other.so")):
        for folder, name in (("bin", "initdb"), ("lib", library)):
            (tmp_path / release / folder).mkdir(parents=True)
            (tmp_path / release / folder / name).touch()
    assert find_binaries(debian=str(tmp_path)) == tmp_path / "17" / "bin"


def test_without_any_the_program_says_so_in_one_sentence(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("CITUS_BIN", str(tmp_path))
    assert program.main([]) == program.NOT_FOUND == 77
    said = f"CITUS_BIN is {tmp_path}, which has no initdb. {HOW_TO_GET_ONE}\n"
    assert capsys.readouterr().err == said
    monkeypatch.delenv("CITUS_BIN")
    monkeypatch.setattr(program, "find_binaries", lambda _: find_binaries(debian=str(tmp_path)))
    assert program.main([]) == 77
    assert capsys.readouterr().err == f"{HOW_TO_GET_ONE}\n"


@pytest.mark.skipif(not (DEBIAN_15 / "postgres").exists(), reason="Debian's PostgreSQL 15")
def test_a_server_that_lacks_the_library_says_so(monkeypatch, capsys):
    """Debian's programs work too: another release, and another locale provider."""
    monkeypatch.setenv("CITUS_BIN", str(DEBIAN_15))
    assert program.main([]) == 77
    said = capsys.readouterr().err
    assert "coordinator did not start" in said
    assert "citus" in said.partition(HOW_TO_GET_ONE)[0]


def test_the_files_have_only_sql_for_the_server():
    for file in ("roles.sql", "distribute.sql"):
        text = statements(DISTRIBUTION / file)
        assert "\\" not in text
        assert text.count("SELECT create_") == (DISTRIBUTION / file).read_text().count(
            "SELECT create_"
        )


def test_make_lists_it():
    shown = run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "make test-citus" in shown
