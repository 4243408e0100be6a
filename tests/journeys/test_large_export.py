"""While an account with very many records exports them, another one's payments go on.

Review H6. EXPORT_RECORDS=1400000 measures what a large account has; `-s` prints the figures.
"""

import io
import os
import time
import zipfile
from contextlib import closing

import pytest

from restaurant import payment_links, sites
from tenants import exporting
from tests.cast import make_business
from tests.databases import admin
from tests.house.planting import plant_changes
from tests.journeys.card_steps import set_up_cards
from tests.patience import patient
from tests.restaurant.kitchen import open_bistro

RECORDS = int(os.environ.get("EXPORT_RECORDS", "60000"))
MANY = 500_000  # more than any machine exports in one step


@pytest.mark.timing
@pytest.mark.timeout(120 + RECORDS / 1000)
def test_a_payment_link_gets_its_address_while_a_large_export_is_made(app, settings, database):
    with app.app_context():
        large, bistro = make_business("Large Account"), open_bistro(make_business("Lokanta Link"))
        set_up_cards(bistro, settings)
    with closing(admin(database)) as connection, connection.cursor() as cursor:
        plant_changes(cursor, large.tenant_id, RECORDS)
        cursor.execute("ANALYZE message_changes")  # as autovacuum does, which is off in tests
    waits, began = [], time.monotonic()
    with app.app_context():
        with large.scope():
            export_id = exporting.ask().id
        while (one := state_of(large, export_id)).state in exporting.UNDER_WAY:
            waits.append(seconds_to_an_address(bistro))
            assert time.monotonic() < began + patient(60 + RECORDS / 1000)
            time.sleep(0.5)
    took = time.monotonic() - began
    print(f"\n{one.records} records, {one.steps} steps, {took:.1f} s, {one.size} bytes;")
    print(f"{len(waits)} payment links meanwhile: slowest address after {max(waits):.2f} s")
    assert one.state == "ready"
    assert one.records >= RECORDS
    assert one.steps > (1 if RECORDS >= MANY else 0)
    assert max(waits) < patient(2)
    with app.extensions["blobs"].open(one.blob_key) as file:
        archive = zipfile.ZipFile(io.BytesIO(file.read()))
    with archive.open("message_changes.csv") as lines:
        assert sum(1 for _ in lines) == RECORDS + 1


def state_of(business, export_id):
    with business.scope():
        return exporting.get(export_id)


def seconds_to_an_address(bistro):
    asked = time.monotonic()
    with bistro.scope():
        site = sites.get(bistro.site_id)
        link_id = payment_links.free(site, "12.50", "A link", source="staff").id
    while True:
        with bistro.scope():
            if payment_links.get(link_id).url:
                return time.monotonic() - asked
        assert time.monotonic() < asked + 120, "the link got no address"
        time.sleep(0.05)
