"""Names that contain code are escaped on every page that shows them."""

import pytest

from core.db import global_scope
from core.values.text import one_line
from portal.auth.emails import break_links
from tenants import people, team
from tests.factories import Browser, make_business, make_person
from tests.portal.emails import emails_to, link_to
from tests.portal.hostile_texts import CORPUS, RUNS
from tests.portal.page_reader import Page, faults, nonce_of
from tests.sample_tenant import add_sample_contacts, add_sample_messages


class Town:
    """A tenant, its owner, a colleague, a key and an invitation, all with the same name."""

    def __init__(self, app, name):
        self.name = one_line(name, 120)
        owner = make_person(name)
        self.business = make_business(name, owner=owner)
        with self.business.scope():
            from tenants import api_keys

            self.key = api_keys.create(name, "test", ["orders"])[0]
        colleague = self.business.hires("viewer", name)
        with self.business.scope():
            self.member = team.find_by_person(colleague.id)
        self.line_id, self.message_id = add_sample_messages(self.business, name)
        self.ids = add_sample_contacts(self.business, self.name)
        with global_scope():
            people.get(owner.id).operator = True
        self.browser = Browser(app.test_client())
        agent = name.encode("ascii", "ignore").decode()
        self.browser.client.environ_base["HTTP_USER_AGENT"] = agent
        self.browser.signs_in(owner)
        self.guest = f"guest-{self.business.tenant_id}@example.com"
        self.browser.post("/team/invite", email=self.guest, role="viewer")

    def pages(self):
        member, key = f"/team/{self.member.id}", f"/integrations/keys/{self.key.id}"
        letter = emails_to(self.guest)[0]
        tenant = f"/operator/tenants/{self.business.tenant_id}"
        paths = ["/home", "/team", member, f"{member}/remove", "/integrations", key]
        paths += [f"{key}/revoke", "/settings", "/audit", "/account", "/account/sessions"]
        paths += [
            "/choose",
            "/account/two-step",
            "/operator/",
            tenant,
            "/mailbox",
            f"/mailbox/{letter.id}",
        ]
        line, message = f"/lines/{self.line_id}", f"/messages/{self.message_id}"
        yield "line", self.browser.get(line)
        yield "line removed?", self.browser.get(f"{line}/remove")
        yield "message", self.browser.get(message)
        paths += ["/lines", "/messages", "/contacts", "/contacts/fields", "/contacts/import"]
        contact = f"/contacts/{self.ids['contact_id']}"
        for place, path in {
            "contact": contact,
            "contact edit": f"{contact}/edit",
            "contact removed?": f"{contact}/remove",
            "contact erased?": f"{contact}/erase",
            "contact merge": f"{contact}/merge",
            "field": f"/contacts/fields/{self.ids['field_id']}",
            "import": f"/contacts/import/{self.ids['import_id']}",
        }.items():
            yield place, self.browser.get(path)
        yield "contacts?q", self.browser.get("/contacts", query_string={"q": self.name})
        for path in paths:
            yield path, self.browser.get(path)
        yield "audit?who", self.browser.get("/audit", query_string={"who": self.name})
        yield "operator?q", self.browser.get("/operator/", query_string={"q": self.name})
        rotated = self.browser.post(f"{key}/rotate", overlap="day")
        yield "rotated", rotated
        stranger = Browser(self.browser.client.application.test_client())
        yield "invitation", stranger.get(link_to(self.guest, "/invitations/"))
        yield (
            "sign-up",
            stranger.post(
                "/signup", business=self.name, name=self.name, email=self.name, password=self.name
            ),
        )
        yield "sign-in", stranger.post("/signin", email=self.name, password=self.name)
        yield "reset", stranger.post("/reset", email=self.name)
        yield "resend", stranger.post("/verify/resend", email=self.name)
        yield (
            "suspended",
            self.browser.post(f"{tenant}/suspend", because=self.name, sure="yes", follow=True),
        )


SHOWN_IN = {
    *("/home", "/team", "/integrations", "/settings", "/audit", "/account", "/choose"),
    *("/operator/", "/mailbox", "audit?who", "operator?q", "rotated", "invitation"),
    *("sign-up", "sign-in", "reset", "resend", "suspended"),
    *("/contacts", "/contacts/import", "contact", "contact edit", "import", "contacts?q"),
    *("contact removed?", "contact erased?"),
    *("/lines", "/messages", "line", "line removed?", "message"),
}


def several_in_one() -> list[str]:
    """Combine as many texts as fit into a name, so that fewer tenants are needed."""
    names = [""]
    for text in CORPUS:
        if len(names[-1]) + len(text) > 115:
            names.append("")
        names[-1] = f"{names[-1]} {text}".strip()
    return names


@pytest.mark.parametrize("name", several_in_one())
def test_a_name_is_only_ever_text(app, name):
    town = Town(app, name)
    for place, answer in town.pages():
        page = Page(answer.get_data(as_text=True))
        assert answer.status_code == 200, (place, answer.status_code)
        assert not faults(page, nonce_of(answer)), place
        if place in SHOWN_IN:
            seen = [*page.values, " ".join("".join(page.text).split())]
            name_there = break_links(town.name) if place.startswith("/mailbox") else town.name
            shown = " ".join(name_there.split())
            assert [text for text in seen if shown in " ".join(text.split())], place


def test_the_corpus_is_large_and_would_be_seen():
    assert len(set(CORPUS)) >= 45
    blind = [text for text in RUNS if not faults(f'<p title="{text}">{text}</p>', "nonce")]
    assert set(blind) <= {
        "javascript:window.pwned=1",
        "<meta http-equiv=refresh content=0;url=javascript:0>",
        "<link rel=stylesheet href=//evil.example/x.css>",
        "' onmouseover='window.pwned=1",
        "<noscript><p title='</noscript><img src=x onerror=window.pwned=1>'>",
    }


def test_a_name_in_the_address_is_only_text_too(app, browser, restaurant):
    browser.signs_in(restaurant.owner)
    for text in RUNS:
        for path, field in (("/audit", "who"), ("/audit", "area"), ("/signin", "next")):
            answer = browser.get(path, query_string={field: text})
            if answer.status_code == 200:
                assert not faults(answer.get_data(as_text=True), nonce_of(answer)), (path, text)
        stranger = app.test_client().get("/signin", query_string={"next": text})
        assert not faults(stranger.get_data(as_text=True), nonce_of(stranger)), text
        lost = app.test_client().get(f"/{text}".replace("\n", ""))
        assert not faults(lost.get_data(as_text=True), nonce_of(lost)), text
