"""Every documented error of the network has an outcome and a sentence."""

import json

import pytest

from core.http import Reply
from messaging.lines.drivers.base import SendRefused, TryLater
from messaging.lines.drivers.cloud.driver import interpret_reply
from messaging.lines.drivers.cloud.errors import error_meaning
from messaging.reasons import NETWORK_REASONS

# Meta's pages "Error codes" (15 May 2026) and "Direct Send API reference" (31 July 2026), without
# the codes of calls, groups and embedded signup. Each with the code that the API shows.
DOCUMENTED = {
    0: "line_unavailable",
    1: "network_trouble",
    2: "network_trouble",
    3: "line_unavailable",
    4: "rate_limited",
    10: "line_unavailable",
    33: "line_unavailable",
    100: "invalid_parameter",
    190: "line_unavailable",
    200: "line_unavailable",
    299: "line_unavailable",
    368: "line_unavailable",
    506: "refused_by_network",
    613: "rate_limited",
    80007: "rate_limited",
    130429: "rate_limited",
    130472: "marketing_limited",
    130497: "recipient_unavailable",
    131000: "network_trouble",
    131005: "line_unavailable",
    131008: "invalid_parameter",
    131009: "invalid_parameter",
    131016: "network_trouble",
    131021: "recipient_unavailable",
    131026: "recipient_unavailable",
    131030: "recipient_unavailable",
    131031: "line_unavailable",
    131037: "line_unavailable",
    131042: "line_unavailable",
    131043: "refused_by_network",
    131044: "line_unavailable",
    131045: "line_unavailable",
    131047: "window_closed",
    131048: "rate_limited",
    131049: "marketing_limited",
    131050: "recipient_opted_out",
    131051: "invalid_parameter",
    131052: "media_unusable",
    131053: "media_unusable",
    131055: "refused_by_network",
    131056: "pair_rate_limited",
    131057: "rate_limited",
    131058: "template_unusable",
    131060: "refused_by_network",
    131062: "template_unusable",
    131064: "direct_send_unavailable",
    132000: "template_unusable",
    132001: "template_unusable",
    132005: "template_unusable",
    132007: "template_unusable",
    132012: "template_unusable",
    132015: "template_unusable",
    132016: "template_unusable",
    132018: "template_unusable",
    132068: "refused_by_network",
    132069: "rate_limited",
    133000: "line_unavailable",
    133004: "network_trouble",
    133005: "line_unavailable",
    133006: "line_unavailable",
    133008: "line_unavailable",
    133009: "line_unavailable",
    133010: "line_unavailable",
    133015: "line_unavailable",
    133016: "line_unavailable",
    134011: "refused_by_network",
    134100: "template_unusable",
    134101: "template_unusable",
    134102: "template_unusable",
    135000: "invalid_parameter",
    139000: "refused_by_network",
    139200: "direct_send_unavailable",
}


@pytest.mark.parametrize(("code", "ours"), DOCUMENTED.items())
def test_a_documented_error_has_our_code_and_a_sentence(code, ours):
    meaning = error_meaning(code)
    assert meaning is not None
    assert meaning.code == ours
    sentence = NETWORK_REASONS.english(meaning.reason)
    assert sentence != meaning.reason
    assert sentence.endswith(".")


def reply(code, details):
    error = {"code": code, "message": f"(#{code})", "error_data": {"details": details}}
    return Reply(400, {}, json.dumps({"error": error}).encode(), 0.1, None)


def test_an_account_without_direct_send_is_recognized_by_the_explanation():
    off = "Direct Send isn't enabled for this account."
    assert interpret_reply(reply(100, off), direct_send=True).code == "direct_send_unavailable"
    wrong = interpret_reply(reply(100, "Param body is too long"), direct_send=True)
    assert wrong.code == "invalid_parameter"
    assert interpret_reply(reply(100, off)).code == "invalid_parameter"


def test_temporary_errors_are_tried_again_and_the_others_are_not():
    assert isinstance(interpret_reply(reply(134101, "Template is syncing")), TryLater)
    assert isinstance(interpret_reply(reply(139200, "Blocked")), SendRefused)
