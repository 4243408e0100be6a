"""Several scripts in one round trip, also after the server has forgotten them."""

import pytest
from redis.exceptions import ResponseError

from core.redis.client import redis_client
from core.redis.scripts import LuaScript, ScriptCall, run_scripts

ECHO = LuaScript("return {KEYS[1], ARGV[1]}")
COUNT = LuaScript("return #KEYS + #ARGV")
BROKEN = LuaScript("return redis.call('NONSENSE')")


def test_scripts_run_in_one_round_trip_and_answer_in_order(app):
    calls = [ScriptCall(ECHO, ["a"], [number]) for number in range(3)]
    calls.insert(1, ScriptCall(COUNT, ["a", "b"], ["c"]))
    redis_client().script_flush()
    for _ in range(2):  # first unknown to the server, then known
        assert run_scripts(redis_client(), calls) == [
            [b"a", b"0"],
            3,
            [b"a", b"1"],
            [b"a", b"2"],
        ]


def test_a_script_that_fails_leaves_no_answer_for_the_next_call(app):
    with pytest.raises(ResponseError):
        run_scripts(redis_client(), [ScriptCall(BROKEN, [], []), ScriptCall(ECHO, ["a"], [1])])
    assert COUNT(redis_client(), ["x"], []) == 1
