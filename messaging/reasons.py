"""Why a line does not send, a message failed or a file is missing: codes and their sentences.

Drivers return these reasons, in the form of core/values/reasons.py; they are stored with lines,
messages, files and template lists.
"""

from core.i18n.catalogs import N_
from core.values.reasons import ReasonSentences, encode_reason
from messaging import refusal_reasons

LONGEST_DETAIL = 300
_SENTENCES: dict[str, str] = dict(refusal_reasons.SENTENCES)


def _reason(code: str, sentence: str) -> str:
    _SENTENCES[code] = sentence
    return code


def with_detail(code: str, detail: object) -> str:
    """`detail` continues the sentence and ends it."""
    return encode_reason(code, detail=_shortened(f"{detail}"))


def with_quote(reason: str, quote: str) -> str:
    """The code of a reason, followed by the network's own explanation."""
    quoted = encode_reason(NETWORK_SAYS, detail=_shortened(quote))
    return encode_reason(reason, then=quoted) if quote else reason


def _shortened(text: str) -> str:
    text = text.replace("\0", "")
    return text if len(text) <= LONGEST_DETAIL else f"{text[: LONGEST_DETAIL - 1]}…"


# The account and its access.
TOKEN_REJECTED = _reason(
    "token_rejected", N_("The line's access token has expired or was revoked. Enter a new one.")
)
NO_PERMISSION = _reason(
    "no_permission",
    N_(
        "The line's access token does not have permission to send from this "
        "number. Create one with the permission whatsapp_business_messaging."
    ),
)
UNKNOWN_PHONE_NUMBER_ID = _reason(
    "unknown_phone_number_id",
    N_(
        "WhatsApp does not recognize this phone number ID, or the access token does "
        "not give access to it."
    ),
)
NO_PHONE_NUMBER_ID = _reason("no_phone_number_id", N_("The line has no phone number ID."))
UNKNOWN_ACCOUNT_ID = _reason(
    "unknown_account_id",
    N_(
        "WhatsApp does not recognize this business account ID, or the access token "
        "does not give access to it."
    ),
)
ACCOUNT_BLOCKED = _reason(
    "account_blocked",
    N_("WhatsApp blocked this business account for violating its policies."),
)
ACCOUNT_LOCKED = _reason("account_locked", N_("WhatsApp locked this business account."))
PAYMENT_METHOD = _reason(
    "payment_method",
    N_("The payment method of the business account does not work. Check its billing page."),
)
NOT_REGISTERED = _reason(
    "not_registered",
    N_("The line's number is not registered with WhatsApp. Register it again."),
)
ACCOUNT_RESTRICTED = _reason(
    "account_restricted", N_("The network has restricted this business account.")
)
ACCOUNT_DELETED = _reason("account_deleted", N_("The business account was deleted."))
ACCOUNT_OFFBOARDED = _reason(
    "account_offboarded", N_("The business account was taken off the network.")
)
ACCOUNT_VIOLATION = _reason(
    "account_violation", N_("The network reports that this business account violated a policy.")
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
VIOLATIONS_NAMED = _reason("violations_named", N_("Reported types: {types}."))
QUALITY_FALLEN = _reason(
    "quality_fallen",
    N_("Recipients are blocking or reporting this number. Its quality rating has dropped."),
)
LIMIT_CHANGED = _reason(
    "limit_changed", N_("The network changed the sending limit of this number.")
)
DAILY_LIMIT = _reason("daily_limit", N_("It may now reach {limit} people a day."))
QUALITY_LOW = _reason(
    "quality_low",
    N_("Recipients often block or report this number. WhatsApp may restrict it."),
)
NUMBER_STATUS = _reason("number_status", N_("WhatsApp set the status of this number to"))
NUMBER_NOT_READY = _reason(
    "number_not_ready", N_("The number cannot send yet. Its status on WhatsApp is")
)
NOT_SUBSCRIBED = _reason(
    "not_subscribed",
    N_(
        "The app does not receive events from this business account. Subscribe the "
        "app to the account's webhooks."
    ),
)
FIELDS_MISSING = _reason(
    "fields_missing",
    N_(
        "The app does not subscribe to all webhook fields that Comanda reads. Subscribe to them in "
        "the app's webhook settings:"
    ),
)
NO_CALLBACK = _reason(
    "no_callback",
    N_(
        "WhatsApp has no address for replies and delivery receipts. Paste the "
        "callback URL and the verify token into the app's webhook settings."
    ),
)
OTHER_CALLBACK = _reason(
    "other_callback",
    N_(
        "WhatsApp sends replies and delivery receipts to an address other than "
        "this line's callback URL:"
    ),
)

# The network and its limits.
NETWORK_SAYS = _reason("network_says", N_("Reason given by WhatsApp:"))
LINE_SLOWED = _reason("line_slowed", N_("WhatsApp is limiting this line's sending speed."))
HOURLY_CALLS = _reason("hourly_calls", N_("WhatsApp's hourly request limit has been reached."))
HOURLY_ACCOUNT = _reason(
    "hourly_account", N_("The business account's hourly limit has been reached.")
)
REPORTED_OFTEN = _reason(
    "reported_often",
    N_(
        "Recipients reported or blocked this line too often, so WhatsApp delivers "
        "few of its messages."
    ),
)
ACCOUNT_MAINTENANCE = _reason(
    "account_maintenance", N_("WhatsApp is doing maintenance on this business account.")
)
PAIR_LIMIT = _reason(
    "pair_limit", N_("Too many messages were sent to this recipient in a short time.")
)
TOO_MANY_TO_RECIPIENT = _reason(
    "too_many_to_recipient", N_("Too many messages were sent to this recipient.")
)
NETWORK_DOWN = _reason(
    "network_down", N_("WhatsApp has a temporary problem. The message will be sent again.")
)
UNREACHABLE = _reason("unreachable", N_("WhatsApp could not be reached."))
UNREACHABLE_BECAUSE = _reason("unreachable_because", N_("WhatsApp could not be reached:"))
ANSWER_LOST = _reason(
    "answer_lost", N_("WhatsApp received the message, but its response was lost:")
)
ANSWER_UNREADABLE = _reason(
    "answer_unreadable", N_("WhatsApp accepted the message, but its answer could not be read.")
)
ANSWER_LATE = _reason(
    "answer_late", N_("WhatsApp received the message but did not answer in time.")
)
ANSWERED_BETWEEN = _reason(
    "answered_between", N_("A proxy in front of the network answered {status} instead.")
)
BROKE_WHILE_SENDING = _reason(
    "broke_while_sending", N_("The connection was lost while the message was being sent.")
)
BROKE_BEFORE_ANSWER = _reason(
    "broke_before_answer", N_("The connection was lost before the answer arrived.")
)
SENDING_FAILED = _reason("sending_failed", N_("Sending failed in Comanda:"))

# One message.
REFUSED = _reason("refused", N_("WhatsApp rejected the message."))
NOT_DELIVERED = _reason(
    "not_delivered", N_("The network could not deliver the message and gave no reason.")
)
BAD_PARAMETER = _reason(
    "bad_parameter", N_("WhatsApp rejected the message because part of it is not valid.")
)
KIND_NOT_TAKEN = _reason("kind_not_taken", N_("WhatsApp does not support this type of message."))
PART_MISSING = _reason(
    "part_missing", N_("WhatsApp rejected the message because part of it is missing.")
)
INCOMPLETE = _reason("incomplete", N_("The message is incomplete:"))
NO_WHATSAPP = _reason(
    "no_whatsapp",
    N_(
        "The message cannot reach this number. It is not on WhatsApp, uses an old "
        "version, or has not accepted the terms."
    ),
)
NOT_ON_NETWORK = _reason("not_on_network", N_("This number is not on WhatsApp."))
CANNOT_BE_REACHED = _reason("cannot_be_reached", N_("This number cannot be reached on WhatsApp."))
OWN_NUMBER = _reason("own_number", N_("The recipient is the line's own number."))
NOT_ON_TEST_LIST = _reason(
    "not_on_test_list",
    N_("This line is a WhatsApp test number, and the recipient is not on its list."),
)
COUNTRY_BLOCKED = _reason(
    "country_blocked",
    N_("WhatsApp does not allow this business to write to the recipient's country."),
)
WINDOW_CLOSED = _reason(
    "window_closed",
    N_(
        "The recipient has not written in the last 24 hours. Only an approved template can be sent."
    ),
)
OPTED_OUT = _reason("opted_out", N_("The recipient has opted out of marketing messages."))
MARKETING_LIMIT = _reason(
    "marketing_limit",
    N_(
        "WhatsApp did not deliver this marketing message because the recipient "
        "received enough of them recently."
    ),
)
MARKETING_TRIAL = _reason(
    "marketing_trial",
    N_(
        "WhatsApp did not deliver this marketing message because the recipient is "
        "part of a WhatsApp experiment."
    ),
)
TEMPLATE_UNUSABLE = _reason("template_unusable", N_("WhatsApp cannot send this template."))
TEMPLATE_PARAMETERS = _reason(
    "template_parameters", N_("The number of parameters does not match the template.")
)
TEMPLATE_UNKNOWN = _reason(
    "template_unknown", N_("There is no approved template with this name in this language.")
)
TEMPLATE_TOO_LONG = _reason(
    "template_too_long", N_("The template is too long with these parameters.")
)
TEMPLATE_POLICY = _reason("template_policy", N_("The template violates a WhatsApp policy."))
TEMPLATE_PARAMETER_FORM = _reason(
    "template_parameter_form", N_("A template parameter has the wrong format.")
)
TEMPLATE_PAUSED = _reason(
    "template_paused", N_("WhatsApp paused the template because of its low quality.")
)
TEMPLATE_OFF = _reason("template_off", N_("WhatsApp permanently disabled the template."))
SIMULATED_LIVE = _reason("simulated_live", N_("A simulated line cannot send live messages."))
LINKED_KIND = _reason(
    "linked_kind",
    N_("A linked phone cannot send this type of message. Send it from a WhatsApp Cloud API line."),
)

SENT_AS_TEMPLATE = _reason(
    "sent_as_template", N_("The 24-hour window is closed. Sending the message as the template:")
)
RETURNED_TO_OWN_LINE = _reason(
    "returned_to_own_line",
    N_("The other line cannot write to this person. The message waits for its own line."),
)
RETRIED_AFTER_LINE_FAILURE = _reason(
    "retried_after_line_failure",
    N_("The line became unavailable during sending. The message was not accepted."),
)
SENT_BY_OTHER_LINE = _reason(
    "sent_by_other_line", N_("The line is unavailable. Sending from another line:")
)

# Files.
MEDIA_NOT_FETCHED = _reason(
    "media_not_fetched", N_("WhatsApp could not download the media. Make sure its URL is public.")
)
MEDIA_UNUSABLE = _reason(
    "media_unusable",
    N_("WhatsApp cannot use this media. Check its type, size and URL."),
)
IMAGE_TOO_LARGE = _reason(
    "image_too_large", N_("The file is larger than 5 MB, the limit for images.")
)
AUDIO_TOO_LARGE = _reason(
    "audio_too_large", N_("The file is larger than 16 MB, the limit for audio.")
)
VIDEO_TOO_LARGE = _reason(
    "video_too_large", N_("The file is larger than 16 MB, the limit for videos.")
)
DOCUMENT_TOO_LARGE = _reason(
    "document_too_large", N_("The file is larger than 100 MB, the limit for documents.")
)
IMAGE_WRONG_TYPE = _reason("image_wrong_type", N_("The file is not a JPEG, PNG or WebP image."))
AUDIO_WRONG_TYPE = _reason(
    "audio_wrong_type", N_("The file is not an OGG, MP3, AAC, AMR or M4A audio file.")
)
VOICE_WRONG_TYPE = _reason(
    "voice_wrong_type", N_("The file is not an OGG recording, as voice messages must be.")
)
STICKER_TOO_LARGE = _reason(
    "sticker_too_large", N_("The file is larger than 1 MB, the limit for stickers.")
)
STICKER_WRONG_TYPE = _reason("sticker_wrong_type", N_("The file is not a WebP image."))
VIDEO_WRONG_TYPE = _reason("video_wrong_type", N_("The file is not an MP4 or 3GP video."))
FILE_ADDRESS = _reason("file_address", N_("The file's address is not valid:"))
FILE_NOT_FETCHED = _reason("file_not_fetched", N_("The file could not be downloaded:"))
FILE_STATUS = _reason(
    "file_status", N_("The file's server must respond with 200 but responded with")
)
FILE_EMPTY = _reason("file_empty", N_("The file is empty."))
FILE_GONE = _reason("file_gone", N_("WhatsApp no longer has this file."))
FILE_LARGER = _reason("file_larger", N_("The file is larger than the allowed size."))
FILE_UNSAFE_ADDRESS = _reason(
    "file_unsafe_address", N_("WhatsApp sent an unsafe address for the file.")
)
NETWORK_STATUS = _reason("network_status", N_("WhatsApp responded with"))
SERVER_STATUS = _reason("server_status", N_("The server responded with"))
FILE_HOST_RESTARTED = _reason(
    "file_host_restarted", N_("The server restarted before the file was downloaded.")
)
FILE_LINE_GONE = _reason("file_line_gone", N_("The line of this message was deleted."))
FILE_WRONG_HASH = _reason(
    "file_wrong_hash", N_("The file does not match the checksum in the message.")
)
FILE_OTHER_TYPE = _reason("file_other_type", N_("The file type does not match the message."))
FILE_NOT_STORED = _reason("file_not_stored", N_("The file could not be stored."))
FILE_QUEUE_FULL = _reason("file_queue_full", N_("Too many images are waiting to be processed."))

# Linked phones.
PAIRING_TIMED_OUT = _reason(
    "pairing_timed_out",
    N_("The code was not scanned in time. Start again when you have the phone with you."),
)
LOGGED_OUT = _reason("logged_out", N_("Unlinked here."))
UNLINKED = _reason("unlinked", N_("This device was unlinked on the phone."))
PARKED = _reason(
    "parked",
    N_("The session failed repeatedly and was stopped. Restart the connection to try again."),
)
CONNECTION_CUT = _reason("connection_cut", N_("The connection to WhatsApp was lost."))
REPLACED = _reason("replaced", N_("Another connection replaced this one."))
THIS_ONE_REPLACED = _reason("this_one_replaced", N_("Another connection replaced this one."))
CLIENT_ENDED = _reason("client_ended", N_("The phone connection stopped."))
CLIENT_ENDED_WITH = _reason("client_ended_with", N_("The WhatsApp client stopped:"))
CLIENT_OUTDATED = _reason(
    "client_outdated",
    N_("WhatsApp no longer accepts this client version. The service must be updated."),
)
CLIENT_NOT_INSTALLED = _reason(
    "client_not_installed",
    N_("Linking a real phone requires the optional package `linked`, which is not installed here."),
)
NO_SIMULATION = _reason("no_simulation", N_("A simulated phone cannot be used in production."))
NO_SIMULATOR = _reason("no_simulator", N_("There is no simulated network in this environment."))
CONNECTION_REFUSED = _reason("connection_refused", N_("WhatsApp rejected the request:"))
NOT_LINKED = _reason("not_linked", N_("The phone could not be linked:"))
NOT_PREPARED = _reason("not_prepared", N_("The message could not be prepared:"))
DID_NOT_LEAVE = _reason("did_not_leave", N_("The message was not sent:"))
LIBRARY_SILENT = _reason("library_silent", N_("The WhatsApp client did not respond:"))
RESTRICTED = _reason("restricted", N_("WhatsApp restricted this number."))
RESTRICTED_FOR_A_WHILE = _reason(
    "restricted_for_a_while", N_("The network has restricted this number for a while.")
)
RESTRICTED_TERMS = _reason(
    "restricted_terms", N_("WhatsApp restricted this number for violating its terms.")
)
BANNED = {
    1: _reason(
        "banned_strangers",
        N_(
            "WhatsApp restricted this number because it wrote to too many people "
            "who do not have it in their contacts."
        ),
    ),
    2: _reason(
        "banned_blocked", N_("WhatsApp restricted this number because too many people blocked it.")
    ),
    3: _reason(
        "banned_groups", N_("WhatsApp restricted this number because it created too many groups.")
    ),
    4: _reason(
        "banned_repeated",
        N_("WhatsApp restricted this number because it sent the same message too often."),
    ),
    5: _reason(
        "banned_at_once",
        N_("WhatsApp restricted this number because it wrote to too many people at once."),
    ),
}

NETWORK_REASONS = ReasonSentences(_SENTENCES)
