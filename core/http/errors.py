"""Why a call to somebody else's server did not give an answer, in a sentence each."""

ANSWER_TIMED_OUT, CONNECTION_TIMED_OUT = "answer_timeout", "connect_timeout"
NO_CONNECTION, BROKE_OFF = "no_connection", "broke_off"
BAD_CERTIFICATE, NO_TLS = "bad_certificate", "no_tls"
NAME_NOT_FOUND = "name_not_found"


class OutboundError(ValueError):
    """`sent` is False when the server certainly has not got the request."""

    code = "outbound_failed"

    def __init__(self, message: str, *, sent: bool = False, problem: str = "") -> None:
        super().__init__(message)
        self.sent = sent
        self.problem = problem or self.code
        """A finer code: what was wrong with the server or the connection."""


class BadUrl(OutboundError):
    """The URL has a form that we do not call."""

    code = "invalid_url"


class RefusedAddress(OutboundError):
    """The URL leads to an address that is not on the public internet."""

    code = "refused_address"


class ConnectFailed(OutboundError):
    """No connection, a connection that broke, or something that is not HTTP."""

    code = "connect_failed"


class Timeout(OutboundError):
    """The whole exchange took longer than it may."""

    code = "timeout"


class TooLarge(OutboundError):
    """The answer is longer than it may be."""

    code = "too_large"
