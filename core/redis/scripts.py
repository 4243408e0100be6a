"""Lua on hot paths: one write and one read on a connection of ours.

The client's own way, through retries, events and measures, takes four times as long.
"""

import hashlib
from typing import Any
from weakref import WeakKeyDictionary

from redis import ConnectionPool, Redis
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import NoScriptError

_free: "WeakKeyDictionary[ConnectionPool, list[Any]]" = WeakKeyDictionary()


class LuaScript:
    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

    def __call__(self, client: Redis, keys: list[str], args: list[Any]) -> Any:
        """Raises what the client would raise."""
        pool = client.connection_pool
        free = _free.setdefault(pool, [])
        try:
            connection = free.pop()
        except IndexError:
            return self._run(pool.make_connection(), free, keys, args)
        try:
            return self._run(connection, free, keys, args)
        except NoConnection:  # it was closed while nobody used it, and so were the others
            free.clear()
            return self._run(pool.make_connection(), free, keys, args)

    def _run(self, connection: Any, free: list[Any], keys: list[str], args: list[Any]) -> Any:
        try:
            try:
                connection.send_command("EVALSHA", self.sha, len(keys), *keys, *args)
                answer = connection.read_response()
            except NoScriptError:  # a server that was started or flushed since
                connection.send_command("EVAL", self.text, len(keys), *keys, *args)
                answer = connection.read_response()
        except BaseException:
            connection.disconnect()
            raise
        free.append(connection)
        return answer
