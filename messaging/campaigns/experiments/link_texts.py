"""Replace the links in the messages of a campaign with short links."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.errors import invalid
from messaging.campaigns.personalize import Recipient
from messaging.campaigns.template_values import TemplateShape
from messaging.links import short_links
from messaging.links.short_links import NewLink, is_address
from messaging.messages.accept import MessageDraft
from messaging.models import Campaign
from messaging.templates.components import Components, find_buttons

_URL = re.compile(r"https?://[^\s<>\"“”«»]+", re.IGNORECASE)
_AFTER = ".,;:!?)]}'’*_~"


class _Shortener:
    """For one batch: every recipient gets a link of their own for each address."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.links: dict[tuple[str, str], NewLink] = {}

    def code(self, contact_id: str, url: str) -> str:
        known = self.links.get((contact_id, url))
        if known is None:
            known = NewLink(short_links.new_code(), contact_id, url)
            self.links[contact_id, url] = known
        return known.code

    def text(self, contact_id: str, text: str) -> str:
        def short(found: re.Match[str]) -> str:
            url = found.group()
            end = url[len(url.rstrip(_AFTER)) :]
            url = url.removesuffix(end)
            if not is_address(url) or url.startswith(self.base):
                return found.group()
            return f"{self.base}{self.code(contact_id, url)}{end}"

        return _URL.sub(short, text)


def with_short_links(
    campaign: Campaign, drafts: Mapping[Recipient, MessageDraft], shape: TemplateShape | None
) -> dict[Recipient, MessageDraft]:
    """The drafts with their links replaced; the links are stored in the open transaction."""
    buttons = counted_buttons(shape.components) if shape is not None else ()
    if not (campaign.count_clicks or buttons) or not drafts:
        return dict(drafts)
    shortener = _Shortener(short_links.base_url(str(campaign.filters.get("site_id") or "")))
    made = {
        reader: _shortened(draft, reader.contact_id, shortener, campaign.count_clicks, buttons)
        for reader, draft in drafts.items()
    }
    short_links.store_links(campaign.id, list(shortener.links.values()))
    return made


def counted_buttons(components: Components) -> tuple[int, ...]:
    """The buttons of a template whose address ends in our path, `https://…/l/{{1}}`."""
    return tuple(
        at
        for at, one in enumerate(find_buttons(components))
        if str(one.get("type")).upper() == "URL"
        and str(one.get("url") or "").partition("{{")[0].endswith(short_links.PATH)
    )


def check_counted_buttons(template: Mapping[str, Any], components: Components) -> None:
    """The end of such a button's URL is the full address of the page to open."""
    ends = template.get("buttons") or []
    for at in counted_buttons(components):
        end = ends[at] if at < len(ends) else ""
        if not end or not _may_be_address(str(end)):
            raise invalid(
                "buttons",
                "full_address",
                "Button {number} counts clicks. Enter the full address that it opens, including "
                "https://.",
                number=at + 1,
            )


def _may_be_address(end: str) -> bool:
    """With placeholders, the address of each recipient is known when their message is written."""
    return is_address(end) or ("{{" in end and end.startswith(("https://", "http://")))


def _shortened(
    draft: MessageDraft,
    contact_id: str,
    shortener: _Shortener,
    texts: bool,
    buttons: tuple[int, ...],
) -> MessageDraft:
    content = dict(draft.content)
    if "parameters" in content:
        content["parameters"] = _parameters(
            content.get("parameters"), contact_id, shortener, texts, buttons
        )
    elif texts and isinstance(content.get("interactive"), dict):
        parts = dict(content["interactive"])
        if is_address(str(parts.get("url") or "")):
            parts["url"] = f"{shortener.base}{shortener.code(contact_id, parts['url'])}"
        content["interactive"] = parts
    text = shortener.text(contact_id, draft.text) if texts else draft.text
    return replace(draft, text=text, content=content)


def _parameters(
    given: Any, contact_id: str, shortener: _Shortener, texts: bool, buttons: tuple[int, ...]
) -> Any:
    def short(value: Any) -> Any:
        return shortener.text(contact_id, value) if texts and isinstance(value, str) else value

    def short_all(values: Any) -> Any:
        if isinstance(values, dict):
            return {name: short(value) for name, value in values.items()}
        return [short(value) for value in values] if isinstance(values, list) else values

    if not isinstance(given, dict) or not ({"body", "header", "buttons"} & given.keys()):
        return short_all(given)
    made = {**given, "body": short_all(given.get("body"))}
    if isinstance(ends := given.get("buttons"), list):
        made["buttons"] = [
            shortener.code(contact_id, end)
            if at in buttons and isinstance(end, str) and is_address(end)
            else end
            for at, end in enumerate(ends)
        ]
    return made
