"""Guides: the pages of docs/ in the portal, public, with a search."""

from typing import Any

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    jsonify,
    render_template,
    request,
    send_from_directory,
)
from flask_babel import get_locale
from flask_login import current_user

from core.openapi.document import openapi_document
from core.openapi.postman import postman_collection
from portal.developers.guide_catalog import FOR_OPERATORS, Guide, chapters, guides_in, search_guides
from portal.developers.markdown import DOCS
from portal.developers.markdown_pages import guide_markdown, markdown_response
from portal.web.auth import open_to_all

guides = Blueprint("guides", __name__)

LONGEST_QUESTION = 100
FOR_AN_HOUR = 3600


@guides.get("/docs")
@open_to_all
def index() -> Any:
    return render_template("guides/index.html", chapters=chapters(_listed()))


@guides.get("/docs/search")
@open_to_all
def search() -> Any:
    query = " ".join(request.args.get("q", "").split())[:LONGEST_QUESTION]
    every = _listed()
    return render_template(
        "guides/search.html",
        query=query,
        found=search_guides(every, query),
        chapters=chapters(every),
    )


@guides.get("/docs/<path:guide>")
@open_to_all
def page(guide: str) -> Any:
    every = _listed()
    if guide not in {one.name for one in every}:
        every = _all()  # other guides may link to pages that are not listed
    at = next((number for number, one in enumerate(every) if one.name == guide), None)
    if at is None:
        abort(404)
    if request.accept_mimetypes.best_match(("text/html", "text/markdown")) == "text/markdown":
        return markdown_response(guide_markdown(every[at]))
    return render_template(
        "guides/guide.html",
        guide=every[at],
        chapters=chapters(_listed()),
        before=every[at - 1] if at > 0 else None,
        after=every[at + 1] if at + 1 < len(every) else None,
    )


@guides.get("/docs/images/<picture>")
@open_to_all
def picture(picture: str) -> Response:
    return send_from_directory(DOCS / "images", picture, max_age=FOR_AN_HOUR)


@guides.get("/docs/postman.json")
@open_to_all
def postman() -> Response:
    """The API as a collection that Postman, Bruno and Insomnia can import."""
    answer = jsonify(postman_collection(openapi_document(current_app)))
    answer.headers["Content-Disposition"] = 'attachment; filename="comanda.postman.json"'
    return answer


def _listed() -> list[Guide]:
    """The guides to list; pages about running the service are for operators only."""
    operator = getattr(current_user, "is_operator", False)
    return [one for one in _all() if operator or one.name not in FOR_OPERATORS]


def _all() -> list[Guide]:
    return guides_in(str(get_locale()), current_app.extensions["comanda"].base_url)
