"""`/_sim`: how tests scan, unlink, ban and disconnect devices without a browser."""

from typing import Any

from aiohttp import web

from messaging.simulator.network.devices import DeviceRegistry, LinkedDevice, device_number
from messaging.simulator.network.state import timestamp

BANNED = "WhatsApp restricted this number for violating its terms."


class DeviceControlApi:
    def __init__(self, devices: DeviceRegistry) -> None:
        self._devices = devices

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/pairings", self.pairings),
            web.get("/devices", self.devices),
            web.post(r"/phones/{phone:\d+}/scan", self.scan),
            web.post(r"/devices/{tenant:\d+}/{line:\d+}/{what:unlink|ban|lift|drop}", self.change),
        ]

    async def pairings(self, _request: web.Request) -> web.Response:
        shown = [
            {
                "code": one.code,
                "typed": one.typed,
                "tenant_id": one.tenant_id,
                "line_id": one.line_id,
                "seconds": round(one.until - timestamp(), 3),
            }
            for one in self._devices.waiting(None)
        ]
        return web.json_response({"pairings": shown})

    async def devices(self, _request: web.Request) -> web.Response:
        shown = [
            {
                "tenant_id": one.line.tenant_id,
                "line_id": one.line_id,
                "phone_number_id": one.line.phone_number_id,
                "phone": one.owner,
                "online": one.online,
                "banned": bool(one.banned),
                "waiting": len(one.waiting),
            }
            for one in self._devices.known.values()
        ]
        return web.json_response({"devices": shown})

    async def scan(self, request: web.Request) -> web.Response:
        given: Any = await request.json()
        phone = request.match_info["phone"]
        name = str(given.get("name") or "")
        done = self._devices.scan(str(given.get("code") or ""), phone, name, None)
        return web.json_response({"linked": done}, status=200 if done else 404)

    async def change(self, request: web.Request) -> web.Response:
        device = self._device(request)
        change_device(self._devices, device, request.match_info["what"])
        return web.json_response({"done": True})

    def _device(self, request: web.Request) -> LinkedDevice:
        at = device_number(int(request.match_info["tenant"]), int(request.match_info["line"]))
        device = self._devices.known.get(at)
        if device is None:
            raise web.HTTPNotFound(text="there is no such device")
        return device


def change_device(devices: DeviceRegistry, device: LinkedDevice, what: str) -> None:
    if what == "unlink":
        devices.unlink(device)
    elif what in ("ban", "lift"):
        devices.ban(device, BANNED if what == "ban" else "")
    elif device.cut is not None:
        device.cut()
