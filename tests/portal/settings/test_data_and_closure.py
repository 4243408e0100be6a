"""An account's plan, data export, retention and closure."""

import io
import zipfile
from datetime import timedelta
from decimal import Decimal
from io import BytesIO

import pytest
from PIL import Image
from sqlalchemy import select, text

from core.clock import frozen, now
from core.db import db, global_scope
from jobs.media import delete_pending_files
from jobs.tenants import account_closure as closing_job
from jobs.tenants import exports as tenant_exports
from jobs.tenants import retention as tenant_retention
from messaging import search_index
from messaging.contacts.importing import imports as contact_importing
from messaging.messages.media import uploads as media_uploads
from messaging.models import Message
from restaurant.menus import photos
from tenants import accounts, audit, people
from tenants.data import account_closure
from tenants.data import export as data_export
from tenants.models import Tenant
from tenants.plans import billing
from tests.architecture.tenancy.schema_rules import owned_tables
from tests.factories import PASSWORD, make_business, make_person
from tests.portal.page_reader import text_of
from tests.portal.plan_payment_provider import open_bank
from tests.sample_tenant import add_sample_messages


def make_operator():
    person = make_person()
    with global_scope():
        people.get(person.id).operator = True
    return person


@pytest.fixture
def bank(app, monkeypatch):
    return open_bank(app, monkeypatch)


def test_a_plan_is_asked_for_and_the_operator_sees_it(browser, other_browser, restaurant):
    browser.signs_in(restaurant.owner)
    assert "Request Starter" in text_of(browser.get("/plan"))
    browser.post("/plan/request", plan="starter")
    assert "Requested" in text_of(browser.get("/plan"))
    other_browser.signs_in(make_operator())
    assert "requested Starter" in text_of(other_browser.get("/operator/?wants=plan"))
    page = f"/operator/tenants/{restaurant.tenant_id}"
    assert "requested the Starter plan" in text_of(other_browser.get(page))
    other_browser.post(f"{page}/limits", plan="starter")
    with restaurant.scope():
        tenant = accounts.get(restaurant.tenant_id)
        assert (tenant.plan, tenant.wanted_plan) == ("starter", None)


def test_a_month_by_card_changes_the_plan_once_and_leaves_an_invoice(
    browser, other_browser, bank, shop, restaurant
):
    with shop.scope():
        accounts.change_plan("starter")
    browser.signs_in(shop.owner)
    browser.post("/plan/address", billing_name="Kumru Atölye Şti.", billing_address="Çınar Sk. 5")
    assert browser.post("/plan/pay", plan="growth").location == "/plan/pay"
    assert "https://bank.example/" in browser.get("/plan/pay").get_data(as_text=True)
    browser.get("/plan/back")
    with shop.scope():
        assert accounts.get(shop.tenant_id).plan == "starter"
    bank.pays()
    browser.get("/plan/back")
    browser.get("/plan/back")
    closing_job.check_plan_payments()
    with shop.scope():
        (invoice,) = billing.list_invoices()
        assert accounts.get(shop.tenant_id).plan == "growth"
        assert accounts.account().paid_until > now().date() + timedelta(days=26)
        assert (invoice.net, invoice.tax, invoice.total) == (79, Decimal("15.8"), Decimal("94.8"))
    page = browser.get(f"/plan/invoices/{invoice.code}")
    assert page.data.startswith(b"%PDF")
    assert "94.80" in text_of(browser.get("/plan"))
    other_browser.signs_in(restaurant.owner)
    assert other_browser.get(f"/plan/invoices/{invoice.code}").status_code == 404


def test_another_amount_is_not_the_price(browser, bank, shop):
    browser.signs_in(shop.owner)
    browser.post("/plan/pay", plan="growth")
    bank.pays(Decimal(1))
    browser.get("/plan/back")
    with shop.scope():
        assert not billing.list_invoices()
        assert len(billing.open_payments()) == 1


def test_invoice_numbers_have_no_gaps_and_invoices_do_not_change(app, superuser_connection):
    terms = billing.InvoiceTerms("Comanda", "VAT", Decimal(0))
    numbers = []
    for fails in (False, True, False):
        business = make_business("Gapless", "starter")
        with business.scope():
            payment = billing.start_payment("growth", terms, "simulated")
            billing.mark_open(payment.id, "r", "u")
        try:
            with business.scope():
                made = billing.record_payment(payment.id, "p", now(), terms)
                if fails:
                    raise ZeroDivisionError
                numbers.append(made.number)
        except ZeroDivisionError:
            pass
    assert numbers[1] == numbers[0] + 1
    with pytest.raises(Exception, match="permission denied"), global_scope():
        db.session.execute(text("UPDATE invoices SET name = 'x'"))
    assert made.name == "Gapless"


def test_everything_as_a_file_without_secrets_for_a_week(
    browser, restaurant, run_jobs, monkeypatch
):
    monkeypatch.setattr(data_export, "BATCH", 1)  # every table is longer than one batch
    add_sample_messages(restaurant, "Mavi")
    browser.signs_in(restaurant.owner)
    browser.post("/settings/data/export")
    assert "A data export is already in progress." in text_of(
        browser.post("/settings/data/export", follow=True)
    )
    tenant_exports.drain()
    page = browser.get("/settings/data").get_data(as_text=True)
    address = page.split('href="/settings/data/exports/')[1].split('"')[0]
    answer = browser.get(f"/settings/data/exports/{address}")
    archive = zipfile.ZipFile(io.BytesIO(answer.data))
    names = set(archive.namelist())
    assert {"account.json", "messages.csv", "contacts.csv", "api_keys.csv", "media.csv"} <= names
    everything = b"".join(archive.read(name) for name in names)
    assert restaurant.key.encode() not in everything
    assert b"key_hash" not in archive.read("api_keys.csv")
    assert b"Mavi" in archive.read("messages.csv")
    with frozen(now() + timedelta(days=8)):
        tenant_exports.find_lost_work()
        assert browser.get(f"/settings/data/exports/{address}").status_code in (302, 404)
    assert browser.get(f"/settings/data/exports/{address}").status_code == 404


def test_an_export_that_fails_is_reported(browser, restaurant, monkeypatch):
    browser.signs_in(restaurant.owner)
    browser.post("/settings/data/export")

    def breaks(name):
        raise RuntimeError(name)

    monkeypatch.setattr(data_export, "exported_columns", breaks)
    tenant_exports.drain()
    assert "Creating" not in text_of(browser.get("/settings/data"))
    with restaurant.scope():
        assert [one.state for one in data_export.list_exports()] == ["failed"]


def test_texts_are_blanked_after_the_days_that_were_chosen(browser, restaurant):
    _, message_id = add_sample_messages(restaurant, "Forgettable")
    browser.signs_in(restaurant.owner)
    assert "Enter a number from 7 to" in text_of(
        browser.post("/settings/data/keeping", message_days="2")
    )
    browser.post("/settings/data/keeping", message_days="30", call_days="3")
    with frozen(now() + timedelta(days=29)):
        tenant_retention.delete_expired_data()
    with restaurant.scope():
        assert db.session.get(Message, (restaurant.tenant_id, message_id)).text
        assert search_index.find_conversations("answer")
    with frozen(now() + timedelta(days=31)):
        assert tenant_retention.delete_expired_data()["texts"] > 0
        assert tenant_retention.delete_expired_data()["texts"] == 0
    with restaurant.scope():
        assert audit.entries(act="account.retention", limit=1)
        kept = db.session.scalars(
            select(Message).where(Message.tenant_id == restaurant.tenant_id)
        ).all()
        assert {one.text for one in kept if one.due_at is None} == {""}
        for one in kept:  # the messages that were waiting are sent at last
            one.due_at = None
    with frozen(now() + timedelta(days=33)):
        assert tenant_retention.delete_expired_data()["texts"] == 1
    with restaurant.scope():
        assert not search_index.find_conversations("answer")


def test_closing_holds_everything_for_a_month_and_then_nothing_is_left(
    app, browser, restaurant, superuser_connection, client
):
    add_sample_messages(restaurant, "Mavi")
    browser.signs_in(restaurant.owner)
    for name, password, why in (
        ("Somebody else", PASSWORD, "does not match the name"),
        ("Lokanta Mavi", "wrong password", "The password is incorrect."),
    ):
        assert why in text_of(browser.post("/settings/close", name=name, password=password))
    browser.post("/settings/close", name="lokanta  mavi", password=PASSWORD)
    me = client.get("/api/v1/me", headers=restaurant.bearer)
    assert (me.status_code, me.json["code"]) == (401, "account_closed")
    assert "Reopen account" in text_of(browser.get("/home"))
    browser.post("/settings/reopen")
    assert client.get("/api/v1/me", headers=restaurant.bearer).status_code == 200
    browser.post("/settings/close", name="Lokanta Mavi", password=PASSWORD)
    with frozen(now() + timedelta(days=29)):
        assert closing_job.erase_closed_accounts() == 0
    with frozen(now() + timedelta(days=31)):
        assert closing_job.erase_closed_accounts() == 1
    with superuser_connection.cursor() as cursor:
        for table in owned_tables(cursor):
            cursor.execute(
                f"SELECT count(*) FROM {table} WHERE tenant_id = %s", (restaurant.tenant_id,)
            )
            assert cursor.fetchone()[0] == 0, table
    with global_scope():
        assert db.session.get(Tenant, restaurant.tenant_id) is None


def test_an_erased_account_leaves_no_file(app, restaurant, shop):
    """Sent files, photos, logos and imports are deleted; photos are public while they exist."""
    blobs = app.extensions["blobs"]
    kept = {}
    for business in (restaurant, shop):
        folder = str(business.tenant_id)
        picture = BytesIO()
        Image.new("RGB", (40, 40)).save(picture, "PNG")
        photo = photos.save_photo(blobs, picture.getvalue(), business.tenant_id)
        with business.scope():
            listed = contact_importing.upload_file(
                BytesIO(b"phone\n+905321112233\n"), "a.csv", blobs
            )
        sent = media_uploads.store_upload(blobs, BytesIO(b"%PDF-1.7 x"), "menu.pdf", folder)
        kept[business.name] = [f"photos/{photo}", listed.blob, sent.key]
        assert all(map(blobs.exists, kept[business.name]))
    with restaurant.scope():
        account_closure.close(restaurant.name)
    with frozen(now() + timedelta(days=31)):
        assert closing_job.erase_closed_accounts() == 1
        delete_pending_files()
    assert not any(map(blobs.exists, kept[restaurant.name]))
    assert app.test_client().get(f"/{kept[restaurant.name][0]}").status_code == 404
    assert all(map(blobs.exists, kept[shop.name]))


def test_a_suspended_account_that_is_closed_stays_suspended_when_opened_again(restaurant):
    with restaurant.scope():
        accounts.suspend("late bills")
        account_closure.close(restaurant.name)
    with restaurant.scope():
        account_closure.reopen()
        assert accounts.get(restaurant.tenant_id).state == "suspended"
