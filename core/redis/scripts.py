"""Lua scripts for frequent calls: one write and one read on a connection of this module's own.

The client's own path, with retries, events and metrics, takes four times as long.
"""

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from hiredis import pack_command
from redis import ConnectionPool, Redis
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import NoScriptError

_free: "WeakKeyDictionary[ConnectionPool, list[Any]]" = WeakKeyDictionary()


class ScriptCall(NamedTuple):
    script: "LuaScript"
    keys: Sequence[str]
    args: Sequence[Any]

    def packed(self, command: bytes, script: str) -> bytes:
        """The call as Redis reads it. The client's own packer first looks at every argument."""
        data: bytes = pack_command((command, script, len(self.keys), *self.keys, *self.args))
        return data


class LuaScript:
    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

    def __call__(self, client: Redis, keys: Sequence[str], args: Sequence[Any]) -> Any:
        """Run the script. Raises the same exceptions as the client."""
        return run_scripts(client, [ScriptCall(self, keys, args)])[0]


def run_scripts(client: Redis, calls: Sequence[ScriptCall]) -> list[Any]:
    """Run scripts in one round trip and return their answers. Raises the same exceptions as the
    client.
    """
    pool = client.connection_pool
    free = _free.setdefault(pool, [])
    try:
        connection = free.pop()
    except IndexError:
        return _run(pool.make_connection(), free, calls)
    try:
        return _run(connection, free, calls)
    except NoConnection:  # closed while idle, and so were the other free connections
        free.clear()
        return _run(pool.make_connection(), free, calls)


def _run(connection: Any, free: list[Any], calls: Sequence[ScriptCall]) -> list[Any]:
    try:
        data = [call.packed(b"EVALSHA", call.script.sha) for call in calls]
        connection.send_packed_command([b"".join(data)])
        answers = [_read(connection) for _ in calls]
        for index, answer in enumerate(answers):
            if isinstance(answer, NoScriptError):  # the server was restarted or has flushed them
                call = calls[index]
                connection.send_packed_command([call.packed(b"EVAL", call.script.text)])
                answers[index] = connection.read_response()
    except BaseException:
        connection.disconnect()
        raise
    free.append(connection)
    return answers


def _read(connection: Any) -> Any:
    """Returns NoScriptError, because the answers of other calls follow."""
    try:
        return connection.read_response()
    except NoScriptError as error:
        return error
