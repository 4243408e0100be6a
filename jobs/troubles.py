"""Tell people that a line has stopped or works again: once, with what to do."""

from core import lanes
from core.db import global_scope, ring, tenant_scope
from core.rings import hear
from jobs.letters import Gettext, Letter, network_words, to_admins
from messaging import troubles
from messaging.troubles import LANE, News

LANE_SECONDS = 30.0


def tell() -> int:
    hear("jobs.troubles.tell")
    told = 0
    while True:
        with global_scope():
            leased = lanes.lease_next(LANE, LANE_SECONDS)
        if leased is None:
            return told
        tenant_id, lease = leased
        # First give the lane back: a trouble that comes while these are told marks it anew.
        with global_scope():
            lanes.release(LANE, tenant_id, lease)
        with tenant_scope(tenant_id):
            told += sum(_tell(news) for news in troubles.take_untold())


def sweep() -> None:
    """In the sweep's global transaction: lanes that nobody rang for."""
    if lanes.any_due(LANE):
        ring("jobs.troubles.tell")


def _tell(news: News) -> int:
    if news.test:
        return 0
    write = _is_well if news.well else _in_trouble
    return to_admins(lambda gettext: write(news, gettext), f"/lines/{news.line_id}")


def _is_well(news: News, gettext: Gettext) -> Letter:
    name = {"name": news.name}
    return gettext("The line “%(name)s” works again") % name, [
        gettext("the line “%(name)s” sends again. What waited for it leaves now.") % name
    ]


def _in_trouble(news: News, gettext: Gettext) -> Letter:
    name = {"name": news.name}
    subjects = {
        "token_expired": gettext("The line “%(name)s” has stopped: its access token ran out"),
        "restricted": gettext("The line “%(name)s” has stopped: the network restricted it"),
        "quality_low": gettext("The line “%(name)s” is paused: its quality has fallen"),
        "logged_out": gettext("The line “%(name)s” has stopped: its phone signed it out"),
    }
    subject = subjects.get(news.state, gettext("The line “%(name)s” has stopped")) % name
    place = news.state if news.kind != "linked" else f"linked_{news.state}"
    what_now = [_meanwhile(news, gettext), _advice(place, gettext)]
    return subject, [network_words(news.because, gettext) or subject, *filter(None, what_now)]


def _meanwhile(news: News, gettext: Gettext) -> str:
    if news.stand_in:
        return gettext("Meanwhile its messages leave by the line “%(name)s”.") % {
            "name": news.stand_in
        }
    return gettext("Its messages wait; nothing is lost, but they may come too late.")


def _advice(state: str, gettext: Gettext) -> str:
    return {
        "token_expired": gettext(
            "What to do: make a new access token for the system user in the business settings, one"
            " that never expires, and enter it on the page of the line:"
        ),
        "restricted": gettext(
            "What to do: open the account quality page of the WhatsApp Manager, see what the"
            " network asks for, and appeal there if it is wrong. Then press Check on the page of"
            " the line:"
        ),
        "quality_low": gettext(
            "What to do: write only to people who expect it, and make it easy to say stop. It goes"
            " on by itself when the network calls its quality good again, or at once when you press"
            " Send again on the page of the line:"
        ),
        "linked_restricted": gettext(
            "What to do: stop writing to people who did not write first, and look into the app on"
            " the phone, which says how long it lasts. The page of the line:"
        ),
        "linked_disconnected": gettext(
            "What to do: see that the phone is switched on and online. It is tried again by itself;"
            " Restart on the page of the line tries at once:"
        ),
        "linked_logged_out": gettext(
            "What to do: open the page of the line and scan its code with the phone again:"
        ),
    }.get(state, gettext("What to do: open the page of the line:"))
