"""The room that lanes share: nobody gets more than there is, and who waits is called in turn."""

import asyncio

from jobs.room import Room


def test_room_is_shared_in_turn():
    async def story():
        room, got = Room(4), []

        async def lane(name, most):
            got.append((name, await room.take(most)))

        assert await room.take(3) == 3
        lanes = [asyncio.create_task(lane(name, most)) for name, most in (("a", 8), ("b", 2))]
        await asyncio.sleep(0)
        assert got == [("a", 1)]
        room.give(1)
        await asyncio.sleep(0)
        room.give(3)
        await asyncio.gather(*lanes)
        assert got == [("a", 1), ("b", 1)]
        assert await room.take(9) == 3

    asyncio.run(story())
