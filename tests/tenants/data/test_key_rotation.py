"""Rotating the encryption key: everything is encrypted again, and the old key can go."""

import pyotp
import pytest
from sqlalchemy import delete, update

from core import mail
from core.clock import now
from core.db import current_tenant_id, db, global_scope
from core.security.encryption import Keyring, UnknownKey, current_keyring, set_keyring
from core.security.server_keys import ServerKey
from tenants import people, two_factor
from tenants.data.key_rotation import encrypted_columns, reencrypt_everything
from tenants.models import Person
from tests.factories import make_person


@pytest.fixture
def keys(app, settings):
    """Two keys; the process's own keys are restored afterwards, without unreadable data."""
    _nothing_sealed()
    yield Keyring.new_entry("old"), Keyring.new_entry("new")
    set_keyring(Keyring.parse(settings.encryption_keys), current_tenant_id)
    _nothing_sealed()


def _nothing_sealed():
    with global_scope():
        db.session.execute(delete(mail.Mail))
        db.session.execute(delete(ServerKey))
        db.session.execute(update(Person).values(totp_secret=None, two_step_since=None))


def use_keys(*entries):
    set_keyring(Keyring.parse(",".join(entries)), current_tenant_id)


@pytest.fixture
def sealed(keys):
    """A person with a second step and an e-mail, encrypted with the old key only."""
    old, _ = keys
    use_keys(old)
    person, totp = make_person(), pyotp.TOTP(two_factor.new_secret())
    with global_scope():
        two_factor.turn_on(people.get(person.id), totp.secret, totp.at(now()))
        mail.queue_email("ada@example.com", "Sealed", "a secret letter")
    with global_scope():
        letter = mail.recent_emails(None, 1)[0]
    return person.id, totp.secret, letter.id


def read(person_id, letter_id):
    with global_scope():
        return people.get(person_id).totp_secret, mail.get(letter_id).body


def test_after_resealing_the_old_key_can_go(keys, sealed):
    old, new = keys
    person_id, secret, letter_id = sealed
    use_keys(new, old)
    assert read(person_id, letter_id) == (secret, "a secret letter")
    assert reencrypt_everything().done == 3, (
        "a second step, a letter, and the key of recovery codes"
    )
    use_keys(new)
    assert read(person_id, letter_id) == (secret, "a secret letter")
    assert reencrypt_everything().done == 0


def test_without_resealing_it_cannot(keys, sealed):
    _, new = keys
    person_id, _, letter_id = sealed
    use_keys(new)
    with pytest.raises(UnknownKey):
        read(person_id, letter_id)


def test_every_sealed_column_is_known(app):
    assert {str(column) for column in encrypted_columns()} >= {"mails.body", "people.totp_secret"}
    assert current_keyring().current == "k1"


def test_nothing_in_the_database_names_the_old_key_afterwards(keys, sealed, superuser_connection):
    old, new = keys
    use_keys(new, old)
    reencrypt_everything()
    with superuser_connection.cursor() as cursor:
        for column in encrypted_columns():
            cursor.execute(
                f"SELECT count(*) FROM {column.table.name} WHERE {column.name} IS NOT NULL"
                f" AND {column.name} LIKE 'v1.old.%'"
            )
            assert cursor.fetchone() == (0,), column
