"""A guest writes to a restaurant in their own words: an order, a correction, or a question.

Every order needs the guest's tap on the proposal. What is not clear is asked, and what stays
unclear goes to the team with a draft of the reply.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.rate_limits import Bucket, take_tokens
from core.values.text import one_line, strip_accents
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.kinds.registry import has_file, is_written
from messaging.models import Line
from restaurant.chat import cart_refusals
from restaurant.chat.order_taps import newest_open_order
from restaurant.chat.senders import Sender, read_sender
from restaurant.chat_texts import chat_languages, chat_text
from restaurant.delivery import addresses
from restaurant.models import OrderProposal, Site
from restaurant.orders import notifications as order_notifications
from restaurant.orders.cards.card import Card
from restaurant.sites import sites
from restaurant.text_orders import handover, order_taps, proposal_cards, proposals, questions
from restaurant.text_orders.proposals import MenuNow
from restaurant.text_orders.reading.drafts import Draft
from restaurant.text_orders.reading.lexicon import FILLERS
from restaurant.text_orders.reading.reader import Reading, read_text
from restaurant.text_orders.reading.tokens import LONGEST_TEXT, split_words

ReadingRequest = Callable[[Line, str, str, str, str], None]
_ask_model: ReadingRequest | None = None
_has_model: Callable[[], bool] | None = None
_hears: Callable[[], bool] | None = None


@dataclass(frozen=True)
class ModelReading:
    """What a language model understood, after it was checked against the menu."""

    draft: Draft
    unclear: list[str]


def register_model(
    ask: ReadingRequest, has_model: Callable[[], bool], hears: Callable[[], bool]
) -> None:
    """The optional language model; without it, the rules read everything."""
    global _ask_model, _has_model, _hears
    _ask_model, _has_model, _hears = ask, has_model, hears


TEAM_ANSWERS = timedelta(minutes=30)
"""After a hand-over, so long the team answers and nothing is read automatically."""
ANSWERS_PER_HOUR, ANSWERS_AT_ONCE = 60, 20


def may_answer(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    if _is_location(message) or _is_sound(message):
        return True
    return is_written(message.kind) and 0 < len(message.text) <= LONGEST_TEXT


def _is_location(message: InboundMessage) -> bool:
    return "latitude" in message.content and not is_written(message.kind)


def _is_sound(message: InboundMessage) -> bool:
    mime_type = str(message.content.get("mime_type") or "")
    return has_file(message.kind) and mime_type.startswith("audio/")


def may_mean_the_order(line: Line, contact_id: str) -> bool:
    """Whether an opt-out word with two meanings may be about an order or a proposal."""
    return (
        newest_open_order(line.id, contact_id) is not None
        or proposals.find_open(line, contact_id) is not None
    )


def answer(line: Line, message: InboundMessage, message_id: str) -> bool:
    """Runs in the transaction that stored the message. False leaves it to the staff."""
    places = _places(line)
    if not places:
        return False
    sender = read_sender(line, message)
    if sender is None or sender.blocked or not _within_limit(sender):
        return False
    tap = proposal_cards.read_button_id(str(message.content.get("id") or ""))
    if tap is not None:
        return order_taps.answer_tap(line, sender, tap, message_id)
    proposal = proposals.find_open(line, sender.contact_id)
    if _is_location(message):
        return _take_location(line, sender, proposal, message)
    if _is_sound(message):
        if _ask_model is not None and _hears is not None and _hears():
            _ask_model(line, sender.contact_id, message_id, "voice", "")
        return False  # it stays unread until its words are understood
    if message.content.get("id"):
        return False  # a button of another message
    if _ask_model is not None and _is_for_model(proposal, message.text):
        _ask_model(line, sender.contact_id, message_id, "order", message.text)
        return False
    return answer_text(line, sender, places, proposal, message.text, message_id)


def answer_now(
    line: Line, sender: Sender, text: str, message_id: str, reading: ModelReading | None
) -> bool:
    """Answer a message after the model was asked. Without its reading, the rules read it."""
    places = _places(line)
    proposal = proposals.find_open(line, sender.contact_id)
    return bool(places) and answer_text(line, sender, places, proposal, text, message_id, reading)


def _places(line: Line) -> list[Site]:
    """The sites of this line whose guests can order in their own words. One short query for the
    many tenants that have none."""
    query = select(Site.id).where(
        Site.tenant_id == current_tenant_id(),
        Site.orders_in_words.is_(True),
        Site.closed_at.is_(None),
    )
    if db.session.scalars(query.limit(1)).first() is None:
        return []
    return [one for one in sites.sites_of_line(line) if one.orders_in_words]


def _is_for_model(proposal: OrderProposal | None, text: str) -> bool:
    """Questions, answers to a question of ours, and single words are read by the rules."""
    if _has_model is None or len(split_words(text)) < 2:
        return False
    if proposal is not None and (
        proposal.state == proposals.HANDED_OVER or proposal.asking in ("table", "address")
    ):
        return False
    if _is_send_title(text) or _is_small_talk(text) or questions.find_question(text) is not None:
        return False
    return _has_model()


def answer_text(
    line: Line,
    sender: Sender,
    places: list[Site],
    proposal: OrderProposal | None,
    text: str,
    message_id: str,
    by_model: ModelReading | None = None,
) -> bool:
    if proposal is not None:
        places = [one for one in places if one.id == proposal.site_id]
        if not places:
            return False
        if proposal.state == proposals.HANDED_OVER:
            if proposal.changed_at > now() - TEAM_ANSWERS:
                return False
            proposal.state = proposals.OPEN
    for site in places:
        menu = proposals.menu_now(site)
        if menu is not None and _answer_for_site(
            site, menu, line, sender, proposal, text, message_id, by_model
        ):
            return True
        if proposal is not None and proposal.state == proposals.HANDED_OVER:
            return False
    return False


def _answer_for_site(
    site: Site,
    menu: MenuNow,
    line: Line,
    sender: Sender,
    proposal: OrderProposal | None,
    text: str,
    message_id: str,
    by_model: ModelReading | None,
) -> bool:
    if proposal is not None and _is_send_title(text) and proposal.asking == "send":
        return order_taps.send_to_kitchen(site, menu, line, sender, proposal, message_id)
    question = questions.find_question(text)
    if question is not None:
        language = _language(site, sender, read_text(menu.words, text, tables=menu.tables))
        card = questions.answer_question(site, menu, line, sender, question, language)
        if card is None:
            handover.hand_over_question(site, line, sender, text)
            return False
        return _tell(line, sender, card)
    if proposal is None:
        return _start(site, menu, line, sender, text, by_model)
    return _continue(site, menu, line, sender, proposal, text, by_model)


def _read(menu: MenuNow, text: str, draft: Draft | None, by_model: ModelReading | None) -> Reading:
    """The rules' reading, with the model's dishes if it named any. Table, order type, payment and
    cancelling are always read by the rules."""
    reading = read_text(menu.words, text, draft, menu.tables)
    known = by_model is not None and all(
        one.item_id in menu.words.items for one in by_model.draft.items
    )
    if by_model is not None and known and by_model.draft.items and not reading.cancelled:
        reading.draft = by_model.draft
        reading.unknown = list(by_model.unclear)
        reading.understood = True
    return reading


def _start(
    site: Site,
    menu: MenuNow,
    line: Line,
    sender: Sender,
    text: str,
    by_model: ModelReading | None,
) -> bool:
    reading = _read(menu, text, None, by_model)
    if not reading.draft.items and not reading.draft.unclear:
        return False
    if _is_mostly_unknown(reading):
        return False  # rather a conversation than an order
    language = _language(site, sender, reading)
    why = sites.why_no_orders(site, now())
    if why:
        opens = cart_refusals.opening_text(site, language) if why == "closed" else ""
        key = "closed" if why == "closed" else "paused"
        return _tell(line, sender, Card(chat_text(language, key, opens=opens)))
    proposal = proposals.start(site, line, sender, language)
    proposals.apply_reading(site, menu, proposal, reading, text)
    db.session.flush()
    return _tell(line, sender, proposal_cards.next_card(site, menu, proposal))


def _continue(
    site: Site,
    menu: MenuNow,
    line: Line,
    sender: Sender,
    proposal: OrderProposal,
    text: str,
    by_model: ModelReading | None,
) -> bool:
    draft = proposals.draft_of(proposal)
    before = [one.as_json() for one in draft.items]
    reading = _read(menu, text, draft, by_model)
    if reading.cancelled:
        proposal.state = proposals.CANCELLED
        return _tell(line, sender, Card(chat_text(proposal.language, "words_discarded")))
    if proposal.asking == "table" and (number := _table_in(menu, text)):
        proposal.table_number, proposal.unknown = menu.tables[number].number, []
        proposals.remember_text(proposal, text)
        proposals.store_draft(proposal, proposals.draft_of(proposal))
        return _tell(line, sender, proposal_cards.next_card(site, menu, proposal))
    changed = before != [one.as_json() for one in reading.draft.items] or reading.draft.unclear
    if proposal.asking == "address" and not changed:
        proposal.address = {"text": one_line(text, addresses.MAX_ADDRESS_LENGTH)}
        proposals.store_draft(proposal, proposals.draft_of(proposal))
        return _tell(line, sender, proposal_cards.next_card(site, menu, proposal))
    if reading.understood or reading.order_type or reading.payment:
        proposals.apply_reading(site, menu, proposal, reading, text)
        return _tell(line, sender, proposal_cards.next_card(site, menu, proposal))
    if _is_small_talk(text):
        if proposal.asking != "send":
            return False
        card = proposal_cards.next_card(
            site, menu, proposal, first=chat_text(proposal.language, "words_confirm")
        )
        return _tell(line, sender, card)
    if proposal.asking == "table":
        told = chat_text(proposal.language, "words_no_table", table=one_line(text, 20))
        return _tell(line, sender, Card(told))
    handover.hand_over(site, menu, line, sender, proposal, text)
    return False


def _take_location(
    line: Line, sender: Sender, proposal: OrderProposal | None, message: InboundMessage
) -> bool:
    """A shared location is the address of a proposal for delivery."""
    if proposal is None or proposal.asking != "address":
        return False
    latitude, longitude = message.content.get("latitude"), message.content.get("longitude")
    if addresses.parse_coordinates(latitude, longitude) is None:
        return False
    site = sites.get(proposal.site_id)
    menu = proposals.menu_now(site)
    if menu is None:
        return False
    words = str(message.content.get("address") or message.content.get("name") or "")
    proposal.address = {
        "text": one_line(words, addresses.MAX_ADDRESS_LENGTH),
        "latitude": latitude,
        "longitude": longitude,
    }
    proposals.store_draft(proposal, proposals.draft_of(proposal))
    return _tell(line, sender, proposal_cards.next_card(site, menu, proposal))


def _table_in(menu: MenuNow, text: str) -> str:
    words = [one.word for one in split_words(text)]
    return next((one for one in words if one in menu.tables), "") if len(words) <= 5 else ""


def _is_send_title(text: str) -> bool:
    typed = _folded(text)
    return any(typed == _folded(chat_text(one, "words_send")) for one in chat_languages())


def _folded(text: str) -> str:
    return " ".join(strip_accents(text).split()).strip(".! ")


def _is_small_talk(text: str) -> bool:
    """`evet`, `tamam`, `yes please`: an answer, but not a tap."""
    return all(one.word in FILLERS or len(one.word) < 2 for one in split_words(text))


def _is_mostly_unknown(reading: Reading) -> bool:
    named = len(reading.draft.items) + len(reading.draft.unclear)
    counted = any(one.counted for one in reading.draft.items)
    return len(reading.unknown) > (3 * named if counted else named)


def _language(site: Site, sender: Sender, reading: Reading) -> str:
    contact = sender.language.partition("-")[0]
    for one in (reading.language, contact):
        if one and one in site.languages:
            return one
    return site.languages[0]


def _within_limit(sender: Sender) -> bool:
    """Against programs that answer our answers."""
    name = f"words:{current_tenant_id()}:{sender.contact_id}"
    bucket = Bucket(name, rate=ANSWERS_PER_HOUR / 3600, burst=ANSWERS_AT_ONCE)
    return take_tokens([bucket]).allowed


def _tell(line: Line, sender: Sender, card: Card) -> bool:
    db.session.flush()
    return bool(order_notifications.send_card(line, sender.address, card))
