"""Why a call to a server outside gave no reply. Each message is a sentence for people."""


class OutboundError(ValueError):
    """`sent` is False if the server certainly did not get the request."""

    code = "outbound_failed"

    def __init__(self, message: str, *, sent: bool = False) -> None:
        super().__init__(message)
        self.sent = sent


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
