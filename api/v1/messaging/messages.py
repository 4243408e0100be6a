"""Send and read messages: sections 4.1 and 4.2 of the specification, and additions to them."""

import re
from collections.abc import Callable
from typing import Any

from flask import Response, g, jsonify
from flask_openapi3.models.tag import Tag
from flask_openapi3.types import ResponseDict
from werkzeug.exceptions import MethodNotAllowed

from api.auth import key_may
from api.current import current_flask, current_g, current_request
from api.errors import domain_error_response
from api.idempotency import (
    IdempotentRequest,
    JsonAnswer,
    earlier_request,
    fingerprint,
    idempotency_key,
    idempotent,
    to_stored_answer,
)
from api.paging import page
from api.v1 import v1
from api.v1.messaging.app_sends import submit_for_app
from api.v1.schemas.messaging.message_json import (
    accepted_message_json,
    held_message_json,
    message_json,
)
from api.v1.schemas.messaging.messages import (
    LocationRequest,
    MediaRequest,
    MessagePage,
    MessagePath,
    MessageShape,
    MessagesQuery,
    SendAnswer,
    TemplateRequest,
    TextRequest,
    Timeline,
    draft_of_location,
    draft_of_media,
    draft_of_template,
    draft_of_text,
)
from core.clock import rfc3339
from core.concurrency_limits import ConcurrencyLimit
from core.db import notify_workers_now, tenant_scope
from core.errors import DomainError, Invalid, NotFound, RateLimited, TryAgain
from messaging import reasons
from messaging.api_caller import ApiCaller
from messaging.approvals import decisions as held_decisions
from messaging.approvals import queries as held_queries
from messaging.lines import repository as line_repository
from messaging.lines.repository import LineRoute
from messaging.messages import accept as message_accept
from messaging.messages import queries as message_queries
from messaging.messages import sync_wait_limits
from messaging.messages.accept import (
    AcceptedMessage,
    IdempotencyKeyReused,
    IdempotencyRecord,
    MessageDraft,
)
from messaging.messages.kinds.registry import has_file
from messaging.messages.media import files as media_files
from messaging.messages.sending import recipient_count
from messaging.messages.sending.sync_send import send_and_wait
from messaging.messages.settle import MessageOutcome
from messaging.reasons import NETWORK_REASONS
from tenants import idempotency

TAG = Tag(name="Messages")
# Concurrent message lists per process, half of them for one tenant: a broad filter may hold a
# connection for seconds, and a process has ten.
LIST_LIMITS = ConcurrencyLimit(8)
WAIT_SECONDS, LONGEST_WAIT = 10.0, 30.0
SENDS = frozenset({"send", "send-media", "send-location", "send-template", "preview"})
SENT: ResponseDict = {200: SendAnswer, 202: SendAnswer}


@v1.post("/messages/send", tags=[TAG], summary="Send a text message", responses=SENT)
@key_may("messages:send", test_keys=True)
def send(body: TextRequest) -> Response:
    """Waits until the line has passed the message to the network, for at most 10 s."""
    return _send(draft_of_text(body), body.instance_id)


@v1.post("/messages/send-media", tags=[TAG], summary="Send an image or a document", responses=SENT)
@key_may("messages:send", test_keys=True)
def send_media(body: MediaRequest) -> Response:
    """Sends an image, document, video or audio file by its URL, with a caption."""
    return _send(draft_of_media(body), body.instance_id)


@v1.post("/messages/send-location", tags=[TAG], summary="Send a location", responses=SENT)
@key_may("messages:send", test_keys=True)
def send_location(body: LocationRequest) -> Response:
    return _send(draft_of_location(body), body.instance_id)


@v1.post("/messages/send-template", tags=[TAG], summary="Send an approved template", responses=SENT)
@key_may("messages:send", test_keys=True)
def send_template(body: TemplateRequest) -> Response:
    """Also reaches people more than 24 hours after they last wrote."""
    return _send(draft_of_template(body), body.instance_id)


@v1.get("/messages", tags=[TAG], summary="List messages", responses={200: MessagePage})
@key_may("messages:read", test_keys=True)
def list_messages(query: MessagesQuery) -> dict[str, Any]:
    filters = message_queries.MessageFilters(
        phone=query.phone,
        line_id=query.instance_id,
        line_ids=g.caller.visible_line_ids,
        state=query.status_code,
        direction=query.direction,
        reference=query.reference,
        since=query.since,
        until=query.until,
    )
    if query.status_code == "held":
        return _held(query)
    with LIST_LIMITS.place(g.tenant_id) as may_read:
        if not may_read:
            raise RateLimited(
                "Too many list requests at once. Wait 1 s and try again.", retry_after=1
            )
        return _listed(query, filters)


def _held(query: MessagesQuery) -> dict[str, Any]:
    """Messages of apps that wait for a person; of the other filters only the line counts."""
    lines = g.caller.visible_line_ids
    if query.instance_id is not None:
        lines = frozenset({query.instance_id}) & (lines or {query.instance_id})
    with tenant_scope(g.tenant_id):
        rows = held_queries.list_held(lines, query.after, query.limit + 1)
    return page(rows, query, lambda row: row.id, held_message_json)


def _listed(query: MessagesQuery, filters: message_queries.MessageFilters) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        rows = message_queries.list_messages(filters, query.after, query.limit + 1)
        files = media_files.get_files(row.id for row in rows if has_file(row.kind))
        return page(
            rows, query, lambda row: row.id, lambda row: message_json(row, files.get(row.id))
        )


@v1.get(
    "/messages/<path:message_id>", tags=[TAG], summary="One message", responses={200: MessageShape}
)
@key_may("messages:read", test_keys=True)
def read(path: MessagePath) -> dict[str, Any]:
    if path.message_id in SENDS:
        raise MethodNotAllowed(["POST"])
    with tenant_scope(g.tenant_id):
        try:
            message = message_queries.get(path.message_id, g.caller.visible_line_ids)
        except NotFound:
            return held_message_json(held_queries.find(path.message_id, g.caller.visible_line_ids))
        return message_json(message, media_files.get_file(message.id))


@v1.get(
    "/messages/<path:message_id>/timeline",
    tags=[TAG],
    summary="List the events of a message",
    responses={200: Timeline},
)
@key_may("messages:read", test_keys=True)
def timeline(path: MessagePath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        changes = message_queries.timeline(
            message_queries.get(path.message_id, g.caller.visible_line_ids).id
        )
    return {
        "data": [
            {
                "status_code": one.state,
                "at": rfc3339(one.at),
                "cause": NETWORK_REASONS.english(one.cause),
            }
            for one in changes
        ],
        "next": None,
    }


@v1.post(
    "/messages/<path:message_id>/cancel",
    tags=[TAG],
    summary="Cancel an unsent message",
    responses={200: MessageShape},
)
@key_may("messages:send", test_keys=True)
@idempotent
def cancel(path: MessagePath) -> JsonAnswer:
    lines = g.caller.visible_line_ids
    try:
        return message_json(message_queries.cancel_message(path.message_id, lines))
    except NotFound:
        held_queries.find(path.message_id, lines)
        return held_message_json(held_decisions.cancel(path.message_id, g.caller.key.id))


def send_prepared(prepare: Callable[[], tuple[MessageDraft, int]]) -> Response:
    """Send the message that `prepare` returns, by the line with this id.

    A repeated request gets its first answer, even if `prepare` now raises a DomainError.
    """
    try:
        draft, line_id = prepare()
    except DomainError as refusal:
        return _earlier_answer(idempotency_key(), refusal)
    return _send(draft, line_id)


def _send(draft: MessageDraft, line_id: int | None) -> Response:
    if current_g().by_app:
        return submit_for_app(draft, line_id)
    patience, applied = _wait_seconds()
    if patience == 0:
        return _accept(draft, line_id, 0.0, applied)
    with sync_wait_limits.sync_wait_slot(current_g().tenant_id) as may_wait:
        if may_wait:
            return _accept(draft, line_id, patience, applied)
    return _accept(draft, line_id, 0.0, "")


def _accept(draft: MessageDraft, line_id: int | None, patience: float, applied: str) -> Response:
    """Store the message, then wait up to `patience` seconds for the network's response."""
    caller: ApiCaller = current_g().caller
    key = idempotency_key()
    outcome: MessageOutcome | None = None
    try:
        line = line_repository.choose_route(
            caller.lines, line_id, test=caller.test, allowed=caller.key.line_ids
        )
        draft = _checked(draft, line, waits=patience > 0)
        ready = message_accept.prepare_message(draft, line, caller.tenant, caller.cards)
        ticket = ready.ticket
        at_once = ticket.state != "queued" or patience == 0 or not line.sends_now
        answer = _answer(*_accepted_response(ticket, None, applied)) if at_once else None
        once = _store_pending_answer(key, answer, ticket)
        if at_once:
            message_accept.accept_in_own_transaction(ready, once)
        else:
            outcome = send_and_wait(
                current_flask().extensions["direct_sends"], ready, line, once, patience
            )
    except (IdempotencyKeyReused, DomainError) as refusal:
        # Whatever the error: a repeated request gets its first response.
        return _earlier_answer(key, refusal)
    if answer is not None:
        if ticket.state == "queued":
            notify_workers_now("jobs.sending.worker.drain")
        return answer
    if outcome is not None and outcome.state == "failed":
        return _refused_response(IdempotentRequest(key), ticket, outcome)
    answer = _answer(*_accepted_response(ticket, outcome, applied))
    if key is not None:
        with tenant_scope(g.tenant_id):
            IdempotentRequest(key).store(answer)
    return answer


def _checked(draft: MessageDraft, line: LineRoute, *, waits: bool) -> MessageDraft:
    """Only templates and fallback templates are checked against the synced template.

    A caller who waits for the outcome learns at once that the limit of recipients is reached.
    """
    if draft.kind != "template" and not draft.content.get("fallback"):
        return draft
    with tenant_scope(g.tenant_id):
        known = line_repository.get(line.id)
        draft = message_accept.check_template_draft(draft, known)
        if waits and draft.counts_recipient and draft.scheduled_at is None:
            recipient_count.check_room(known, draft)
        return draft


def _store_pending_answer(
    key: str | None, answer: Response | None, ticket: AcceptedMessage
) -> IdempotencyRecord | None:
    """Return the idempotency record; without a response yet, it holds the message id."""
    if key is None:
        return None
    if answer is None:
        return IdempotencyRecord(key, fingerprint(), None, None, ticket.id)
    stored = to_stored_answer(answer)
    return IdempotencyRecord(key, fingerprint(), stored.status, stored.headers, stored.body)


def _earlier_answer(key: str | None, refusal: Exception) -> Response:
    if key is not None:
        attempt = earlier_request(key)
        if attempt.answer is not None:
            return attempt.answer
        if attempt.earlier_result:
            with tenant_scope(g.tenant_id):
                return _current_answer(attempt.earlier_result)
    if isinstance(refusal, IdempotencyKeyReused):  # and deleted in the meantime
        raise TryAgain("try_again", "The request was not processed. Try again.") from None
    raise refusal


def _answer(body: dict[str, Any], status: int, headers: dict[str, str]) -> Response:
    answer: Response = current_flask().json.answer(body, status)  # type: ignore[attr-defined]
    for name, value in headers.items():
        answer.headers.add(name, value)
    return answer


def _accepted_response(
    ticket: AcceptedMessage, outcome: MessageOutcome | None, applied: str
) -> tuple[dict[str, Any], int, dict[str, str]]:
    """200 with the network's id; 202 if it is not known yet."""
    known = outcome is not None and outcome.state == "sent"
    headers = {} if known else {"Location": f"/api/v1/messages/{ticket.id}"}
    if applied:
        headers["Preference-Applied"] = applied
    return accepted_message_json(ticket, outcome if known else None), 200 if known else 202, headers


def _refused_response(
    attempt: IdempotentRequest, ticket: AcceptedMessage, outcome: MessageOutcome
) -> Response:
    """A refusal is stored as the response; an unavailable line releases the key for a retry."""
    sentence = NETWORK_REASONS.english(outcome.error_reason or reasons.REFUSED)
    error: DomainError = Invalid(outcome.error_code or "refused", sentence)
    if outcome.error_code == "line_unavailable":
        error = TryAgain("line_unavailable", sentence)
    error.more = {"id": ticket.id}
    answer = domain_error_response(error)
    if attempt.key is not None:
        with tenant_scope(g.tenant_id):
            if error.status == 503:
                idempotency.release_key(attempt.key)
            else:
                attempt.store(answer)
    return answer


def _current_answer(message_id: str) -> Response:
    """The first request was interrupted: respond with the current state of its message."""
    message = message_queries.get(message_id)
    body = {"status": "success", **message_json(message)}
    answer = jsonify(body)
    answer.headers["Idempotent-Replayed"] = "true"
    return answer


def _wait_seconds() -> tuple[float, str]:
    """Return the seconds to wait and the applied preference.

    RFC 7240: `Prefer: respond-async` or `Prefer: wait=N`.
    """
    prefer = current_request().headers.get("Prefer")
    if not prefer:
        return WAIT_SECONDS, ""
    if re.search(r"\brespond-async\b", prefer):
        return 0.0, "respond-async"
    found = re.search(r"\bwait=(\d{1,3})\b", prefer)
    if found:
        seconds = min(max(float(found[1]), 1.0), LONGEST_WAIT)
        return seconds, f"wait={int(seconds)}"
    return WAIT_SECONDS, ""
