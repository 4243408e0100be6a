"""The businesses that the load is spread over: `python -m bench.setup.tenants 200` prints them as
JSON.

Their limits are high and their lines fast, because neither limits nor pacing are measured.
"""

import json
import sys
from decimal import Decimal

from core.app_setup import create_worker_app
from core.db import db, global_scope, tenant_scope
from core.ids import new_token
from messaging.lines import repository as line_repository
from tenants import accounts, api_keys, people
from tenants.models import Account
from tenants.passwords import hash_password

NO_LIMIT = 1_000_000_000
PER_SECOND = Decimal(10_000)
APP_SECRET = "secret"  # noqa: S105 - of numbers that exist only here


MANY_LINES, LINES_EACH = 50, 4  # businesses with several lines


OWNERS = 4  # the first few businesses have their own owner, who can sign in


def make_tenants(count: int) -> list[dict[str, object]]:
    password = hash_password(new_token())
    with global_scope():
        owners = [
            people.register(f"owner{n}@example.com", "Ada Ferrer", password, verified=True)
            for n in range(OWNERS)
        ]
    made: list[dict[str, object]] = []
    for number in range(count):
        owner = owners[min(number, OWNERS - 1)]
        with tenant_scope(accounts.reserve_id()):
            tenant = accounts.create(f"Business {number}", owner, "growth")
            limits = db.session.get_one(Account, tenant.id)
            limits.rate_per_second = limits.burst = 1_000_000
            limits.monthly_messages, limits.spend_cap_usd = NO_LIMIT, Decimal(10_000_000)
            _, key = api_keys.create("Bench", "live", ["messages:send", "messages:read"])
            first, *more = [
                _line(tenant.id, number + 100_000 * place)
                for place in range(LINES_EACH if number < MANY_LINES else 1)
            ]
            known = {"email": owner.email, "password": password}
            made.append({**first, **known, "key": key, "more_lines": more})
    return made


def _line(tenant_id: int, number: int) -> dict[str, object]:
    line = line_repository.add_cloud_line(
        "Front desk", f"9055{number:08d}", f"77{number:010d}", "token", APP_SECRET
    )
    line.per_second = PER_SECOND
    return {
        "tenant_id": tenant_id,
        "line_id": line.id,
        "phone_number_id": line.phone_number_id,
        "phone": line.phone,
        "hook_token": line.hook_token,
    }


if __name__ == "__main__":
    app = create_worker_app()
    with app.app_context():
        print(json.dumps(make_tenants(int(sys.argv[1]))))
