"""Hands a conversation to the team: a note with the guest's words, and a draft of the reply."""

from core.clock import now
from messaging.inbox import conversation_actions
from messaging.models import Line
from restaurant.chat.senders import Sender
from restaurant.chat_texts import chat_text
from restaurant.models import OrderProposal, Site
from restaurant.orders import notifications as order_notifications
from restaurant.text_orders import proposal_cards, proposals
from restaurant.text_orders.proposals import MenuNow


def hand_over(
    site: Site, menu: MenuNow, line: Line, sender: Sender, proposal: OrderProposal, text: str
) -> None:
    """The reply box gets the order as far as it was understood. The guest is told once."""
    if proposal.state != proposals.HANDED_OVER:
        told = chat_text(proposal.language, "words_handed_over")
        order_notifications.send_text(line, sender.address, told)
    if text:
        proposals.remember_text(proposal, text)
    proposal.state, proposal.changed_at = proposals.HANDED_OVER, now()
    draft = proposals.draft_of(proposal)
    proposals.remove_unavailable(menu, draft)
    summary = proposal_cards.order_summary(site, menu, proposal, draft, complete=True)
    name = sender.name.split(" ")[0]
    key = "words_draft" if summary else "words_draft_empty"
    reply = chat_text(proposal.language, key, name=name)
    written = text or " · ".join(proposal.texts)
    note = chat_text(site.languages[0], "words_note", text=written)
    conversation_actions.suggest_reply(
        line.id, sender.contact_id, "\n\n".join(one for one in (reply, summary) if one), note
    )


def hand_over_question(site: Site, line: Line, sender: Sender, text: str) -> None:
    """A question that the menu, the hours and the orders do not answer."""
    note = chat_text(site.languages[0], "words_note_question", text=text)
    conversation_actions.suggest_reply(line.id, sender.contact_id, "", note)
