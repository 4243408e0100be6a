"""The commands and programs of docs/integrations are run as they are printed."""

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from werkzeug.serving import make_server

from core.security.signing import new_webhook_secret, webhook_headers
from tests.line_factory import make_line
from tests.webhooks.stores.shops import (
    connect_store,
    enable_automations,
    messages,
    run_hooks_and_automations,
)

DOCS = Path(__file__).parents[3] / "docs" / "integrations"


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)


@pytest.fixture
def address(app):
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join(10)


def run(command, **variables):
    done = subprocess.run(
        command,
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(
    not all(map(shutil.which, ("bash", "curl", "openssl"))), reason="no curl or openssl here"
)
def test_the_store_webhooks_examples_do_what_they_say(app, shop, client, redis, address):
    make_line(shop)
    enable_automations(shop, "order_confirmation", "shipping_link", "order_cancelled")
    store = connect_store(shop, client, "store")
    here = {"STORE_URL": f"{address}{store.path}", "STORE_SECRET": store.secret}
    first, signed = blocks("store.md", "bash")
    assert run(["bash", "-ec", first], **here).strip() == '{"status":"ok"}'
    run_hooks_and_automations(app)
    (python,) = blocks("store.md", "python")
    assert run([sys.executable, "-c", python], **here).strip() == "200"
    run_hooks_and_automations(app)
    assert run(["bash", "-ec", signed], **here).strip() == '{"status":"ok"}'
    run_hooks_and_automations(app)
    said = [(one.phone, one.text) for one in messages(shop)]
    assert [phone for phone, _ in said] == ["905321112233"] * 3
    assert "#1001" in said[0][1]
    assert "https://example.com/YK123" in said[1][1]
    assert "cancelled" in said[2][1]
    with pytest.raises(AssertionError, match="invalid_signature"):
        run(["bash", "-ec", signed], **{**here, "STORE_SECRET": new_webhook_secret()})


@pytest.mark.skipif(not all(map(shutil.which, ("bash", "curl"))), reason="no curl here")
def test_the_no_code_recipes_send_once(app, shop, redis, address):
    make_line(shop)
    here = {"COMANDA_URL": f"{address}/api/v1", "COMANDA_API_KEY": shop.key}
    commands = blocks("no-code.md", "bash")
    assert len(commands) == 4
    for command in commands:
        run(["bash", "-ec", command], **here)
    run(["bash", "-ec", commands[0]], **here)
    kinds = [one.kind for one in messages(shop)]
    assert sorted(kinds) == ["document", "text"]
    assert "order-1001" in run(["bash", "-ec", commands[2]], **here)


def test_the_printed_check_of_a_signature_holds():
    (code,) = blocks("no-code.md", "python")
    printed = {}
    exec(code, printed)  # noqa: S102 - our own page
    secret, body = new_webhook_secret(), b'{"event":"messages.upsert"}'
    headers = webhook_headers([new_webhook_secret(), secret], "evt_1", body)
    assert printed["verify"](secret, headers, body)
    assert not printed["verify"](secret, headers, body + b" ")
    assert not printed["verify"](new_webhook_secret(), headers, body)
