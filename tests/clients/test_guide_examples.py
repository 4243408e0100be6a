"""What the guides print is typed in as it stands, one page after the other, in both languages."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from core.clock import now
from core.security.signing import new_webhook_secret, webhook_headers
from messaging.campaigns import repository as campaign_repository
from messaging.contacts import identities as contact_identities
from restaurant.sites import sites
from tests.clients.test_python_client import business

__all__ = ["business"]

DOCS = Path(__file__).parents[2] / "docs"
HERE = "https://comanda.example.com"
PAGES = ("quick-start", "sending", "api", "campaigns", "loyalty")


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)


@pytest.mark.skipif(not all(map(shutil.which, ("bash", "curl"))), reason="no curl here")
@pytest.mark.parametrize("folder", ["", "tr/"])
def test_every_command_does_what_it_says(service, business, folder, tmp_path):
    with business.scope():
        site = sites.open_site(
            "Bistro", slug=f"bistro-{folder[:2]}x", prefix="BIS", currency="TRY",
            time_zone="Europe/Istanbul", country="TR", languages=["tr"],
        )  # fmt: skip
        contact_identities.find_or_create("905321112233", "", "Zeynep", now())
        template = {"name": "weekend_offer", "language": "en"}
        campaign = campaign_repository.add(
            campaign_repository.CampaignInput(name="Weekend", template=template), test=False
        )
    Image.new("RGB", (80, 60), "red").save(tmp_path / "weekend.jpg")
    known = {"COMANDA_API_KEY": business.key, "SITE": site.id, "CAMPAIGN": campaign.id}
    known |= {"PATH": os.environ["PATH"]}
    for page in PAGES:
        for command in blocks(f"{folder}{page}.md", "(?:sh|bash)"):
            if "curl" not in command or 'ID="msg_' in command:
                continue
            asked = command.replace(HERE, service.url).replace("curl ", "curl --fail-with-body ")
            done = subprocess.run(
                ["bash", "-ec", asked], env=known, cwd=tmp_path, capture_output=True, text=True,
                timeout=60, check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"{page}: {command}\n{done.stdout}"


@pytest.mark.parametrize("page", ["../clients/python/README.md", "python.md", "tr/python.md"])
def test_the_python_of_the_guides_runs(service, business, page, monkeypatch):
    secret = new_webhook_secret()
    monkeypatch.setenv("COMANDA_API_KEY", business.key)
    monkeypatch.setenv("COMANDA_WEBHOOK_SECRET", secret)
    printed = {}
    for code in blocks(page, "python"):
        exec(code.replace(HERE, service.url), printed)  # noqa: S102 - our own page
    assert printed["sent"].status == "sent"
    said = {"event": "messages.upsert", "event_id": "evt_1", "sequence": 1, "data": {"from": "90"}}
    body = json.dumps(said | {"occurred_at": "2026-03-01T10:00:00Z"}).encode()
    assert printed["receive"](webhook_headers([secret], "evt_1", body), body) == 200
    assert printed["receive"](webhook_headers([secret], "evt_1", body), body + b" ") == 401
