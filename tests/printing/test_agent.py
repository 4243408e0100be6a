"""The print agent with a fake server and fake printers, which also fail."""

import os
import pty
import socket
import threading
from pathlib import Path

import pytest

from printing.agent import discovery
from printing.agent.journal import Journal, PrintJob
from printing.agent.outputs import STALL_SECONDS, NothingSent, create_output
from tests.printing.fake_print_server import PNG, FakePrinter


def test_tickets_are_printed_in_order_with_evidence(counter, epson, agent_at_work):
    for number in range(5):
        counter.order(f"t{number}", "kitchen")
    agent_at_work()
    counter.wait(counter.all_in)
    assert epson.tickets() == counter.told == [f"t{number}" for number in range(5)]
    (result,) = counter.tickets["t0"].results
    assert (result["outcome"], result["reprint"]) == ("printed", False)
    assert result["evidence"]["before"].startswith("ready 1=12")
    assert result["evidence"]["after"].startswith("ready 1=12")
    assert result["evidence"]["bytes"] == len(counter.tickets["t0"].data)


def test_a_ticket_leaves_at_once_while_the_poll_is_held(counter, epson, agent_at_work):
    agent_at_work()
    counter.wait(lambda: counter.polls >= 2)
    counter.order("now", "kitchen")
    counter.wait(counter.all_in, 2)
    assert epson.tickets() == ["now"]


def test_without_paper_it_waits_reports_an_error_and_prints_once(counter, epson, agent_at_work):
    epson.state = "paper_out"
    counter.order("t1", "kitchen")
    agent_at_work()
    counter.wait(lambda: counter.seen.get("kitchen") == "paper_out")
    assert epson.paper == b""
    epson.state = "ready"
    counter.wait(counter.all_in)
    assert epson.tickets() == ["t1"]
    counter.wait(lambda: counter.seen["kitchen"] == "ready")


def test_paper_that_ends_within_a_ticket_leaves_it_unsure(counter, epson, agent_at_work):
    epson.on_ticket = lambda: setattr(epson, "state", "paper_out")
    counter.order("t1", "kitchen")
    agent_at_work()
    counter.wait(lambda: counter.all_in("unsure"))
    (result,) = counter.tickets["t1"].results
    assert result["detail"] == "out of paper"
    assert epson.tickets() == ["t1"]


def test_a_connection_that_breaks_within_a_ticket_leaves_it_unsure(counter, epson, agent_at_work):
    epson.breaks_after = 1
    counter.order("t1", "kitchen", b"<T:t1>" + b"." * 200_000)
    agent_at_work()
    counter.wait(lambda: counter.all_in("unsure"))
    assert "connection was lost" in counter.tickets["t1"].results[0]["detail"]


def test_a_printer_that_is_off_gets_its_tickets_when_it_is_on(counter, agent_at_work):
    printer = FakePrinter()
    port, output = printer.port, printer.output
    printer.close()
    counter.add_printer("kitchen", output)
    for number in range(2):
        counter.order(f"t{number}", "kitchen")
    agent_at_work()
    counter.wait(lambda: counter.seen.get("kitchen") == "offline")
    printer = FakePrinter(port)
    counter.wait(counter.all_in)
    assert printer.tickets() == ["t0", "t1"]
    printer.close()


def test_a_printer_that_never_answers_prints_all_the_same(counter, epson, agent_at_work):
    epson.answers = False
    counter.order("t1", "kitchen")
    agent_at_work()
    counter.wait(counter.all_in)
    assert counter.tickets["t1"].results[0]["evidence"]["after"] == (
        "ready does not report its status"
    )


def test_a_stuck_printer_holds_up_no_other(counter, epson, agent_at_work):
    """A printer that accepts connections but reads nothing blocks only its own ticket."""
    stuck = socket.create_server(("127.0.0.1", 0))
    host, port = stuck.getsockname()
    counter.add_printer("bar", {"kind": "network", "host": host, "port": port}, checks=False)
    counter.order("b1", "bar", b"<T:b1>" + b"." * 8_000_000)
    counter.order("k1", "kitchen")
    counter.order("k2", "kitchen")
    agent_at_work()
    counter.wait(lambda: counter.told == ["k1", "k2"], STALL_SECONDS / 2)
    assert counter.tickets["b1"].state == "claimed"
    stuck.close()


def test_without_the_server_tickets_in_hand_are_printed_and_reported_later(
    counter, epson, agent_at_work
):
    epson.state = "cover_open"
    counter.order("t1", "kitchen")
    agent_at_work()
    counter.wait(lambda: counter.seen.get("kitchen") == "cover_open")
    counter.away = True
    epson.state = "ready"
    counter.wait(lambda: epson.tickets() == ["t1"])
    assert counter.tickets["t1"].state == "claimed"
    counter.away = False
    counter.wait(counter.all_in)
    assert epson.tickets() == ["t1"]


def test_a_job_that_another_has_is_let_go(counter, epson, agent_at_work):
    epson.state = "paper_out"
    ticket = counter.order("t1", "kitchen")
    agent = agent_at_work()
    counter.wait(lambda: counter.seen.get("kitchen") == "paper_out")
    with counter.changed:
        ticket.fence += 5
        ticket.state = "printed"
    epson.state = "ready"
    counter.wait(lambda: agent.journal.in_hand() == [])
    assert [result["fence"] for result in ticket.results] == [1]


def test_a_revoked_agent_stops_and_keeps_its_journal(counter, epson, agent_at_work, caplog):
    epson.state = "paper_out"
    counter.order("t1", "kitchen")
    agent = agent_at_work()
    counter.wait(lambda: counter.seen.get("kitchen") == "paper_out")
    counter.revoke()
    counter.wait(lambda: agent.revoked)
    epson.state = "ready"
    assert epson.paper == b""
    assert agent.journal.in_hand() == ["t1"]
    assert "--pair CODE" in caplog.text


def test_a_printer_that_was_taken_away_gives_its_tickets_back(counter, epson, agent_at_work):
    epson.state = "paper_out"
    counter.order("t1", "kitchen")
    agent_at_work()
    counter.wait(lambda: counter.seen.get("kitchen") == "paper_out")
    with counter.changed:
        counter.printers.clear()
        counter._news()
    counter.wait(lambda: bool(counter.tickets["t1"].results))
    assert counter.tickets["t1"].results[0]["outcome"] == "failed"


def test_the_demo_printer_is_a_folder_of_pictures(counter, agent_at_work, tmp_path):
    counter.add_printer("kitchen", {"kind": "demo"})
    counter.order("t1", "kitchen")
    counter.order("t2", "kitchen")
    agent_at_work()
    counter.wait(counter.all_in)
    names = sorted(path.name for path in (tmp_path / "demo" / "kitchen").iterdir())
    assert names == ["00001-ORD-t1-t1.png", "00002-ORD-t2-t2.png"]
    assert (tmp_path / "demo" / "kitchen" / names[0]).read_bytes() == PNG


def test_a_ticket_that_another_printer_has_printed_is_dropped_unless_it_was_begun(tmp_path):
    journal = Journal(tmp_path / "journal.sqlite")
    jobs = [PrintJob(name, "kitchen", 1, name, "text/plain", b"x", b"") for name in ("t1", "t2")]
    for job in jobs:
        journal.add(job)
    assert journal.started(jobs[1])
    assert journal.drop("t1", {"outcome": "failed"})
    assert not journal.drop("t2", {"outcome": "failed"})
    assert not journal.started(jobs[0])  # its printer started it at the same moment
    assert [job.id for job in journal.unreported()] == ["t1"]
    journal.close()


def test_a_file_printer_is_appended_to(counter, agent_at_work, tmp_path):
    counter.add_printer("kitchen", {"kind": "file", "path": "lp"})
    for number in range(3):
        counter.order(f"t{number}", "kitchen")
    agent_at_work()
    counter.wait(counter.all_in)
    assert (tmp_path / "files" / "lp").read_bytes() == b"<T:t0>\n<T:t1>\n<T:t2>\n"


def test_the_portal_cannot_name_any_file_of_the_computer(tmp_path):
    for path in ("/etc/passwd", "../../etc/passwd", "/dev/../etc/passwd"):
        assert create_output({"kind": "file", "path": path}, tmp_path).path == tmp_path / "passwd"
    assert create_output({"kind": "file", "path": "/dev/usb/lp0"}, tmp_path).path == Path(
        "/dev/usb/lp0"
    )
    with pytest.raises(ValueError, match="not a device"):
        create_output({"kind": "serial", "device": "/home/pi/.bashrc"}, tmp_path)


def test_a_file_printer_writes_to_character_devices_alone(tmp_path):
    """An agent that runs as root must not write to a disk or a file under /dev."""
    sample = Path(f"/dev/shm/agent-test-{os.getpid()}")
    output = create_output({"kind": "file", "path": str(sample)}, tmp_path)
    with pytest.raises(NothingSent), output.connect():
        pass
    assert not sample.exists()
    sample.write_bytes(b"kept")
    try:
        serial = {"kind": "serial", "device": str(sample)}
        for settings in ({"kind": "file", "path": str(sample)}, serial):
            output = create_output(settings, tmp_path)
            with pytest.raises(NothingSent, match="not a character device"), output.connect():
                pass
        assert sample.read_bytes() == b"kept"
    finally:
        sample.unlink()
    with create_output({"kind": "file", "path": "/dev/null"}, tmp_path).connect() as wire:
        wire.send(b"ticket")


def test_a_serial_printer_is_asked_and_written_to(counter, agent_at_work):
    ours, theirs = pty.openpty()
    paper = bytearray()

    def print_it() -> None:
        rest = b""
        while got := _read(ours):
            rest += got
            while (at := rest.find(b"\x10\x04")) >= 0 and len(rest) >= at + 3:
                paper.extend(rest[:at])
                rest = rest[at + 3 :]
                os.write(ours, b"\x12")

    threading.Thread(target=print_it, daemon=True).start()
    device = {"kind": "serial", "device": os.ttyname(theirs), "baud": 19200}
    counter.add_printer("kitchen", device)
    counter.order("t1", "kitchen", b"<T:t1>\x1b@\r\n\x00\xff")
    agent_at_work()
    counter.wait(counter.all_in)
    assert bytes(paper) == b"<T:t1>\x1b@\r\n\x00\xff"
    assert counter.tickets["t1"].results[0]["evidence"]["after"].startswith("ready 1=12")


def test_printers_on_the_network_are_found_and_sent_nothing():
    printer = FakePrinter()
    found = discovery.scan(["127.0.0.1/32"], printer.port)
    assert found == [{"kind": "network", "host": "127.0.0.1", "port": printer.port, "name": ""}]
    assert printer.paper == b""
    printer.close()
    assert discovery.scan(["127.0.0.1/32"], printer.port) == []


def test_it_imports_nothing_else_of_ours():
    """The agent is copied to computers without the rest of the code."""
    for path in (Path(discovery.__file__).parent).glob("*.py"):
        lines = [line.split() for line in path.read_text().splitlines()]
        named = {words[1].split(".")[0] for words in lines if words[:1] in (["import"], ["from"])}
        assert not named & {"core", "tenants", "escpos", "PIL", "flask", "requests"}


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 1000)
    except OSError:
        return b""
