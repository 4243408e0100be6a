"""The 24-hour window: after a person wrote, the business may write freely for 24 hours.

The network forgets its chats at a restart. So a chat whose person has not written since then counts
as if they had written at the start, unless the window is strict.
"""

from messaging.simulator.network.people.person import Person
from messaging.simulator.network.state import Chat, SimulatedNetwork, timestamp

WINDOW_SECONDS = 24 * 3600
FREE_ENTRY_SECONDS = 72 * 3600
"""How long messages are free after an ad."""


def clock(person: Person) -> float:
    """The time on the person's phone, which can be moved forward."""
    return timestamp() + person.hours_ahead * 3600


def seconds_left(network: SimulatedNetwork, chat: Chat) -> float:
    """How long the window stays open; 0 if it is closed."""
    rule = network.conditions.window
    if rule == "off":
        return WINDOW_SECONDS
    written_at = chat.written_at
    if written_at is None:
        if rule == "strict":
            return 0.0
        written_at = network.started_at
    return max(written_at + WINDOW_SECONDS - clock(network.person(chat)), 0.0)


def age_chat(network: SimulatedNetwork, chat: Chat, seconds: float) -> None:
    """The person wrote this much earlier."""
    if network.conditions.window != "strict" or chat.written_at is not None:
        written_at = network.started_at if chat.written_at is None else chat.written_at
        chat.written_at = written_at - seconds
    if chat.ad_at is not None:
        chat.ad_at -= seconds


def is_open(network: SimulatedNetwork, chat: Chat) -> bool:
    return seconds_left(network, chat) > 0


def is_free_entry(network: SimulatedNetwork, chat: Chat) -> bool:
    """Whether the person came from an ad less than 72 hours ago."""
    if chat.ad_at is None:
        return False
    return clock(network.person(chat)) - chat.ad_at < FREE_ENTRY_SECONDS
