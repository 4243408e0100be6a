"""Every route has a guard, or is listed here with the reason why it is open."""

import pytest

# Endpoints for machines other than the API with keys, and files.
UNGUARDED = {
    "static": "our own files",
    "bootstrap.static": "Bootstrap's files",
    "health.healthz": "asked by load balancers, says only that the process lives",
    "health.readyz": "asked by load balancers, says only what is reachable",
    "health.metrics": "checks its own token and does not exist without one",
    "reference.document": "the API's description holds nothing of a tenant",
    "reference.docs": "leads to the reference page",
    "files.media_file": "the signature in the address is the guard",
    "hooks.cloud": "the token in the address finds a line, its signature is the guard",
    "hooks.store": "the token in the address finds a connection, its signature is the guard",
    "print_agents.pair": "the pairing code is the guard, and guessing is slowed down",
    "print_agents.result": "the agent's token is the guard",
    "print_agents.job_picture": "the agent's token is the guard",
    "printer_doors.star_poll": "the secret in the address and the printer's MAC are the guard",
    "printer_doors.star_fetch": "the secret in the address and the printer's MAC are the guard",
    "printer_doors.star_done": "the secret in the address and the printer's MAC are the guard",
    "printer_doors.epson": "the secret in the address is the guard",
    "mcp.agent_tools": "the API key or the app's token is the guard",
    "mcp.menu_tools": "a restaurant's menu is for everybody, and requests are limited",
    "hooks.payment": "the token in the address finds an account, a question back is the guard",
    "diner.menu_by_api": "leads to a restaurant's menu, which is for everybody",
    "hooks.cloud_handshake": "echoes only to who knows the line's verify token",
}
# Pages for people who are not signed in, or not yet.
OPEN = {
    "links.follow": "short links of campaigns; the code is the key",
    "start.front": "leads to sign-in or home",
    "start.signup": "makes an account",
    "start.resend": "sends a letter only to an address that waits for one",
    "start.verify": "the token in the link is the guard",
    "start.signin": "lets people in",
    "start.two_step": "the half-open session is the guard",
    "start.signout": "ends what is there",
    "start.reset_request": "sends a letter only to a known address",
    "start.reset": "the token in the link is the guard",
    "start.language": "a visitor's own choice",
    "start.theme": "a visitor's own choice",
    "notifications.service_worker": "a script without data, which shows notifications",
    "notifications.manifest": "the name and icons of the app",
    "inbox.sent": "the link is signed for one file, and runs out",
    "invitations.accept": "the token in the link is the guard",
    "diner.menu_here": "a restaurant's menu is for everybody",
    "diner.menu_by_api": "leads to a restaurant's menu, which is for everybody",
    "phones.order": "tells guests of a restaurant in test mode that it is one",
    "diner.menu": "a restaurant's menu is for everybody",
    "diner.call_status": "the id of the call is known only to the phone that made it",
    "diner.order_status": "the order code of the cart is the guard",
    "diner.order_cart": "the order code of the cart is the guard",
    "diner.free_times": "when a restaurant has room is for everybody",
    "diner.place": "a restaurant's menu is for everybody",
    "diner.tone": "a restaurant's colour",
    "diner.send_cart": "guests order without signing in; the table's token proves their seat",
    "diner.call": "the table's token is the guard",
    "diner.coupon": "what a code takes off is for whoever has it; guessing is limited",
    "diner.zone": "what delivery costs is for everybody",
    "diner.join_page": "the table's token is the guard",
    "diner.join_tab": "the table's token is the guard",
    "diner.tab_page": "the signed address of the tab is the guard",
    "diner.tab_status": "the signed address of the tab is the guard",
    "diner.pay_share": "the signed address of the tab is the guard",
    "diner.release_share": "the signed address of the tab is the guard",
    "diner.answer_guest": "the signed address of the tab is the guard",
    "diner.enter_join_code": "the signed address of the tab is the guard",
    "diner.rename_guest": "the signed address of the tab is the guard",
    "diner.store_own_items": "the signed address of the tab is the guard",
    "diner.send_round": "the signed address of the tab is the guard",
    "courier.listed": "the signed link is the guard, and runs out",
    "courier.act": "the signed link is the guard, and runs out",
    "ticket_codes.ticket": "shows a ticket only to a member or a connected scanner",
    "ticket_codes.mark_ready": "checks the member's right or the scanner's signed link itself",
    "ticket_codes.connect_page": "the signed link is the guard, and runs out",
    "ticket_codes.connect": "the signed link is the guard, and runs out",
    "diner.paid": "the signed token is the guard; it tells how one link stands",
    "oauth_endpoints.server_metadata": "describes the service, holds nothing of a tenant",
    "oauth_endpoints.resource_metadata": "describes the service, holds nothing of a tenant",
    "oauth_endpoints.register": "a program registers before a person allows it anything",
    "oauth_endpoints.token": "the code or the refresh token is the guard",
    "oauth_endpoints.revoke": "the token is the guard",
    "photos.show": "photos of menus are for everybody",
    "developers.reference": "the API's description holds nothing of a tenant",
    "developers.calls": "the API's description holds nothing of a tenant",
    "developers.events": "the API's description holds nothing of a tenant",
    "markdown_pages.llms": "lists guides and the API's description",
    "markdown_pages.guide_page": "guides hold nothing of a tenant",
    "markdown_pages.events": "the API's description holds nothing of a tenant",
    "markdown_pages.group_page": "the API's description holds nothing of a tenant",
    "guides.index": "guides hold nothing of a tenant",
    "guides.page": "guides hold nothing of a tenant",
    "guides.search": "guides hold nothing of a tenant",
    "guides.picture": "guides hold nothing of a tenant",
    "guides.postman": "the API's description, as a collection",
    "downloads.agent": "the print agent holds nothing of a tenant",
    "downloads.agent_checksum": "the print agent holds nothing of a tenant",
    "downloads.executable": "the print agent holds nothing of a tenant",
    "mailbox.index": "development only: the blueprint is not there when mail is sent",
    "mailbox.show": "development only: the blueprint is not there when mail is sent",
}


def faults(app):
    found = []
    for rule in app.url_map.iter_rules():
        view = app.view_functions[rule.endpoint]
        scope, guard = getattr(view, "key_scope", None), getattr(view, "guard", None)
        if rule.rule.startswith("/api/v1/") and rule.endpoint not in UNGUARDED:
            if scope is None or not rule.endpoint.startswith("v1."):
                found.append(f"{rule} asks for no key")
        elif guard == "open":
            if rule.endpoint not in OPEN:
                found.append(f"{rule} is open and not listed")
        elif guard is None and rule.endpoint not in UNGUARDED:
            found.append(f"{rule} has no guard")
    return found


def test_every_route_is_guarded_or_open_for_a_reason(app):
    assert not faults(app)


def test_no_reason_is_given_for_a_route_that_is_gone_or_guarded(app):
    for endpoint in (*OPEN, *UNGUARDED):
        assert endpoint in app.view_functions, endpoint
    for endpoint in OPEN:
        assert app.view_functions[endpoint].guard == "open"


@pytest.mark.parametrize("path", ["/secret", "/api/v1/secret", "/team/secret", "/operator/secret"])
def test_a_route_without_a_guard_is_seen(app, path, monkeypatch):
    rules = app.url_map
    bare = type(rules)([*(r.empty() for r in rules.iter_rules())])
    bare.add(type(next(rules.iter_rules()))(path, endpoint="secret"))
    monkeypatch.setattr(app, "url_map", bare)
    monkeypatch.setitem(app.view_functions, "secret", lambda: "")
    assert [fault for fault in faults(app) if path in fault]


def test_a_page_opened_by_accident_is_seen(app, monkeypatch):
    monkeypatch.setattr(app.view_functions["team.index"], "guard", "open")
    assert faults(app) == ["/team is open and not listed"]


def test_the_mailbox_is_not_there_when_mail_is_sent(settings, app):
    from wsgi import build_app

    other = build_app(settings.model_copy(update={"mail_url": "smtp://localhost:25"}))
    try:
        assert not [r for r in other.url_map.iter_rules() if "mailbox" in r.endpoint]
    finally:
        build_app(settings)  # restores the module-level state for this app


def test_a_guarded_page_sends_a_stranger_to_sign_in(app, client):
    for rule in app.url_map.iter_rules():
        guard = getattr(app.view_functions[rule.endpoint], "guard", None)
        if guard in (None, "open"):
            continue
        values = dict.fromkeys(rule.arguments, 1)
        path = rule.build(values, append_unknown=False)[1]
        for method in rule.methods - {"OPTIONS", "POST"}:
            answer = client.open(path, method=method)
            assert answer.status_code == 302, (method, path)
            assert answer.location.startswith("/signin"), (method, path)


def test_every_api_route_refuses_a_stranger(app, client):
    for rule in app.url_map.iter_rules():
        if rule.endpoint.startswith("v1."):
            path = rule.build(dict.fromkeys(rule.arguments, 1), append_unknown=False)[1]
            for method in rule.methods:
                answer = client.open(path, method=method)
                assert answer.status_code == 401, (method, path)
