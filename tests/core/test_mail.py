"""E-mails: stored with the change, claimed by one worker, retried, given up, encrypted."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import delete

from core import mail
from core.clock import advance, frozen
from core.db import db, global_scope
from core.mail import Mail
from core.security.encryption import KeyringError


@pytest.fixture(autouse=True)
def _no_emails(app):
    """Remove e-mails of earlier tests, and those that later tests could not decrypt."""
    with global_scope():
        db.session.execute(delete(Mail))
    yield
    with global_scope():
        db.session.execute(delete(Mail))


def write(subject="Hello", body="Read me"):
    with global_scope():
        mail.queue_email("ada@example.com", subject, body)


def claim():
    with global_scope():
        return mail.claim_next()


def settle(letter, error=None, keep_body=False):
    with global_scope():
        mail.settle(letter, error, keep_body)


def stored():
    with global_scope():
        return mail.recent_emails(None, 100)


def test_an_email_is_not_there_when_its_transaction_failed(app):
    with pytest.raises(ZeroDivisionError), global_scope():
        mail.queue_email("ada@example.com", "Hello", "Read me")
        raise ZeroDivisionError
    assert stored() == []


def test_a_body_is_sealed_in_the_database(superuser_connection):
    write(body="https://comanda.example/reset/secret-token")
    with superuser_connection.cursor() as cursor:
        cursor.execute("SELECT body FROM mails")
        (body,) = cursor.fetchone()
    assert "secret-token" not in body
    assert body.startswith("v1.")


def test_a_sent_email_drops_its_body():
    write()
    settle(claim())
    (letter,) = stored()
    assert (letter.state, letter.body, letter.due_at) == ("sent", "", None)
    assert letter.sent_at is not None
    assert claim() is None


def test_a_mailbox_keeps_it():
    write()
    settle(claim(), keep_body=True)
    assert stored()[0].body == "Read me"


def test_a_claimed_email_is_not_claimed_again():
    write()
    assert claim() is not None
    assert claim() is None


def test_an_email_comes_back_when_its_worker_died():
    with frozen():
        write()
        assert claim().attempts == 1
        advance(mail.LEASE_SECONDS)
        assert claim().attempts == 2


def test_a_late_worker_does_not_overwrite_the_one_that_took_over():
    with frozen():
        write()
        late = claim()
        advance(mail.LEASE_SECONDS)
        second = claim()
        settle(second)
        settle(late, error="the connection was lost")
        assert (stored()[0].state, stored()[0].error) == ("sent", None)


def test_a_failure_is_tried_again_later_and_later_and_then_given_up():
    with frozen():
        write()
        for wait in mail.RETRY_SECONDS:
            settle(claim(), error="refused")
            advance(wait - 1)
            assert claim() is None, wait
            advance(1)
        settle(claim(), error="refused for good")
        (letter,) = stored()
        assert (letter.state, letter.due_at) == ("failed", None)
        assert letter.error == "refused for good"
        advance(10**6)
        assert claim() is None


def test_the_email_that_waited_longest_goes_first():
    with frozen():
        for subject in ("first", "second", "third"):
            write(subject)
            advance(1)
        assert [claim().subject for _ in range(3)] == ["first", "second", "third"]


def test_two_workers_never_hold_the_same_email(app):
    for number in range(10):
        write(str(number))

    def work(_):
        with app.app_context():
            letter = claim()
            return letter and letter.id

    with ThreadPoolExecutor(8) as pool:
        taken = [got for got in pool.map(work, range(20)) if got]
    while letter := claim():
        taken.append(letter.id)
    assert len(taken) == len(set(taken)) == 10


def test_the_mailbox_is_read_in_pages():
    for number in range(5):
        write(str(number))
    with global_scope():
        first = mail.recent_emails(None, 3)
        rest = mail.recent_emails(first[-1].id, 3)
    assert [letter.subject for letter in first + rest] == ["4", "3", "2", "1", "0"]


def test_an_email_that_cannot_be_opened_does_not_stop_the_others(superuser_connection):
    write("damaged")
    with superuser_connection.cursor() as cursor:
        cursor.execute("UPDATE mails SET body = 'v1.gone.' || repeat('A', 60)")
    write("whole")
    damaged, whole = claim(), claim()
    assert (damaged.subject, whole.subject) == ("damaged", "whole")
    with global_scope(), pytest.raises(KeyringError):
        mail.body_of(damaged.id)
    with global_scope():
        assert mail.body_of(whole.id) == "Read me"
