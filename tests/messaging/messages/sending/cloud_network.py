"""A network that speaks the cloud API and does to each message what the test says."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class CloudNetwork:
    """Accepts everything, until `answers` has an entry for the text of a message.

    An entry is a status with a body, or None: the request is read and the connection closed.
    """

    def __init__(self, port):
        self.texts = []
        self.answers = {}
        self.meanwhile = {}
        """What happens before a message with this text is answered."""
        self.open = threading.Event()
        self.open.set()
        self.arrived = threading.Semaphore(0)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer._answer(self, body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def _answer(self, request, body):
        text = body["text"]["body"]
        self.texts.append(text)
        self.arrived.release()
        self.open.wait(30)
        network_id = f"wamid.{len(self.texts)}.{body['biz_opaque_callback_data']}"
        if text in self.meanwhile:
            self.meanwhile[text](body["biz_opaque_callback_data"], network_id)
        found = self.answers.get(text, (200, {"messages": [{"id": network_id}]}))
        if found is None:
            request.close_connection = True
            return
        status, answer = found
        raw = json.dumps(answer).encode()
        request.send_response(status)
        request.send_header("Content-Length", str(len(raw)))
        request.end_headers()
        request.wfile.write(raw)

    def close(self):
        self.open.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)
