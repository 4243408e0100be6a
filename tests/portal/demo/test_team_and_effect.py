"""The demo shows the team inbox, a campaign with a measured effect, and an ad with revenue."""

from datetime import timedelta

import pytest

from core.clock import now
from core.db import global_scope, tenant_scope
from core.values.date_ranges import DateRange
from deploy.demo import loader as demo
from deploy.demo.restaurant import measured_campaign
from messaging.campaigns import repository as campaign_repository
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox.conversations import ConversationFilters
from messaging.inbox.team import labels, response_times, scheduled_replies
from restaurant.ads.revenue import ad_report
from tenants import people, signin


@pytest.fixture
def scope(app):
    with app.app_context():
        with global_scope():
            owner = people.find(demo.OWNER)
            tenants = signin.tenants_of(owner.id)
        with tenant_scope(next(one.id for one in tenants if one.name == demo.RESTAURANT)):
            yield


def talks(view):
    return inbox_conversations.list_conversations(ConversationFilters(view=view), None, 100)


def test_the_inbox_shows_a_team_at_work(scope):
    assert {"Rezervasyon", "Şikayet"} <= {one.name for one in labels.list_labels()}
    assert [one.contact_name for one in talks("snoozed")] == ["Иван Петров"]
    found = {identity.value: one for one in talks("all") for identity in one.identities}
    assert len(labels.labels_of(found["905339140207"].id)) == 2
    assert found["905339140207"].assigned_to
    [later] = scheduled_replies.list_of(found["4915211110105"].id)
    assert later.due_at > now()


def test_response_times_and_ratings_are_of_several_days_and_members(scope):
    today = now().date()
    report = response_times.report(DateRange(today - timedelta(days=29), today))
    assert sum(row.figures.answered > 0 for row in report.days) >= 10
    assert len(report.members) >= 3
    assert report.total.ratings >= 10
    assert 50 < report.total.satisfaction < 100


def test_a_finished_campaign_has_a_clear_effect(scope):
    [found] = [
        one
        for one in campaign_repository.list_campaigns(state="finished")
        if one.name == measured_campaign.NAME
    ]
    effect = found.counts["effect"]
    assert {one["variant"] for one in effect["groups"]} == {"A", "B", "holdout"}
    assert all(one["orders"] for one in effect["groups"])
    assert all(one["clicked"] for one in effect["groups"] if one["variant"] != "holdout")
    assert effect["comparisons"][0]["verdict"] == "more"
    assert found.counts["visited"] > found.counts["carts"] > 0


def test_an_ad_has_orders_and_revenue(scope):
    today = now().date()
    report = ad_report(DateRange(today - timedelta(days=6), today), with_orders=True)
    found = {one.source_id: one for one in report.ads}[measured_campaign.AD["source_id"]]
    assert found.conversations == len(measured_campaign.AD_GUESTS)
    assert found.orders >= measured_campaign.AD_BUYERS
    assert found.spent > 0
