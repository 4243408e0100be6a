"""Why the network refuses a template, in words that tell the author what to change."""

from dataclasses import dataclass

from core.errors import Conflict, DomainError, TryAgain, invalid
from core.i18n.catalogs import N_
from messaging.lines.drivers.cloud.templates.calls import TemplateRefusal
from messaging.reasons import NETWORK_REASONS

REFUSED = "template_refused"


@dataclass(frozen=True)
class RefusalSentence:
    field: str
    sentence: str


SENTENCES: dict[int, RefusalSentence] = {
    2388019: RefusalSentence(
        "name",
        N_("The account has reached its limit of templates. Delete some that you do not need."),
    ),
    2388023: RefusalSentence(
        "name",
        N_(
            "A template with this name was deleted a short time ago. Use another name, or wait "
            "up to 30 days."
        ),
    ),
    2388024: RefusalSentence(
        "name",
        N_("There is already a template with this name in this language. Use another name."),
    ),
    2388040: RefusalSentence("body", N_("One of the texts is longer than WhatsApp allows.")),
    2388043: RefusalSentence("examples", N_("WhatsApp needs a sample value for each placeholder.")),
    2388047: RefusalSentence("header.text", N_("WhatsApp does not accept the text of the header.")),
    2388072: RefusalSentence("body", N_("WhatsApp does not accept the text.")),
    2388073: RefusalSentence("footer", N_("WhatsApp does not accept the footer.")),
    2388293: RefusalSentence(
        "body",
        N_(
            "The text has too many placeholders for its length. Write more text or use fewer "
            "placeholders."
        ),
    ),
    2388299: RefusalSentence(
        "body",
        N_("The text cannot begin or end with a placeholder. Add a word or a full stop."),
    ),
    2388318: RefusalSentence(
        "name", N_("WhatsApp created this template for Direct Send. It cannot be changed.")
    ),
    2388330: RefusalSentence(
        "name", N_("WhatsApp created this template for Direct Send. It cannot be deleted.")
    ),
    2494102: RefusalSentence(
        "header", N_("WhatsApp could not use the uploaded file. Upload it again.")
    ),
}


def refusal_error(refusal: TemplateRefusal) -> DomainError:
    """Return the error to raise. A refusal that is not listed quotes the network."""
    if refusal.reason:
        sentence = NETWORK_REASONS.english(refusal.reason)
        if refusal.line_state:
            return Conflict("line_unavailable", sentence)
        return TryAgain("network_unreachable", sentence)
    known = SENTENCES.get(refusal.subcode or 0)
    if known is not None:
        return invalid(known.field, REFUSED, known.sentence)
    if refusal.message:
        return invalid(
            "name",
            REFUSED,
            "WhatsApp did not accept the template. Its reason: {reason}",
            reason=refusal.message,
        )
    return invalid("name", REFUSED, "WhatsApp did not accept the template and gave no reason.")
