"""Uploaded files: they are kept for other messages, until the tenant's retention ends."""

from datetime import timedelta

import pytest

from core.clock import now
from core.db import db
from jobs.tenants.retention import delete_expired_data
from messaging.contacts.erasure.personal_data import blob_keys
from messaging.messages.media import library
from messaging.models import UploadedMedia
from tenants.data import retention
from tests.sample_tenant import add_sample_media


@pytest.fixture
def media_id(restaurant):
    return add_sample_media(restaurant, "menu")


def age(business, media_id, days):
    with business.scope():
        media = db.session.get(UploadedMedia, (business.tenant_id, media_id))
        media.created_at = now() - timedelta(days=days)


def exists(business, media_id):
    with business.scope():
        return library.find(media_id, test=False) is not None


def test_an_old_file_is_deleted_and_a_new_one_stays(restaurant, media_id):
    newer = add_sample_media(restaurant, "newer")
    age(restaurant, media_id, 31)
    with restaurant.scope():
        retention.set_days(retention.RetentionDays(media_days=30))
    delete_expired_data()
    assert not exists(restaurant, media_id)
    assert exists(restaurant, newer)


def test_without_a_retention_setting_files_stay(restaurant, media_id):
    age(restaurant, media_id, 3000)
    delete_expired_data()
    assert exists(restaurant, media_id)


def test_erasing_a_message_does_not_delete_a_file_that_others_use(app, restaurant, media_id):
    with restaurant.scope():
        media = library.find(media_id, test=False)
        content = library.content_for_message(media, "media_id", "document", now())
    assert content["media_id"] == media_id
    assert blob_keys(content) == []
