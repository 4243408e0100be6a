"""The "Linked devices" page of a phone: scan a code, list the devices, unlink one."""

from typing import Any

from aiohttp import web
from markupsafe import Markup

from core.i18n.catalogs import N_
from core.values import qr_codes
from messaging.simulator.access import TENANT
from messaging.simulator.i18n import gettext_in, language_of, translate_for
from messaging.simulator.network.device_control import change_device
from messaging.simulator.network.devices import DeviceRegistry
from messaging.simulator.network.state import timestamp
from messaging.simulator.phones.phone_pages import PhonePages

INVALID_CODE = N_("This code is not valid or has expired. Use the code that the page shows now.")


class LinkedDevicePages:
    def __init__(self, devices: DeviceRegistry, pages: PhonePages) -> None:
        self._devices = devices
        self._pages = pages

    def routes(self) -> list[web.RouteDef]:
        here = r"/{phone:\d+}/devices"
        return [
            web.get(here, self.show),
            web.post(here, self.scan),
            web.get(here + "/list", self.listed),
            web.post(here + r"/{line:\d+}/{what:unlink|ban|lift|drop}", self.change),
        ]

    async def show(self, request: web.Request) -> web.Response:
        return self._page(request)

    async def listed(self, request: web.Request) -> web.Response:
        return self._pages.html(request, "device_list.html", **self._facts(request))

    async def scan(self, request: web.Request) -> web.Response:
        phone = request.match_info["phone"]
        code = str((await request.post()).get("code", ""))
        tenant = request.get(TENANT)
        name = self._pages.name_of(phone, tenant, gettext_in(language_of(request)))
        if not self._devices.scan(code, phone, name, tenant):
            return self._page(
                request, status=422, fault=translate_for(request, INVALID_CODE), given=code
            )
        raise web.HTTPSeeOther(f"/phones/{phone}/devices")

    async def change(self, request: web.Request) -> web.Response:
        phone, tenant = request.match_info["phone"], request.get(TENANT)
        for device in self._devices.of_phone(phone, tenant):
            if device.line.phone_number_id == request.match_info["line"]:
                change_device(self._devices, device, request.match_info["what"])
        raise web.HTTPSeeOther(f"/phones/{phone}/devices")

    def _page(self, request: web.Request, *, status: int = 200, **more: Any) -> web.Response:
        return self._pages.page(
            request,
            status=status,
            phone=request.match_info["phone"],
            devices_shown=True,
            **self._facts(request),
            **more,
        )

    def _facts(self, request: web.Request) -> dict[str, Any]:
        phone, tenant = request.match_info["phone"], request.get(TENANT)
        return {
            "phone_number": phone,
            "devices": self._devices.of_phone(phone, tenant),
            "scans": [
                {
                    "code": one.code,
                    "name": one.name,
                    "seconds": max(int(one.until - timestamp()), 0),
                    "picture": qr_image(one.code),
                }
                for one in self._devices.waiting(tenant)
                if one.code
            ],
        }


def qr_image(code: str) -> Markup:
    drawing = qr_codes.svg(code, correction="low", border=2)
    return Markup(drawing)  # noqa: S704 - holds numbers alone
