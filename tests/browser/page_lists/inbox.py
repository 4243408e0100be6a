"""The pages of the inbox and its settings, and the demo data in their URLs."""

from datetime import timedelta

from core.clock import now
from core.http import Policy
from core.security.web_push import BrowserKeys, new_private_key, public_key_of
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox import quick_replies
from messaging.inbox.conversations import ConversationFilters
from messaging.inbox.team import assignment, labels, snooze
from tenants.push import subscriptions

INBOX = {
    "inbox": "/inbox",
    "inbox-empty": "/inbox?q=nothing-like-it",
    "conversation": "/inbox/{conversation}",
    "conversation-old": "/inbox/{old_conversation}",
    "conversation-labelled": "/inbox/{labelled_conversation}",
    "conversation-template": "/inbox/{conversation}/template",
    "conversation-template-chosen": "/inbox/{conversation}/template?template={template_key}",
    "quick-replies": "/inbox/quick-replies",
    "quick-reply": "/inbox/quick-replies/{reply}",
    "quick-reply-remove": "/inbox/quick-replies/{reply}/remove",
    "inbox-settings": "/settings/inbox",
    "label": "/settings/inbox/labels/{label}",
    "label-remove": "/settings/inbox/labels/{label}/remove",
    "notifications": "/notifications",
    "report-responses": "/reports/response-times?period=30",
    "report-responses-empty": (
        "/reports/response-times?period=range&since=2020-01-01&until=2020-01-31"
    ),
}


def inbox_ids() -> dict[str, object]:
    """The demo's conversations, one of them snoozed and with two labels of different colours."""
    talks = inbox_conversations.list_conversations(ConversationFilters(view="all"), None, 50)
    made = [labels.save("Complaint", "red"), labels.save("Reservation for a large group", "teal")]
    talk = next(one for one in talks if one.contact_name == "Burak Çelik")
    other = next(one for one in talks if one.id not in (talk.id, talks[-1].id))
    labels.set_labels(other.id, [one.id for one in made])
    snooze.snooze(other.id, now() + timedelta(days=1))
    _turn_on_notifications()
    return {
        "conversation": talk.id,
        "old_conversation": talks[-1].id,
        "labelled_conversation": other.id,
        "reply": quick_replies.list_quick_replies()[0].id,
        "label": made[0].id,
    }


def _turn_on_notifications() -> None:
    """On a phone of the owner."""
    owner = next(one for one in assignment.members() if one.name == "Derya Aksoy")
    subscriptions.subscribe(
        owner.person_id,
        "https://push.example.com/send/1",
        BrowserKeys(public_key_of(new_private_key()), "c2l4dGVlbi1ieXRlcy1vaw"),
        topics=("assigned", "orders"),
        shows_text=False,
        device="Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile",
        policy=Policy(frozenset({443})),
    )
