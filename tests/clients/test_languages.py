"""The clients of all languages do the same, and their generated half is up to date."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from comanda import ApiError, Comanda

from core.clock import now
from core.openapi.document import openapi_document
from core.security.signing import new_webhook_secret, webhook_headers
from deploy.clients.__main__ import generated_files
from messaging.lines.simulated_line import add_simulated_line
from tests.clients.scenario import STEPS, comparable, run_in_python
from tests.factories import make_business

CLIENTS = Path(__file__).parents[2] / "clients"
HERE = Path(__file__).parent
NODE, PHP = shutil.which("node"), shutil.which("php")


@pytest.fixture
def new_business(app, service, settings):
    def make():
        made = make_business("Kumru")
        with made.scope():
            secret = settings.simulator_secret
            add_simulated_line("Front", service.url, secret, test=False, default=True)
            add_simulated_line("Test", service.url, secret, test=True)
        return made

    return make


def run(command, typed=""):
    done = subprocess.run(
        command, input=typed, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_generated_files_are_up_to_date(app):
    for path, text in generated_files(openapi_document(app)).items():
        assert path.read_text() == text, f"{path.name}: type `make clients`"


def test_the_scenario_has_the_same_result_in_every_language(service, new_business):
    assert len(STEPS) == 40
    with Comanda(new_business().key, service.url) as client:
        expected = comparable(run_in_python(client, ApiError))
    refused = [one for one in expected if isinstance(one, dict) and "error" in one]
    assert 12 <= len(refused) <= 20, refused
    runners = []
    if NODE:
        runners.append([NODE, str(HERE / "scenario.mjs"), str(CLIENTS / "typescript")])
    if PHP:
        runners.append([PHP, str(HERE / "scenario.php"), str(CLIENTS / "php")])
    if not runners:
        pytest.skip("neither node nor php is installed")
    for command in runners:
        text = run([*command, service.url, new_business().key], json.dumps(STEPS))
        for step, one, other in zip(STEPS, expected, comparable(json.loads(text)), strict=True):
            assert other == one, (command[1], step)


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_typescript_verifies_signatures():
    secret, body = new_webhook_secret(), '{"event": "ığ", "sequence": 4}'
    headers = webhook_headers(secret, "evt_1", body.encode(), now())
    program = """
      const { verifyWebhook, BadSignature } = await import(process.argv[1] + "/index.js");
      const [headers, body, secret] = JSON.parse(process.argv[2]);
      const wrong = [[headers, body + " ", secret], [{}, body, secret], [headers, body, "no"],
        [{ ...headers, "webhook-timestamp": "1" }, body, secret]];
      for (const one of wrong) {
        try { verifyWebhook(...one); process.exit(1); }
        catch (error) { if (!(error instanceof BadSignature)) throw error; }
      }
      const event = verifyWebhook(new Headers(headers), body, ["whsec_QUJD", secret]);
      console.log(JSON.stringify(event));
    """
    arguments = [NODE, "--input-type=module", "-e", program, str(CLIENTS / "typescript")]
    printed = run([*arguments, json.dumps([headers, body, secret])])
    assert json.loads(printed) == json.loads(body)


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_typescript_retries_with_the_same_key():
    program = """
      const { Comanda } = await import(process.argv[1] + "/index.js");
      const keys = [], waits = [];
      const answers = [new Error("reset"), [503, { code: "try_again" }, { "Retry-After": "3" }],
        [200, { id: "msg_1" }, {}]];
      const fetch = async (url, { headers }) => {
        keys.push(headers["Idempotency-Key"]);
        const next = answers.shift();
        if (next instanceof Error) throw next;
        return new Response(JSON.stringify(next[1]), { status: next[0], headers: next[2] });
      };
      const sleep = async (seconds) => waits.push(seconds);
      const client = new Comanda("ck_test_x", "http://localhost", { fetch, sleep });
      const sent = await client.send("905321112233", "x");
      console.log(JSON.stringify([sent.id, new Set(keys).size, keys.length, waits[1]]));
    """
    printed = run([NODE, "--input-type=module", "-e", program, str(CLIENTS / "typescript")])
    assert json.loads(printed) == ["msg_1", 1, 3, 3]
