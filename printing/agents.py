"""Print agents: paired by a short code, identified by a token, revocable at once."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import Integer, bindparam, select, text, update
from sqlalchemy.dialects.postgresql import ARRAY

from core import live_updates, lookups
from core.clock import now
from core.db import current_tenant_id, db, read_rows
from core.errors import NotFound, Unauthenticated
from core.ids import READABLE_ALPHABET, Id, new_token, short_code
from core.queue import lanes
from core.values.text import one_line
from printing import printers, reasons
from printing.models import PRINTING_LANE, PairingCode, PrintAgent
from tenants import audit

LOOKUP, CODE_LOOKUP = "print_agent", "pairing_code"
CODE_LIFETIME = timedelta(minutes=15)
POLL_SECONDS = 25
CODE_LENGTH = 8
_CODE = re.compile(f"[{READABLE_ALPHABET}]{{{CODE_LENGTH}}}")
MAX_DISCOVERED = 20
BEGIN_POLL = text("""
UPDATE print_agents SET turn = turn + 1, seen_at = :now
 WHERE tenant_id = :tenant_id AND id = :id AND revoked_at IS NULL
RETURNING turn
""").bindparams(bindparam("id", type_=Id("agt")))
# The lock makes two polls of one agent claim one after the other.
LOCK_AGENT = (
    text("""
SELECT a.turn, ARRAY(SELECT p.id FROM printers AS p
                      WHERE p.tenant_id = :tenant_id AND p.agent_id = a.id
                        AND p.removed_at IS NULL AND p.enabled) AS printers
  FROM print_agents AS a
 WHERE a.tenant_id = :tenant_id AND a.id = :id AND a.revoked_at IS NULL
   FOR NO KEY UPDATE OF a
""")
    .bindparams(bindparam("id", type_=Id("agt")))
    .columns(turn=Integer, printers=ARRAY(Id("prn")))
)


@dataclass(frozen=True)
class PairingResult:
    agent: PrintAgent
    token: str


def listed(site_id: str | None = None) -> list[PrintAgent]:
    query = select(PrintAgent).where(
        PrintAgent.tenant_id == current_tenant_id(), PrintAgent.revoked_at.is_(None)
    )
    if site_id:
        query = query.where(PrintAgent.site_id == site_id)
    return list(db.session.scalars(query.order_by(PrintAgent.paired_at, PrintAgent.id)))


def get(agent_id: str) -> PrintAgent:
    agent = db.session.get(PrintAgent, (current_tenant_id(), agent_id))
    if agent is None or agent.revoked_at is not None:
        raise NotFound()
    return agent


def is_online(agent: PrintAgent) -> bool:
    return agent.seen_at is not None and now() - agent.seen_at < printers.SILENT_AFTER


def new_code(site_id: str) -> tuple[PairingCode, str]:
    """Create a pairing code such as 7KQ2-M9XD, which is shown until it is used."""
    code = short_code(CODE_LENGTH)
    shown = f"{code[:4]}-{code[4:]}"
    made = PairingCode(
        tenant_id=current_tenant_id(),
        site_id=site_id,
        code_hash=lookups.secret_digest(code),
        code=shown,
        expires_at=now() + CODE_LIFETIME,
    )
    db.session.add(made)
    db.session.flush()
    lookups.add_lookup(CODE_LOOKUP, made.code_hash, made.id)
    return made, shown


def code_state(code_id: str) -> PairingCode:
    code = db.session.get(PairingCode, (current_tenant_id(), code_id))
    if code is None:
        raise NotFound()
    return code


def normalize_code(given: str) -> str | None:
    """Return the code in its stored form, or None if it is not one."""
    code = re.sub(r"[\s-]", "", given.upper())
    return code if _CODE.fullmatch(code) else None


def find_code(code: str) -> tuple[int, str] | None:
    """Return tenant and pairing of a code. Runs in a global transaction."""
    return lookups.find_lookup(CODE_LOOKUP, lookups.secret_digest(code))


def pair(code_id: str, name: str, version: str) -> PairingResult | None:
    """Use the code. Returns None if it was used before or has expired."""
    won = db.session.execute(
        update(PairingCode)
        .where(
            PairingCode.tenant_id == current_tenant_id(),
            PairingCode.id == code_id,
            PairingCode.used_at.is_(None),
            PairingCode.expires_at > now(),
        )
        .values(used_at=now())
        .returning(PairingCode.site_id, PairingCode.code_hash)
        .execution_options(synchronize_session=False)
    ).first()
    if won is None:
        return None
    token = f"agt_{new_token(256)}"
    agent = PrintAgent(
        tenant_id=current_tenant_id(),
        site_id=won.site_id,
        name=one_line(name, 60) or "Agent",
        version=one_line(version, 20),
        token_hash=lookups.secret_digest(token),
        found=[],
    )
    db.session.add(agent)
    db.session.flush()
    db.session.execute(
        update(PairingCode)
        .where(PairingCode.tenant_id == current_tenant_id(), PairingCode.id == code_id)
        .values(agent_id=agent.id, code=None)
        .execution_options(synchronize_session=False)
    )
    lookups.remove_lookup(CODE_LOOKUP, won.code_hash)
    lookups.add_lookup(LOOKUP, agent.token_hash, agent.id)
    lanes.mark_later(PRINTING_LANE, current_tenant_id(), now() + printers.SILENT_AFTER)
    live_updates.publish_update("printers.paired", id=agent.id, code=code_id)
    audit.record("print_agents.paired", agent.name, agent_id=agent.id, site_id=agent.site_id)
    return PairingResult(agent, token)


def find_by_token(token: str) -> tuple[int, str] | None:
    """Return tenant and agent of a token. Runs in a global transaction."""
    return lookups.find_lookup(LOOKUP, lookups.secret_digest(token))


def revoke(agent_id: str) -> None:
    """Revoke an agent. Its printers stay without one; their jobs wait for the next agent."""
    agent = get(agent_id)
    agent.revoked_at = now()
    lookups.remove_lookup(LOOKUP, agent.token_hash)
    for printer in printers.of_agent(agent_id):
        printer.agent_id = None
        printers.record_state(printer, "offline", reasons.AGENT_REMOVED)
    live_updates.publish_update("prints.agent", agent=agent_id, printers=True)
    audit.record("print_agents.revoked", agent.name, agent_id=agent_id)


def rename(agent_id: str, name: str) -> PrintAgent:
    agent = get(agent_id)
    before = audit.snapshot(agent)
    agent.name = one_line(name, 60) or agent.name
    audit.record_change(
        "print_agents.renamed", agent.name, before, agent, shown=audit.NAMED, agent_id=agent_id
    )
    return agent


def begin_poll(agent_id: str) -> int:
    """Record the poll and return its number. Older polls of this agent get no more jobs.

    Raises if the agent was revoked.
    """
    params = {"tenant_id": current_tenant_id(), "id": agent_id, "now": now()}
    turn = db.session.execute(BEGIN_POLL, params).scalar()
    if turn is None:
        raise agent_revoked()
    return int(turn)


def lock_for_claim(agent_id: str, turn: int) -> list[str] | None:
    """Lock the agent's row and return the ids of its printers; None if a newer poll exists."""
    rows = read_rows(LOCK_AGENT, {"tenant_id": current_tenant_id(), "id": agent_id})
    if not rows:
        raise agent_revoked()
    return list(rows[0].printers) if rows[0].turn == turn else None


def record_discovered(agent: PrintAgent, found: list[dict[str, Any]]) -> None:
    """Store the printers that the agent found on its network."""
    clean = [
        {
            "kind": one_line(str(one.get("kind", "")), 20),
            "host": one_line(str(one.get("host", "")), 100),
            "port": one.get("port") if isinstance(one.get("port"), int) else 9100,
            "name": one_line(str(one.get("name", "")), 60),
        }
        for one in found[:MAX_DISCOVERED]
    ]
    if clean != agent.found:
        agent.found = clean
        live_updates.publish_update("printers.changed", agent=agent.id)


def agent_revoked() -> Unauthenticated:
    return Unauthenticated(
        "agent_revoked", "This print agent was deleted. Pair it again with a new code."
    )


def delete_old_codes() -> int:
    """Delete expired codes and their lookups."""
    query = select(PairingCode).where(
        PairingCode.tenant_id == current_tenant_id(),
        PairingCode.expires_at < now() - timedelta(days=1),
    )
    deleted = list(db.session.scalars(query.limit(200)))
    for code in deleted:
        if code.used_at is None:
            lookups.remove_lookup(CODE_LOOKUP, code.code_hash)
        db.session.delete(code)
    return len(deleted)
