"""Letters leave by SMTP, are tried again, and stay in the mailbox in development."""

import socket

import pytest
from sqlalchemy import delete

from core import mail
from core.clock import advance, frozen
from core.db import db, global_scope
from core.mail import Mail
from jobs.mail import drain
from tests.jobs.smtp_server import open_post_office


@pytest.fixture(autouse=True)
def _no_emails(app):
    """Delete the e-mails of earlier tests, and afterwards those that cannot be decrypted."""
    with global_scope():
        db.session.execute(delete(Mail))
    yield
    with global_scope():
        db.session.execute(delete(Mail))


@pytest.fixture
def post_office():
    with open_post_office() as office:
        yield office


@pytest.fixture
def sending(app, settings, post_office, monkeypatch):
    """The app sends by SMTP instead of storing e-mails for the mailbox page."""
    mail_settings = {"mail_url": post_office.url, "mail_from": "Comanda <hello@comanda.example>"}
    monkeypatch.setitem(app.extensions, "comanda", settings.model_copy(update=mail_settings))
    return post_office


def write(recipient="ada@example.com", subject="Merhaba Ünal", body="Günaydın.\n.\n..dots\n"):
    with global_scope():
        mail.queue_email(recipient, subject, body)


def states():
    with global_scope():
        return [letter.state for letter in mail.recent_emails(None, 100)]


def test_an_email_arrives_as_it_was_written(sending):
    write()
    assert drain() == 1
    (letter,) = sending.letters
    assert letter["To"] == "ada@example.com"
    assert letter["From"] == "Comanda <hello@comanda.example>"
    assert letter["Subject"] == "Merhaba Ünal"
    assert letter.get_content().replace("\r\n", "\n") == "Günaydın.\n.\n..dots\n"
    assert letter["Message-ID"]
    assert letter["Date"]
    assert states() == ["sent"]
    assert drain() == 0


def test_a_wakeup_starts_the_worker(sending, run_jobs):
    write()
    run_jobs()  # and what else was queued meanwhile
    assert [letter["Subject"] for letter in sending.letters].count("Merhaba Ünal") == 1


def test_all_that_is_due_goes_in_one_round(sending):
    for number in range(5):
        write(subject=str(number))
    assert drain() == 5
    assert [letter["Subject"] for letter in sending.letters] == ["0", "1", "2", "3", "4"]


def test_a_refused_email_is_tried_again_and_the_next_one_goes(sending):
    with frozen():
        sending.refuses = "451 later please"
        write(subject="held up")
        drain()
        sending.refuses = ""
        write(subject="goes at once")
        drain()
        assert [letter["Subject"] for letter in sending.letters] == ["goes at once"]
        advance(mail.RETRY_SECONDS[0])
        drain()
        assert [letter["Subject"] for letter in sending.letters][1:] == ["held up"]
    assert states() == ["sent", "sent"]


def test_no_email_is_lost_while_the_mail_server_is_down(app, settings, monkeypatch):
    mail_settings = {"mail_url": "smtp://127.0.0.1:1"}
    monkeypatch.setitem(app.extensions, "comanda", settings.model_copy(update=mail_settings))
    with frozen():
        write()
        drain()
        with global_scope():
            (letter,) = mail.recent_emails(None, 9)
        assert (letter.state, letter.attempts, letter.body[:8]) == ("queued", 1, "Günaydın")
        assert "ConnectionRefusedError" in letter.error


def test_a_line_cut_while_sending_is_tried_again(sending):
    with frozen():
        sending.drops = True
        write()
        drain()
        assert states() == ["queued"]
        sending.drops = False
        advance(mail.RETRY_SECONDS[0])
        drain()
    assert (states(), len(sending.letters)) == (["sent"], 1)


def test_an_email_that_cannot_be_stored_is_given_up_without_an_error(sending):
    with frozen():
        write(subject="two\nlines")
        write(subject="fine")
        drain()
        assert [letter["Subject"] for letter in sending.letters] == ["fine"]
        for wait in mail.RETRY_SECONDS:
            advance(wait)
            drain()
    assert sorted(states()) == ["failed", "sent"]


def test_an_email_encrypted_with_a_lost_key_does_not_block_others(sending, superuser_connection):
    write(subject="sealed with a lost key")
    with superuser_connection.cursor() as cursor:
        cursor.execute("UPDATE mails SET body = 'v1.lost.' || repeat('A', 60)")
    write(subject="fine")
    drain()
    assert [letter["Subject"] for letter in sending.letters] == ["fine"]


def test_in_development_emails_stay_in_the_mailbox(app, client):
    write(subject="Stay here", body="and be read")
    assert drain() == 1
    with global_scope():
        (letter,) = mail.recent_emails(None, 9)
    assert (letter.state, letter.body) == ("sent", "and be read")
    assert "Stay here" in client.get("/mailbox").get_data(as_text=True)
    assert "and be read" in client.get(f"/mailbox/{letter.id}").get_data(as_text=True)


def test_a_password_with_odd_signs_reaches_the_server(app, settings, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "smtplib.SMTP.login", lambda _self, user, password: seen.append((user, password))
    )
    with open_post_office() as office:
        url = office.url.replace("smtp://", "smtp://post%40comanda:p%2Fw%3A1@")
        monkeypatch.setitem(
            app.extensions, "comanda", settings.model_copy(update={"mail_url": url})
        )
        write()
        drain()
    assert seen == [("post@comanda", "p/w:1")]


def test_nothing_is_sent_to_a_server_that_offers_no_encryption(sending, app, monkeypatch):
    """Otherwise an attacker who removes the offer of STARTTLS reads the password and the links."""
    url = sending.url.replace("127.0.0.1", "user:secret@mail.example.com")
    told = app.extensions["comanda"].model_copy(update={"mail_url": url})
    monkeypatch.setattr("smtplib.socket.create_connection", connect_to(sending))
    monkeypatch.setitem(app.extensions, "comanda", told)
    write()
    drain()
    assert (states(), sending.letters) == (["queued"], [])
    with global_scope():
        assert "STARTTLS" in mail.recent_emails(None, 1)[0].error
    assert load_settings(app, mail_url=url, mail_starttls="offered").mail_may_be_plain
    assert load_settings(app, mail_url="smtp://localhost:25").mail_may_be_plain
    assert not load_settings(app, mail_url=url).mail_may_be_plain


def connect_to(office):
    connect = socket.create_connection
    return lambda _, *more: connect(office.server_address, *more)


def load_settings(app, **told):
    return app.extensions["comanda"].model_copy(update=told)
