import asyncio

from core.asyncio_tools import cancel_and_wait


def test_a_task_that_loses_a_cancellation_is_ended_all_the_same():
    lost = []

    async def ignores_first_cancel():
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                if lost:
                    raise
                lost.append(1)

    async def story():
        tasks = [
            asyncio.create_task(ignores_first_cancel()),
            asyncio.create_task(asyncio.sleep(60)),
        ]
        await asyncio.sleep(0)
        async with asyncio.timeout(5):
            await cancel_and_wait(*tasks)
        return [task.cancelled() for task in tasks]

    assert asyncio.run(story()) == [True, True]
    assert lost == [1]
