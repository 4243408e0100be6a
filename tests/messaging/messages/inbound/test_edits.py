"""A customer edits or deletes a message: the original changes, and nothing new appears."""

import time

import pytest
from sqlalchemy import func, select

from core.db import db, global_scope
from core.storage.pending_deletions import PendingDeletion
from jobs.inbound import hooks as hooks_job
from messaging.inbox import conversation_actions, thread
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox.conversations import ConversationFilters
from messaging.messages.inbound import edits
from messaging.messages.media import files as media_files
from messaging.messages.media.files import StoredMedia
from messaging.models import EarlyEdit, Message, NetworkId
from tests.jobs.inbound.test_hooks import put
from tests.messaging.message_factory import (
    add_line,
    cloud_body,
    events_of,
    sent_message,
    text_value,
)
from tests.restaurant.bistro import GUEST, open_bistro

PHONE = "905321112233"


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


def hook(line, *values):
    put(line, cloud_body(line, *values))
    hooks_job.drain()


def changed(kind, original, change_id, *, at=0, **part):
    message = {
        "from": PHONE,
        "id": change_id,
        "timestamp": str(at or int(time.time())),
        "type": kind,
        kind: {"original_message_id": original, **part},
    }
    return {"contacts": [{"wa_id": PHONE, "profile": {"name": "Ayşe"}}], "messages": [message]}


def edited(original, text, change_id="wamid.edit1", *, at=0):
    part = {"type": "text", "text": {"body": text}}
    return changed("edit", original, change_id, at=at, message=part)


def deleted(original, change_id="wamid.revoke1"):
    return changed("revoke", original, change_id)


def only_message(line):
    return db.session.scalars(select(Message).where(Message.tenant_id == line.tenant_id)).one()


def found(query):
    talks = inbox_conversations.list_conversations(
        ConversationFilters(view="all", query=query), None, 10
    )
    return [one.id for one in talks]


def test_an_edit_changes_the_original_and_keeps_its_history(restaurant, line):
    hook(line, text_value("bugün", "wamid.A"))
    with restaurant.scope():
        [talk] = inbox_conversations.list_conversations(ConversationFilters(), None, 10)
        conversation_actions.mark_read(talk.id)
    for number, text in enumerate(("yarın", "öbür gün")):
        hook(line, edited("wamid.A", text, f"wamid.edit{number}"))
    with restaurant.scope():
        message = only_message(line)
        assert (message.text, message.content["earlier"]) == ("öbür gün", ["bugün", "yarın"])
        [talk] = inbox_conversations.list_conversations(ConversationFilters(), None, 10)
        assert (talk.unread, talk.last_message_id) == (0, message.id)
        events = [one["data"] for one in events_of(line.tenant_id, "messages.updated")]
        assert [(one["change"], one["text"]) for one in events] == [
            ("edited", "yarın"),
            ("edited", "öbür gün"),
        ]
        assert events[1]["earlier_texts"] == ["bugün", "yarın"]
        assert (events[1]["id"], events[1]["message_id"]) == (message.id, "wamid.A")
        assert (events[1]["from"], events[1]["direction"]) == (PHONE, "in")
        assert found("öbür") == [talk.id]
        assert len(events_of(line.tenant_id, "messages.upsert")) == 1


def test_an_edit_that_is_delivered_again_changes_nothing(restaurant, line):
    hook(line, text_value("one", "wamid.A"))
    for _ in range(2):
        hook(line, edited("wamid.A", "two"))
    hook(line, edited("wamid.A", "three", "wamid.edit2"))
    hook(line, edited("wamid.A", "two"))
    with restaurant.scope():
        message = only_message(line)
        assert (message.text, message.content["earlier"]) == ("three", ["one", "two"])
        assert len(events_of(line.tenant_id, "messages.updated")) == 2


def test_an_older_edit_that_arrives_late_is_only_history(restaurant, line):
    at = int(time.time())
    hook(line, text_value("one", "wamid.A"))
    hook(line, edited("wamid.A", "three", "wamid.edit2", at=at))
    hook(line, edited("wamid.A", "two", "wamid.edit1", at=at - 5))
    with restaurant.scope():
        message = only_message(line)
        assert (message.text, message.content["earlier"]) == ("three", ["one", "two"])


def test_a_deleted_message_leaves_no_text_anywhere(restaurant, line):
    hook(line, text_value("geheimwort bitte"), text_value("noch eine bitte"))
    with restaurant.scope():
        [first, _] = db.session.scalars(
            select(Message).where(Message.tenant_id == line.tenant_id).order_by(Message.id)
        )
        network_id = first.network_id
        assert found("geheimwort")
    hook(line, edited(network_id, "geheimwort 2"))
    hook(line, deleted(network_id))
    hook(line, edited(network_id, "zurück", "wamid.edit2"))
    with restaurant.scope():
        message = db.session.get(Message, (line.tenant_id, first.id), populate_existing=True)
        assert (message.text, set(message.content)) == ("", {"deleted_at"})
        assert found("geheimwort") == []
        assert found("bitte")  # another message contains it
        assert found("Ayşe")
        event = events_of(line.tenant_id, "messages.updated")[-1]["data"]
        assert (event["change"], event["text"], event["earlier_texts"]) == ("deleted", "", [])


def test_the_list_shows_that_the_last_message_was_deleted(restaurant, line):
    hook(line, text_value("geheim", "wamid.A"))
    hook(line, deleted("wamid.A"))
    with restaurant.scope():
        [talk] = inbox_conversations.list_conversations(ConversationFilters(), None, 10)
        assert (talk.last_text, talk.last_deleted) == ("", True)
        [entry] = thread.newest_entries(talk).entries
        assert (entry.text, entry.deleted) == ("", True)


def image_value(caption, network_id):
    value = text_value("", network_id)
    picture = {"id": "media1", "mime_type": "image/jpeg", "caption": caption}
    value["messages"][0] |= {"type": "image", "image": picture}
    return value


def test_a_caption_is_edited_and_its_file_stays(restaurant, line):
    hook(line, image_value("önce", "wamid.A"))
    part = {"type": "image", "image": {"id": "media1", "mime_type": "image/jpeg"}}
    for number, caption in enumerate(("sonra", "")):
        part["image"]["caption"] = caption
        hook(line, changed("edit", "wamid.A", f"wamid.edit{number}", message=part))
    with restaurant.scope():
        message = only_message(line)
        assert (message.text, message.content["caption"]) == ("", "")
        assert message.content["earlier"] == ["önce", "sonra"]
        assert media_files.get_file(message.id) is not None


def test_the_file_of_a_deleted_message_is_deleted(restaurant, line):
    hook(line, image_value("önce", "wamid.A"))
    with restaurant.scope():
        message_id = only_message(line).id
        [download] = media_files.claim_downloads(1, 60)
        media_files.settle_download(download, StoredMedia("media/secret", "image/jpeg", "", 1))
    hook(line, deleted("wamid.A"))
    with restaurant.scope():
        assert media_files.get_file(message_id) is None
    with global_scope():
        assert db.session.get(PendingDeletion, "media/secret") is not None


def test_a_change_that_overtakes_its_message_is_not_lost(restaurant, line):
    first, second = edited("wamid.A", "two"), edited("wamid.A", "three", "wamid.edit2")
    original = text_value("one", "wamid.A")
    for value in (first, second, second, original, original):
        hook(line, value)
    with restaurant.scope():
        message = only_message(line)
        assert (message.text, message.content["earlier"]) == ("three", ["one", "two"])
        [event] = events_of(line.tenant_id, "messages.upsert")
        assert event["data"]["text"] == "three"
        count = select(func.count()).where(EarlyEdit.tenant_id == line.tenant_id)
        assert db.session.scalar(count) == 0


def test_a_message_that_was_deleted_before_it_arrived_shows_no_text(restaurant, line):
    hook(line, deleted("wamid.A"))
    hook(line, text_value("geheim", "wamid.A"))
    with restaurant.scope():
        message = only_message(line)
        assert (message.text, "deleted_at" in message.content) == ("", True)
        assert found("geheim") == []
        [event] = events_of(line.tenant_id, "messages.upsert")
        assert "geheim" not in str(event)


def test_an_order_is_made_of_the_edited_text_or_not_at_all(restaurant):
    bistro = open_bistro(restaurant)
    gone, kept = bistro.cart(), bistro.cart()
    hook(bistro.line, deleted("wamid.A"))
    hook(bistro.line, text_value(gone.text, "wamid.A", GUEST))
    assert bistro.texts_sent_to() == []
    hook(bistro.line, edited("wamid.B", kept.text))
    hook(bistro.line, text_value("hello", "wamid.B", GUEST))
    [said] = bistro.texts_sent_to()
    assert "LEM-" in said


def test_changes_without_a_message_are_kept_for_a_week(restaurant, line, monkeypatch):
    hook(line, deleted("wamid.A"))
    with restaurant.scope():
        assert edits.delete_old_early_edits() == 0
    monkeypatch.setattr(edits, "EARLY_EDITS_KEPT", -edits.EARLY_EDITS_KEPT)
    with restaurant.scope():
        assert edits.delete_old_early_edits() == 1
        ids = db.session.scalars(
            select(NetworkId.network_id).where(NetworkId.tenant_id == line.tenant_id)
        )
        assert "wamid.A" not in set(ids)
    hook(line, text_value("late", "wamid.A"))
    with restaurant.scope():
        assert only_message(line).text == "late"


def test_a_customer_cannot_change_what_we_sent(restaurant, line):
    with restaurant.scope():
        message_id, network_id = sent_message(line)
    hook(line, edited(network_id, "free pizza"))
    with restaurant.scope():
        message = db.session.get(Message, (line.tenant_id, message_id), populate_existing=True)
        assert message.text == "Your table is ready"


def test_another_line_cannot_change_a_message(restaurant, line):
    other = add_line(restaurant, default=False)
    hook(line, text_value("one", "wamid.A"))
    hook(other, edited("wamid.A", "two"))
    with restaurant.scope():
        assert only_message(line).text == "one"
