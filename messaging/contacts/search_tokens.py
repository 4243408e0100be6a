"""Search tokens of contacts, stored in the order of the results.

A token begins with its kind: `w` the beginning of a word of the name, `p` and `s` the first and the
last digits of a phone, `i` another identity or the beginning of the user name, `#` a tag, `l` a
language, `!` a mark. Tokens are computed from the contact alone, so a change deletes and adds the
difference.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.ids import to_uuid
from core.values.text import fold_case, strip_accents

# Prefix lengths stored per word; letters typed beyond one of them are checked against the name.
WORD_STEPS = (2, 3, 4, 5, 6, 7, 8, 10, 13)
PREFIX_STEPS = (3, 5, 7, 9)
SUFFIX_STEPS = (4, 7)
MOST_WORDS = 12
MIN_USERNAME = 2  # letters that find a user name by its beginning
_WORD = re.compile(r"[^\W_]+")

READ_CONTACTS = text("""
SELECT contacts.id, contacts.name, contacts.username, contacts.language, contacts.tags,
       contacts.consent_at IS NOT NULL AS agreed, contacts.opted_out_at IS NOT NULL AS out,
       contacts.blocked_at IS NOT NULL AS blocked,
       ARRAY(SELECT identities.kind || ':' || identities.value FROM identities
              WHERE identities.tenant_id = :tenant_id AND identities.contact_id = contacts.id
              ORDER BY identities.kind, identities.value) AS names
  FROM contacts
 WHERE contacts.tenant_id = :tenant_id AND contacts.id = ANY(CAST(:ids AS uuid[]))
""")
INSERT_TOKENS = text("""
INSERT INTO contact_tokens (tenant_id, token, contact_id)
SELECT :tenant_id, mine.token, mine.id
  FROM unnest(CAST(:tokens AS text[]), CAST(:ids AS uuid[])) AS mine (token, id)
    ON CONFLICT DO NOTHING RETURNING token
""")
DELETE_TOKENS = text("""
DELETE FROM contact_tokens AS t
 USING unnest(CAST(:tokens AS text[]), CAST(:ids AS uuid[])) AS mine (token, id)
 WHERE t.tenant_id = :tenant_id AND t.token = mine.token AND t.contact_id = mine.id
""")


@dataclass(frozen=True)
class TokenSource:
    """The values from which tokens are computed."""

    name: str = ""
    username: str = ""
    language: str = ""
    tags: Sequence[str] = ()
    agreed: bool = False
    out: bool = False
    blocked: bool = False
    names: Sequence[str] = ()
    """kind:value of every identity"""


def search_key(phrase: str) -> str:
    """Lower case without accents and with i for ı, so that exact spelling does not matter."""
    return " ".join(split_words(strip_accents(phrase)))


def split_words(phrase: str) -> list[str]:
    return _WORD.findall(phrase)


def tag_key(tag: str) -> str:
    return fold_case(tag).replace("ı", "i")


def tokens_of(one: TokenSource) -> set[str]:
    found = {f"#{tag_key(tag)}" for tag in one.tags}
    found |= word_tokens(one.name)
    username = fold_case(one.username)
    found |= {f"i{username[:length]}" for length in range(MIN_USERNAME, len(username) + 1)}
    phones = 0
    for kind, _, value in (name.partition(":") for name in one.names):
        if kind == "phone":
            phones += 1
            found |= {f"p{value[:step]}" for step in PREFIX_STEPS if len(value) >= step}
            found |= {f"s{value[-step:]}" for step in SUFFIX_STEPS if len(value) >= step}
        else:
            found.add(f"i{fold_case(value)}")
    if one.language:
        found.add(f"l{one.language}")
    marks = {"agreed": one.agreed, "out": one.out, "blocked": one.blocked, "nophone": not phones}
    return found | {f"!{mark}" for mark, there in marks.items() if there}


def word_tokens(name: str) -> set[str]:
    words = search_key(name).split()[:MOST_WORDS]
    return {f"w{word[:step]}" for word in words for step in WORD_STEPS if len(word) >= step}


@contextmanager
def updating_tokens(*contact_ids: str) -> Iterator[None]:
    """Wrap a change of contacts; updates their tokens at the end."""
    before = _current_tokens(contact_ids)
    yield
    db.session.flush()
    write_token_changes(before, _current_tokens(contact_ids))


def create_tokens(contact_id: str, old_name: str = "") -> None:
    """Write the tokens of a new contact, or of one whose network name changed."""
    after = _current_tokens([contact_id])
    write_token_changes(dict.fromkeys(after, word_tokens(old_name)), after)


def write_token_changes(before: dict[Any, set[str]], after: dict[Any, set[str]]) -> None:
    nothing: set[str] = set()
    for statement, one, other in ((DELETE_TOKENS, before, after), (INSERT_TOKENS, after, before)):
        pairs = [
            (token, str(uuid))
            for uuid, tokens in one.items()
            for token in tokens - other.get(uuid, nothing)
        ]
        if pairs:
            # Sorted, so that two transactions that change the same contacts do not deadlock.
            pairs.sort()
            db.session.execute(
                statement,
                {
                    "tenant_id": current_tenant_id(),
                    "tokens": [token for token, _ in pairs],
                    "ids": [uuid for _, uuid in pairs],
                },
            )


def _current_tokens(contact_ids: Sequence[str]) -> dict[Any, set[str]]:
    if not contact_ids:
        return {}
    rows = db.session.execute(
        READ_CONTACTS,
        {
            "tenant_id": current_tenant_id(),
            "ids": [str(to_uuid("con", one)) for one in contact_ids],
        },
    )
    return {
        row.id: tokens_of(
            TokenSource(
                name=row.name,
                username=row.username,
                language=row.language,
                tags=row.tags,
                agreed=row.agreed,
                out=row.out,
                blocked=row.blocked,
                names=row.names,
            )
        )
        for row in rows
    }
