"""The form fields for buttons, a list or a link below a text."""

from collections.abc import Mapping
from typing import Any

from flask_babel import lazy_gettext as _
from wtforms import SelectField, StringField, TextAreaField
from wtforms.validators import Length

from messaging.inbox.composed import ComposedCard, read_json
from portal.web.forms import Form

LINKLESS_KINDS = [("", _("Nothing")), ("buttons", _("Buttons")), ("list", _("List"))]


class CardFields(Form):
    kind = SelectField(
        _("Below the text"),
        choices=LINKLESS_KINDS,
        default="",
    )
    button_1 = StringField(_("Button %(number)s", number=1), [Length(max=20)])
    button_2 = StringField(_("Button %(number)s", number=2), [Length(max=20)])
    button_3 = StringField(_("Button %(number)s", number=3), [Length(max=20)])
    list_button = StringField(_("Button that opens the list"), [Length(max=20)])
    rows = TextAreaField(_("Choices"), [Length(max=1200)])
    link_text = StringField(_("Button text"), [Length(max=20)])
    link_url = StringField(_("Link"), [Length(max=2000)])

    def offer_link(self) -> None:
        """Let the form also have a link."""
        self.kind.choices = [*LINKLESS_KINDS, ("link_button", _("Link button"))]

    def fill(self, content: Mapping[str, Any]) -> None:
        """Show the buttons or the list of a stored quick reply."""
        card = read_json(content)
        if card is None:
            return
        self.kind.data = card.kind
        for field, title in zip(self._button_fields(), card.buttons, strict=False):
            field.data = title
        self.list_button.data, self.rows.data = card.list_button, "\n".join(card.rows)
        self.link_text.data, self.link_url.data = card.link_text, card.link_url

    def card(self) -> ComposedCard | None:
        if not self.kind.data:
            return None
        return ComposedCard(
            kind=self.kind.data,
            buttons=tuple(title for field in self._button_fields() if (title := field.data)),
            list_button=self.list_button.data or "",
            rows=tuple((self.rows.data or "").splitlines()),
            link_text=self.link_text.data or "",
            link_url=self.link_url.data or "",
        )

    def _button_fields(self) -> tuple[StringField, ...]:
        return self.button_1, self.button_2, self.button_3
