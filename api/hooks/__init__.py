"""The door for what others post to us: signed, stored as it came, worked on later by a job."""

from flask import Blueprint, Response

from api.errors import error_response, response_for

hooks = Blueprint("hooks", __name__, url_prefix="/hooks")


@hooks.errorhandler(Exception)
def answer_error(error: Exception) -> Response:
    """Machines call here: they get JSON, never a page."""
    return response_for(error)


def error_reply(status: int, code: str, sentence: str) -> Response:
    answer = error_response(status, code, sentence)
    answer.headers.pop("WWW-Authenticate", None)  # a signature is no bearer token
    return answer
