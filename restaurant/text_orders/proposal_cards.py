"""The messages about a proposal: what was understood, its price, and the next question."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from core.errors import DomainError
from core.values.money import format_money
from messaging.messages.kinds.base import Choice
from messaging.messages.kinds.interactive.base import FIELD, LONGEST_LABEL
from messaging.messages.kinds.interactive.choice_list import (
    LONGEST_DESCRIPTION,
    LONGEST_TITLE,
    MOST_ROWS,
)
from restaurant.chat_texts import chat_text
from restaurant.delivery import addresses
from restaurant.menus.pricing import (
    OrderTotals,
    PricedItem,
    PricedMenu,
    calculate_totals,
    price_items,
)
from restaurant.models import OrderProposal, Site
from restaurant.orders import carts
from restaurant.orders.cards.card import Card, location_request_card, with_buttons
from restaurant.orders.cards.cart_text import item_rows
from restaurant.text_orders import proposals
from restaurant.text_orders.proposals import MenuNow
from restaurant.text_orders.reading.drafts import Draft

PREFIX = "words:"
SEND, DISCARD, STAFF, ITEM, NONE, OPTION, TYPE, PAYMENT = (
    "send", "discard", "staff", "item", "none", "option", "type", "pay",
)  # fmt: skip
ACTIONS = frozenset({SEND, DISCARD, STAFF, ITEM, NONE, OPTION, TYPE, PAYMENT})


@dataclass(frozen=True)
class Tap:
    action: str
    proposal_id: str
    revision: int
    value: str


def button_id(proposal: OrderProposal, action: str, value: str = "") -> str:
    return f"{PREFIX}{action}:{proposal.id}:{proposal.revision}:{value}"


def read_button_id(given: str) -> Tap | None:
    parts = given.removeprefix(PREFIX).split(":", 3)
    if not given.startswith(PREFIX) or len(parts) != 4 or parts[0] not in ACTIONS:
        return None
    if not parts[2].isdigit() or not parts[1].startswith("prp_"):
        return None
    return Tap(parts[0], parts[1], int(parts[2][:9]), parts[3])


def next_card(site: Site, menu: MenuNow, proposal: OrderProposal, *, first: str = "") -> Card:
    """The proposal with its next question. Stores what it asks for, and the total it shows."""
    draft = proposals.draft_of(proposal)
    gone = proposals.remove_unavailable(menu, draft)
    group = proposals.open_group(menu, draft)
    proposal.items = [one.as_json() for one in draft.items]
    proposal.unclear = [one.as_json() for one in draft.unclear]
    language = proposal.language
    notices = [first] if first else []
    if gone:
        names = ", ".join(_name(menu, one, language) for one in gone)
        notices.append(chat_text(language, "words_sold_out", names=names))
    if proposal.unknown:
        words = ", ".join(f"“{one}”" for one in proposal.unknown)
        notices.append(chat_text(language, "words_unknown", words=words))
    if not draft.items and not draft.unclear:
        proposal.asking, proposal.total = "", None
        return with_buttons(
            _joined([*notices, chat_text(language, "words_empty")]), [_button(proposal, STAFF)]
        )
    summary = order_summary(site, menu, proposal, draft, complete=group is None)
    if summary:
        summary = f"{chat_text(language, 'words_order')}\n\n{summary}"
    return _question(site, menu, proposal, draft, group, [*notices, summary])


def order_summary(
    site: Site, menu: MenuNow, proposal: OrderProposal, draft: Draft, *, complete: bool = True
) -> str:
    """The items with the server's prices, where they go, and the total."""
    language = proposal.language
    items, sums = priced(site, menu, proposal, draft, complete=complete)
    proposal.total = sums.total if sums is not None else None
    if not items:
        return ""
    rows = []
    if label := place_label(proposal):
        rows += [f"*{label}*", ""]
    rows += [*item_rows(items, site.currency, language), ""]
    if sums is not None:
        for key, amount in (("service", sums.service), ("delivery_fee", sums.delivery_fee)):
            if amount:
                percent = format(site.service_percent.normalize(), "f")
                label = chat_text(language, key, percent=percent)
                rows.append(f"{label}: {format_money(amount, site.currency, language)}")
        total = format_money(sums.total, site.currency, language)
        rows.append(f"*{chat_text(language, 'total')}: {total}*")
        address = {key: value for key, value in proposal.address.items() if value}
        if proposal.address and addresses.is_zone_unknown(site, proposal.order_type, address):
            rows.append(chat_text(language, "fee_open"))
    return "\n".join(rows)


def priced(
    site: Site, menu: MenuNow, proposal: OrderProposal, draft: Draft, *, complete: bool
) -> tuple[list[PricedItem], OrderTotals | None]:
    """Priced by the server. No totals while a required choice is open."""
    priced_menu = PricedMenu(menu.words.content, menu.missing)
    items: list[PricedItem] = []
    for requested in draft.requested():
        try:
            items += price_items(priced_menu, [requested], proposal.language)
        except DomainError:
            complete = False  # the next question is about it
    if not complete or not items:
        return items, None
    order_type = proposal.order_type or site.order_types[0]
    fee = _delivery_fee(site, proposal, items)
    return items, calculate_totals(items, carts.pricing_terms(site, order_type, items, 0, fee))


def place_label(proposal: OrderProposal) -> str:
    language = proposal.language
    if proposal.order_type == "dine_in" and proposal.table_number:
        return chat_text(language, "table", table=proposal.table_number)
    if proposal.order_type == "takeaway":
        return chat_text(language, "takeaway")
    if proposal.order_type == "delivery" and proposal.address:
        return chat_text(language, "delivery", address=proposal.address.get("text") or "📍")
    return ""


def _question(
    site: Site,
    menu: MenuNow,
    proposal: OrderProposal,
    draft: Draft,
    group: tuple[int, str] | None,
    texts: Sequence[str],
) -> Card:
    """The first thing that is missing; if nothing is, the button that sends the order."""
    if draft.unclear:
        return _ask_item(menu, proposal, draft, texts)
    if group is not None:
        return _ask_option(site, menu, proposal, draft, group, texts)
    if not proposal.order_type:
        return _ask_choice(proposal, "type", TYPE, site.order_types, texts)
    if proposal.order_type == "dine_in" and not proposal.table_number:
        return _ask_text(proposal, "table", texts)
    if proposal.order_type == "delivery" and not proposal.address:
        proposal.asking = "address"
        return location_request_card(
            _joined([*texts, chat_text(proposal.language, "words_address")])
        )
    methods = proposals.payment_methods(site, proposal.order_type)
    if proposal.payment_method not in methods:
        usual = methods[:1] if proposal.order_type == "dine_in" else methods
        if len(usual) > 1:
            return _ask_choice(proposal, "payment", PAYMENT, methods, texts)
        proposal.payment_method = usual[0] if usual else ""
    proposal.asking = "send"
    text = _joined([*texts, chat_text(proposal.language, "words_ready")])
    return with_buttons(text, [_button(proposal, one) for one in (SEND, DISCARD, STAFF)])


def _ask_item(menu: MenuNow, proposal: OrderProposal, draft: Draft, texts: Sequence[str]) -> Card:
    proposal.asking = "item"
    unclear = draft.unclear[0]
    question = chat_text(proposal.language, "words_which", words=unclear.raw)
    rows = [
        Choice(button_id(proposal, ITEM, one), _name(menu, one, proposal.language))
        for one in unclear.targets[: MOST_ROWS - 1]
    ]
    none = Choice(button_id(proposal, NONE), chat_text(proposal.language, "words_none"))
    return choices_card(proposal.language, _joined([*texts, question]), [*rows, none])


def _ask_option(
    site: Site,
    menu: MenuNow,
    proposal: OrderProposal,
    draft: Draft,
    group: tuple[int, str],
    texts: Sequence[str],
) -> Card:
    proposal.asking = "option"
    place, group_id = group
    content = menu.words.content["groups"][group_id]
    language = proposal.language
    priced_menu = PricedMenu(menu.words.content)
    question = chat_text(
        language,
        "words_option",
        item=_name(menu, draft.items[place].item_id, language),
        group=priced_menu.text(content, language),
    )
    rows = [
        Choice(
            button_id(proposal, OPTION, f"{place}.{one['id']}"),
            priced_menu.text(one, language),
            _surcharge(site, Decimal(one["price"]), language),
        )
        for one in content["options"]
        if one["id"] not in menu.missing and one["id"] not in draft.items[place].options
    ]
    return choices_card(language, _joined([*texts, question]), rows[:MOST_ROWS])


def _ask_choice(
    proposal: OrderProposal, asking: str, action: str, values: Sequence[str], texts: Sequence[str]
) -> Card:
    proposal.asking = asking
    question = chat_text(proposal.language, f"words_{asking}")
    rows = [
        Choice(button_id(proposal, action, one), chat_text(proposal.language, f"words_{one}"))
        for one in values
    ]
    return choices_card(proposal.language, _joined([*texts, question]), rows)


def _ask_text(proposal: OrderProposal, asking: str, texts: Sequence[str]) -> Card:
    proposal.asking = asking
    return Card(_joined([*texts, chat_text(proposal.language, f"words_{asking}")]))


def choices_card(language: str, text: str, choices: Sequence[Choice]) -> Card:
    """Buttons for up to three short choices, else a list."""
    short = all(len(one.title) <= LONGEST_LABEL and not one.description for one in choices)
    titles = {one.title for one in choices}
    if len(choices) <= 3 and short and len(titles) == len(choices):
        return with_buttons(text, choices)
    rows = [
        {
            "id": one.id,
            "title": one.title[:LONGEST_TITLE],
            "description": (one.description or _rest(one.title))[:LONGEST_DESCRIPTION] or None,
        }
        for one in choices
    ]
    label = chat_text(language, "words_choose")[:LONGEST_LABEL]
    content = {"body": text, "button": label, "sections": [{"title": None, "rows": rows}]}
    return Card(text, "list", {FIELD: content})


def _rest(title: str) -> str:
    return title if len(title) > LONGEST_TITLE else ""


def _button(proposal: OrderProposal, action: str) -> Choice:
    return Choice(button_id(proposal, action), chat_text(proposal.language, f"words_{action}"))


def _surcharge(site: Site, amount: Decimal, language: str) -> str:
    return f"+ {format_money(amount, site.currency, language)}" if amount else ""


def _delivery_fee(site: Site, proposal: OrderProposal, items: Sequence[PricedItem]) -> Decimal:
    if proposal.order_type != "delivery" or not proposal.address:
        return Decimal(0)
    where = addresses.parse_coordinates(
        proposal.address.get("latitude"), proposal.address.get("longitude")
    )
    subtotal = sum((one.amount for one in items), Decimal(0))
    try:
        return addresses.resolve_address(
            site, proposal.address.get("text") or "", where, subtotal
        ).fee
    except DomainError:
        return Decimal(0)  # the tap is answered with the reason


def _name(menu: MenuNow, thing_id: str, language: str) -> str:
    thing = menu.words.items.get(thing_id) or menu.words.options.get(thing_id)
    return PricedMenu(menu.words.content).text(thing, language) if thing is not None else ""


def _joined(texts: Sequence[str]) -> str:
    return "\n\n".join(one for one in texts if one)
