"""Why a call to a server outside gave no reply. Each message is a sentence for people."""

ANSWER_TIMED_OUT, CONNECTION_TIMED_OUT = "answer_timeout", "connect_timeout"
NO_CONNECTION, BROKE_OFF = "no_connection", "broke_off"
BAD_CERTIFICATE, NO_TLS = "bad_certificate", "no_tls"
NAME_NOT_FOUND = "name_not_found"


class OutboundError(ValueError):
    """`sent` is False if the server certainly did not get the request."""

    code = "outbound_failed"

    def __init__(self, message: str, *, sent: bool = False, problem: str = "") -> None:
        super().__init__(message)
        self.sent = sent
        self.problem = problem or self.code
        """A finer code: what was wrong with the server or the connection."""


class BadUrl(OutboundError):
    """The URL has a form that is not allowed."""

    code = "invalid_url"


class RefusedAddress(OutboundError):
    """The URL leads to an address that is not on the public internet."""

    code = "refused_address"


class ConnectFailed(OutboundError):
    """No connection, a broken connection, or a response that is not HTTP."""

    code = "connect_failed"


class Timeout(OutboundError):
    """The whole exchange took too long."""

    code = "timeout"


class TooLarge(OutboundError):
    """The response is too long."""

    code = "too_large"
