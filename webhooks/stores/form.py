"""Website forms: any builder, any field names, JSON or form-encoded."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.signing import BadSecret, BadSignature, hmac_base64, same, verify_webhook
from webhooks.stores import builders
from webhooks.stores.mapping import ROLES, agreed, propose, slug, value_of
from webhooks.stores.neutral import (
    Answer,
    Facts,
    NotUnderstood,
    PhoneHint,
    Read,
    StoreEvent,
    hashed,
    lower,
)

LONGEST_SUMMARY = 1500


def verify(secret: str, headers: Mapping[str, str], body: bytes) -> bool:
    """The token in the address is the guard. With a secret, one of the ways builders sign."""
    if not secret:
        return True
    given = lower(headers)
    signature = hmac_base64(secret, body)
    if "typeform-signature" in given:
        return same(given["typeform-signature"], f"sha256={signature}")
    if "tally-signature" in given:
        return same(given["tally-signature"], signature)
    if "webhook-signature" in given:
        try:
            verify_webhook(secret, given, body)
        except (BadSignature, BadSecret):
            return False
        return True
    scheme, _, token = given.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return same(token.strip(), secret)
    return same(given.get("x-webhook-secret", ""), secret)


def facts(headers: Mapping[str, str]) -> Facts:
    return {"content_type": lower(headers).get("content-type", "")[:300]}


def dedupe_keys(known: Facts, body: bytes) -> tuple[str, ...]:
    try:
        submission = builders.read(body, known["content_type"])
    except NotUnderstood:
        return (hashed(body),)
    if submission.id:
        return (f"{submission.builder}:{submission.id}",)
    # A boundary between the parts differs each time; the answers do not.
    answers = "\0".join(f"{one.key}={one.value}" for one in submission.answers)
    return (hashed(answers.encode()),)


def parse(known: Facts, body: bytes) -> Read:
    submission = builders.read(body, known.get("content_type", ""))
    answers = [
        {"key": one.key, "label": one.label, "value": one.value, "type": one.type}
        for one in submission.answers
    ]
    data = {
        "form": {"name": submission.name, "builder": submission.builder},
        "answers": answers,
    }
    subject = f"submission:{submission.id}" if submission.id else ""
    return Read((StoreEvent("form.submitted", subject, subject, data),))


def answers_of(data: Mapping[str, Any]) -> list[Answer]:
    return [Answer(**one) for one in data.get("answers", [])]


def effective(mapping: Mapping[str, str], answers: list[Answer]) -> dict[str, str]:
    """What the tenant chose; a guess for a form nobody has looked at yet."""
    if mapping:
        return {role: mapping[role] for role in ROLES if mapping.get(role)}
    return propose(answers)


def mapped(event: StoreEvent, mapping: Mapping[str, str], country: str) -> StoreEvent:
    """The submission with its phone, name, consent and text in the places the others use."""
    answers = answers_of(event.data)
    chosen = effective(mapping, answers)
    said = {role: value_of(answers, chosen, role) for role in ROLES}
    name = said["name"]
    summary = "\n".join(f"{one.label}: {one.value}" for one in answers if one.value)
    data = {
        **event.data,
        "customer": {
            "name": name,
            "first_name": name.partition(" ")[0],
            "last_name": name.partition(" ")[2],
            "email": said["email"],
        },
        "consent": agreed(said["consent"]) if chosen.get("consent") else None,
        "form": {
            **event.data["form"],
            "text": said["text"],
            "summary": summary[:LONGEST_SUMMARY],
        },
        "answer": {slug(one.label): one.value for one in answers},
    }
    phones = (PhoneHint(said["phone"][:60], country, "form"),) if said["phone"] else ()
    return replace(event, data=data, phones=phones)
