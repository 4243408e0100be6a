"""An MCP client for tests: builds requests of revision 2026-07-28 by hand, without a library."""

from itertools import count

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_ids = count(1)


def request(method, **params):
    """The body and the headers of a correct request."""
    body = {
        "jsonrpc": "2.0",
        "id": next(_ids),
        "method": method,
        "params": {"_meta": META, **params},
    }
    headers = {"MCP-Protocol-Version": VERSION, "Mcp-Method": method}
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    return body, headers


class Agent:
    def __init__(self, client, key, path="/mcp"):
        self.client, self.key, self.path = client, key, path

    def post(self, body, headers):
        bearer = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        return self.client.post(self.path, json=body, headers={**bearer, **headers})

    def asks(self, method, **params):
        answer = self.post(*request(method, **params))
        assert answer.status_code == 200, answer.get_data(as_text=True)
        return answer.json["result"]

    def calls(self, tool, **arguments):
        return self.asks("tools/call", name=tool, arguments=arguments)

    def gets(self, tool, **arguments):
        """The result of a call that succeeds."""
        result = self.calls(tool, **arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def is_refused(self, tool, **arguments):
        """The code of a call that is refused."""
        result = self.calls(tool, **arguments)
        assert result.get("isError"), result
        return result["structuredContent"]["code"]
