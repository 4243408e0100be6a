"""Why a call to somebody else's server did not give an answer, in a sentence each."""


class OutboundError(ValueError):
    """`sent` is False when the server certainly has not got the request."""

    code = "outbound_failed"

    def __init__(self, message: str, *, sent: bool = False) -> None:
        super().__init__(message)
        self.sent = sent


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
