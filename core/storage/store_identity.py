"""Do all hosts store tenants' files in the same place?

A `file:` BLOB_URL on a host's own disk works until a second host is added: then a file that one
host stored is missing on the other. Each store has a random id in a blob; Redis has the id that
the service uses. A host with another id reports it in `/readyz` and in the log.
"""

import threading
import time
from contextlib import closing

from flask import current_app
from redis import RedisError

from core.ids import new_token
from core.logs import logger
from core.redis.client import redis_client
from core.storage.blobs import Blobs, NoSuchBlob

log = logger(__name__)

BLOB = "service/store-id"
REDIS_KEY = "storage:id"
# After all hosts moved to another store, the id of the old one is forgotten after this time.
REMEMBERED_SECONDS = 900
CHECK_EVERY_SECONDS = 60.0
LONGEST = 100

# Sets the id if there is none, keeps it alive if it is ours, and returns the id of the service.
AGREE = """
local known = redis.call('GET', KEYS[1])
if not known or known == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
  return ARGV[1]
end
return known
"""


class _Check:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.again_at = 0.0
        self.store: Blobs | None = None
        self.problem = ""


_check = _Check()


def problem() -> str:
    """Empty, or a sentence for health checks. The store is read at most once a minute."""
    store = current_app.extensions["blobs"]
    with _check.lock:
        if store is not _check.store or time.monotonic() >= _check.again_at:
            found = _compare(store)
            if found and found != _check.problem:
                log.warning("file store differs", reason=found)
            _check.store, _check.problem = store, found
            _check.again_at = time.monotonic() + CHECK_EVERY_SECONDS
        return _check.problem


def _compare(store: Blobs) -> str:
    try:
        mine = _identity(store)
    except Exception as error:  # noqa: BLE001 - a folder and a bucket fail in different ways
        return f"the files cannot be read: {type(error).__name__}"
    try:
        known = redis_client().eval(AGREE, 1, REDIS_KEY, mine, REMEMBERED_SECONDS)
    except RedisError:
        return ""  # reported as such
    known = known.decode() if isinstance(known, bytes) else str(known)
    return "" if known == mine else "BLOB_URL of this host is not the store of the other hosts"


def _identity(store: Blobs) -> str:
    """The id of the store. Of two hosts that create it at the same time, the last one wins."""
    try:
        return _read(store)
    except NoSuchBlob:
        store.put(BLOB, new_token().encode(), "text/plain")
        return _read(store)


def _read(store: Blobs) -> str:
    with closing(store.open(BLOB)) as file:
        return file.read(LONGEST).decode()
