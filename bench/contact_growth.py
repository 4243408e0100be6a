"""Does finding contacts stay fast? `python -m bench.contact_growth [10000 [1000000]]`

Two businesses in one database, one with a hundred times the contacts of the other. Both get the
same queries in turn; prints the 95th percentile of each and their ratio.
"""

import contextlib
import json
import os
import random
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg2

from core.app_setup import create_worker_app
from core.db import global_scope, tenant_scope
from core.ids import new_token
from core.security.encryption import Keyring
from deploy.local.servers.databases import APP, DATABASE, OWNER, make_roles_and_database
from deploy.local.servers.test_services import start_test_services
from messaging.contacts import cards as contact_cards
from messaging.contacts import search as contact_search
from messaging.contacts.search import ContactFilters
from messaging.contacts.search_tokens import search_key, word_tokens
from tenants import accounts, people
from tenants.passwords import hash_password

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 40
PAGE = 51
MOST_GROWTH = 1.5

FIRST = (
    *("Mehmet", "Mustafa", "Ahmet", "Ali", "Hüseyin", "Hasan", "İbrahim", "İsmail", "Osman"),
    *("Yusuf", "Murat", "Ömer", "Ramazan", "Halil", "Süleyman", "Fatma", "Ayşe", "Emine"),
    *("Hatice", "Zeynep", "Elif", "Meryem", "Şerife", "Zehra", "Sultan", "Hanife", "Merve"),
    *("Anna", "Lena", "Jonas", "Lukas", "Marta", "Pau", "Carla", "Jordi", "John", "Mary"),
)
LAST = (
    *("Yılmaz", "Kaya", "Demir", "Çelik", "Şahin", "Yıldız", "Yıldırım", "Öztürk", "Aydın"),
    *("Özdemir", "Arslan", "Doğan", "Kılıç", "Aslan", "Çetin", "Kara", "Koç", "Kurt", "Özkan"),
    *("Müller", "Schmidt", "Weber", "García", "López", "Smith", "Jones", "Rossi", "Soler"),
)
RARE = 5000  # last names besides the common ones, as in real address books

# The primary keys are created after the rows, as when a large table is restored.
FILL = """
ALTER TABLE contact_tokens DROP CONSTRAINT contact_tokens_pkey;
CREATE TEMP TABLE firsts AS SELECT * FROM unnest(%(first)s::text[], %(first_key)s::text[])
  WITH ORDINALITY AS f (name, key, n);
CREATE TEMP TABLE lasts AS SELECT * FROM unnest(%(last)s::text[], %(last_key)s::text[])
  WITH ORDINALITY AS l (name, key, n);
CREATE TEMP TABLE marks AS SELECT * FROM unnest(%(word)s::text[], %(token)s::text[])
  AS m (word, token);
CREATE TEMP TABLE made AS
  SELECT n, gen_random_uuid() AS spread, random() AS a, random() AS b, random() AS c,
         '9053' || lpad((n * 7919 %% 100000000)::text, 8, '0') AS phone
    FROM generate_series(1, %(count)s::bigint) n;
CREATE TEMP TABLE whole AS
  SELECT made.*, firsts.name AS f, firsts.key AS fk, lasts.name AS l, lasts.key AS lk,
         (lpad(to_hex((extract(epoch FROM TIMESTAMP '2024-01-01') * 1000 + made.n * 60000)::bigint),
               12, '0') || '7' || substr(replace(spread::text, '-', ''), 14, 3)
          || '8' || substr(replace(spread::text, '-', ''), 18, 15))::uuid AS id
    FROM made
    JOIN firsts ON firsts.n = 1 + floor(power(made.a, 2) * %(firsts)s)
    JOIN lasts ON lasts.n = 1 + floor(power(made.b, 3) * %(lasts)s);
INSERT INTO contacts (tenant_id, id, name, name_key, named_by, language, tags, opted_out_at,
                      blocked_at, consent_at, first_seen_at, last_seen_at)
  SELECT %(tenant)s, id, f || ' ' || l, fk || ' ' || lk, 'person',
         CASE WHEN c < 0.7 THEN 'tr' WHEN c < 0.9 THEN 'de' ELSE '' END,
         CASE WHEN n %% 10 = 0 THEN '{vip}' WHEN n %% 2500 = 1 THEN '{press}' ELSE '{}' END::text[],
         CASE WHEN n %% 50 = 0 THEN TIMESTAMPTZ '2026-01-01' END,
         CASE WHEN n %% 1000 = 0 THEN TIMESTAMPTZ '2026-01-01' END,
         CASE WHEN n %% 3 = 0 THEN TIMESTAMPTZ '2026-01-01' END,
         TIMESTAMPTZ '2026-01-01', TIMESTAMPTZ '2026-01-01' + random() * INTERVAL '300 days'
    FROM whole;
INSERT INTO identities (tenant_id, kind, value, contact_id, spelling)
  SELECT %(tenant)s, 'phone', phone, id, phone FROM whole;
INSERT INTO contact_tokens (tenant_id, token, contact_id)
  SELECT DISTINCT %(tenant)s::bigint, token, id FROM (
    SELECT marks.token, id FROM whole JOIN marks ON marks.word = f
    UNION ALL SELECT marks.token, id FROM whole JOIN marks ON marks.word = l
    UNION ALL SELECT 'p' || left(phone, step), id FROM whole, unnest(ARRAY[3, 5, 7, 9]) step
    UNION ALL SELECT 's' || right(phone, step), id FROM whole, unnest(ARRAY[4, 7]) step
    UNION ALL SELECT CASE WHEN c < 0.7 THEN 'ltr' ELSE 'lde' END, id FROM whole WHERE c < 0.9
    UNION ALL SELECT '#vip', id FROM whole WHERE n %% 10 = 0
    UNION ALL SELECT '#press', id FROM whole WHERE n %% 2500 = 1
    UNION ALL SELECT '!out', id FROM whole WHERE n %% 50 = 0
    UNION ALL SELECT '!blocked', id FROM whole WHERE n %% 1000 = 0
    UNION ALL SELECT '!agreed', id FROM whole WHERE n %% 3 = 0) every;
DROP TABLE firsts, lasts, marks, made, whole;
ALTER TABLE contact_tokens ADD PRIMARY KEY (tenant_id, token, contact_id);
"""

SINCE = datetime(2026, 10, 20, tzinfo=UTC)
# Typical queries, as (name, filters, sort). `{phone}` and `{end}` are of an existing contact.
QUESTIONS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("list, newest", {}, "newest"),
    ("list, by name", {}, "name"),
    ("list, last seen", {}, "seen"),
    ("search, common name", {"search": "mehmet"}, "newest"),
    ("search, two letters", {"search": "ay"}, "newest"),
    ("search, two words", {"search": "fatma yıldı"}, "newest"),
    ("search, rare name", {"search": "aile4321"}, "newest"),
    ("search, nobody", {"search": "xyzzy"}, "newest"),
    ("search, by name", {"search": "zeynep"}, "name"),
    ("search, whole phone", {"search": "+{phone}"}, "newest"),
    ("search, first digits", {"search": "90532"}, "newest"),
    ("search, last digits", {"search": "{end}"}, "newest"),
    ("filter, common tag", {"tags": ("vip",)}, "newest"),
    ("filter, rare tag", {"tags": ("press",)}, "newest"),
    ("filter, two", {"tags": ("vip",), "language": "de"}, "newest"),
    ("filter, opted out", {"opted_out": True}, "newest"),
    ("filter, blocked", {"blocked": True}, "newest"),
    ("filter, not opted out", {"opted_out": False, "consent": True}, "newest"),
    ("filter, seen since", {"seen_since": SINCE}, "seen"),
    ("filter, tag by name", {"tags": ("press",)}, "name"),
    ("search and filter", {"search": "ahmet", "tags": ("vip",), "opted_out": False}, "newest"),
)


@contextlib.contextmanager
def database() -> Iterator[str]:
    """A durable PostgreSQL with the schema; puts the settings into the environment."""
    folder = ROOT / ".data" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    servers = start_test_services(folder, durable=True)
    try:
        admin = servers.admin_url.replace("+psycopg2", "")
        passwords = {OWNER: secrets.token_urlsafe(16), APP: secrets.token_urlsafe(16)}
        make_roles_and_database(
            psycopg2.connect(admin), owner_password=passwords[OWNER], app_password=passwords[APP]
        )
        server = admin.rpartition("@")[2].partition("/")[0]
        url = {
            role: f"postgresql://{role}:{passwords[role]}@{server}/{DATABASE}" for role in passwords
        }
        os.environ |= {
            "APP_ENV": "production",
            "DATA_DIR": str(folder),
            "DATABASE_URL": url[APP],
            "MIGRATION_DATABASE_URL": url[OWNER],
            "REDIS_URL": servers.redis_url,
            "SECRET_KEY": secrets.token_urlsafe(48),
            "ENCRYPTION_KEYS": Keyring.new_entry("k1"),
            "LOG_LEVEL": "WARNING",
        }
        upgrade = ["-m", "flask", "--app", "wsgi", "db", "upgrade", "--directory", "migrations"]
        subprocess.run([sys.executable, *upgrade], cwd=ROOT, check=True, capture_output=True)
        yield admin.rpartition("/")[0] + f"/{DATABASE}"
    finally:
        servers.stop()


def fill(superuser: str, tenant_id: int, count: int) -> None:
    last = [*LAST, *(f"Aile{number}" for number in range(RARE))]
    words = [(word, token) for word in (*FIRST, *last) for token in word_tokens(word)]
    with (
        contextlib.closing(psycopg2.connect(superuser)) as connection,
        connection,
        connection.cursor() as cursor,
    ):
        cursor.execute(
            "SET synchronous_commit = off; SET work_mem = '256MB';"
            " SET maintenance_work_mem = '512MB'"
        )
        cursor.execute(
            FILL,
            {
                "tenant": tenant_id,
                "count": count,
                "first": list(FIRST),
                "first_key": [search_key(name) for name in FIRST],
                "firsts": len(FIRST),
                "last": last,
                "last_key": [search_key(name) for name in last],
                "lasts": len(last),
                "word": [word for word, _ in words],
                "token": [token for _, token in words],
            },
        )
    with contextlib.closing(psycopg2.connect(superuser)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE contacts, identities, contact_tokens")


def ask(tenant_id: int, question: dict[str, Any], sort: str, phone: str) -> tuple[float, int]:
    """Milliseconds and the number found, for a page with phones as the portal shows it."""
    filled: dict[str, Any] = {
        name: value.format(phone=phone, end=phone[-4:]) if isinstance(value, str) else value
        for name, value in question.items()
    }
    began = time.perf_counter()
    with tenant_scope(tenant_id):
        filters = ContactFilters(**filled)
        sort = contact_search.usable_sort(filters, sort, "TR")
        rows = contact_search.search_contacts(filters, sort=sort, limit=PAGE, country="TR")
        contact_cards.cards_of(rows)
    return (time.perf_counter() - began) * 1000, len(rows)


def measure(tenants: dict[int, int]) -> dict[str, dict[int, list[float]]]:
    dice = random.Random(7)
    times: dict[str, dict[int, list[float]]] = {
        name: {size: [] for size in tenants} for name, _, _ in QUESTIONS
    }
    for turn in range(ROUNDS + 3):
        for name, question, sort in QUESTIONS:
            for size, tenant_id in tenants.items():
                number = dice.randrange(1, size + 1)
                phone = f"9053{number * 7919 % 100000000:08}"
                elapsed, _ = ask(tenant_id, question, sort, phone)
                if turn >= 3:  # the first ones read from the disk
                    times[name][size].append(elapsed)
    return times


def p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def main(sizes: list[int]) -> int:
    with database() as superuser:
        app = create_worker_app()
        with app.app_context():
            password = hash_password(new_token())
            with global_scope():
                owner = people.register("o@example.com", "Ada", password, verified=True)
            tenants: dict[int, int] = {}
            for size in sizes:
                with tenant_scope(accounts.reserve_id()):
                    tenants[size] = accounts.create(f"{size} contacts", owner, "growth").id
                began = time.perf_counter()
                fill(superuser, tenants[size], size)
                print(f"{size} contacts written in {time.perf_counter() - began:.0f} s")
            times = measure(tenants)
    small, large = sizes
    every = {size: [t for rows in times.values() for t in rows[size]] for size in sizes}
    times["all questions"] = every
    print(f"{'p95 in ms':28} {small:>10} {large:>10}  ratio")
    figures = {}
    for name, rows in times.items():
        one, other = p95(rows[small]), p95(rows[large])
        figures[name] = {"small": round(one, 2), "large": round(other, 2)}
        print(f"{name:28} {one:10.2f} {other:10.2f}  {other / one:5.2f}")
    ratio = p95(every[large]) / p95(every[small])
    print(json.dumps({"contacts_growth": {"value": round(ratio, 3), "most": MOST_GROWTH}}))
    return 0 if ratio <= MOST_GROWTH else 1


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:]] or [10_000, 1_000_000]
    sys.exit(main(numbers))
