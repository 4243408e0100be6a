"""The card page of the simulated payment provider: one button pays, the other is declined."""

from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

from aiohttp import web
from jinja2 import Environment, FileSystemLoader

from core.i18n.catalogs import N_
from core.values.money import BadMoney, format_money
from messaging.simulator.access import HEADERS
from messaging.simulator.bank.provider import PaymentLink, SimulatedBank
from messaging.simulator.i18n import gettext_in, known_language, translate_for

HERE = Path(__file__).parent


class CardPages:
    def __init__(self, bank: SimulatedBank) -> None:
        self._bank = bank
        pages = Environment(loader=FileSystemLoader(HERE / "pages"), autoescape=True)
        self._page = pages.get_template("card.html")
        self._style = (HERE / "static" / "card.css").read_bytes()

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/card.css", self.style),
            web.get("/card/{id}", self.show),
            web.post("/card/{id}", self.act),
        ]

    async def style(self, _request: web.Request) -> web.Response:
        return web.Response(body=self._style, content_type="text/css", headers=HEADERS)

    async def show(self, request: web.Request) -> web.Response:
        return self._drawn(self._bill(request))

    async def act(self, request: web.Request) -> web.Response:
        bill = self._bill(request)
        form = await request.post()
        if form.get("act") == "pay":
            self._bank.pay(bill)
        elif form.get("act") == "decline":
            self._bank.decline(bill)
        raise web.HTTPSeeOther(f"/card/{bill.id}")

    def _bill(self, request: web.Request) -> PaymentLink:
        bill = self._bank.bills.get(request.match_info["id"])
        if bill is None:
            raise web.HTTPNotFound(text=translate_for(request, N_("This link does not exist.")))
        return bill

    def _drawn(self, bill: PaymentLink) -> web.Response:
        language = known_language(bill.language)
        try:
            amount = format_money(Decimal(bill.amount), bill.currency, bill.language)
        except BadMoney:
            amount = f"{bill.amount} {bill.currency}"
        state = "over" if bill.over and bill.state != "paid" else bill.state
        safe = urlsplit(bill.return_url).scheme in ("http", "https")
        page = self._page.render(
            bill=bill,
            _=gettext_in(language),
            amount=amount,
            language=language,
            state=state,
            back=bill.return_url if safe else "",
        )
        headers = {**HEADERS, "Cache-Control": "no-store"}
        return web.Response(text=page, content_type="text/html", headers=headers)
