"""A connected agent in the demo, with replies that wait for approval and one that was rejected."""

from core.db import tenant_scope
from messaging.approvals import decisions, policies, submit
from messaging.approvals.policies import Policy
from messaging.approvals.submit import SendingApp
from messaging.inbox import conversations
from messaging.inbox.conversations import ConversationFilters
from messaging.lines import repository as line_repository
from messaging.messages.accept import MessageDraft
from tenants.apps import grants
from tenants.audit import Actor, acting_as
from tenants.models import Person
from tenants.plans.catalog import current_tenant_facts

APP = "Masa asistanı"
SCOPES = ("messages:send", "messages:read", "contacts", "orders")
REPLIES = (
    "Merhaba! Bu akşam 20.00'de dört kişilik masamız var. Adınıza ayıralım mı?",
    "Elbette, mercimek çorbamız glutensizdir. Afiyet olsun!",
    "Yarın için öğle menümüzü sabah 10'da paylaşıyoruz.",
)


def add_agent(tenant_id: int, owner: Person, approver: Person) -> None:
    """Connect an app for the owner; it has answered the newest open conversations."""
    with tenant_scope(tenant_id):
        with acting_as(Actor("person", owner.id, owner.name, "127.0.0.1")):
            grant = grants.grant("app_demo", APP, owner.id, SCOPES, "live", "mcp")
            grants.mark_connected(grant)
            policies.set_policy(grant.key_id, APP, Policy(hold_hours=72))
        app = SendingApp(grant.key_id, APP, owner.name)
        held = _draft_replies(app)
        if len(held) == len(REPLIES):
            with acting_as(Actor("person", approver.id, approver.name, "127.0.0.1")):
                decisions.reject(held[-1])


def _draft_replies(app: SendingApp) -> list[str]:
    found = conversations.list_conversations(ConversationFilters(view="open"), None, 30)
    waiting = [one for one in found if one.window_left() and one.address and not one.blocked]
    held = []
    with acting_as(Actor("key", app.key_id, f"{app.name}, for {app.for_person}")):
        for talk, text in zip(waiting, REPLIES, strict=False):
            accepted = submit.submit_message(
                app,
                MessageDraft("text", talk.address, text),
                line_repository.get(talk.line_id),
                current_tenant_facts(),
                always_hold=True,
            )
            held.append(accepted.id)
    return held
