"""Domain errors. The entry points turn them into responses.

A message is a template with named values, so that an entry point can translate it.
"""

from dataclasses import dataclass

from core.i18n.plurals import Message, Plural


@dataclass(frozen=True)
class FieldError:
    field: str
    code: str
    message: str

    def as_dict(self) -> dict[str, str]:
        return {"field": self.field, "code": self.code, "message": self.message}


class DomainError(Exception):
    """A refusal that a person or a program can act on. `status` is its HTTP status."""

    status = 422

    def __init__(self, code: str, message: Message, /, **values: object) -> None:
        self.code = code
        self.plural = message if isinstance(message, Plural) else None
        self.template = message.english(values) if isinstance(message, Plural) else message
        """In English. Only this is stored, so a refusal that is stored must not be a Plural."""
        self.values = values
        self.faults: list[FieldError] = []
        self.more: dict[str, object] = {}
        """Extra values for the response, such as the id of the rejected object."""
        super().__init__(self.message)

    @property
    def message(self) -> str:
        return self.template.format(**self.values) if self.values else self.template


class Invalid(DomainError):
    status = 422


class Malformed(DomainError):
    status = 400


class NotFound(DomainError):
    status = 404

    def __init__(self, message: str = "") -> None:
        super().__init__("not_found", message or "There is nothing here under that id.")


class Conflict(DomainError):
    status = 409


class Forbidden(DomainError):
    status = 403


class Unauthenticated(DomainError):
    status = 401


class PaymentRequired(DomainError):
    status = 402


class TryAgain(DomainError):
    status = 503


class RateLimited(DomainError):
    status = 429

    def __init__(self, message: Message, /, retry_after: int, **values: object) -> None:
        super().__init__("rate_limited", message, **values)
        self.retry_after = retry_after


def invalid(field: str, code: str, message: Message, /, **values: object) -> Invalid:
    """An Invalid error that belongs to one field of the request."""
    error = Invalid(code, message, **values)
    error.faults.append(FieldError(field, code, error.message))
    return error
