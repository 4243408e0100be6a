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


def test_who_has_much_waits_for_a_group_and_is_not_passed_by():
    async def story():
        lanes = Lanes(8)
        assert await lanes.slots.acquire(6) == 6
        lanes.begin("much", 8, least=4)
        lanes.begin("little", 1)
        await asyncio.sleep(0)
        assert lanes.got == {}
        lanes.slots.release(3)
        await asyncio.sleep(0)
        assert lanes.got == {"much": 5}
        lanes.slots.release(1)
        await asyncio.sleep(0)
        assert lanes.got == {"much": 5, "little": 1}

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
