"""A minimal mail server for tests: stores e-mails, and refuses them on request."""

import socketserver
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from threading import Thread


class PostOffice(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Conversation)
        self.letters: list[EmailMessage] = []
        self.refuses = ""
        self.drops = False

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.server_address[1]}"


class Conversation(socketserver.StreamRequestHandler):
    server: PostOffice

    def handle(self) -> None:
        self.reply("220 ready")
        while line := self.rfile.readline():
            word = line.split(None, 1)[0].upper() if line.strip() else b""
            if word == b"DATA":
                if self.server.drops:
                    return
                self.reply("354 go on")
                self.read_body()
            elif word == b"QUIT":
                self.reply("221 bye")
                return
            elif word == b"RCPT" and self.server.refuses:
                self.reply(self.server.refuses)
            else:
                self.reply("250 fine")

    def read_body(self) -> None:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line[1:] if line.startswith(b"..") else line)
        letter = message_from_bytes(b"".join(lines), policy=policy.default)
        self.server.letters.append(letter)
        self.reply("250 taken")

    def reply(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def open_post_office() -> Iterator[PostOffice]:
    with PostOffice() as office:
        Thread(target=office.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield office
        finally:
            office.shutdown()
