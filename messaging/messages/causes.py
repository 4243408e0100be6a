"""Causes in a message's timeline besides reasons (messaging/reasons.py).

Their stored form is published in the API's field `cause`, and the timeline is the largest table,
so these values stay as they are.
"""

ACCEPTED = "accepted"
TAKEN_BY_NETWORK = "accepted by the network"
RECEIPT = "the network's receipt"
NOT_SENT_IN_TIME = "not sent in time"
WORKER_STOPPED = "the worker stopped while sending"
CANCELLED = "cancelled"
