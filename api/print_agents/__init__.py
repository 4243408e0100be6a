"""Blueprint for print agents: pairing, results and pictures. `api.live` serves their polls."""

import time
from typing import Any

from flask import Blueprint, Response, current_app, g, jsonify, request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from api.address_limits import seconds_to_wait
from api.errors import response_for, validation_error
from api.v1 import parse_json
from core.db import global_scope, tenant_scope
from core.errors import DomainError, NotFound, RateLimited
from core.lookups import secret_digest
from core.settings import Settings
from printing import agent_polling, agents, printers, spool
from printing.models import PrintAgent
from printing.rendering.document import Document
from printing.rendering.render import preview_png
from restaurant.sites import sites
from tenants.audit import Actor, set_actor

LARGEST_BODY = 64 * 1024
CACHE_SECONDS = 30.0
CACHE_SIZE = 10_000

print_agents = Blueprint("print_agents", __name__, url_prefix="/print/v1")

_cache: dict[str, tuple[tuple[int, str], float]] = {}


class Pairing(BaseModel):
    model_config = ConfigDict(extra="ignore")
    code: str = Field(max_length=40)
    name: str = Field("", max_length=200)
    version: str = Field("", max_length=40)


class Result(BaseModel):
    model_config = ConfigDict(extra="ignore")
    fence: int = Field(ge=0, le=2**31 - 1)
    outcome: str = Field(pattern="^(printed|failed|unsure)$")
    detail: str = Field("", max_length=1000)
    evidence: dict[str, Any] = Field(default_factory=dict)
    reprint: bool = False
    at: str = Field("", max_length=40)


@print_agents.errorhandler(Exception)
def answer_error(error: Exception) -> Response:
    """Errors are JSON; the code is also in `error`, where agents read it."""
    answer = response_for(validation_error(error) if isinstance(error, ValidationError) else error)
    body = answer.get_json()
    body["error"] = {"code": body["code"], "message": body["message"]}
    answer.set_data(current_app.json.dumps(body))
    return answer


@print_agents.after_request
def forbid_caching(answer: Response) -> Response:
    answer.headers["Cache-Control"] = "no-store"
    return answer


@print_agents.post("/pair")
def pair() -> Any:
    _limit_pairing_attempts()
    pairing = Pairing.model_validate(_body())
    code = agents.normalize_code(pairing.code)
    owner = None
    if code is not None:
        with global_scope():
            owner = agents.find_code(code)
    if owner is None:
        raise _unknown_code()
    tenant_id, code_id = owner
    g.tenant_id = tenant_id
    with tenant_scope(tenant_id):
        paired = agents.pair(code_id, pairing.name, pairing.version)
        site = sites.get(paired.agent.site_id) if paired else None
    if paired is None or site is None:
        raise _unknown_code()
    return jsonify(
        token=paired.token,
        agent_id=paired.agent.id,
        site={"id": site.id, "name": site.name},
        poll_seconds=agents.POLL_SECONDS,
        poll_url=poll_url(),
    )


@print_agents.post("/jobs/<print_job_id>/result")
def result(print_job_id: str) -> Any:
    tenant_id, agent_id = caller()
    reported = Result.model_validate(_body())
    evidence = {**reported.evidence, "reprint": reported.reprint, "at": reported.at}
    with tenant_scope(tenant_id):
        _agent_exists(agent_id)
        settled = agent_polling.record_result(
            agent_id, print_job_id, reported.fence, reported.outcome, reported.detail, evidence
        )
        state = settled.job.state
    if settled.late:
        raise spool.lease_lost()
    return jsonify(state=state)


@print_agents.get("/jobs/<print_job_id>/picture.png")
def job_picture(print_job_id: str) -> Any:
    tenant_id, agent_id = caller()
    with tenant_scope(tenant_id):
        agent = _agent_exists(agent_id)
        job = spool.get_job(print_job_id)
        if job.site_id != agent.site_id:
            raise NotFound()
        width = printers.by_id_including_removed()[job.printer_id].width_mm
        document = Document.from_json(job.document)
    return Response(preview_png(document, width), mimetype="image/png")


def caller() -> tuple[int, str]:
    """Return tenant and agent of the token. Views check each time that it was not revoked."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    owner = find_agent(token.strip()) if kind.lower() == "bearer" else None
    if owner is None:
        _limit_pairing_attempts()
        raise agents.agent_revoked()
    g.tenant_id = owner[0]
    return owner


def find_agent(token: str) -> tuple[int, str] | None:
    if not token.startswith("agt_") or len(token) > 100:
        return None
    key = secret_digest(token)
    found = _cache.get(key)
    if found is not None and found[1] > time.monotonic():
        return found[0]
    with global_scope():
        owner = agents.find_by_token(token)
    if owner is not None:
        if len(_cache) >= CACHE_SIZE:
            _cache.clear()
        _cache[key] = (owner, time.monotonic() + CACHE_SECONDS)
    return owner


def poll_url() -> str:
    settings: Settings = current_app.extensions["comanda"]
    return f"{settings.live_url or settings.base_url}/print/v1/poll"


def _agent_exists(agent_id: str) -> PrintAgent:
    try:
        agent = agents.get(agent_id)
    except NotFound:
        raise agents.agent_revoked() from None
    set_actor(Actor("system", agent.id, agent.name, request.remote_addr or ""))
    return agent


def _body() -> dict[str, Any]:
    request.max_content_length = LARGEST_BODY
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        raise DomainError("body_too_large", "The body is larger than 64 KiB.") from None
    return parse_json(raw or b"{}")


def _limit_pairing_attempts() -> None:
    """Limit attempts per address, because pairing codes are short enough to guess."""
    seconds = seconds_to_wait("pairing", rate=0.2, burst=10)
    if seconds is not None:
        raise RateLimited(
            "Too many attempts. Wait {seconds} s and try again.",
            retry_after=seconds,
            seconds=seconds,
        )


def _unknown_code() -> DomainError:
    error = NotFound("This pairing code is invalid, used or expired. Create a new one.")
    error.code = "pairing_code_unknown"
    return error
