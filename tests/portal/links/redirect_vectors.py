"""Attempts to make a short link lead somewhere else than its stored address."""

from itertools import product

EVIL = "evil.example"
SUFFIXES = (
    "", "/", "//evil.example", "/https://evil.example", "%2f%2fevil.example", "%0d%0aLocation:x",
    "?url=https://evil.example", "?next=//evil.example", "?to=https:evil.example", "@evil.example",
    "?redirect=https://evil.example", "?u=javascript:alert(1)", "#https://evil.example", "%00",
    ".evil.example", "?via=x", "?via=https://evil.example", ";evil.example", "\\evil.example",
    "%5cevil.example", "?code=other", "&url=https://evil.example", "%3furl=https://evil.example",
    "?url[]=https://evil.example", "?%0d%0aSet-Cookie:a=b",
)  # fmt: skip
HEADERS = (
    {},
    {"Host": EVIL},
    {"X-Forwarded-Host": EVIL},
    {"X-Forwarded-Host": EVIL, "X-Forwarded-Proto": "http"},
    {"Forwarded": f"host={EVIL};proto=https"},
    {"Referer": f"https://{EVIL}/"},
    {"Origin": f"https://{EVIL}"},
    {"X-Original-URL": f"//{EVIL}", "X-Rewrite-URL": f"//{EVIL}"},
)
VECTORS = list(product(SUFFIXES, HEADERS))
