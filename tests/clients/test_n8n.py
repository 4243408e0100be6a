"""The n8n package: its requests exist in the API, and the trigger registers and verifies."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from core.clock import now
from core.openapi.document import openapi_document
from core.security.signing import new_webhook_secret, webhook_headers
from webhooks.event_types import EVENT_TYPES

FOLDER = Path(__file__).parents[2] / "clients" / "n8n"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")


def run(program, *arguments):
    done = subprocess.run(
        [NODE, "-e", program, str(FOLDER), *arguments],
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_files_that_the_package_names_are_there():
    package = json.loads((FOLDER / "package.json").read_text())
    assert all((FOLDER / one).is_file() for kind in ("nodes", "credentials")
               for one in package["n8n"][kind])  # fmt: skip


def test_every_action_is_a_call_of_the_api(app):
    properties = run("""
        const { Comanda } = require(process.argv[1] + "/nodes/Comanda/Comanda.node.js");
        console.log(JSON.stringify(new Comanda().description.properties));
    """)
    document = openapi_document(app)
    known = {
        (method.upper(), re.sub(r"{\w+}", "{}", path.removeprefix("/api/v1"))): operation
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }
    requests = [
        (group["displayOptions"]["show"]["resource"][0], option["value"], option["routing"])
        for group in properties
        if group["name"] == "operation"
        for option in group["options"]
    ]
    assert len(requests) == 12
    for resource, value, routing in requests:
        request = routing["request"]
        path = re.sub(r"{{.*?}}", "{}", request["url"].removeprefix("="))
        operation = known[request["method"], path]
        body = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if request["method"] == "GET":
            continue
        shape = document["components"]["schemas"][body["schema"]["$ref"].rpartition("/")[2]]
        sent = {
            one["routing"]["send"]["property"]
            for one in properties
            if resource in one.get("displayOptions", {}).get("show", {}).get("resource", [])
            and value in one["displayOptions"]["show"].get("operation", [])
            and "routing" in one
        }
        assert set(shape.get("required", [])) <= sent <= set(shape["properties"]), (path, sent)


def test_the_trigger_registers_an_endpoint_and_verifies_its_events():
    secret, body = new_webhook_secret(), '{"event": "messages.upsert"}'
    headers = webhook_headers(secret, "evt_1", body.encode(), now())
    found = run(
        """
        const { ComandaTrigger, isSigned } = require(
          process.argv[1] + "/nodes/Comanda/ComandaTrigger.node.js");
        const [headers, body, secret] = JSON.parse(process.argv[2]);
        const node = new ComandaTrigger(), calls = [], data = {};
        const context = {
          getCredentials: async () => ({ url: "https://c.example/" }),
          getWorkflowStaticData: () => data,
          getNodeWebhookUrl: () => "https://n8n.example/hook",
          getNodeParameter: (name) => (name === "events" ? ["*"] : false),
          helpers: { httpRequestWithAuthentication: async (_, request) => {
            calls.push([request.method, request.url]);
            return request.method === "GET"
              ? { data: [{ id: "ep_1", url: "https://n8n.example/hook", enabled: true }] }
              : { id: "ep_1", secret };
          } },
        };
        const { checkExists, create, delete: remove } = node.webhookMethods.default;
        (async () => {
          const before = await checkExists.call(context);
          await create.call(context);
          const after = await checkExists.call(context);
          const signed = isSigned(data.secret, headers, body);
          const forged = isSigned(data.secret, headers, body + " ");
          await remove.call(context);
          const events = node.description.properties[0].options.map((one) => one.value);
          console.log(JSON.stringify({ before, after, signed, forged, calls, data, events }));
        })();
        """,
        json.dumps([headers, body, secret]),
    )
    assert (found["before"], found["after"], found["data"]) == (False, True, {})
    assert (found["signed"], found["forged"]) == (True, False)
    base = "https://c.example/api/v1/webhooks"
    assert found["calls"] == [["POST", base], ["GET", base], ["DELETE", f"{base}/ep_1"]]
    assert set(found["events"]) - {"*"} <= set(EVENT_TYPES)
