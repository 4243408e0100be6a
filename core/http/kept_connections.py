"""Connections that stay open between two requests, of HTTP clients and of database pools."""

import select

IDLE_SECONDS = 15.0  # servers close idle connections; a request must not meet a closing one


def is_closed_by_peer(file_descriptor: int) -> bool:
    """True if the other side has closed a connection on which nothing is expected: any data on it
    means that.
    """
    poll = select.poll()
    poll.register(file_descriptor, select.POLLIN)
    return bool(poll.poll(0))
