"""Why a line does not send, a message failed or a file is missing: codes and their sentences.

Drivers return these reasons, in the form of core/values/reasons.py; they are stored with lines,
messages, files and template lists.
"""

from core.values.reasons import ReasonSentences, encode_reason

N_ = str  # collected for translation here, translated where it is shown
LONGEST_DETAIL = 300
_SENTENCES: dict[str, str] = {}


def _reason(code: str, sentence: str) -> str:
    _SENTENCES[code] = sentence
    return code


def with_detail(code: str, detail: object) -> str:
    """`detail` continues the sentence and ends it."""
    return encode_reason(code, detail=_shortened(f"{detail}"))


def with_quote(reason: str, quote: str) -> str:
    """The code of a reason, followed by the network's own explanation."""
    says = encode_reason(NETWORK_SAYS, detail=_shortened(quote))
    return encode_reason(reason, then=says) if quote else reason


def _shortened(text: str) -> str:
    text = text.replace("\0", "")
    return text if len(text) <= LONGEST_DETAIL else f"{text[: LONGEST_DETAIL - 1]}…"


# The account and its access.
TOKEN_REJECTED = _reason(
    "token_rejected", N_("The line's access token has run out or was withdrawn; enter a new one.")
)
NO_PERMISSION = _reason(
    "no_permission",
    N_(
        "The line's access token may not send from this number; make one with the permission"
        " whatsapp_business_messaging."
    ),
)
UNKNOWN_PHONE_NUMBER_ID = _reason(
    "unknown_phone_number_id",
    N_("The network does not know this phone number ID, or the access token does not reach it."),
)
NO_PHONE_NUMBER_ID = _reason("no_phone_number_id", N_("The line has no phone number ID."))
UNKNOWN_ACCOUNT_ID = _reason(
    "unknown_account_id",
    N_(
        "The network does not know this business account ID, or the access token does not reach it."
    ),
)
ACCOUNT_BLOCKED = _reason(
    "account_blocked",
    N_("The network has blocked this business account for breaking its policies."),
)
ACCOUNT_LOCKED = _reason("account_locked", N_("The network has locked this business account."))
PAYMENT_METHOD = _reason(
    "payment_method",
    N_("The business account's payment method does not work; see its billing page."),
)
NOT_REGISTERED = _reason(
    "not_registered",
    N_("The line's number is not registered with the network; register it again."),
)
ACCOUNT_RESTRICTED = _reason(
    "account_restricted", N_("The network has restricted this business account.")
)
ACCOUNT_DELETED = _reason("account_deleted", N_("The business account was deleted."))
ACCOUNT_OFFBOARDED = _reason(
    "account_offboarded", N_("The business account was taken off the network.")
)
ACCOUNT_VIOLATION = _reason(
    "account_violation", N_("The network says that this business account broke a policy.")
)
PARTNER_REMOVED = _reason(
    "partner_removed", N_("The app's access to this business account was withdrawn.")
)
APP_UNINSTALLED = _reason("app_uninstalled", N_("The app was removed from this business account."))
ACCOUNT_REOPENED = _reason(
    "account_reopened", N_("The network has opened this business account again.")
)
ACCOUNT_CLOSING = _reason(
    "account_closing", N_("The network is about to close this business account.")
)
ACCOUNT_CLOSED = _reason("account_closed", N_("The network has closed this business account."))
VIOLATIONS_NAMED = _reason("violations_named", N_("It names {types}."))
QUALITY_FALLEN = _reason(
    "quality_fallen", N_("Recipients block or report this number; its quality has fallen.")
)
LIMIT_CHANGED = _reason("limit_changed", N_("The network has changed what this number may send."))
DAILY_LIMIT = _reason("daily_limit", N_("It may now reach {limit} people a day."))
QUALITY_LOW = _reason(
    "quality_low",
    N_("Recipients block or report this number often; the network may restrict it."),
)
NUMBER_STATUS = _reason("number_status", N_("The network has put this number under"))
NUMBER_NOT_READY = _reason(
    "number_not_ready", N_("The number cannot send yet; the network calls it")
)
NOT_SUBSCRIBED = _reason(
    "not_subscribed",
    N_("The app does not listen to this business account: subscribe it to the account's webhooks."),
)
NO_CALLBACK = _reason(
    "no_callback",
    N_(
        "The network has no address to tell of answers and receipts: paste the callback"
        " URL and the verify token in the app's webhook settings."
    ),
)
OTHER_CALLBACK = _reason(
    "other_callback",
    N_(
        "The network tells of answers and receipts at another address than this line's callback"
        " URL:"
    ),
)

# The network and its limits.
NETWORK_SAYS = _reason("network_says", N_("The network says:"))
LINE_SLOWED = _reason("line_slowed", N_("The network asks this line to slow down."))
HOURLY_CALLS = _reason("hourly_calls", N_("The network's hourly limit of calls is reached."))
HOURLY_ACCOUNT = _reason("hourly_account", N_("The business account's hourly limit is reached."))
REPORTED_OFTEN = _reason(
    "reported_often",
    N_("Recipients reported or blocked this line too often; the network lets little through."),
)
ACCOUNT_MAINTENANCE = _reason(
    "account_maintenance", N_("The network is maintaining this business account.")
)
PAIR_LIMIT = _reason("pair_limit", N_("Too many messages to this recipient in a short time."))
TOO_MANY_TO_RECIPIENT = _reason("too_many_to_recipient", N_("Too many messages to this recipient."))
NETWORK_DOWN = _reason(
    "network_down", N_("The network has trouble of its own; the message is tried again.")
)
UNREACHABLE = _reason("unreachable", N_("The network could not be reached."))
UNREACHABLE_BECAUSE = _reason("unreachable_because", N_("The network could not be reached:"))
ANSWER_LOST = _reason("answer_lost", N_("The network got the message, but its answer was lost:"))
ANSWER_UNREADABLE = _reason(
    "answer_unreadable", N_("The network took the message, but its answer cannot be read.")
)
ANSWER_LATE = _reason("answer_late", N_("The network got the message, but did not answer in time."))
ANSWERED_BETWEEN = _reason(
    "answered_between", N_("Something before the network answered {status} in its place.")
)
BROKE_WHILE_SENDING = _reason(
    "broke_while_sending", N_("The connection broke while the message left.")
)
BROKE_BEFORE_ANSWER = _reason(
    "broke_before_answer", N_("The connection broke before the answer came.")
)
SENDING_FAILED = _reason("sending_failed", N_("Our own sending failed:"))

# One message.
REFUSED = _reason("refused", N_("The network refused the message."))
NOT_DELIVERED = _reason(
    "not_delivered", N_("The network could not deliver the message and gave no reason.")
)
BAD_PARAMETER = _reason("bad_parameter", N_("The network refused a part of the message as wrong."))
KIND_NOT_TAKEN = _reason("kind_not_taken", N_("The network does not take this kind of message."))
PART_MISSING = _reason("part_missing", N_("The network misses a part of the message."))
INCOMPLETE = _reason("incomplete", N_("The message is not complete:"))
NO_WHATSAPP = _reason(
    "no_whatsapp",
    N_(
        "The message cannot reach this number: it has no WhatsApp, an old version of it, or has"
        " not accepted its terms."
    ),
)
NOT_ON_NETWORK = _reason("not_on_network", N_("This number is not on the network."))
CANNOT_BE_REACHED = _reason(
    "cannot_be_reached", N_("This number cannot be reached on the network.")
)
OWN_NUMBER = _reason("own_number", N_("The recipient is the line's own number."))
NOT_ON_TEST_LIST = _reason(
    "not_on_test_list",
    N_("This line is a test number of the network, and the recipient is not listed."),
)
COUNTRY_BLOCKED = _reason(
    "country_blocked",
    N_("The network does not let this business write to the recipient's country."),
)
WINDOW_CLOSED = _reason(
    "window_closed",
    N_("The recipient has not written for 24 hours; only an approved template can be sent."),
)
OPTED_OUT = _reason("opted_out", N_("The recipient has opted out of marketing messages."))
MARKETING_LIMIT = _reason(
    "marketing_limit",
    N_("The network held this marketing message back: the recipient got enough of them lately."),
)
MARKETING_TRIAL = _reason(
    "marketing_trial",
    N_("The network held this marketing message back: the recipient is in one of its trials."),
)
TEMPLATE_UNUSABLE = _reason("template_unusable", N_("The network cannot use this template."))
TEMPLATE_PARAMETERS = _reason(
    "template_parameters", N_("The template has another number of parameters than were given.")
)
TEMPLATE_UNKNOWN = _reason(
    "template_unknown", N_("There is no approved template of this name in this language.")
)
TEMPLATE_TOO_LONG = _reason(
    "template_too_long", N_("The template is too long with these parameters.")
)
TEMPLATE_POLICY = _reason("template_policy", N_("The template breaks a policy of the network."))
TEMPLATE_PARAMETER_FORM = _reason(
    "template_parameter_form", N_("A parameter of the template has the wrong form.")
)
TEMPLATE_PAUSED = _reason(
    "template_paused", N_("The network has paused the template for low quality.")
)
TEMPLATE_OFF = _reason("template_off", N_("The network has switched the template off for good."))
SIMULATED_LIVE = _reason("simulated_live", N_("A simulated line sends no live message."))
LINKED_KIND = _reason(
    "linked_kind", N_("A linked phone cannot send this kind of message; send it by a cloud line.")
)

SENT_AS_TEMPLATE = _reason(
    "sent_as_template", N_("The 24-hour window is closed; it goes as the template:")
)
RETURNED_TO_OWN_LINE = _reason(
    "returned_to_own_line",
    N_("The other line may not write to this person; it waits for its own line."),
)
RETRIED_AFTER_LINE_FAILURE = _reason(
    "retried_after_line_failure", N_("Its line went down while it was sent; it was not taken.")
)
SENT_BY_OTHER_LINE = _reason("sent_by_other_line", N_("Its line is down; it goes by another line:"))

# Files.
MEDIA_NOT_FETCHED = _reason(
    "media_not_fetched", N_("The network could not fetch the media; see that its URL is open.")
)
MEDIA_UNUSABLE = _reason(
    "media_unusable",
    N_("The network cannot use this media: its type, its size or its URL is wrong."),
)
FILE_TOO_LARGE = {
    "image": _reason("image_too_large", N_("The file is larger than the 5 MB a picture may have.")),
    "audio": _reason(
        "audio_too_large", N_("The file is larger than the 16 MB a recording may have.")
    ),
    "video": _reason("video_too_large", N_("The file is larger than the 16 MB a video may have.")),
    "document": _reason(
        "document_too_large", N_("The file is larger than the 100 MB a document may have.")
    ),
}
FILE_WRONG_TYPE = {
    "image": _reason("image_wrong_type", N_("The file is not a JPEG, PNG or WebP picture.")),
    "audio": _reason(
        "audio_wrong_type", N_("The file is not an OGG, MP3, AAC, AMR or M4A recording.")
    ),
    "video": _reason("video_wrong_type", N_("The file is not an MP4 or 3GP video.")),
}
FILE_ADDRESS = _reason("file_address", N_("The file's address cannot be used:"))
FILE_NOT_FETCHED = _reason("file_not_fetched", N_("The file could not be fetched:"))
FILE_STATUS = _reason("file_status", N_("The file's server should answer 200, but answers"))
FILE_EMPTY = _reason("file_empty", N_("The file is empty."))
FILE_GONE = _reason("file_gone", N_("The network no longer has this file."))
FILE_LARGER = _reason("file_larger", N_("The file is larger than we take in."))
FILE_UNSAFE_ADDRESS = _reason(
    "file_unsafe_address", N_("The network told an address that is not safe.")
)
NETWORK_STATUS = _reason("network_status", N_("The network answered"))
SERVER_STATUS = _reason("server_status", N_("The server answered"))
FILE_HOST_RESTARTED = _reason(
    "file_host_restarted", N_("The host was restarted before the file was fetched.")
)
FILE_LINE_GONE = _reason("file_line_gone", N_("The line of this message is gone."))
FILE_WRONG_HASH = _reason(
    "file_wrong_hash", N_("The file that came is not the one that was announced.")
)
FILE_OTHER_TYPE = _reason("file_other_type", N_("The file is not what the message says it is."))
FILE_NOT_STORED = _reason("file_not_stored", N_("The file could not be stored."))
FILE_QUEUE_FULL = _reason("file_queue_full", N_("Too many pictures are waiting to be drawn."))

# Linked phones.
PAIRING_TIMED_OUT = _reason(
    "pairing_timed_out",
    N_("No phone scanned a code in time. Start again when the phone is at hand."),
)
LOGGED_OUT = _reason("logged_out", N_("Logged out here."))
UNLINKED = _reason("unlinked", N_("The phone has unlinked this device."))
PARKED = _reason(
    "parked",
    N_(
        "The session failed again and again and is parked, so that it disturbs nobody."
        " Restart it to try once more."
    ),
)
CONNECTION_CUT = _reason("connection_cut", N_("The connection to the network was cut."))
REPLACED = _reason("replaced", N_("Another connection took its place."))
THIS_ONE_REPLACED = _reason("this_one_replaced", N_("Another connection took this one's place."))
CLIENT_ENDED = _reason("client_ended", N_("The client ended."))
CLIENT_ENDED_WITH = _reason("client_ended_with", N_("The client ended:"))
CLIENT_OUTDATED = _reason(
    "client_outdated",
    N_("The network no longer takes this client's version; the service has to be updated."),
)
CLIENT_NOT_INSTALLED = _reason(
    "client_not_installed",
    N_(
        "Linking a real phone needs the extra `linked` of this service, which is not installed"
        " here."
    ),
)
CONNECTION_REFUSED = _reason("connection_refused", N_("The network refused:"))
NOT_LINKED = _reason("not_linked", N_("The phone could not be linked:"))
NOT_PREPARED = _reason("not_prepared", N_("The message could not be prepared:"))
DID_NOT_LEAVE = _reason("did_not_leave", N_("The message did not leave:"))
LIBRARY_SILENT = _reason("library_silent", N_("The library gave no answer:"))
RESTRICTED = _reason("restricted", N_("The network has restricted this number."))
RESTRICTED_FOR_A_WHILE = _reason(
    "restricted_for_a_while", N_("The network has restricted this number for a while.")
)
RESTRICTED_TERMS = _reason(
    "restricted_terms", N_("The network has restricted this number for breaking its terms.")
)
BANNED = {
    1: _reason(
        "banned_strangers",
        N_(
            "The network has restricted this number: it wrote to too many people who do not know"
            " it."
        ),
    ),
    2: _reason(
        "banned_blocked", N_("The network has restricted this number: too many people blocked it.")
    ),
    3: _reason(
        "banned_groups", N_("The network has restricted this number: it made too many groups.")
    ),
    4: _reason(
        "banned_repeated",
        N_("The network has restricted this number: it sent the same message too often."),
    ),
    5: _reason(
        "banned_at_once",
        N_("The network has restricted this number: it wrote to too many people at once."),
    ),
}

NETWORK_REASONS = ReasonSentences(_SENTENCES)
