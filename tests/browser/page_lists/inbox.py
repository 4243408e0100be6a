"""The pages of the inbox and its settings, and the demo data in their URLs."""

from datetime import timedelta

from core.clock import now
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox import quick_replies
from messaging.inbox.conversations import ConversationFilters
from messaging.inbox.team import labels, snooze

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
    return {
        "conversation": talk.id,
        "old_conversation": talks[-1].id,
        "labelled_conversation": other.id,
        "reply": quick_replies.list_quick_replies()[0].id,
        "label": made[0].id,
    }
