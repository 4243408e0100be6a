"""Test data: businesses with people and keys, and browsers."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from itertools import count
from secrets import token_hex
from typing import Any

import werkzeug.test
from flask.testing import FlaskClient
from itsdangerous import URLSafeTimedSerializer
from werkzeug.test import TestResponse
from werkzeug.wsgi import get_current_url

from core.db import global_scope, tenant_scope
from core.ids import short_code
from tenants import accounts, api_keys, people, team
from tenants.models import Person
from tenants.passwords import hash_password
from tenants.rights import SCOPES

PASSWORD = "correct horse battery"
FORM = "application/x-www-form-urlencoded"
_numbers = count(1)

# The test client reads host and path of a cookie from the address. Decoding a long query for that,
# twice for each request, takes longer than the request itself.
werkzeug.test.get_current_url = partial(get_current_url, strip_querystring=True)


def unique_email(name: str = "person") -> str:
    return f"{name}{next(_numbers)}-{short_code(6).lower()}@example.com"


def make_person(name: str = "Ada Ferrer", *, verified: bool = True) -> Person:
    password = hash_password(PASSWORD)
    with global_scope():
        return people.register(unique_email(), name, password, verified=verified)


@dataclass
class Business:
    tenant_id: int
    name: str
    owner: Person
    key: str
    key_id: str
    test_key: str

    @contextmanager
    def scope(self) -> Iterator[None]:
        with tenant_scope(self.tenant_id):
            yield

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def hires(self, role: str, name: str = "Emre Yıldız") -> Person:
        person = make_person(name)
        with self.scope():
            team.add_member(person, role)
        return person

    def makes_key(self, *scopes: str, mode: str = "live", **more: Any) -> str:
        with self.scope():
            return api_keys.create("Key", mode, list(scopes or SCOPES), **more)[1]


def make_business(name: str, plan: str = "growth", owner: Person | None = None) -> Business:
    owner = owner or make_person("Derya Aksoy")
    with tenant_scope(accounts.reserve_id()):
        tenant = accounts.create(name, owner, plan)
        key, live = api_keys.create("Live key", "live", list(SCOPES))
        _, test = api_keys.create("Test key", "test", list(SCOPES))
    return Business(tenant.id, name, owner, live, key.id, test)


class FreshClient(FlaskClient):
    """Runs each request in its own context, as a server does: nothing that a test holds open or
    that an earlier request left behind reaches it. The response is read completely inside.
    """

    def open(self, *args: Any, **more: Any) -> TestResponse:
        self.preserve_context = False
        return Context().run(super().open, *args, **{**more, "buffered": True})


class Browser:
    """A person's browser: keeps its cookies, and sends the token of the last form."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self._token = ""

    @property
    def token(self) -> str:
        """Before the first form: a valid token, without rendering a page for it."""
        if not self._token:
            self._token = Context().run(self._make_token)
        return self._token

    @token.setter
    def token(self, token: str) -> None:
        self._token = token

    def _make_token(self) -> str:
        with self.client.session_transaction() as kept:
            said = kept.setdefault("csrf_token", token_hex(20))
        key = self.client.application.secret_key
        return str(URLSafeTimedSerializer(key, salt="wtf-csrf-token").dumps(said))

    def get(self, path: str, **more: Any) -> TestResponse:
        return self._seen(self.client.get(path, **more))

    def post(
        self, path: str, *, follow: bool = False, form: str = "", **fields: Any
    ) -> TestResponse:
        """`form`: fields that are already encoded."""
        if form:
            body = f"csrf_token={self.token}&{form}"
            return self._seen(self.client.post(path, data=body, content_type=FORM))
        data = {"csrf_token": self.token, **fields}
        return self._seen(self.client.post(path, data=data, follow_redirects=follow))

    def signs_in(self, person: Person, password: str = PASSWORD) -> "Browser":
        answer = self.post("/signin", email=person.email, password=password)
        assert answer.status_code == 302, answer.get_data(as_text=True)
        self.token = ""
        return self

    def _seen(self, answer: TestResponse) -> TestResponse:
        if not answer.mimetype.startswith("text/"):
            return answer
        found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', answer.get_data(as_text=True))
        if found:
            self.token = found[1]
        return answer
