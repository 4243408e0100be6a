"""The search words of conversations."""

import re
from collections.abc import Iterable

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.ids import from_uuid, to_uuid
from core.values.text import fold_case

SHORTEST, LONGEST = 2, 32
MOST_OF_A_TEXT = 40
MOST_QUERY_WORDS = 4
MOST_FOUND = 200
SCAN_LIMIT = 2000
MOST_TEXTS = 5000  # of one conversation; older ones are not read again
PHONE_SUFFIX_LENGTHS = (10, 7, 4)  # people search a number by its last digits
HIGHEST_CHARACTER = "\U0010ffff"
_WORD = re.compile(r"\w+")
_PHONE = re.compile(r"\+?[\d\s().-]{4,}")

INSERT_WORDS = text("""
INSERT INTO conversation_words (tenant_id, word, conversation_id)
SELECT :tenant_id, word, CAST(:conversation_id AS uuid)
  FROM unnest(CAST(:words AS text[])) AS word
    ON CONFLICT DO NOTHING RETURNING word
""")
REMAINING_TEXTS = text("""
SELECT text FROM messages
 WHERE tenant_id = :tenant_id AND phone = :phone AND line_id = :line_id AND text <> ''
 ORDER BY id DESC LIMIT :most
""")
DELETE_WORDS = text("""
DELETE FROM conversation_words
 WHERE tenant_id = :tenant_id AND conversation_id = CAST(:conversation_id AS uuid)
   AND word = ANY(CAST(:words AS text[]))
""")
SELECT_NAMES = text("""
SELECT talks.id, contacts.name, contacts.username,
       ARRAY(SELECT identities.spelling FROM identities
              WHERE identities.tenant_id = :tenant_id AND identities.contact_id = contacts.id
              ORDER BY identities.value) AS spellings
  FROM contacts
  JOIN conversations AS talks
    ON talks.tenant_id = :tenant_id AND talks.contact_id = contacts.id
 WHERE contacts.tenant_id = :tenant_id AND contacts.id = ANY(CAST(:ids AS uuid[]))
 ORDER BY talks.id
""")
# The first word is searched along the index; the others are checked for what it found.
FIND_CONVERSATIONS = text("""
SELECT DISTINCT found.conversation_id
  FROM (SELECT conversation_id FROM conversation_words
         WHERE tenant_id = :tenant_id AND word >= :word AND word < :end
         LIMIT :scan_limit) AS found
 WHERE NOT EXISTS (
       SELECT 1 FROM unnest(CAST(:words AS text[]), CAST(:ends AS text[])) AS other (word, past)
        WHERE NOT EXISTS (
              SELECT 1 FROM conversation_words AS also
               WHERE also.tenant_id = :tenant_id
                 AND also.conversation_id = found.conversation_id
                 AND also.word >= other.word COLLATE "C" AND also.word < other.past COLLATE "C"))
 LIMIT :most
""")


def words_of(phrase: str) -> list[str]:
    """Return case-folded words with i for ı, so that capital letters match on any keyboard."""
    plain = fold_case(phrase).replace("\u0131", "i")
    found = (word[:LONGEST] for word in _WORD.findall(plain) if len(word) >= SHORTEST)
    return list(dict.fromkeys(found))[:MOST_OF_A_TEXT]


def words_of_phone(phone: str) -> list[str]:
    if not phone.isdecimal():
        return words_of(phone)
    return [phone, *(phone[-length:] for length in PHONE_SUFFIX_LENGTHS if len(phone) > length)]


def add_words(conversation_id: str, words: Iterable[str]) -> None:
    """Add words in sorted order, so that two writers never deadlock."""
    if known := sorted(set(words)):
        db.session.execute(
            INSERT_WORDS,
            {
                "tenant_id": current_tenant_id(),
                "conversation_id": _uuid_text(conversation_id),
                "words": known,
            },
        )


def remove_words(conversation_id: str, line_id: int, phone: str, words: set[str]) -> None:
    """Remove words of a deleted text, except those that other messages still contain.

    The words of the contact's name have to be added again.
    """
    params = {"tenant_id": current_tenant_id(), "conversation_id": _uuid_text(conversation_id)}
    texts = db.session.scalars(
        REMAINING_TEXTS, {**params, "line_id": line_id, "phone": phone, "most": MOST_TEXTS}
    )
    gone = words.difference(*(words_of(one) for one in texts))
    if gone:
        db.session.execute(DELETE_WORDS, {**params, "words": sorted(gone)})


def add_contact_words(contact_ids: Iterable[str]) -> None:
    """Index the current names and numbers of contacts for their conversations."""
    db.session.flush()
    ids = [str(to_uuid("con", one)) for one in contact_ids]
    people = db.session.execute(SELECT_NAMES, {"tenant_id": current_tenant_id(), "ids": ids}).all()
    for talk in people:
        phones = [word for spelling in talk.spellings for word in words_of_phone(spelling)]
        add_words(
            from_uuid("cnv", talk.id), [*words_of(talk.name), *words_of(talk.username), *phones]
        )


def _uuid_text(conversation_id: str) -> str:
    return str(to_uuid("cnv", conversation_id))


def query_words(query: str) -> list[str]:
    """Split a search into words; a phone in any spelling is one word."""
    query = query.strip()
    if _PHONE.fullmatch(query):
        return [re.sub(r"\D", "", query).lstrip("0")]
    return sorted(words_of(query), key=len, reverse=True)[:MOST_QUERY_WORDS]


def find_conversations(query: str) -> list[str]:
    """Return the ids, as stored, of at most MOST_FOUND conversations that have all the words."""
    words = [word for word in query_words(query) if word]
    if not words:
        return []
    ends = [word + HIGHEST_CHARACTER for word in words]
    params = {
        "tenant_id": current_tenant_id(),
        "word": words[0],
        "end": ends[0],
        "words": words[1:],
        "ends": ends[1:],
        "scan_limit": SCAN_LIMIT,
        "most": MOST_FOUND,
    }
    return [str(one) for one in db.session.scalars(FIND_CONVERSATIONS, params)]
