"""The operator console: for operators only, with immediate effect on the API."""

import pytest

from core.db import global_scope
from core.queue.wakeups import queue_named
from tenants import audit, people
from tests.factories import Browser, make_person
from tests.portal.emails import emails_to
from tests.portal.page_reader import text_of, title_of


def break_down() -> None:
    raise ValueError("the oven is cold")


@pytest.fixture
def operators(browser):
    person = make_person("Ada Ferrer")
    with global_scope():
        people.get(person.id).operator = True
    return browser.signs_in(person)


@pytest.fixture
def me(client, restaurant):
    def ask(key=None):
        headers = {"Authorization": f"Bearer {key or restaurant.key}"}
        answer = client.get("/api/v1/me", headers=headers)
        return answer.status_code, answer.json

    return ask


def place(business):
    return f"/operator/tenants/{business.tenant_id}"


def test_it_does_not_exist_for_anybody_else(app, restaurant):
    owner = Browser(app.test_client()).signs_in(restaurant.owner)
    for path in ("/operator/", place(restaurant), "/operator/queues", "/operator/health"):
        assert owner.get(path).status_code == 404, path
    for path in ("suspend", "resume", "limits"):
        assert owner.post(f"{place(restaurant)}/{path}", plan="growth").status_code == 404
    assert owner.post("/operator/queues/failed/x/retry").status_code == 404
    assert "/operator" not in owner.get("/home").get_data(as_text=True)


def test_an_operator_without_a_business_lands_in_the_console(operators):
    assert operators.get("/home").location == "/choose"
    assert operators.get("/choose").location == "/operator/"
    assert title_of(operators.get("/operator/")) == "Tenants"


def test_a_right_taken_away_is_gone_at_once(operators):
    with operators.client.session_transaction() as held, global_scope():
        from tenants import signin

        signin.load_session(held["_user_id"]).person.operator = False
    assert operators.get("/operator/").status_code == 404


def test_tenants_are_found_by_name_and_by_number(operators, restaurant, shop):
    for query in ("lokanta", str(restaurant.tenant_id)):
        page = text_of(operators.get("/operator/", query_string={"q": query}))
        assert str(restaurant.tenant_id) in page
        assert str(shop.tenant_id) not in page
    assert "No tenant found" in text_of(operators.get("/operator/?q=%25nothing%25"))


def test_suspended_the_api_refuses_at_once_and_resumed_it_answers(operators, restaurant, me):
    assert me()[0] == 200
    operators.post(f"{place(restaurant)}/suspend", because="Unpaid bills", sure="yes")
    for key in (restaurant.key, restaurant.test_key):
        status, body = me(key)
        assert (status, body["code"]) == (401, "account_suspended")
    page = text_of(operators.get(place(restaurant)))
    assert "Unpaid bills" in page
    operators.post(f"{place(restaurant)}/resume")
    assert me()[0] == 200
    with restaurant.scope():
        entries = audit.entries(limit=2)
    assert [(e.act, e.actor_kind, e.actor_name) for e in entries] == [
        ("account.resumed", "operator", "Ada Ferrer"),
        ("account.suspended", "operator", "Ada Ferrer"),
    ]


def test_suspending_asks_first_and_the_owner_learns_why(app, operators, restaurant):
    asked = operators.post(f"{place(restaurant)}/suspend", because="Unpaid bills")
    assert "Suspend Lokanta Mavi?" in text_of(asked)
    owner = Browser(app.test_client()).signs_in(restaurant.owner)
    assert "This account is suspended." not in text_of(owner.get("/home"))
    operators.post(f"{place(restaurant)}/suspend", because="Unpaid bills", sure="yes")
    home = text_of(owner.get("/home"))
    assert "Reason: Unpaid bills" in home
    assert "Questions? Contact the operator of this service." in home
    (letter,) = emails_to(restaurant.owner.email)
    assert letter.subject == "Lokanta Mavi has been suspended"
    assert "Unpaid bills" in letter.body


def test_people_of_a_suspended_business_can_sign_in_and_see_a_notice(app, operators, restaurant):
    operators.post(f"{place(restaurant)}/suspend", because="Unpaid", sure="yes")
    owner = Browser(app.test_client()).signs_in(restaurant.owner)
    assert "This account is suspended." in text_of(owner.get("/home"))


def test_a_plan_and_limits_are_seen_by_the_api_at_once(operators, restaurant, me):
    assert me()[1]["plan"]["code"] == "growth"
    operators.post(
        f"{place(restaurant)}/limits",
        plan="starter",
        rate_per_second="7",
        burst="21",
        monthly_messages="1234",
        spend_cap_usd="55.50",
    )
    body = me()[1]
    assert body["plan"]["code"] == "starter"
    limits = body["limits"]
    assert (limits["requests_per_second"], limits["burst"]) == (7, 21)
    assert (limits["monthly_messages"], limits["spend_cap_usd"]) == (1234, 55.5)
    operators.post(f"{place(restaurant)}/limits", plan="starter")
    assert me()[1]["limits"]["monthly_messages"] != 1234, "empty is as the plan says"


@pytest.mark.parametrize(
    "wrong",
    [
        {"plan": "gold"},
        {"rate_per_second": "0"},
        {"rate_per_second": "many"},
        {"burst": "-1"},
        {"monthly_messages": "-5"},
        {"monthly_messages": "99999999999"},
        {"spend_cap_usd": "-1"},
        {"spend_cap_usd": "NaN"},
        {"spend_cap_usd": "Infinity"},
        {"spend_cap_usd": "1e400"},
    ],
)
def test_limits_that_make_no_sense_change_nothing(operators, restaurant, me, wrong):
    before = me()[1]["limits"], me()[1]["plan"]
    answer = operators.post(f"{place(restaurant)}/limits", **{"plan": "starter", **wrong})
    assert answer.status_code == 200
    assert "field-error" in answer.get_data(as_text=True)
    assert (me()[1]["limits"], me()[1]["plan"]) == before


@pytest.mark.parametrize("path", ["", "/suspend", "/limits", "/resume"])
def test_a_tenant_that_is_not_there_is_404(operators, path):
    address = f"/operator/tenants/123456789012345{path}"
    answer = operators.get(address) if not path else operators.post(address, plan="starter")
    assert answer.status_code == 404


def test_a_failed_job_is_shown_and_tried_again(operators, redis, run_jobs):
    queue = queue_named("default", redis)
    job = queue.enqueue("tests.portal.operator.test_console.break_down")
    run_jobs()
    page = text_of(operators.get("/operator/queues"))
    assert "tests.portal.operator.test_console.break_down" in page
    assert "ValueError: the oven is cold" in page
    first = operators.post(f"/operator/queues/failed/{job.id}/retry", follow=True)
    assert "The job is running again." in text_of(first)
    second = operators.post(f"/operator/queues/failed/{job.id}/retry", follow=True)
    assert "This job no longer exists." in text_of(second), "a second click is no error"
    job.delete()
    third = operators.post(f"/operator/queues/failed/{job.id}/retry", follow=True)
    assert "This job no longer exists." in text_of(third)


def test_the_health_page_lists_what_is_wrong_first_and_shows_what_to_do(operators):
    page = text_of(operators.get("/operator/health"))
    assert "Queues without a worker" in page
    assert "python -m jobs.worker" in page
    assert page.index("Queues without a worker") < page.index("Database connections")
