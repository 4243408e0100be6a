"""Do jobs over all tenants end in time? `python -m bench.nightly_jobs [1000 10000]`

Each job runs as one worker would run it, step after step, until its round is finished. Every
tenant has a contact, old rows for the job to delete, and figures to close. Prints the seconds, the
cost per tenant, and how much of the time until its next start the job uses.
"""

import sys
import time
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from importlib import import_module

import psycopg2
from psycopg2 import sql

from bench.contact_growth import database
from bench.results import Results, write
from core.app_setup import create_worker_app
from core.clock import now
from core.db import db, global_scope, tenant_scope
from core.queue.rounds import Round
from messaging.contacts import repository as contact_repository
from messaging.contacts.validation import ContactInput
from messaging.lines.simulated_line import add_simulated_line
from tenants import accounts, people
from tenants.passwords import hash_password

SIZES = (1_000, 10_000)
HOUR, DAY = 3_600, 86_400
# How often jobs/scheduler.py starts them.
JOBS = {
    "jobs.costs.close_day": DAY,
    "jobs.maintenance.delete_expired": DAY,
    "jobs.tenants.retention.delete_expired_data": DAY,
    "jobs.tenants.account_closure.erase_closed_accounts": DAY,
    "jobs.contacts.delete_old_imports": DAY,
    "jobs.webhooks.worker.delete_old_events": DAY,
    "jobs.tenants.exports.find_lost_work": HOUR,
    "jobs.tenants.usage_alerts.check_usage": HOUR,
    "jobs.tenants.plan_renewals.check_renewals": HOUR,
    "jobs.lines.template_sync.request_all": HOUR,
}
OWNED = """
SELECT table_name FROM information_schema.columns JOIN pg_class ON relname = table_name
 WHERE table_schema = 'public' AND column_name = 'tenant_id' AND NOT relispartition
   AND relkind IN ('r', 'p') AND table_name <> ALL (%s)
"""
# Not copied: global tables, and lines, whose secrets are encrypted for their tenant.
NOT_COPIED = ["lines", "lanes", "leases", "lookups", "memberships", "mails", "app_grants"]
COPY = """
INSERT INTO {0} SELECT (jsonb_populate_record(t, jsonb_build_object('tenant_id', n))).*
  FROM {0} AS t, generate_series(%s::bigint, %s::bigint) AS n WHERE t.tenant_id = %s
"""
COPY_TENANT = """
INSERT INTO tenants SELECT (jsonb_populate_record(t, jsonb_build_object('id', n))).*
  FROM tenants AS t, generate_series(%s::bigint, %s::bigint) AS n WHERE t.id = %s
"""


def main(sizes: list[int]) -> int:
    measured: Results = {}
    late: list[str] = []
    for size in sizes:
        with database() as superuser:
            app = create_worker_app()
            with app.app_context():
                made = fill(superuser, size)
                print(f"{made:,} tenants{'':24}seconds  steps  ms per tenant  of its window")
                total = 0.0
                for job, window in JOBS.items():
                    seconds, steps = run(job)
                    total += seconds
                    share = seconds / window
                    print(
                        f"  {job.removeprefix('jobs.'):38}{seconds:8.1f}{steps:7}"
                        f"{seconds / made * 1000:15.2f}{share:14.1%}"
                    )
                    if share > 1:
                        late.append(f"{job} with {made} tenants")
                print(f"  {'all':38}{total:8.1f}{'':7}{total / made * 1000:15.2f}")
                measured[f"nightly_{size}"] = {
                    "value": round(total, 1),
                    "unit": f"s for all jobs over {size} tenants, one worker",
                    "ms_per_tenant": round(total / made * 1000, 2),
                }
    write(measured)
    if late:
        print(f"Not finished before their next start: {', '.join(late)}")
    return 1 if late else 0


def fill(superuser: str, size: int) -> int:
    """One tenant made by the service, then copies of all its rows. Returns how many there are."""
    password = hash_password("not a secret")
    with global_scope():
        owner = people.register("derya@example.com", "Derya Aksoy", password, verified=True)
    first = accounts.reserve_id()
    with tenant_scope(first):
        accounts.create("Lokanta", owner, "growth")
        add_simulated_line("Front desk", "http://127.0.0.1:1", "secret", test=False, default=True)
        contact_repository.create(ContactInput(phone="905321112233", name="Derya"))
    with closing(psycopg2.connect(superuser)) as connection, connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = off")
        cursor.execute("SET session_replication_role = replica")
        # Larger and smaller ids than the first one's: it is not always the first of the round.
        cursor.execute(COPY_TENANT, [1, size - 1, first])
        cursor.execute(OWNED, [NOT_COPIED])
        for (table,) in cursor.fetchall():
            statement = sql.SQL(COPY).format(sql.Identifier(table))
            cursor.execute(statement, [1, size - 1, first])
        old = now() - timedelta(days=400)
        cursor.execute(
            "INSERT INTO idempotency_keys (tenant_id, key, fingerprint, created_at)"
            " SELECT id, 'old', '', %s FROM tenants",
            [old],
        )
        connection.commit()
        cursor.execute("ANALYZE")
        cursor.execute("SELECT count(*) FROM tenants")
        [counted] = cursor.fetchall()
        return int(counted[0])


def run(job: str) -> tuple[float, int]:
    """Until the round is finished, as the queue would start it again and again."""
    module, _, name = job.rpartition(".")
    function: Callable[[], object] = getattr(import_module(module), name)
    began, steps = time.monotonic(), 0
    while True:
        function()
        steps += 1
        with global_scope():
            one = db.session.get(Round, job)
            if one is not None and not one.under_way:
                return time.monotonic() - began, steps


if __name__ == "__main__":
    sys.exit(main([int(size) for size in sys.argv[1:]] or list(SIZES)))
