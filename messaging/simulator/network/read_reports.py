"""The business reports that it read a message, and that it is typing."""

import asyncio

from messaging.simulator.network.state import SimulatedLine, SimulatedNetwork, timestamp

TYPING_SECONDS = 25.0


def business_read(
    network: SimulatedNetwork, line: SimulatedLine, network_id: str, *, typing: bool
) -> None:
    """Mark the message and those before it as read. With `typing`, the phone shows the dots."""
    for chat in network.chats(tenant_id=line.tenant_id):
        if chat.line is not line or chat.find(network_id) is None:
            continue
        for bubble in chat.bubbles:
            if not bubble.from_business:
                bubble.state = "read"
            if bubble.id == network_id:
                break
        if typing:
            chat.typing_until = timestamp() + TYPING_SECONDS
            asyncio.get_running_loop().call_later(TYPING_SECONDS, network.publish, chat)
        network.publish(chat)
