"""Code outside an adapter's folder asks the registry; it does not compare the adapter's code."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from messaging.lines.drivers.registry import DRIVERS
from messaging.messages.kinds.registry import MESSAGE_KINDS
from printing.connections.registry import CONNECTIONS
from printing.rendering.encoders.registry import LANGUAGES
from restaurant.payments.gateways.registry import GATEWAYS
from tests.architecture.layers import ROOT, modules
from webhooks.stores.registry import PLATFORMS

# Other programs: the simulated network has its own list of kinds, the print agent imports no other
# package, and the demo chooses adapters by name.
OTHER_PROGRAMS = ("messaging/simulator/", "printing/agent/", "deploy/", "migrations/")


@dataclass(frozen=True)
class Family:
    name: str
    codes: frozenset[str]
    folder: str
    exceptions: dict[str, str]
    """(file, code) as "file code", each with the reason why the comparison stays."""


TEMPLATES = "the rules of templates: approval, category, parameters"
COMPOSED = "members write these kinds with fields of their own"
ANSWERS = "the kind of answer that a step of a journey waits for"
LOCATIONS = "a shared location is the address of an order"
FAMILIES = (
    Family(
        "payment gateways",
        frozenset(GATEWAYS),
        "restaurant/payments/gateways/",
        {
            "core/settings.py simulated": "production refuses it; core imports no registry",
        },
    ),
    Family("store platforms", frozenset(PLATFORMS), "webhooks/stores/", {}),
    # "text" is a message kind as well, which is compared in many places.
    Family(
        "printer languages",
        frozenset(LANGUAGES) - {"text"},
        "printing/rendering/encoders/",
        {},
    ),
    Family("printer connections", frozenset(CONNECTIONS), "printing/connections/", {}),
    Family(
        "line drivers",
        frozenset(DRIVERS),
        "messaging/lines/drivers/",
        {
            "messaging/automations/connections.py cloud": "a partial index has this condition",
            "api/v1/schemas/messaging/instances.py cloud": "a choice of the request has own fields",
            "jobs/sending/lane.py linked": "a word in the answer of the SQL function",
        },
    ),
    Family(
        "message kinds",
        frozenset(MESSAGE_KINDS),
        "messaging/messages/kinds/",
        {
            "api/v1/messaging/messages.py template": TEMPLATES,
            "messaging/messages/fallback.py template": TEMPLATES,
            "messaging/messages/accept.py template": TEMPLATES,
            "messaging/approvals/submit.py template": TEMPLATES,
            "portal/inbox/page_data.py template": TEMPLATES,
            "messaging/messages/sending/recipient_count.py template": TEMPLATES,
            "messaging/automations/runs.py text": "an automation sends a text or a template",
            "messaging/campaigns/batches.py text": "a campaign sends a text or a template",
            "jobs/inbound/messages.py location": LOCATIONS,
            "restaurant/chat/shared_locations.py location": LOCATIONS,
            "messaging/inbox/thread.py reaction": "a reaction is shown at the message it is for",
            "messaging/lines/drivers/cloud/inbound_changes.py template": "a type of the network",
            "messaging/campaigns/template_values.py document": "the media type of a header",
            "portal/campaigns/template_form.py image": "the media type of a header",
            "messaging/templates/authoring.py image": "the media type of a header",
            "messaging/templates/authoring.py video": "the media type of a header",
            "messaging/templates/authoring.py document": "the media type of a header",
            "messaging/templates/draft_checks.py text": "the type of a header",
            "messaging/templates/drafts.py text": "the type of a header",
            "portal/messages/template_editor_form.py text": "the type of a header",
            "messaging/lines/drivers/cloud/templates/payload.py location": "the type of a header",
            "restaurant/chat/cancel_or_opt_out.py button": "a guest's answer to a question",
            "messaging/messages/receive.py template": "a kind of news about a line",
            "messaging/lines/drivers/cloud/inbound_kinds.py voice": "a type of an older network",
            "messaging/automations/store_events.py order": "a side of a store's link",
            "messaging/templates/placeholders.py order": "a group of placeholders",
            "portal/automations/views.py template": "a choice of a form",
            "portal/campaigns/template_form.py template": "a choice of a form",
            "portal/developers/markdown.py image": "a token of Markdown",
            "restaurant/orders/printing/print_jobs.py order": "a kind of print job",
            "messaging/inbox/team/template_values.py document": TEMPLATES,
            "messaging/inbox/team/scheduled_replies.py template": TEMPLATES,
            **dict.fromkeys(
                [
                    f"messaging/inbox/team/scheduled_replies.py {kind}"
                    for kind in ("text", "image", "video", "document")
                ],
                "their text can be changed before they are sent",
            ),
            "messaging/inbox/composed.py buttons": COMPOSED,
            "messaging/inbox/composed.py list": COMPOSED,
            "messaging/inbox/composed.py link_button": COMPOSED,
            "messaging/inbox/composed.py contacts": COMPOSED,
            "portal/inbox/uploads.py voice": "a field of the reply box",
            "portal/inbox/uploads.py sticker": "a field of the reply box",
            "messaging/messages/media/uploads.py voice": "the network is told that it is a voice",
            "messaging/journeys/engine.py buttons": ANSWERS,
            "messaging/journeys/engine.py list": ANSWERS,
            "messaging/journeys/engine.py location": ANSWERS,
            "messaging/journeys/validation.py buttons": ANSWERS,
            "messaging/journeys/validation.py location": ANSWERS,
            "portal/journeys/forms.py buttons": ANSWERS,
            "portal/journeys/forms.py list": ANSWERS,
            "messaging/journeys/effects.py location_request": ANSWERS,
            "messaging/journeys/effects.py template": TEMPLATES,
            "messaging/journeys/triggers.py button": "a contact's answer to a question",
            "restaurant/orders/cards/card.py text": "a card without buttons is a text",
        },
    ),
)


def strings_in(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Tuple | ast.List | ast.Set):
        for part in node.elts:
            yield from strings_in(part)


def compared_strings(tree: ast.AST) -> Iterator[list[str]]:
    """Strings that something is compared with, and tables by string, which compare as well."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            yield [text for side in sides for text in strings_in(side)]
        elif isinstance(node, ast.MatchValue):
            yield list(strings_in(node.value))
        elif isinstance(node, ast.Dict):
            keys = [text for key in node.keys if key is not None for text in strings_in(key)]
            if keys and len(keys) == len(node.keys):
                yield [f"{{{text}}}" for text in keys]


@cache
def compared_in(source: str) -> list[list[str]]:
    """Parsing every module takes seconds, and every family needs it."""
    return list(compared_strings(ast.parse(source)))


def comparisons(family: Family, path: Path, source: str) -> Iterator[str]:
    """As "file code"; a dict counts when all its keys are codes of the family."""
    tables = {f"{{{code}}}" for code in family.codes}
    for strings in compared_in(source):
        if strings and set(strings) <= tables:
            found = {text[1:-1] for text in strings} if len(strings) > 1 else set()
        else:
            found = set(strings) & family.codes
        yield from (f"{path} {code}" for code in sorted(found))


def found_outside(family: Family) -> set[str]:
    return {
        one
        for path in modules()
        if not path.as_posix().startswith((family.folder, *OTHER_PROGRAMS))
        for one in comparisons(family, path, (ROOT / path).read_text())
    }


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_codes_are_compared_only_in_the_adapters_folder(family):
    assert found_outside(family) == set(family.exceptions)


@pytest.mark.parametrize(
    "source",
    [
        'if account.provider == "stripe": pass',
        'if account.provider in ("stripe", "iyzico"): pass',
        'URLS = {"stripe": 1, "iyzico": 2}[account.provider]',
        'match account.provider:\n    case "stripe": pass',
    ],
)
def test_each_form_of_comparison_is_found(source):
    gateways = FAMILIES[0]
    assert "x.py stripe" in comparisons(gateways, Path("x.py"), source)
