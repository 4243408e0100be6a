"""The room that lanes share: nobody gets more than there is, and who waits is called in turn."""

import asyncio

import pytest

from jobs.engine.slots import Slots


class Lanes:
    def __init__(self, size):
        self.slots, self.got = Slots(size), {}

    def begin(self, name, most, least=1):
        async def take():
            self.got[name] = await self.slots.acquire(most, least)

        return asyncio.create_task(take())


def run_async(story):
    asyncio.run(story())


def test_room_is_shared_in_turn():
    async def story():
        lanes = Lanes(4)
        assert await lanes.slots.acquire(3) == 3
        lanes.begin("a", 8)
        lanes.begin("b", 2)
        await asyncio.sleep(0)
        assert lanes.got == {"a": 1}
        lanes.slots.release(3)
        await asyncio.sleep(0)
        assert lanes.got == {"a": 1, "b": 2}
        assert await lanes.slots.acquire(9) == 1

    run_async(story)


def test_a_lane_with_many_messages_waits_for_a_batch():
    async def story():
        lanes = Lanes(8)
        assert await lanes.slots.acquire(6) == 6
        lanes.begin("many", 8, least=4)
        await asyncio.sleep(0)
        assert lanes.got == {}
        lanes.slots.release(3)
        await asyncio.sleep(0)
        assert lanes.got == {"many": 5}

    run_async(story)


def test_lanes_with_few_and_with_many_messages_alternate():
    async def story():
        lanes = Lanes(4)
        assert await lanes.slots.acquire(4) == 4
        for number in range(3):
            lanes.begin(f"many {number}", 4, least=4)
        for number in range(2):
            lanes.begin(f"few {number}", 1)
        for _ in range(5):
            await asyncio.sleep(0)
            granted = list(lanes.got)
            lanes.slots.release(lanes.got[granted[-1]] if granted else 4)
        await asyncio.sleep(0)
        assert list(lanes.got) == ["many 0", "few 0", "many 1", "few 1", "many 2"]

    run_async(story)


def test_nothing_is_taken_at_once_while_others_wait():
    async def story():
        lanes = Lanes(4)
        assert lanes.slots.acquire_now(3) == 3
        lanes.begin("many", 4, least=2)
        await asyncio.sleep(0)
        assert lanes.slots.acquire_now(1) == 0
        lanes.slots.release(1)
        await asyncio.sleep(0)
        lanes.slots.release(1)
        assert (lanes.got, lanes.slots.acquire_now(4)) == ({"many": 2}, 1)

    run_async(story)


def test_who_gives_up_leaves_the_room_to_others():
    async def story():
        lanes = Lanes(2)
        assert await lanes.slots.acquire(2) == 2
        gone, granted = lanes.begin("gone", 2), lanes.begin("granted", 2)
        await asyncio.sleep(0)
        gone.cancel()
        lanes.slots.release(2)
        granted.cancel()  # after the slot was granted and before the task continued
        with pytest.raises(asyncio.CancelledError):
            await granted
        assert await asyncio.wait_for(lanes.slots.acquire(2), 1) == 2

    run_async(story)
