"""Retention of personal data."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from core import mail
from core.clock import advance, frozen
from core.db import db, global_scope
from core.mail import Mail
from jobs import maintenance
from tenants import accounts, audit, people, signin, team
from tenants.data import sign_in_retention
from tenants.models import AuditEntry, PersonEvent, SignIn, Tenant
from tests.factories import make_business, make_person


def rows(model, **mine):
    with global_scope():
        return db.session.scalars(select(model).filter_by(**mine)).all()


def test_sessions_events_and_mails_are_forgotten_after_their_time(app):
    """They contain IP addresses, browsers and recipients."""
    with frozen():
        person = make_person()
        with global_scope():
            signin.open_session(person, "192.0.2.1", "A browser")
            mail.queue_email(person.email, "Hello", "Read me")
        with global_scope():
            [letter] = [
                one for one in mail.recent_emails(None, 50) if one.recipient == person.email
            ]
        with global_scope():
            mail.settle(letter, None, keep_body=False)
        advance(timedelta(days=29))
        maintenance.delete_expired()
        assert len(rows(SignIn, person_id=person.id)) == len(rows(Mail, id=letter.id)) == 1
        advance(timedelta(days=2))
        maintenance.delete_expired()
        assert rows(Mail, id=letter.id) == []
        assert len(rows(SignIn, person_id=person.id)) == 1, "it may still be used"
        advance(signin.IDLE_TIMEOUT)
        maintenance.delete_expired()
        assert rows(SignIn, person_id=person.id) == []
        assert len(rows(PersonEvent, person_id=person.id)) == 1
        advance(sign_in_retention.PERSON_EVENT_RETENTION)
        maintenance.delete_expired()
        assert rows(PersonEvent, person_id=person.id) == []


def test_a_mail_that_waits_is_not_forgotten(app):
    with frozen():
        person = make_person()
        with global_scope():
            mail.queue_email(person.email, "Hello", "Read me")
        advance(timedelta(days=60))
        maintenance.delete_expired()
        assert len(rows(Mail, recipient=person.email)) == 1


def test_audit_entries_are_kept_for_two_years(restaurant):
    def acts():
        with restaurant.scope():
            mine = select(AuditEntry.act).where(AuditEntry.tenant_id == restaurant.tenant_id)
            return set(db.session.scalars(mine))

    with frozen():
        with restaurant.scope():
            audit.record("account.settings_changed", "Lokanta Mavi")
        advance(sign_in_retention.AUDIT_RETENTION - timedelta(days=1))
        maintenance.delete_expired()
        assert "account.settings_changed" in acts()
        advance(timedelta(days=2))
        with restaurant.scope():
            audit.record("account.suspended", "Lokanta Mavi")
        maintenance.delete_expired()
        assert acts() == {"account.suspended"}


@pytest.mark.parametrize("confirmed", [False, True])
def test_a_sign_up_that_nobody_confirms_is_removed_after_a_week(app, confirmed):
    """Its person and tenant are deleted."""
    with frozen():
        person = make_person(verified=confirmed)
        business = make_business("Café Sol", owner=person)
        advance(timedelta(days=6))
        maintenance.delete_expired()
        assert len(rows(Tenant, id=business.tenant_id)) == 1
        advance(timedelta(days=2))
        maintenance.delete_expired()
    with global_scope():
        assert (people.get(person.id) is not None) is confirmed
    assert len(rows(Tenant, id=business.tenant_id)) == confirmed


def test_somebody_unconfirmed_in_a_team_stays_and_so_does_the_team(app, restaurant):
    with frozen():
        person = make_person(verified=False)
        with restaurant.scope():
            team.add_member(person, "viewer")
        advance(timedelta(days=8))
        maintenance.delete_expired()
    with global_scope():
        assert people.get(person.id) is not None
    with restaurant.scope():
        assert accounts.get(restaurant.tenant_id).state == "active"
