"""Requests for a link that no person made: link previews, crawlers and prefetching."""

import re
from typing import Protocol

# WhatsApp's preview has a name that begins with WhatsApp/; its own browser begins with Mozilla/.
_PROGRAMS = re.compile(
    r"^(whatsapp|curl|wget|python|go-http|java|okhttp|libwww|ruby|php|axios|node|dart|postman"
    r"|httpie|guzzle|apache-httpclient|facebookexternalhit|facebookcatalog|meta-external)"
    r"|bot\b|bot/|crawl|spider|slurp|facebookexternalhit|facebot|meta-external|embedly|quora link"
    r"|preview|skypeuripreview|bitlybot|vkshare|w3c_validator|headlesschrome|phantomjs|lighthouse"
    r"|scanner|monitor|uptime|safebrowsing|google-read-aloud|google-inspectiontool|feedfetcher"
    r"|bingpreview|proofpoint|barracuda|mimecast|trendmicro|url-?check",
    re.IGNORECASE | re.ASCII,
)
_PREFETCH_HEADERS = ("purpose", "sec-purpose", "x-purpose", "x-moz")
_PREFETCH_WORDS = ("prefetch", "preview", "prerender")


class Headers(Protocol):
    def get(self, name: str, default: str, /) -> str: ...


def is_person(method: str, headers: Headers) -> bool:
    if method != "GET":
        return False
    agent = headers.get("User-Agent", "").strip()
    if not agent or _PROGRAMS.search(agent):
        return False
    for name in _PREFETCH_HEADERS:
        given = headers.get(name, "").lower()
        if any(word in given for word in _PREFETCH_WORDS):
            return False
    return True
