"""Blueprint for hooks from other services: verified, stored as received, processed by a job."""

from flask import Blueprint, Response

from api.errors import error_response, response_for

hooks = Blueprint("hooks", __name__, url_prefix="/hooks")


@hooks.errorhandler(Exception)
def answer_error(error: Exception) -> Response:
    """Errors are JSON, because programs call these endpoints."""
    return response_for(error)


def error_reply(status: int, code: str, sentence: str) -> Response:
    answer = error_response(status, code, sentence)
    answer.headers.pop("WWW-Authenticate", None)  # hooks are signed and use no bearer token
    return answer
