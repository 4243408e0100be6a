"""A CloudPRNT and a Server Direct Print printer, written from the vendors' documentation."""

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen
from xml.etree import ElementTree as ET

EPOS = "http://www.epson-pos.com/schemas/2011/03/epos-print"


@dataclass
class Answer:
    status: int
    body: bytes
    headers: dict[str, str]

    def json(self) -> Any:
        return json.loads(self.body)


def _named(headers: Any) -> dict[str, str]:
    return {name.title(): value for name, value in headers.items()}


def call(method: str, url: str, body: bytes | None = None, **headers: str) -> Answer:
    request = Request(url, data=body, method=method, headers=headers)
    try:
        with urlopen(request, timeout=40) as got:
            return Answer(got.status, got.read(), _named(got.headers))
    except HTTPError as error:
        return Answer(error.code, error.read(), _named(error.headers))


@dataclass
class Star:
    url: str
    mac: str = "00:11:62:0d:9a:4e"
    code: str = "200 OK"
    printed: list[bytes] = field(default_factory=list)

    def polls(self, printing: bool = False, **more: Any) -> Answer:
        body = {
            "status": "23 6 0 0 0 0 0 0 0",
            "printerMAC": self.mac,
            "uniqueID": "abc",
            "statusCode": quote(self.code),
            "printingInProgress": printing,
            "clientAction": None,
            **more,
        }
        return call(
            "POST", self.url, json.dumps(body).encode(), **{"Content-Type": "application/json"}
        )

    def fetches(self, offer: dict[str, Any], **more: str) -> Answer:
        asked = {
            "uid": "abc",
            "type": offer["mediaTypes"][0],
            "mac": self.mac,
            "token": offer["jobToken"],
            **more,
        }
        return call("GET", f"{self.url}?{urlencode(asked)}")

    def confirms(self, offer: dict[str, Any], code: str = "200 OK") -> Answer:
        asked = {"uid": "abc", "mac": self.mac, "token": offer["jobToken"], "code": code}
        return call("DELETE", f"{self.url}?{urlencode(asked)}")

    def cycle(self) -> bool:
        """One complete poll; returns True if something was printed."""
        offer = self.polls().json()
        if not offer["jobReady"]:
            return False
        self.printed.append(self.fetches(offer).body)
        assert self.confirms(offer).status == 200
        return True


@dataclass
class Epson:
    url: str
    id: str = "kitchen-1"
    printed: list[str] = field(default_factory=list)

    def posts(self, **fields: str) -> Answer:
        body = urlencode({"ID": self.id, **fields}).encode()
        return call("POST", self.url, body, **{"Content-Type": "application/x-www-form-urlencoded"})

    def asks(self) -> tuple[str, ET.Element] | None:
        """(printjobid, print data), or None if there is nothing to print."""
        answer = self.posts(ConnectionType="GetRequest", Name="TM-T88VI")
        assert answer.status == 200
        if not answer.body:
            assert answer.headers["Content-Length"] == "0"
            return None
        root = ET.fromstring(answer.body)  # noqa: S314 - our own answer
        assert (root.tag, root.get("Version")) == ("PrintRequestInfo", "2.00")
        job = root.findtext("ePOSPrint/Parameter/printjobid")
        assert job
        assert len(job) <= 30
        data = root.find(f"ePOSPrint/PrintData/{{{EPOS}}}epos-print")
        assert data is not None
        return job, data

    def answers(self, job: str, success: bool = True, code: str = "", status: int = 2) -> Answer:
        text = str(success).lower()
        return self.posts(
            ConnectionType="SetResponse",
            ResponseFile='<?xml version="1.0" encoding="utf-8"?><PrintResponseInfo Version="2.00">'
            f"<ePOSPrint><Parameter><devid>local_printer</devid><printjobid>{job}</printjobid>"
            f'</Parameter><PrintResponse><response xmlns="{EPOS}" success="{text}" code="{code}"'
            f' status="{status}" battery="0"/></PrintResponse></ePOSPrint></PrintResponseInfo>',
        )

    def reports_status(self, asb: int) -> Answer:
        return self.posts(
            ConnectionType="SetStatus",
            Status='<?xml version="1.0"?><statusmonitor Version="1.00"><printerstatus'
            f' deviceid="local_printer" asbstatus="{asb:#010x}"/></statusmonitor>',
        )
