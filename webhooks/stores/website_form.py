"""Website forms: any builder, any field names, JSON or form-encoded."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.adapters import SetupStep
from core.i18n.catalogs import N_
from core.security.signing import (
    BadSecret,
    BadSignature,
    constant_time_equal,
    hmac_base64,
    verify_webhook,
)
from webhooks.stores import form_builders
from webhooks.stores.base import (
    FormAnswer,
    HeaderFacts,
    ParsedEvent,
    ParseResult,
    PhoneHint,
    Platform,
    UnreadableBody,
    body_hash,
    lowercase_headers,
)
from webhooks.stores.form_fields import FIELD_ROLES, guess_fields, means_consent, slug, value_of

MAX_SUMMARY_LENGTH = 1500


def verify(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    """The token in the URL protects the form. With a secret, one of the builders' signatures is
    also required.
    """
    if not secret:
        return True
    given = lowercase_headers(headers)
    signature = hmac_base64(secret, body)
    if "typeform-signature" in given:
        return constant_time_equal(given["typeform-signature"], f"sha256={signature}")
    if "tally-signature" in given:
        return constant_time_equal(given["tally-signature"], signature)
    if "webhook-signature" in given:
        try:
            verify_webhook(secret, given, body)
        except (BadSignature, BadSecret):
            return False
        return True
    scheme, _, token = given.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return constant_time_equal(token.strip(), secret)
    return constant_time_equal(given.get("x-webhook-secret", ""), secret)


def facts(headers: Mapping[str, str]) -> HeaderFacts:
    return {"content_type": lowercase_headers(headers).get("content-type", "")[:300]}


def dedupe_keys(known: HeaderFacts, body: bytes) -> tuple[str, ...]:
    try:
        submission = form_builders.read_submission(body, known["content_type"])
    except UnreadableBody:
        return (body_hash(body),)
    if submission.id:
        return (f"{submission.builder}:{submission.id}",)
    # The boundary of a multipart body differs each time; the answers do not.
    answers = "\0".join(f"{one.key}={one.value}" for one in submission.answers)
    return (body_hash(answers.encode()),)


def parse(known: HeaderFacts, body: bytes) -> ParseResult:
    submission = form_builders.read_submission(body, known.get("content_type", ""))
    answers = [
        {"key": one.key, "label": one.label, "value": one.value, "type": one.type}
        for one in submission.answers
    ]
    data = {
        "form": {"name": submission.name, "builder": submission.builder},
        "answers": answers,
    }
    subject = f"submission:{submission.id}" if submission.id else ""
    return ParseResult((ParsedEvent("form.submitted", subject, subject, data),))


def answers_of(data: Mapping[str, Any]) -> list[FormAnswer]:
    return [FormAnswer(**one) for one in data.get("answers", [])]


def effective_fields(mapping: Mapping[str, str], answers: list[FormAnswer]) -> dict[str, str]:
    """The tenant's choice; a guess if none was made yet."""
    if mapping:
        return {role: mapping[role] for role in FIELD_ROLES if mapping.get(role)}
    return guess_fields(answers)


def apply_field_mapping(
    event: ParsedEvent, mapping: Mapping[str, str], country: str
) -> ParsedEvent:
    """The event with its phone, name, consent and text in the same places as other events."""
    answers = answers_of(event.data)
    chosen = effective_fields(mapping, answers)
    values = {role: value_of(answers, chosen, role) for role in FIELD_ROLES}
    name = values["name"]
    summary = "\n".join(f"{one.label}: {one.value}" for one in answers if one.value)
    data = {
        **event.data,
        "customer": {
            "name": name,
            "first_name": name.partition(" ")[0],
            "last_name": name.partition(" ")[2],
            "email": values["email"],
        },
        "consent": means_consent(values["consent"]) if chosen.get("consent") else None,
        "form": {
            **event.data["form"],
            "text": values["text"],
            "summary": summary[:MAX_SUMMARY_LENGTH],
        },
        "answer": {slug(one.label): one.value for one in answers},
    }
    phones = (PhoneHint(values["phone"][:60], country, "form"),) if values["phone"] else ()
    return replace(event, data=data, phones=phones)


WEBSITE_FORM = Platform(
    title=N_("Website form"),
    hook_title=N_("Form"),
    summary=N_("Typeform, Tally, Jotform, Elementor, WPForms and others."),
    icon="form",
    setup_steps=(
        SetupStep(
            N_("Paste this address into your form builder"),
            url_label=N_("URL"),
            guide=(
                ("Typeform", N_("Go to Connect > Webhooks > Add a webhook and turn it on.")),
                (
                    "Tally",
                    N_("Go to Integrations > Webhooks > Connect and paste it as the endpoint URL."),
                ),
                ("Jotform", N_("Go to Settings > Integrations > WebHooks and add it.")),
                (
                    "Elementor",
                    N_(
                        "Under Form > Actions After Submit, add Webhook. Paste the "
                        "address and turn on Advanced Data."
                    ),
                ),
                (
                    "WPForms",
                    N_(
                        "Go to Settings > Webhooks. Choose the request method POST "
                        "and the format JSON, and add a row for each field."
                    ),
                ),
                (
                    N_("Other form builders"),
                    N_("Any tool that can post JSON or form fields. You can use any field names."),
                ),
            ),
        ),
        SetupStep(
            N_("Submit the form once"),
            N_("This page then shows the connection as working and lists the fields it received."),
        ),
        SetupStep(
            N_("Map the fields"),
            N_(
                "We suggest fields for phone, name, consent and message. Change any that are wrong."
            ),
        ),
    ),
    verify=verify,
    facts=facts,
    dedupe_keys=dedupe_keys,
    parse=parse,
    secret_required=False,
    secret_hint=N_(
        "Use a secret if your form builder can sign requests or send a header. "
        "Without one, anyone who has the address can post to it."
    ),
    complete=apply_field_mapping,
)
