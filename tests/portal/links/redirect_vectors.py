"""Attempts to make a short link, a new link or the sign-in lead to another host."""

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

# How another host can be written after a path of ours, or instead of one.
HOSTS = (
    EVIL, f"www.{EVIL}", f"{EVIL}:443", f"localhost@{EVIL}", f"localhost:80@{EVIL}",
    f"localhost.{EVIL}", f"{EVIL}/home", f"{EVIL}?home", f"{EVIL}#/home", "%65vil.example",
    "[::1]", "2130706433",
)  # fmt: skip
LEADS = (
    "//", "///", "////", "/\\", "\\\\", "\\/", "/\t/", "/\n/", "/\r\n/", "\t//", " //", "\u00a0//",
    "/%09/", "/%5c", "/%2f/", "/.//", "/..//", "/home/..//", "/home//", "/;//", "/?//../", "https://",
    "http://", "HTTPS://", "https:", "https:/", "https:///", "http:\\\\", "hTTps:/\\", "\x00https://",
    "javascript://", "JAVASCRIPT:", "data:text/html,", "vbscript:", "file:///", "blob:https://",
    "@", "／／", "\u2028//", "/\u200b/", "/l/", "/l//", "//localhost@", "https://localhost@",
)  # fmt: skip
NEXT_PAGES = [f"{lead}{host}" for lead, host in product(LEADS, HOSTS)]

# Nothing of this is a full web address that every browser reads in the same way.
NOT_ADDRESSES = [
    f"{lead}{host}"
    for lead, host in product(LEADS, HOSTS)
    if lead not in ("https://", "http://", "HTTPS://") or "@" in host
] + [
    f"https://soup.example{middle}{EVIL}"
    for middle in (
        "\\@",
        "\\",
        "@",
        ":80@",
        "\t@",
        "\r\nLocation: //",
        "\x00@",
        "\u2028",
        " @",
        "\x7f",
    )
]
