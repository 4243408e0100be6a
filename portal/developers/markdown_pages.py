"""Guides and the API reference as Markdown, and `/llms.txt`, which lists them for programs."""

from collections.abc import Iterable

from flask import Blueprint, Response, abort, current_app, url_for
from markupsafe import Markup

from portal.developers.event_reference import EventReference, event_groups
from portal.developers.guide_catalog import EXAMPLE, FOR_OPERATORS, Guide, chapters, guides_in
from portal.developers.markdown import DOCS
from portal.developers.reference import PREFIX, CallDoc, CallGroup, FieldDoc, call_groups
from portal.web.auth import open_to_all

markdown_pages = Blueprint("markdown_pages", __name__)

MARKDOWN = "text/markdown; charset=utf-8"
ABOUT = (
    "Comanda sends and receives WhatsApp messages for businesses and runs restaurant ordering,"
    " payments and kitchen printing. Programs use the HTTP API at {base}/api/v1 with an API key"
    " and receive signed webhooks."
)


@markdown_pages.get("/llms.txt")
@open_to_all
def llms() -> Response:
    base = _base_url()
    guides = [one for one in guides_in("en", base) if one.name not in FOR_OPERATORS]
    lines = ["# Comanda", "", f"> {ABOUT.format(base=base)}", ""]
    for chapter in chapters(guides):
        lines += [f"## {chapter.title}", ""]
        lines += [_link(one.title, f"/docs/{one.name}.md", one.lede) for one in chapter.guides]
        lines.append("")
    lines += ["## API reference", ""]
    lines += [
        _link(group.name, f"/reference/{group.slug}.md", f"{len(group.calls)} calls")
        for group in call_groups()
    ]
    lines.append(_link("Events", "/reference/events.md", "Every webhook with an example"))
    document = url_for("reference.document")
    lines.append(_link("OpenAPI document", document, "The whole API as OpenAPI 3.1"))
    return Response("\n".join(lines) + "\n", mimetype="text/plain")


@markdown_pages.get("/docs/<path:guide>.md")
@open_to_all
def guide_page(guide: str) -> Response:
    found = next((one for one in guides_in("en", _base_url()) if one.name == guide), None)
    if found is None:
        abort(404)
    return markdown_response(guide_markdown(found))


@markdown_pages.get("/reference/events.md")
@open_to_all
def events() -> Response:
    parts = ["# Events", "", "What Comanda posts to your endpoints, and `GET /events` returns.", ""]
    for found in event_groups(current_app).values():
        for event in found:
            parts += _event_lines(event)
    return markdown_response("\n".join(parts))


@markdown_pages.get("/reference/<group>.md")
@open_to_all
def group_page(group: str) -> Response:
    found = next((one for one in call_groups() if one.slug == group), None)
    if found is None:
        abort(404)
    return markdown_response("\n".join(_group_lines(found)))


def guide_markdown(guide: Guide) -> str:
    """The page as it is written, with this service's own address."""
    place = guide.name if guide.language == "en" else f"{guide.language}/{guide.name}"
    return (DOCS / f"{place}.md").read_text().replace(EXAMPLE, _base_url())


def markdown_response(text: str) -> Response:
    return Response(text.rstrip() + "\n", content_type=MARKDOWN)


def _base_url() -> str:
    return str(current_app.extensions["comanda"].base_url)


def _link(title: str, path: str, about: str) -> str:
    return f"- [{title}]({_base_url()}{path}): {about}"


def _group_lines(group: CallGroup) -> Iterable[str]:
    yield from (f"# {group.name}", "")
    for call in group.calls:
        yield from _call_lines(call)


def _call_lines(call: CallDoc) -> Iterable[str]:
    yield from (f"## {call.title}", "", f"`{call.method} {PREFIX}{call.path}`", "")
    if call.text:
        yield from (_plain(call.text), "")
    if call.scope not in ("", "any"):
        yield from (f"The key needs the scope `{call.scope}`.", "")
    yield from _field_lines("Parameters", call.parameters)
    yield from _field_lines("Body", call.fields)
    if call.body:
        yield from ("```json", call.body, "```", "")
    for answer in call.successes:
        yield from (f"Response {answer.status}:", "", "```json", answer.example, "```", "")


def _event_lines(event: EventReference) -> Iterable[str]:
    yield from (f"## {event.name}", "", event.summary, "")
    yield from _field_lines("Fields", event.fields)
    yield from ("```json", event.example, "```", "")


def _field_lines(title: str, fields: list[FieldDoc]) -> Iterable[str]:
    if not fields:
        return
    yield from (f"{title}:", "")
    for one in fields:
        needed = ", required" if one.needed else ""
        text = f": {_plain(one.text)}" if one.text else ""
        yield f"- `{one.name}` ({one.kind}{needed}){text}"
    yield ""


def _plain(text: Markup) -> str:
    return " ".join(text.replace("<code>", "`").replace("</code>", "`").striptags().split())
