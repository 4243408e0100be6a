"""The code samples for verifying a signature work."""

import html
import json
import re
import shutil
import subprocess

import pytest

from core.clock import now
from core.security.signing import new_webhook_secret, webhook_headers
from portal.developers.markdown import DOCS

BODY = '{"event":"messages.upsert","data":{"text":"Günaydın"}}'.encode()


@pytest.fixture
def samples(app, browser, restaurant):
    page = browser.signs_in(restaurant.owner).get("/webhooks").get_data(as_text=True)
    found = re.findall(r'<code id="verify-text-\d">(.*?)</code>', page, re.DOTALL)
    return dict(zip(("python", "javascript", "php"), map(html.unescape, found), strict=True))


def cases():
    """Headers, body, and whether they are good."""
    secret, other = new_webhook_secret(), new_webhook_secret()
    good = webhook_headers(secret, "evt_1", BODY)
    two = webhook_headers([other, secret], "evt_1", BODY)
    old = webhook_headers(secret, "evt_1", BODY, now().replace(year=2020))
    return secret, [
        (good, BODY, True),
        (two, BODY, True),
        (good, BODY + b" ", False),
        (old, BODY, False),
        (webhook_headers(other, "evt_1", BODY), BODY, False),
        ({**good, "webhook-id": "evt_2"}, BODY, False),
    ]


def test_python(samples):
    room = {}
    exec(samples["python"], room)  # noqa: S102 - our own page's code is what is tried
    secret, tried = cases()
    for headers, body, good in tried:
        if good:
            room["verify"](secret, headers, body)
        else:
            with pytest.raises(ValueError, match=r"too old|wrong signature"):
                room["verify"](secret, headers, body)


RUN = """
import { readFileSync } from "node:fs";
import { verify } from "./verify.mjs";
const { secret, tried } = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(tried.map(([headers, body]) => {
  try { verify(secret, headers, Buffer.from(body)); return true; } catch { return false; }
})));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js is installed")
def test_javascript(samples, tmp_path):
    (tmp_path / "verify.mjs").write_text(samples["javascript"])
    (tmp_path / "run.mjs").write_text(RUN)
    secret, tried = cases()
    payload = {"secret": secret, "tried": [[headers, body.decode()] for headers, body, _ in tried]}
    done = subprocess.run(
        ["node", "run.mjs"],
        cwd=tmp_path,
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [good for _, _, good in tried]


def test_php_is_there(samples):
    assert "hash_equals" in samples["php"]


@pytest.mark.parametrize("page", ["webhooks.md", "tr/webhooks.md"])
def test_the_guide_shows_the_same_code(samples, page):
    text = (DOCS / page).read_text()
    for language, code in samples.items():
        assert f"```{language}\n{code}\n```" in text
