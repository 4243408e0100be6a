"""Build the simulator's app from its parts."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from messaging.simulator.access import people_only, service_only
from messaging.simulator.bank.card_pages import CardPages
from messaging.simulator.bank.provider import BankApi, SimulatedBank
from messaging.simulator.network.behaviour import NetworkBehaviour
from messaging.simulator.network.control import ControlApi
from messaging.simulator.network.device_control import DeviceControlApi
from messaging.simulator.network.device_socket import DeviceSocket
from messaging.simulator.network.devices import DeviceRegistry
from messaging.simulator.network.graph_api import MOST_MEDIA, GraphApi
from messaging.simulator.network.lines_file import LinesFile
from messaging.simulator.network.people.business_phone import BusinessPhone
from messaging.simulator.network.people.control import PeopleControlApi
from messaging.simulator.network.people.customers import Customers
from messaging.simulator.network.people.meta_agent import MetaAgent
from messaging.simulator.network.receipts import ReceiptScheduler
from messaging.simulator.network.state import SimulatedNetwork
from messaging.simulator.network.webhook_sender import WebhookSender
from messaging.simulator.phones.device_pages import LinkedDevicePages
from messaging.simulator.phones.person_pages import PersonPages
from messaging.simulator.phones.phone_pages import PhonePages


@dataclass(frozen=True)
class SimulatorOptions:
    secret: str = ""
    callback_url: str = ""
    """For lines that register without their own."""
    lines: Path | None = None
    conditions: NetworkBehaviour | None = None
    address: str = ""
    """The address for browsers."""


def make_app(options: SimulatorOptions) -> web.Application:
    network = SimulatedNetwork(options.conditions)
    lines_file = LinesFile(options.lines)
    for line in lines_file.read():
        network.register(line)
    network.templates.read_file(options.lines and options.lines.with_name("templates.json"))
    courier = WebhookSender(network)
    receipts = ReceiptScheduler(network, courier)
    people = Customers(network, courier)
    business_phone = BusinessPhone(network, courier, receipts)
    agent = MetaAgent(network, courier, receipts)
    devices = DeviceRegistry(network, options.secret)

    control = web.Application(middlewares=[service_only(options.secret)])
    control.add_routes(
        ControlApi(network, courier, receipts, people, lines_file, options.callback_url).routes()
    )
    control.add_routes(DeviceControlApi(devices).routes())
    control.add_routes(PeopleControlApi(network, people, business_phone, agent).routes())
    phones = web.Application(middlewares=[people_only(options.secret)])
    pages = PhonePages(network, receipts, people)
    phones.add_routes(LinkedDevicePages(devices, pages).routes())
    phones.add_routes(pages.routes())
    phones.add_routes(PersonPages(network, pages, people, business_phone, agent).routes())

    ledger = options.lines.with_name("bank.json") if options.lines else None
    bank = SimulatedBank(options.address, ledger)
    service_app = web.Application(middlewares=[service_only(options.secret)])
    service_app.add_routes(BankApi(bank).routes())

    graph = GraphApi(network, receipts, agent, options.secret, courier)

    async def living(_app: web.Application) -> AsyncIterator[None]:
        await courier.start()
        graph.templates.resume_reviews()
        await bank.start()
        yield
        await bank.stop()
        await courier.stop()

    # The network's own paths have no middleware, so that they stay fast.
    app = web.Application(client_max_size=MOST_MEDIA + 1024 * 1024)
    app.add_routes(graph.routes())
    app.add_routes(DeviceSocket(devices, receipts).routes())
    app.router.add_get("/healthz", _healthy)
    app.router.add_post("/customer", _accept_webhook)
    app.add_subapp("/_sim", control)
    app.add_subapp("/phones", phones)
    app.add_subapp("/bank", service_app)
    app.add_routes(CardPages(bank).routes())
    app.cleanup_ctx.append(living)
    return app


async def _healthy(_request: web.Request) -> web.Response:
    return web.json_response({"status": "ok"})


async def _accept_webhook(_request: web.Request) -> web.Response:
    """A sample customer server for the demo's webhooks: it accepts everything."""
    return web.json_response({"received": True})
