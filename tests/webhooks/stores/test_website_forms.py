"""Forms of any builder: fields are detected, the visitor gets a reply, the owner is notified."""

import json
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from sqlalchemy import select

from api.hooks.stores import connection_addresses
from core.clock import advance, frozen, now
from core.db import db, global_scope
from core.mail import Mail
from core.security.signing import new_webhook_secret, webhook_headers
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.automations import form_limits
from messaging.automations.reasons import AUTOMATION_REASONS, RECIPIENT_LIMIT
from messaging.contacts import identities as contact_identities
from messaging.models import Contact
from tests.line_factory import make_line
from tests.webhooks.stores.shops import (
    NO_PHONE_SENT_TEXT,
    base64_hmac,
    connect_store,
    enable_automations,
    hooks_of,
    run_hooks_and_automations,
    run_states,
    runs,
    sent_texts,
)

AYSE = "905321112233"
OWNER = "905329990000"


@pytest.fixture
def website(app, shop, client, redis):
    make_line(shop)
    enable_automations(shop, "form_reply")
    enable_automations(shop, "owner_notice", to_phone=OWNER)
    return connect_store(shop, client, "form", country="TR")


TYPEFORM = {
    "event_id": "01HTYPE",
    "event_type": "form_response",
    "form_response": {
        "form_id": "lT4Z3j",
        "token": "tok-1",
        "definition": {
            "title": "Randevu",
            "fields": [
                {"id": "f1", "title": "Adınız nedir?", "type": "short_text"},
                {"id": "f2", "title": "Telefon", "type": "phone_number"},
                {"id": "f3", "title": "Mesajınız", "type": "long_text"},
            ],
        },
        "answers": [
            {"type": "text", "text": "Ayşe Kaya", "field": {"id": "f1", "type": "short_text"}},
            {
                "type": "phone_number",
                "phone_number": "+905321112233",
                "field": {"id": "f2", "type": "phone_number"},
            },
            {"type": "text", "text": "Kupa var mı?", "field": {"id": "f3", "type": "long_text"}},
        ],
    },
}
TALLY = {
    "eventId": "ev-1",
    "eventType": "FORM_RESPONSE",
    "data": {
        "submissionId": "sub-1",
        "formName": "Randevu",
        "fields": [
            {"key": "q1", "label": "Your name", "type": "INPUT_TEXT", "value": "Ayşe Kaya"},
            {
                "key": "q2",
                "label": "Call me",
                "type": "INPUT_PHONE_NUMBER",
                "value": "0532 111 22 33",
            },
            {"key": "q3", "label": "Message", "type": "TEXTAREA", "value": "Kupa var mı?"},
        ],
    },
}
RAW_REQUEST = {
    "slug": "submit/1",
    "q3_name": {"first": "Ayşe", "last": "Kaya"},
    "q4_phoneNumber": {"full": "(0532) 111-2233"},
    "q5_message": "Kupa var mı?",
}
JOTFORM = {
    "submissionID": "6084250982513018472",
    "formTitle": "Randevu",
    "rawRequest": json.dumps(RAW_REQUEST),
}


def multipart(fields, boundary="X"):
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    ]
    return "".join((*parts, f"--{boundary}--\r\n")).encode()


ELEMENTOR = {
    "form[id]": "abc",
    "form[name]": "Randevu",
    "fields[name][title]": "Ad Soyad",
    "fields[name][value]": "Ayşe Kaya",
    "fields[tel][title]": "Numaranız",
    "fields[tel][type]": "tel",
    "fields[tel][value]": "0532 111 22 33",
    "fields[message][title]": "Mesaj",
    "fields[message][value]": "Kupa var mı?",
}
WPFORMS = {
    "form_name": "Randevu",
    "fields": {
        "0": {"name": "Name", "value": "Ayşe Kaya", "type": "name"},
        "1": {"name": "Phone", "value": "0532 111 22 33", "type": "phone"},
        "2": {"name": "Comment or Message", "value": "Kupa var mı?", "type": "textarea"},
    },
}
PLAIN = {"isim": "Ayşe Kaya", "cep": "0532 111 22 33", "mesaj": "Kupa var mı?"}


@pytest.mark.parametrize(
    ("told", "content_type"),
    [
        (TYPEFORM, "application/json"),
        (TALLY, "application/json; charset=utf-8"),
        (multipart(JOTFORM), "multipart/form-data; boundary=X"),
        (urlencode(ELEMENTOR).encode(), "application/x-www-form-urlencoded"),
        (WPFORMS, "application/json"),
        (urlencode(PLAIN).encode(), "application/x-www-form-urlencoded"),
        (PLAIN, "text/plain"),
    ],
    ids=["typeform", "tally", "jotform", "elementor", "wpforms", "encoded", "json as text"],
)
def test_the_visitor_is_answered_and_the_owner_told(app, shop, website, told, content_type):
    for _ in range(2):
        assert website.submits(told, content_type).status_code == 200
        run_hooks_and_automations(app)
    by_phone = dict(sent_texts(shop))
    assert set(by_phone) == {AYSE, OWNER}
    assert len(sent_texts(shop)) == 2
    assert "Ayşe" in by_phone[AYSE]
    assert "Kupa var mı?" in by_phone[OWNER]
    with shop.scope():
        contact = db.session.scalars(
            select(Contact).where(Contact.tenant_id == shop.tenant_id)
        ).one()
        assert contact.name == "Ayşe Kaya"


def test_without_a_phone_the_owner_is_notified_and_the_run_gives_the_reason(app, shop, website):
    website.submits({"name": "Ayşe", "email": "ayse@example.com"})
    run_hooks_and_automations(app)
    assert [phone for phone, _ in sent_texts(shop)] == [OWNER]
    assert ("skipped", NO_PHONE_SENT_TEXT) in run_states(shop)


def test_the_tenants_own_mapping_wins(app, shop, website):
    with shop.scope():
        store_connections.set_mapping(
            website.connection.id, {"phone": "b", "name": "c", "text": "a"}
        )
    website.submits({"a": "Kupa?", "b": "0532 111 22 33", "c": "Ayşe", "phone": "0533 000 00 00"})
    run_hooks_and_automations(app)
    assert {phone for phone, _ in sent_texts(shop)} == {AYSE, OWNER}


def test_consent_is_kept_and_can_be_asked_for(app, shop, website):
    with shop.scope():
        for one in automation_definitions.list_automations():
            if one.recipe == "form_reply":
                one.conditions = {"consent": True}
        met = contact_identities.find_or_create(AYSE, "", "", now())
        contact_identities.record_opt_out(met.id, now())
    website.submits({"id": "1", "phone": "0532 111 22 33", "onay": "no"})
    run_hooks_and_automations(app)
    assert ("skipped", "The customer has not given consent for these messages.") in run_states(shop)
    website.submits({"id": "2", "phone": "0532 111 22 33", "onay": "on"})
    run_hooks_and_automations(app)
    assert AYSE in [phone for phone, _ in sent_texts(shop)]
    with shop.scope():
        assert contact_identities.find_or_create(AYSE, "", "", now()).opted_out_at is None


def test_the_same_words_again_tomorrow_are_a_new_submission(app, shop, website):
    with frozen():
        website.submits(PLAIN)
        website.submits(PLAIN)
        run_hooks_and_automations(app)
        assert len(runs(shop)) == 2
        advance(25 * 3600)
        website.submits(PLAIN)
        run_hooks_and_automations(app)
    assert len(runs(shop)) == 4
    assert len(hooks_of(shop)) == 2


def signed_ways(secret, body):
    plain = base64_hmac(secret, body)
    return {
        "typeform": {"Typeform-Signature": f"sha256={plain}"},
        "tally": {"Tally-Signature": plain},
        "bearer": {"Authorization": f"Bearer {secret}"},
        "header": {"X-Webhook-Secret": secret},
        "nothing": {},
    }


@pytest.mark.parametrize("way", ["typeform", "tally", "bearer", "header", "nothing"])
def test_with_a_secret_the_form_must_know_it(app, shop, website, way):
    with shop.scope():
        store_connections.set_secret(website.connection.id, "form-secret")
    connection_addresses.forget()
    body = urlencode(PLAIN).encode()
    good = website.posts(body, signed_ways("form-secret", body)[way])
    bad = website.posts(body, signed_ways("guessed", body)[way])
    assert good.status_code == (401 if way == "nothing" else 200)
    assert bad.status_code == 401


def test_a_form_may_be_signed_as_our_own_events_are(app, shop, website):
    secret = new_webhook_secret()
    with shop.scope():
        store_connections.set_secret(website.connection.id, secret)
    connection_addresses.forget()
    body = urlencode(PLAIN).encode()
    assert website.posts(body, webhook_headers(secret, "e1", body)).status_code == 200
    assert website.posts(body + b"x", webhook_headers(secret, "e1", body)).status_code == 401


POISON = {
    "nul": b'{"name": "a\\u0000b"}',
    "surrogate": b'{"name": "\\ud83d"}',
    "deep": b'{"a":' * 5000 + b"1" + b"}" * 5000,
    "deep but readable": b'{"a":' * 60 + b"1" + b"}" * 60,
    "half": b'{"name": "A',
    "list": b"[1, 2]",
    "not utf-8": b'{"name": "\xff\xfe"}',
    "infinity": b'{"name": Infinity}',
    "huge number": b'{"name": ' + b"9" * 6000 + b"}",
    "empty": b"",
    "nul encoded": b"name=a%00b",
}


@pytest.mark.parametrize("kind", ["form", "store"])
@pytest.mark.parametrize("poison", POISON)
def test_an_unreadable_hook_is_parked_and_the_others_continue(
    app, shop, client, redis, kind, poison
):
    make_line(shop)
    enable_automations(shop, "order_confirmation", "form_reply")
    door = connect_store(shop, client, kind, country="TR")
    headers = {"Authorization": f"Bearer {door.secret}", "Content-Type": "application/json"}
    with frozen():
        assert door.posts(POISON[poison], headers).status_code == 200
        if kind == "form":
            door.submits(PLAIN)
        else:
            customer = {"phone": "0532 111 22 33", "country": "TR"}
            door.posts_event("order.created", customer=customer, order={"id": "7"})
        for _ in range(6):
            run_hooks_and_automations(app)
            advance(400)
    bad, good = hooks_of(shop)
    assert (bad.state, good.state) == ("parked", "done")
    assert bad.error
    assert bytes(bad.body) == POISON[poison]
    assert [phone for phone, _ in sent_texts(shop)] == [AYSE]


def test_a_body_too_large_is_refused(website):
    assert website.submits(b"x" * (2 * 1024 * 1024 + 1), "text/plain").status_code == 413


def test_google_forms_by_item_id_are_read_by_their_titles(app, shop, website):
    website.submits(
        {
            "123": {"type": "TEXT", "title": "Telefon", "value": "0532 111 22 33"},
            "124": {"type": "TEXT", "title": "Adınız", "value": "Ayşe Kaya"},
        }
    )
    run_hooks_and_automations(app)
    by_phone = dict(sent_texts(shop))
    assert "Ayşe" in by_phone[AYSE]
    assert "Telefon: 0532 111 22 33" in by_phone[OWNER]


def test_a_phone_gets_few_replies_however_often_the_form_is_sent(app, shop, website):
    with frozen():
        for hour in range(6):
            for number in range(2):
                website.submits({"cep": "0532 111 22 33", "mesaj": f"{hour} {number}"})
            run_hooks_and_automations(app)
            advance(timedelta(minutes=61))
    assert sum(phone == AYSE for phone, _ in sent_texts(shop)) == 3
    assert ("skipped", AUTOMATION_REASONS[RECIPIENT_LIMIT]) in run_states(shop)


def test_a_form_causes_no_more_replies_than_its_limit_and_the_owner_is_notified(
    app, shop, website, monkeypatch
):
    monkeypatch.setattr(form_limits, "PER_CONNECTION", ((timedelta(hours=1), 2),))
    for number in range(5):
        website.submits({"cep": f"0532 111 22 3{number}", "mesaj": "merhaba"})
    run_hooks_and_automations(app)
    replies = [phone for phone, _ in sent_texts(shop) if phone != OWNER]
    assert len(replies) == 2
    with global_scope():
        letters = db.session.scalars(select(Mail).where(Mail.subject.contains("form"))).all()
    assert len(letters) == 1
    assert "reached its limit of 2 form replies in 1 hour." in letters[0].body


@pytest.mark.parametrize("name", ["Win at https://evil.example", "www.evil.example", "evil.com"])
def test_a_name_that_is_a_link_is_not_repeated(app, shop, website, name):
    website.submits({"isim": name, "cep": "0532 111 22 33"})
    run_hooks_and_automations(app)
    assert "evil" not in dict(sent_texts(shop))[AYSE]


def test_a_long_name_is_cut(app, shop, website):
    website.submits({"isim": "A" * 300, "cep": "0532 111 22 33"})
    run_hooks_and_automations(app)
    assert "A" * 41 not in dict(sent_texts(shop))[AYSE]


def test_a_new_reply_to_forms_asks_for_consent_first(app, shop, client, redis):
    make_line(shop)
    with shop.scope():
        automation_definitions.add("form_reply", "Reply")
    website = connect_store(shop, client, "form", country="TR")
    website.submits({"cep": "0532 111 22 33"})
    website.submits({"cep": "0532 111 22 44", "kvkk": "on"})
    run_hooks_and_automations(app)
    assert [phone for phone, _ in sent_texts(shop)] == ["905321112244"]
