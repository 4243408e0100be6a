"""Home: today's figures, costs, line states, and items that need attention."""

from datetime import timedelta

from core.clock import frozen, now
from messaging.costs.usage import UsageTally
from messaging.lines import repository as line_repository
from portal.onboarding import first_steps
from portal.onboarding.new_tenant import add_simulated_lines
from tenants import accounts
from tests.line_factory import make_line
from tests.messaging.message_factory import sent_message
from tests.portal.page_reader import text_of


def test_today_is_counted_and_nothing_needs_anybody(browser, restaurant):
    with restaurant.scope():
        add_simulated_lines(live=True)
        line = line_repository.default_line(test=False)
        tally = UsageTally()
        tally.add(line.id, "TR", "service", sent=12, delivered=9, read=4, received=3)
        tally.write()
    text = text_of(browser.signs_in(restaurant.owner).get("/home"))
    assert "Sent today 12 9 delivered, 4 read" in text
    assert "Received today 3" in text
    assert "Needs attention" not in text
    assert line.name in text
    assert now().strftime("%-d %b") in text


def test_home_and_usage_count_test_messages_apart(browser, restaurant):
    with restaurant.scope():
        add_simulated_lines(live=True)
        tally = UsageTally()
        for test, sent in ((False, 9), (True, 2)):
            line = line_repository.default_line(test=test)
            tally.add(line.id, "TR", "service", sent=sent, delivered=sent, received=sent)
        tally.write()
    browser.signs_in(restaurant.owner)
    home, usage = text_of(browser.get("/home")), text_of(browser.get("/usage"))
    assert "Sent today 9 9 delivered, 0 read · test messages: 2" in home
    assert "Received today 9 test messages: 2" in home
    assert "Sent 9 100% delivered" in usage
    assert "Sent in this period: 2, received: 2." in usage


def test_a_trial_shows_one_limit(browser, restaurant):
    """“9 / no limit” is not shown beside “191 messages left”."""
    with restaurant.scope():
        accounts.change_plan("trial")
        account = accounts.account()
        account.trial_used, account.trial_started_at = 9, now()
    accounts.drop_tenant_cache(restaurant.tenant_id)
    text = text_of(browser.signs_in(restaurant.owner).get("/home"))
    assert "Trial messages 9 / 200" in text
    assert "Messages this month" not in text


def test_a_line_that_cannot_send_is_named_with_its_reason(browser, restaurant):
    with restaurant.scope():
        line = line_repository.add_cloud_line("Front desk", "905321112200", "71", "token", "secret")
        line_repository.record_line_state(line.id, "token_expired", "The access token has expired.")
    text = text_of(browser.signs_in(restaurant.owner).get("/home"))
    assert "Needs attention Front desk: The access token has expired." in text


def test_who_may_see_no_messages_sees_none(browser, restaurant):
    text = text_of(browser.signs_in(restaurant.hires("waiter")).get("/home"))
    assert "Sent today" not in text
    assert "Needs attention" not in text


def test_first_steps_lead_to_ones_own_number_and_to_the_invitation(browser, restaurant):
    page = browser.signs_in(restaurant.owner).get("/home").get_data(as_text=True)
    assert "Add your own number" in page
    assert 'href="/lines/new"' in page
    assert 'href="/team#invite"' in page


def test_a_finished_list_of_first_steps_goes_away(browser, restaurant, monkeypatch):
    """No member has to hide it."""
    browser.signs_in(restaurant.owner)
    assert "First steps" in browser.get("/home").get_data(as_text=True)
    step = first_steps.Step
    monkeypatch.setattr(first_steps, "Step", lambda name, done, *rest: step(name, True, *rest))
    assert '<section class="card first-card"' not in browser.get("/home").get_data(as_text=True)


def test_messages_that_the_network_did_not_confirm_are_shown_after_an_hour(browser, restaurant):
    """Review O2."""
    made = make_line(restaurant)
    with restaurant.scope():
        sent_message(line_repository.get(made.id), "unknown")
    browser.signs_in(restaurant.owner)
    link = "/messages?state=unknown"
    assert link not in browser.get("/home").get_data(as_text=True)
    with frozen(now() + timedelta(hours=2)):
        assert link in browser.get("/home").get_data(as_text=True)
