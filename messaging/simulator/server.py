"""Puts the parts together and listens."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from messaging.simulator.bank import Bank, Teller
from messaging.simulator.card_pages import CardPages
from messaging.simulator.conditions import Conditions
from messaging.simulator.control import Control
from messaging.simulator.courier import Courier
from messaging.simulator.device_control import DeviceControl
from messaging.simulator.device_pages import LinkedDevices
from messaging.simulator.devices import Devices
from messaging.simulator.files import LinesFile
from messaging.simulator.graph import MOST_MEDIA, Graph
from messaging.simulator.guard import people_only, service_only
from messaging.simulator.linked import Linked
from messaging.simulator.people import People
from messaging.simulator.phones import Phones
from messaging.simulator.receipts import Receipts
from messaging.simulator.state import Network


@dataclass(frozen=True)
class Options:
    secret: str = ""
    callback_url: str = ""
    """For lines that register without one of their own."""
    lines: Path | None = None
    conditions: Conditions | None = None
    address: str = ""
    """How people's browsers reach us."""


def make_app(options: Options) -> web.Application:
    network = Network(options.conditions)
    lines_file = LinesFile(options.lines)
    for line in lines_file.read():
        network.register(line)
    courier = Courier(network)
    receipts = Receipts(network, courier)
    people = People(network, courier)
    devices = Devices(network, options.secret)

    control = web.Application(middlewares=[service_only(options.secret)])
    control.add_routes(
        Control(network, courier, receipts, people, lines_file, options.callback_url).routes()
    )
    control.add_routes(DeviceControl(devices).routes())
    phones = web.Application(middlewares=[people_only(options.secret)])
    pages = Phones(network, receipts, people)
    phones.add_routes(LinkedDevices(devices, pages).routes())
    phones.add_routes(pages.routes())

    ledger = options.lines.with_name("bank.json") if options.lines else None
    bank = Bank(options.address, ledger)
    desk = web.Application(middlewares=[service_only(options.secret)])
    desk.add_routes(Teller(bank).routes())

    async def living(_app: web.Application) -> AsyncIterator[None]:
        await courier.start()
        await bank.start()
        yield
        await bank.stop()
        await courier.stop()

    # The network's own paths have no middleware before them: they are the fast ones.
    app = web.Application(client_max_size=MOST_MEDIA + 1024 * 1024)
    app.add_routes(Graph(network, receipts, options.secret).routes())
    app.add_routes(Linked(devices, receipts).routes())
    app.router.add_get("/healthz", _healthy)
    app.router.add_post("/customer", _taken)
    app.add_subapp("/_sim", control)
    app.add_subapp("/phones", phones)
    app.add_subapp("/bank", desk)
    app.add_routes(CardPages(bank).routes())
    app.cleanup_ctx.append(living)
    return app


async def _healthy(_request: web.Request) -> web.Response:
    return web.json_response({"status": "ok"})


async def _taken(_request: web.Request) -> web.Response:
    """A customer's own server, for the demo's webhooks: it takes what comes."""
    return web.json_response({"received": True})
