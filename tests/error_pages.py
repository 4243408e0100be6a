"""The error pages that a walk over every route meets, each drawn once."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from flask import Response

from portal.web import app as portal_app


@contextmanager
def error_pages_drawn_once() -> Iterator[None]:
    """For one caller: hundreds of routes answer with the same few pages, and to draw a page takes
    longer than all that is looked at there. Which page it is, and whether there is one, every
    request still finds out by itself. Not for walks whose addresses are odd: a page repeats them.
    """
    draw = portal_app._error_page
    drawn: dict[tuple[int, str], bytes] = {}

    def page(status: int, sentence: str = "") -> Response:
        key = status, str(sentence)
        if key not in drawn:
            drawn[key] = draw(status, sentence).get_data()
        return Response(drawn[key], status, mimetype="text/html")

    with patch.object(portal_app, "_error_page", page):
        yield
