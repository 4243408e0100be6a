"""Loyalty forms. The meaning of their values is checked in restaurant/loyalty."""

from collections.abc import Iterable, Sequence

from flask_babel import lazy_gettext as _
from wtforms import (
    BooleanField,
    IntegerField,
    RadioField,
    SelectField,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.validators import Length, Optional

from portal.web.forms import Form, InRange, field_text, required
from portal.web.i18n import amount_for_input
from restaurant.loyalty import message_settings, programmes, rewards
from restaurant.models import LoyaltyMessage, LoyaltyProgramme, Reward, Site

KINDS = (("percent", _("Percent off")), ("amount", _("Amount off")), ("item", _("Free item")))


class ProgrammeForm(Form):
    active = BooleanField(_("Loyalty program is on"))
    kind = RadioField(
        _("How guests earn"),
        [required()],
        choices=[("points", _("Points for spending")), ("stamps", _("A stamp for each visit"))],
    )
    amount = StringField(_("Amount"), [Optional(), Length(max=20)])
    points = IntegerField(_("Points earned"), [Optional(), InRange(1, 10_000)])
    gift_id = SelectField(_("Automatic reward"), [Optional()], validate_choice=False)
    keywords = StringField(_("Keywords for checking the balance"), [Optional(), Length(max=400)])
    worth = IntegerField(_("Points per stamp"), [Optional(), InRange(0, 1_000_000)])
    quiet_from = StringField(_("Start of quiet hours"), [required(), Length(max=5)])
    quiet_until = StringField(_("End of quiet hours"), [required(), Length(max=5)])

    def offer(self, priced: Iterable[Reward]) -> None:
        self.gift_id.choices = [("", _("None"))] + [(one.id, one.name) for one in priced]

    def show(self, programme: LoyaltyProgramme) -> None:
        self.process(
            active=programme.active,
            kind=programme.kind,
            amount=f"{programme.amount.normalize():f}",
            points=programme.points,
            gift_id=programme.gift_id or "",
            keywords=", ".join(programme.keywords),
            quiet_from=programme.quiet_from,
            quiet_until=programme.quiet_until,
        )

    def settings(self) -> programmes.ProgrammeSettings:
        return programmes.ProgrammeSettings(
            kind=str(self.kind.data),
            active=bool(self.active.data),
            amount=field_text(self.amount),
            points=self.points.data or 1,
            keywords=tuple(one.strip() for one in field_text(self.keywords).split(",")),
            gift_id=self.gift_id.data or None,
            quiet_from=field_text(self.quiet_from).strip(),
            quiet_until=field_text(self.quiet_until).strip(),
            worth=self.worth.data,
        )


class RewardForm(Form):
    name = StringField(_("Name"), [required(), Length(max=80)])
    kind = RadioField(_("Reward type"), [required()], choices=KINDS, default="percent")
    value = StringField(_("Percent or amount"), [Optional(), Length(max=20)])
    most = StringField(_("Maximum discount"), [Optional(), Length(max=20)])
    item_id = SelectField(_("Free item"), [Optional()], validate_choice=False)
    minimum = StringField(_("Minimum order"), [Optional(), Length(max=20)])
    valid_days = IntegerField(_("Valid for (days)"), [required(), InRange(1, 730)], default=30)
    per_contact = IntegerField(_("Uses per guest"), [Optional(), InRange(0, 1000)])
    cost = IntegerField(_("Price in points or stamps"), [Optional(), InRange(1, 1_000_000)])
    site_ids = SelectMultipleField(_("Valid at"), [Optional()], validate_choice=False)
    active = BooleanField(_("Guests can get this reward"), default=True)

    def offer(self, sites: Sequence[Site], items: Sequence[tuple[str, str]]) -> None:
        self.site_ids.choices = [(one.id, one.name) for one in sites]
        self.item_id.choices = [("", "–"), *items]

    def show(self, reward: Reward) -> None:
        def plain(amount: object) -> str:
            return amount_for_input(f"{amount.normalize():f}") if amount else ""  # type: ignore[attr-defined]

        self.process(
            name=reward.name,
            kind=reward.kind,
            value=plain(reward.value),
            most=plain(reward.most),
            item_id=reward.item_id or "",
            minimum=plain(reward.minimum),
            valid_days=reward.valid_days,
            per_contact=reward.per_contact or None,
            cost=reward.cost,
            site_ids=list(reward.site_ids),
            active=reward.active,
        )

    def settings(self) -> rewards.RewardSettings:
        return rewards.RewardSettings(
            name=field_text(self.name),
            kind=str(self.kind.data),
            value=field_text(self.value),
            most=field_text(self.most),
            minimum=field_text(self.minimum),
            item_id=self.item_id.data or "",
            site_ids=tuple(self.site_ids.data or ()),
            valid_days=self.valid_days.data or 30,
            per_contact=self.per_contact.data or 0,
            cost=self.cost.data,
            active=bool(self.active.data),
        )


class CouponForm(Form):
    reward_id = SelectField(_("Reward"), [required()], validate_choice=False)
    phone = StringField(_("Guest's phone"), [Optional(), Length(max=32)])
    valid_days = IntegerField(_("Valid for (days)"), [Optional(), InRange(1, 730)])

    def offer(self, listed: Iterable[Reward]) -> None:
        self.reward_id.choices = [(one.id, one.name) for one in listed]


class CancelForm(Form):
    because = StringField(_("Reason"), [required(), Length(max=200)])


class CorrectForm(Form):
    amount = IntegerField(
        _("Points or stamps to add (negative to remove)"),
        [required(), InRange(-1_000_000, 1_000_000)],
    )
    because = StringField(_("Reason"), [required(), Length(max=200)])


class MessageForm(Form):
    active = BooleanField(_("Send this message"))
    number = IntegerField(_("Number"), [Optional(), InRange(0, 10_000)])
    reward_id = SelectField(_("Reward included"), [Optional()], validate_choice=False)
    template_name = StringField(_("Template"), [Optional(), Length(max=512)])
    template_language = StringField(_("Template language"), [Optional(), Length(max=20)])
    template_parameters = TextAreaField(_("Parameters"), [Optional(), Length(max=2000)])

    def offer(self, listed: Iterable[Reward]) -> None:
        self.reward_id.choices = [("", _("None"))] + [(one.id, one.name) for one in listed]

    def show(self, message: LoyaltyMessage) -> None:
        stored = message.template or {}
        self.process(
            active=message.active,
            number=message.number or None,
            reward_id=message.reward_id or "",
            template_name=stored.get("name", ""),
            template_language=stored.get("language", ""),
            template_parameters="\n".join(stored.get("parameters", [])),
        )

    def settings(self, texts: dict[str, str]) -> message_settings.MessageSettings:
        lines = field_text(self.template_parameters).splitlines()
        return message_settings.MessageSettings(
            active=bool(self.active.data),
            texts=texts,
            number=self.number.data or 0,
            reward_id=self.reward_id.data or "",
            template_name=field_text(self.template_name),
            template_language=field_text(self.template_language),
            template_parameters=tuple(one.strip() for one in lines if one.strip()),
        )
