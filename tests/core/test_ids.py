import os
import signal
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from select import select as wait_for
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Column, MetaData, Table, create_engine, select
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

from core import ids
from core.ids import (
    BadId,
    Id,
    dated_by,
    from_uuid,
    new_id,
    new_token,
    new_uuid,
    short_code,
    to_uuid,
)

DIALECT = postgresql.dialect()
KNOWN = uuid.UUID("01890a5d-ac96-774b-bcce-b302099a8057")


def test_an_id_is_a_uuid_of_version_7_of_this_moment():
    made = new_uuid()
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert abs((made.int >> 80) - time.time() * 1000) < 5000


def test_ids_rise_also_inside_one_millisecond():
    made = [new_uuid() for _ in range(20_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    public = [from_uuid("msg", one) for one in made]
    assert public == sorted(public)


def test_ids_rise_when_the_clock_steps_back(monkeypatch):
    sequence = ids._Sequence()
    first = sequence.next()
    monkeypatch.setattr(ids.time, "time_ns", lambda: 10**18)
    later = [sequence.next() for _ in range(100)]
    assert [first, *later] == sorted([first, *later])


def test_a_full_millisecond_runs_over_into_the_next(monkeypatch):
    sequence = ids._Sequence()
    monkeypatch.setattr(ids.time, "time_ns", lambda: 1_700_000_000_000_000_000)
    first = sequence.next()
    sequence._tail = ids._RANDOM_TOP - 1
    second = sequence.next()
    assert second > first
    assert (second >> 80) == (first >> 80) + 1
    assert UUID(int=second).version == 7


def test_threads_never_share_an_id():
    with ThreadPoolExecutor(8) as pool:
        made = [
            one
            for batch in pool.map(lambda _: [new_uuid() for _ in range(2000)], range(16))
            for one in batch
        ]
    assert len(set(made)) == len(made) == 32_000


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_goes_its_own_way(monkeypatch):
    # With a frozen clock, only the at-fork hook keeps the two processes' ids apart.
    monkeypatch.setattr(ids.time, "time_ns", lambda: 1_700_000_000_000_000_000)
    ids._sequence.forget()
    ids.new_uuid()
    tail = ids._sequence._tail
    held = threading.Event()
    release = threading.Event()

    def hold() -> None:
        with ids._sequence._lock:
            held.set()
            release.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(10)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        made = ids.new_uuid()
        os.write(writer, made.bytes + (b"=" if ids._sequence._tail == tail else b"!"))
        os._exit(0)
    release.set()
    holder.join()
    os.close(writer)
    answered, _, _ = wait_for([reader], [], [], 5)
    answer = os.read(reader, 17) if answered else b""
    os.kill(child, signal.SIGKILL)
    os.close(reader)
    os.waitpid(child, 0)
    assert len(answer) == 17, "the child hung on a lock that nobody holds"
    child_tail = uuid.UUID(bytes=answer[:16]).int & ((1 << 62) - 1)
    near = abs(child_tail - (tail & ((1 << 62) - 1)))
    assert near > 1 << 33, "the child went on counting from its parent"


def test_the_public_form_is_known():
    assert from_uuid("msg", KNOWN) == "msg_01H455VB4PEX5VSKNK084SN02Q"
    assert to_uuid("msg", "msg_01H455VB4PEX5VSKNK084SN02Q") == KNOWN
    assert to_uuid("msg", "msg_01h455vb4pex5vsknk084sn02q") == KNOWN
    assert ids.canonical_id("msg", "msg_01h455vb4pex5vsknk084sn02q") == from_uuid("msg", KNOWN)


@given(st.uuids())
def test_every_uuid_survives(one):
    assert to_uuid("evt", from_uuid("evt", one)) == one
    assert to_uuid("evt", "evt_" + from_uuid("evt", one)[4:].lower()) == one


@pytest.mark.parametrize(
    "text",
    [
        "",
        "msg",
        "msg_",
        "01H455VB4PEX5VSKNK084SN02Q",
        "evt_01H455VB4PEX5VSKNK084SN02Q",
        "MSG_01H455VB4PEX5VSKNK084SN02Q",
        "msg-01H455VB4PEX5VSKNK084SN02Q",
        "msg_01H455VB4PEX5VSKNK084SN02",
        "msg_01H455VB4PEX5VSKNK084SN02QQ",
        "msg_0IH455VB4PEX5VSKNK084SN02Q",
        "msg_0LH455VB4PEX5VSKNK084SN02Q",
        "msg_OOH455VB4PEX5VSKNK084SN02Q",
        "msg_0UH455VB4PEX5VSKNK084SN02Q",
        "msg_81H455VB4PEX5VSKNK084SN02Q",
        "msg_ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
        "msg_01H455VB4PEX5VSKNK084SN02\u0661",
        "msg_01H455VB4PEX5VSKNK084SN02\0",
        " msg_01H455VB4PEX5VSKNK084SN02Q",
        "msg_01H455VB4PEX5VSKNK084SN02Q\n",
        "01890a5d-ac96-774b-bcce-b302099a8057",
    ],
)
def test_anything_else_is_not_an_id(text):
    with pytest.raises(BadId) as caught:
        to_uuid("msg", text)
    assert caught.value.code == "not_found"
    with pytest.raises(BadId):
        Id("msg").process_bind_param(text, DIALECT)


@given(st.text(max_size=40))
def test_no_text_breaks_the_reader(text):
    try:
        to_uuid("msg", "msg_" + text)
    except BadId:
        return
    assert len(text) == 26


def test_the_column_keeps_a_uuid_and_gives_the_public_id():
    column = Id("msg")
    public = new_id("msg")
    bind = column.bind_processor(DIALECT)
    stored = column.process_bind_param(public.lower(), DIALECT)
    assert stored == to_uuid("msg", public)
    assert bind is not None
    assert column.process_bind_param(None, DIALECT) is None
    assert column.process_bind_param(KNOWN, DIALECT) == KNOWN
    assert column.process_result_value(stored, DIALECT) == public
    assert column.process_result_value(None, DIALECT) is None
    with pytest.raises(BadId):
        column.process_bind_param(7, DIALECT)
    table = Table("t", MetaData(), Column("id", column))
    assert "id UUID" in str(CreateTable(table).compile(dialect=DIALECT))


def test_a_statement_raises_bad_id_itself_and_literals_work():
    table = Table("t", MetaData(), Column("id", Id("msg"), primary_key=True))
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        table.create(connection)
        public = new_id("msg")
        connection.execute(table.insert(), {"id": public})
        found = select(table.c.id).where(table.c.id == public.lower())
        assert connection.execute(found).scalar_one() == public
        with pytest.raises(BadId):
            connection.execute(select(table.c.id).where(table.c.id == "evt_1"))
    shown = select(table.c.id).where(table.c.id == from_uuid("msg", KNOWN))
    rendered = str(shown.compile(dialect=DIALECT, compile_kwargs={"literal_binds": True}))
    assert f"'{KNOWN}'" in rendered


def test_two_prefixes_are_two_types_in_the_statement_cache():
    assert Id("msg")._static_cache_key != Id("evt")._static_cache_key


def test_a_wrong_prefix_in_the_code_is_a_mistake_of_the_programmer():
    for wrong in ("", "Msg", "a_b", "waytoolong"):
        with pytest.raises(RuntimeError):
            new_id(wrong)


def test_tenant_ids_have_15_digits():
    made = {ids.new_tenant_id() for _ in range(2000)}
    assert len(made) == 2000
    assert all(len(str(one)) == 15 for one in made)


def test_tokens_and_codes():
    assert len(new_token()) == 22
    assert len(new_token(256)) == 43
    assert new_token() != new_token()
    code = short_code(500)
    assert len(code) == 500
    assert set(code) <= set(ids.READABLE_ALPHABET)
    assert not set(code) & set("01OILUAE")


def test_backdated_rows_have_ids_in_order_of_their_time():
    told = datetime(2026, 3, 1, 12, tzinfo=UTC)
    with dated_by(lambda: told):
        later = [new_uuid() for _ in range(3)]
        told -= timedelta(days=2)
        earlier = [new_uuid() for _ in range(3)]
    assert sorted(earlier + later) == earlier + later
    assert later[0].int >> 80 == int((told + timedelta(days=2)).timestamp() * 1000)
    assert new_uuid().int >> 80 >= time.time_ns() // 1_000_000 - 1000
