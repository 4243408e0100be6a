"""Lua scripts for frequent calls: one write and one read on a connection of this module's own.

The client's own path, with retries, events and metrics, takes four times as long.
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
        """Run the script. Raises the same exceptions as the client."""
        pool = client.connection_pool
        free = _free.setdefault(pool, [])
        try:
            connection = free.pop()
        except IndexError:
            return self._run(pool.make_connection(), free, keys, args)
        try:
            return self._run(connection, free, keys, args)
        except NoConnection:  # closed while idle, and so were the other free connections
            free.clear()
            return self._run(pool.make_connection(), free, keys, args)

    def _run(self, connection: Any, free: list[Any], keys: list[str], args: list[Any]) -> Any:
        try:
            try:
                connection.send_command("EVALSHA", self.sha, len(keys), *keys, *args)
                answer = connection.read_response()
            except NoScriptError:  # the server was restarted or its scripts were flushed
                connection.send_command("EVAL", self.text, len(keys), *keys, *args)
                answer = connection.read_response()
        except BaseException:
            connection.disconnect()
            raise
        free.append(connection)
        return answer
