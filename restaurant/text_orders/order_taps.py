"""Guests tap a button of a proposal. Only "Send to kitchen" makes an order.

It makes the same coded cart as the menu page, priced again by the server, and so an ordinary order.
"""

from core.db import db, savepoint
from core.errors import Conflict, DomainError
from core.ids import BadId
from messaging.models import Line
from restaurant.chat import cart_refusals, chat_orders
from restaurant.chat.senders import Sender
from restaurant.chat_texts import chat_text
from restaurant.delivery.addresses import BelowMinimum, OutsideZones
from restaurant.models import Cart, OrderProposal, Site
from restaurant.orders import carts, hold_reasons
from restaurant.orders import notifications as order_notifications
from restaurant.orders.cards.card import Card
from restaurant.sites import sites
from restaurant.text_orders import handover, proposal_cards, proposals
from restaurant.text_orders.proposal_cards import Tap, next_card
from restaurant.text_orders.proposals import MenuNow
from restaurant.text_orders.reading.drafts import DraftItem, choose_option


class _PriceChanged(Exception):
    """The cart costs something else than the guest was shown."""


def answer_tap(line: Line, sender: Sender, tap: Tap, message_id: str) -> bool:
    """False leaves the message to the staff."""
    proposal = _own_proposal(tap, sender)
    if proposal is None or proposal.line_id != line.id:
        return False
    site = sites.get(proposal.site_id)
    menu = proposals.menu_now(site)
    if proposal.state not in (proposals.OPEN, proposals.HANDED_OVER) or menu is None:
        return _tell(line, sender, Card(chat_text(proposal.language, "words_over")))
    if tap.action == proposal_cards.STAFF:
        handover.hand_over(site, menu, line, sender, proposal, "")
        return False
    if tap.action == proposal_cards.DISCARD:
        proposal.state = proposals.CANCELLED
        return _tell(line, sender, Card(chat_text(proposal.language, "words_discarded")))
    if tap.revision != proposal.revision:  # an older message: show the present proposal
        return _tell(line, sender, next_card(site, menu, proposal))
    if tap.action == proposal_cards.SEND:
        return send_to_kitchen(site, menu, line, sender, proposal, message_id)
    _choose(site, menu, proposal, tap)
    return _tell(line, sender, next_card(site, menu, proposal))


def send_to_kitchen(
    site: Site,
    menu: MenuNow,
    line: Line,
    sender: Sender,
    proposal: OrderProposal,
    message_id: str,
) -> bool:
    if proposal.asking != "send":  # something is still missing
        return _tell(line, sender, next_card(site, menu, proposal))
    try:
        with savepoint():
            cart = _cart(site, line, sender, proposal)
    except _PriceChanged:
        proposal.revision += 1
        changed = chat_text(proposal.language, "words_changed")
        return _tell(line, sender, next_card(site, menu, proposal, first=changed))
    except DomainError as refused:
        return _refused(site, menu, line, sender, proposal, refused)
    reason = hold_reasons.in_own_words(" · ".join(proposal.texts)[:500])
    order = chat_orders.order_from_cart(line, cart, sender, message_id, [reason])
    if order is not None:
        proposal.state, proposal.order_id, proposal.asking = proposals.SENT, order.id, ""
    return True  # without an order, the guest was told why


def _cart(site: Site, line: Line, sender: Sender, proposal: OrderProposal) -> Cart:
    table = proposals.known_table(line, sender, proposal)
    request = carts.CartRequest(
        items=proposals.draft_of(proposal).requested(),
        order_type=proposal.order_type,
        payment_method=proposal.payment_method,
        table_number=proposal.table_number,
        table_token=table.token if table is not None else "",
        address=proposal.address.get("text") or "",
        latitude=proposal.address.get("latitude"),
        longitude=proposal.address.get("longitude"),
        language=proposal.language,
    )
    cart = carts.create_cart(site, request)
    if cart.total != proposal.total:
        raise _PriceChanged()
    return cart


def _refused(
    site: Site,
    menu: MenuNow,
    line: Line,
    sender: Sender,
    proposal: OrderProposal,
    refused: DomainError,
) -> bool:
    """Tell the guest why; what they can change is asked again."""
    language = proposal.language
    if isinstance(refused, OutsideZones | BelowMinimum):
        handover.hand_over(site, menu, line, sender, proposal, "")
        return False
    if refused.code == "closed" or isinstance(refused, Conflict):
        text = chat_text(language, "paused")
        if refused.code == "closed":
            text = chat_text(language, "closed", opens=cart_refusals.opening_text(site, language))
        return _tell(line, sender, Card(text))
    proposal.revision += 1
    changed = chat_text(language, "words_changed")
    return _tell(line, sender, next_card(site, menu, proposal, first=changed))


def _choose(site: Site, menu: MenuNow, proposal: OrderProposal, tap: Tap) -> None:
    """Only values that were offered; anything else changes nothing."""
    draft = proposals.draft_of(proposal)
    if tap.action == proposal_cards.ITEM and draft.unclear:
        unclear = draft.unclear[0]
        if tap.value in unclear.targets:
            item = draft.add(DraftItem(tap.value, unclear.quantity, counted=True))
            for option in unclear.options:
                choose_option(menu.words, item, (option,))
            draft.unclear = draft.unclear[1:]
    elif tap.action == proposal_cards.NONE and draft.unclear:
        draft.unclear = draft.unclear[1:]
    elif tap.action == proposal_cards.OPTION:
        place, _, option = tap.value.partition(".")
        if place.isdigit() and int(place) < len(draft.items):
            choose_option(menu.words, draft.items[int(place)], (option,))
    elif tap.action == proposal_cards.TYPE and tap.value in site.order_types:
        proposal.order_type, proposal.payment_method = tap.value, ""
    elif tap.action == proposal_cards.PAYMENT and tap.value in _payments(site, proposal):
        proposal.payment_method = tap.value
    proposal.unknown = []
    draft.merge_equal()
    proposals.store_draft(proposal, draft)


def _payments(site: Site, proposal: OrderProposal) -> list[str]:
    return proposals.payment_methods(site, proposal.order_type) if proposal.order_type else []


def _own_proposal(tap: Tap, sender: Sender) -> OrderProposal | None:
    try:
        return proposals.get(tap.proposal_id, sender.contact_id)
    except (BadId, ValueError):
        return None


def _tell(line: Line, sender: Sender, card: Card) -> bool:
    db.session.flush()
    return bool(order_notifications.send_card(line, sender.address, card))
