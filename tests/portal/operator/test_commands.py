"""The operator's commands on the command line."""

import json
import stat

import pytest

from core.db import global_scope
from core.queue import leases
from core.security.encryption import Keyring
from core.settings import load_settings
from messaging.lines.drivers.linked.client import LINKED_KIND as LINKED
from messaging.lines.drivers.linked.device_store import DeviceStore
from tenants import accounts, people, signin, team
from tenants.rights import SCOPES
from tests.factories import PASSWORD, Browser, make_person, unique_email
from tests.short_demo import short_demo


@pytest.fixture
def run(app):
    runner = app.test_cli_runner()

    def command(*words):
        return runner.invoke(args=[str(word) for word in words])

    return command


@pytest.fixture
def json_of(run):
    """The JSON object that a command prints."""

    def command(*words):
        result = run(*words, "--json")
        assert result.exit_code == 0, result.output
        assert len(result.output.strip().splitlines()) == 1
        return json.loads(result.output)

    return command


@pytest.fixture
def me(client):
    def ask(key):
        return client.get("/api/v1/me", headers={"Authorization": f"Bearer {key}"})

    return ask


def refusal(result):
    """Expect one sentence and exit code 1, without a traceback."""
    assert result.exit_code == 1, result.output
    lines = result.output.strip().splitlines()
    assert len(lines) == 1, result.output
    assert lines[0].startswith("Error: ")
    return lines[0]


def test_a_tenant_is_made_with_keys_that_work(json_of, me):
    email = unique_email()
    made = json_of("tenants", "create", "Café Sol", "--owner-email", email, "--plan", "starter")
    assert {"tenant_id", "owner_email", "api_key", "test_key"} <= set(made)
    assert made["owner_email"] == email
    assert len(str(made["tenant_id"])) == 15
    live, test = me(made["api_key"]).json, me(made["test_key"]).json
    assert (live["key"]["mode"], test["key"]["mode"]) == ("live", "test")
    assert live["key"]["scopes"] == test["key"]["scopes"] == sorted(SCOPES)
    assert live["tenant"] == {"id": made["tenant_id"], "name": "Café Sol", "state": "active"}
    assert live["plan"]["code"] == "starter"


def test_the_owner_signs_in_with_the_password_given(json_of, app):
    email = unique_email()
    made = json_of("tenants", "create", "Sol", "--owner-email", email, "--password", PASSWORD)
    assert "password" not in made
    with global_scope():
        owner = people.find(email)
    page = Browser(app.test_client()).signs_in(owner).get("/home").get_data(as_text=True)
    assert "Sol" in page


def test_a_generated_password_is_printed_and_works(json_of, app):
    made = json_of("tenants", "create", "Sol", "--owner-email", unique_email())
    with global_scope():
        owner = people.find(made["owner_email"])
    assert Browser(app.test_client()).signs_in(owner, made["password"])


def test_an_owner_who_is_known_is_taken_as_they_are(json_of, app):
    owner = make_person("Derya Aksoy")
    first = json_of("tenants", "create", "One", "--owner-email", owner.email.upper())
    second = json_of(
        "tenants", "create", "Two", "--owner-email", owner.email, "--password", "not hers at all"
    )
    assert first["tenant_id"] != second["tenant_id"]
    assert "password" not in first
    with global_scope():
        assert [tenant.name for tenant in signin.tenants_of(owner.id)] == ["One", "Two"]
        assert people.find(owner.email).name == "Derya Aksoy"
    assert Browser(app.test_client()).signs_in(owner)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--plan", "gold"), "trial, starter, growth"),
        (("--password", "short"), "at least 10 characters"),
    ],
)
def test_a_tenant_that_cannot_be_made_is_one_sentence(run, words, says):
    email = unique_email()
    result = run("tenants", "create", "Sol", "--owner-email", email, *words)
    assert says in refusal(result)
    with global_scope():
        assert people.find(email) is None


@pytest.mark.parametrize(("name", "email"), [("Sol", "nobody"), ("  ", "a.b@example.com")])
def test_a_bad_name_or_address_is_one_sentence(run, name, email):
    refusal(run("tenants", "create", name, "--owner-email", email))


def test_without_json_the_facts_are_lines(run):
    result = run("tenants", "create", "Sol", "--owner-email", unique_email())
    assert result.exit_code == 0
    assert "api_key: ck_live_" in result.output


def test_suspend_and_resume_are_felt_at_once(run, me, restaurant):
    assert me(restaurant.key).status_code == 200
    result = run("tenants", "suspend", restaurant.tenant_id, "--because", "unpaid")
    assert (result.exit_code, result.output.strip()) == (0, "Lokanta Mavi is suspended.")
    answer = me(restaurant.key)
    assert (answer.status_code, answer.json["code"]) == (401, "account_suspended")
    assert run("tenants", "suspend", restaurant.tenant_id).exit_code == 0, "twice is no error"
    with restaurant.scope():
        assert accounts.get(restaurant.tenant_id).suspended_because == "unpaid"
    assert run("tenants", "resume", restaurant.tenant_id).exit_code == 0
    assert me(restaurant.key).status_code == 200


@pytest.mark.parametrize("act", ["suspend", "resume"])
@pytest.mark.parametrize("number", [123456789012345, 0, 10**30])
def test_a_tenant_that_is_not_there_is_one_sentence(run, act, number):
    assert "No tenant has this ID." in refusal(run("tenants", act, number))


def test_a_key_is_made_with_the_scopes_asked_for(json_of, me, restaurant):
    tenant = ("--tenant", restaurant.tenant_id)
    some = json_of("keys", "create", *tenant, "--scopes", "orders, menus", "--name", "Till")
    body = me(some["api_key"]).json["key"]
    assert (body["name"], body["scopes"], body["mode"]) == ("Till", ["menus", "orders"], "live")
    every = json_of("keys", "create", *tenant, "--scopes", "all", "--mode", "test")
    assert me(every["api_key"]).json["key"]["scopes"] == sorted(SCOPES)


@pytest.mark.parametrize("scopes", ["everything", "", "orders,nonsense"])
def test_a_key_with_unknown_scopes_is_not_made(run, restaurant, scopes):
    refusal(run("keys", "create", "--tenant", restaurant.tenant_id, "--scopes", scopes))


def test_a_key_for_a_tenant_that_is_not_there_is_one_sentence(run):
    refusal(run("keys", "create", "--tenant", 123456789012345, "--scopes", "all"))


def test_an_operator_is_made_and_unmade(run, app):
    person = make_person()
    browser = Browser(app.test_client()).signs_in(person)
    assert run("people", "operator", person.email).exit_code == 0
    assert browser.get("/operator/").status_code == 200
    assert run("people", "operator", person.email, "--off").exit_code == 0
    assert browser.get("/operator/").status_code == 404
    assert "nobody@nowhere.example" in refusal(run("people", "operator", "nobody@nowhere.example"))


def test_secrets_are_sealed_with_the_newest_key(settings, app, superuser_connection):
    """After a rotation the old key can be deleted."""
    from core import mail
    from wsgi import build_app

    with global_scope():
        mail.queue_email("rotated@example.com", "Rotated", "a link inside")

    def stored():
        with superuser_connection.cursor() as cursor:
            cursor.execute("SELECT body FROM mails WHERE recipient = 'rotated@example.com'")
            return cursor.fetchone()[0]

    def rotate(keys):
        made = build_app(settings.model_copy(update={"encryption_keys": keys}))
        result = made.test_cli_runner().invoke(args=["secrets", "rotate"])
        assert result.exit_code == 0, result.output
        return int(result.output.split()[0])

    before, fresh = stored(), Keyring.new_entry("k9")
    try:
        assert rotate(f"{fresh},{settings.encryption_keys}") > 0
        after = stored()
        assert after != before
        assert rotate(fresh) == 0, "a second time there is nothing to do, even without the old key"
        assert rotate(f"{settings.encryption_keys},{fresh}") > 0
    finally:
        build_app(settings)  # restores the process-wide objects of this app
    with global_scope():
        assert mail.recent_emails(None, 500)


def test_linked_phones_are_sealed_with_the_newest_key_too(settings, app, restaurant, monkeypatch):
    """They can still be decrypted after the old key is removed."""
    from wsgi import build_app

    store = DeviceStore(settings.linked_store_url)
    store.prepare()
    store.save(restaurant.tenant_id, 7, "905321112233:5@s.whatsapp.net")
    with restaurant.scope():
        leases.request(LINKED, restaurant.tenant_id, 7)
    fresh = Keyring.new_entry("k9")

    def rotate(keys, *more, **json_of):
        changed = settings.model_copy(update={"encryption_keys": keys, **json_of})
        made = build_app(changed)
        monkeypatch.setitem(app.extensions, "comanda", changed)  # the command runner uses this app
        return made.test_cli_runner().invoke(args=["secrets", "rotate", *more])

    try:
        both = f"{fresh},{settings.encryption_keys}"
        away = rotate(both, linked_store_url="")
        assert away.exit_code != 0, away.output
        assert "linked phones are in the hosts' own database" in away.output
        assert rotate(both).exit_code == 0
        assert rotate(both, "--hosts-done", linked_store_url="").exit_code == 0
        rotate(fresh)
        assert store.find(restaurant.tenant_id, 7) == "905321112233:5@s.whatsapp.net"
        rotate(f"{settings.encryption_keys},{fresh}")
    finally:
        build_app(settings)
        store.forget(restaurant.tenant_id, 7)
    assert store.find(restaurant.tenant_id, 7) == ""


def demo_tenants():
    with global_scope():
        owner = people.find("demo@comanda.example")
        return {tenant.id: tenant.name for tenant in signin.tenants_of(owner.id)}


def test_the_demo_is_created_once_shown_again_and_reset(json_of, me, app, settings, restaurant):
    place = settings.data_dir / "demo.json"
    with short_demo():
        first = json_of("demo", "load")
    tenants = demo_tenants()
    assert first["tenant_id"] in tenants
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert json_of("demo", "load") == first
    assert demo_tenants() == tenants
    assert me(first["api_key"]).json["tenant"]["id"] == first["tenant_id"]
    for login in first["logins"]:
        with global_scope():
            person = people.find(login["email"])
        browser = Browser(app.test_client()).signs_in(person, login["password"])
        lands = "/operator/" if login["role"] == "operator" else "/home"
        assert browser.get(lands).status_code == 200

    place.unlink()
    second = json_of("demo", "load")
    assert second["tenant_id"] == first["tenant_id"]
    assert me(second["api_key"]).status_code == 200
    assert stat.S_IMODE(place.stat().st_mode) == 0o600

    with short_demo():
        new = json_of("demo", "reset")
    assert new["tenant_id"] != first["tenant_id"]
    assert me(second["api_key"]).status_code == 401
    assert me(new["api_key"]).status_code == 200
    assert len(demo_tenants()) == 2
    with restaurant.scope():
        assert team.members(), "nobody else's account is touched"


@pytest.mark.parametrize("act", ["load", "reset"])
def test_there_is_no_demo_in_production(settings, act):
    from wsgi import build_app

    production = load_settings(
        **settings.model_dump()
        | {
            "app_env": "production",
            "mail_url": "smtp://localhost:25",
            "allow_loopback": False,
            "linked_network": "whatsapp",
            "secret_key": "0f8a1c9e77b24d5593d6-long-and-random",
        }
    )
    made = build_app(production)
    try:
        result = made.test_cli_runner().invoke(args=["demo", act])
        assert "production" in refusal(result)
    finally:
        build_app(settings)
