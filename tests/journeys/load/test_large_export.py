"""While an account with very many records exports them, another one's payments go on.

EXPORT_RECORDS=1400000 measures what a large account has; `-s` prints the figures.
"""

import io
import os
import time
import zipfile
from contextlib import closing

import pytest

from restaurant.payments import link_queries
from restaurant.payments import links as payment_links
from restaurant.sites import sites
from tenants.data import export as data_export
from tests.databases import admin_connection
from tests.factories import make_business
from tests.journeys.card_steps import set_up_cards
from tests.restaurant.bistro import open_bistro
from tests.sample_tenant import plant_changes
from tests.timeouts import allow_for_load

RECORDS = int(os.environ.get("EXPORT_RECORDS", "60000"))
MANY = 500_000  # more than any machine exports in one step


@pytest.mark.timing
@pytest.mark.timeout(120 + RECORDS / 1000)
def test_a_payment_link_gets_its_address_while_a_large_export_is_made(app, settings, database):
    with app.app_context():
        large, bistro = make_business("Large Account"), open_bistro(make_business("Lokanta Link"))
        set_up_cards(bistro, settings)
    with closing(admin_connection(database)) as connection, connection.cursor() as cursor:
        plant_changes(cursor, large.tenant_id, RECORDS)
        cursor.execute("ANALYZE message_changes")  # as autovacuum does, which is off in tests
    waits, began = [], time.monotonic()
    with app.app_context():
        with large.scope():
            export_id = data_export.request_export().id
        while (one := state_of(large, export_id)).state in data_export.UNDER_WAY:
            waits.append(seconds_to_an_address(bistro))
            assert time.monotonic() < began + allow_for_load(60 + RECORDS / 1000)
            time.sleep(0.5)
    took = time.monotonic() - began
    print(f"\n{one.records} records, {one.steps} steps, {took:.1f} s, {one.size} bytes;")
    print(f"{len(waits)} payment links meanwhile: slowest address after {max(waits):.2f} s")
    assert one.state == "ready"
    assert one.records >= RECORDS
    assert one.steps > (1 if RECORDS >= MANY else 0)
    assert max(waits) < allow_for_load(2)
    with app.extensions["blobs"].open(one.blob_key) as file:
        archive = zipfile.ZipFile(io.BytesIO(file.read()))
    with archive.open("message_changes.csv") as lines:
        assert sum(1 for _ in lines) == RECORDS + 1


def state_of(business, export_id):
    with business.scope():
        return data_export.get(export_id)


def seconds_to_an_address(bistro):
    asked = time.monotonic()
    with bistro.scope():
        site = sites.get(bistro.site_id)
        link_id = payment_links.create_standalone(site, "12.50", "A link", source="staff").id
    while True:
        with bistro.scope():
            if link_queries.get(link_id).url:
                return time.monotonic() - asked
        assert time.monotonic() < asked + 120, "the link got no address"
        time.sleep(0.05)
