"""How webhooks name a person: with the phone, or with ids alone if the person hides it."""

from typing import Any

from messaging.simulator.network.people.person import Person
from messaging.simulator.network.state import SimulatedLine, SimulatedNetwork


def network_id(network: SimulatedNetwork, person: Person, line: SimulatedLine) -> str:
    """The id of the person that this line sees. Once seen, the line can send to it."""
    linked = line.phone_number_id in network.linked
    seen = person.linked_id if linked else person.user_id
    network.people.remember_id(seen, person)
    return seen


def sender_fields(network: SimulatedNetwork, person: Person, line: SimulatedLine) -> dict[str, Any]:
    """For `messages[]`."""
    fields: dict[str, Any] = {} if person.hides_phone else {"from": person.phone}
    fields["from_user_id"] = network_id(network, person, line)
    if network.conditions.parent_ids:
        fields["from_parent_user_id"] = person.parent_user_id
    return fields


def contact_fields(
    network: SimulatedNetwork, person: Person, line: SimulatedLine
) -> dict[str, Any]:
    """For `contacts[]`."""
    profile = {"name": person.title}
    if person.username:
        profile["username"] = person.username
    fields: dict[str, Any] = {"profile": profile}
    if not person.hides_phone:
        fields["wa_id"] = person.phone
    fields["user_id"] = network_id(network, person, line)
    if network.conditions.parent_ids:
        fields["parent_user_id"] = person.parent_user_id
    return fields


def recipient_fields(
    network: SimulatedNetwork, person: Person, line: SimulatedLine, *, by_id: bool
) -> dict[str, Any]:
    """For `statuses[]`. A business that sent to the phone sees it in the receipts too."""
    fields: dict[str, Any] = {}
    if not (person.hides_phone and by_id):
        fields["recipient_id"] = person.phone
    fields["recipient_user_id"] = network_id(network, person, line)
    if network.conditions.parent_ids:
        fields["recipient_parent_user_id"] = person.parent_user_id
    return fields
