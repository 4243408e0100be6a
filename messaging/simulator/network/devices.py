"""Linked devices of phones: pairing codes, devices and their pending events."""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from core.security.signing import BadToken, read_token, sign_token
from messaging.simulator.network.state import SimulatedLine, SimulatedNetwork, timestamp
from messaging.token_purposes import DEVICE, NO_EXPIRY, UNSIGNED

MOST_WAITING = 1000  # events for a device that is offline; the oldest are dropped
MOST_SCANS = 200


@dataclass
class PairingScan:
    """A code on a page that waits to be scanned."""

    code: str
    tenant_id: int
    line_id: int
    name: str
    until: float
    scanned: "asyncio.Future[tuple[str, str]]"
    typed: str = ""
    """The short code, if it has to be typed into `phone`."""
    phone: str = ""


@dataclass
class LinkedDevice:
    line: SimulatedLine
    line_id: int
    serial: str
    owner: str
    banned: str = ""
    send: Callable[[dict[str, Any]], None] | None = None
    """Sends to the open connection; None if there is none."""
    cut: Callable[[], None] | None = None
    waiting: "OrderedDict[int, dict[str, Any]]" = field(default_factory=OrderedDict)
    number: int = 0
    unacknowledged: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Responses to sends that the device has not acknowledged."""

    @property
    def online(self) -> bool:
        return self.send is not None

    def deliver(self, frame: dict[str, Any]) -> None:
        """Send an event now, and again at the next connection unless it is acknowledged."""
        self.number += 1
        self.waiting[self.number] = frame = {**frame, "n": self.number}
        if len(self.waiting) > MOST_WAITING:
            self.waiting.popitem(last=False)
        if self.send is not None:
            self.send(frame)


class DeviceRegistry:
    def __init__(self, network: SimulatedNetwork, secret: str) -> None:
        self.network = network
        self.secret = secret or UNSIGNED
        self.scans: dict[str, PairingScan] = {}
        self.known: dict[str, LinkedDevice] = {}
        """By the id of the simulated number."""
        self.unlinked: set[str] = set()

    def link(self, tenant_id: int, line_id: int, name: str, owner: str) -> tuple[LinkedDevice, str]:
        """Link a device to a phone. Returns it with the credential for later connections."""
        serial = os.urandom(8).hex()
        device = self._device(tenant_id, line_id, name, owner, serial)
        claims = {
            "tenant_id": tenant_id,
            "line_id": line_id,
            "name": name,
            "owner": owner,
            "serial": serial,
        }
        return device, sign_token(self.secret, DEVICE, claims, NO_EXPIRY)

    def find(self, credential: str, tenant_id: int, line_id: int) -> LinkedDevice | None:
        """Find a device by its credential, which also identifies it to a restarted simulator."""
        try:
            claims: Any = read_token(self.secret, DEVICE, credential)
        except BadToken:
            return None
        if claims["serial"] in self.unlinked:
            return None
        if (claims["tenant_id"], claims["line_id"]) != (tenant_id, line_id):
            return None
        device = self.known.get(device_number(tenant_id, line_id))
        if device is None or device.serial != claims["serial"]:
            device = self._device(
                tenant_id, line_id, claims["name"], claims["owner"], claims["serial"]
            )
        return device

    def _device(
        self, tenant_id: int, line_id: int, name: str, owner: str, serial: str
    ) -> LinkedDevice:
        number = device_number(tenant_id, line_id)
        self.network.register(SimulatedLine(number, owner, tenant_id=tenant_id, name=name))
        line = self.network.lines[number]
        device = self.known[number] = LinkedDevice(line, line_id, serial, owner)
        self.network.linked[number] = device.deliver
        return device

    def unlink(self, device: LinkedDevice) -> None:
        self.unlinked.add(device.serial)
        self.known.pop(device.line.phone_number_id, None)
        if device.send is not None:
            device.send({"type": "logged_out", "because": "unlinked on the phone"})
        if device.cut is not None:
            device.cut()

    def ban(self, device: LinkedDevice, because: str) -> None:
        device.banned = because
        if device.send is not None:
            update = (
                {"type": "restricted", "because": because} if because else {"type": "connected"}
            )
            device.send(update)

    def of_phone(self, phone: str, tenant_id: int | None) -> list[LinkedDevice]:
        return [
            one
            for one in self.known.values()
            if one.owner == phone and tenant_id in (None, one.line.tenant_id)
        ]

    def waiting(self, tenant_id: int | None) -> list[PairingScan]:
        moment = timestamp()
        return [
            one
            for one in self.scans.values()
            if tenant_id in (None, one.tenant_id) and one.until > moment and not one.scanned.done()
        ]

    def scan(self, code: str, phone: str, name: str, tenant_id: int | None) -> bool:
        """Handle a code that was scanned or typed. Returns False if it is not valid."""
        scanned = code.strip()
        short = scanned.replace("-", "").upper()
        for one in self.waiting(tenant_id):
            if (one.code and one.code == scanned) or (one.typed == short and one.phone == phone):
                one.scanned.set_result((phone, name))
                return True
        return False


def device_number(tenant_id: int, line_id: int) -> str:
    return f"{tenant_id}0{line_id}"
